// Package browser has the tests that look at pages in a real browser. It is a module of its own: what drives the
// browser is no dependency of those who use the harness.
package browser

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// browser is one tab of a headless Chromium.
type browser struct {
	t   *testing.T
	ctx context.Context

	mu       sync.Mutex
	requests []string // addresses that were asked for
	errors   []string // of the console, and exceptions
}

// newBrowser starts a browser that ends with the test; without one, or where it cannot start, the test is skipped.
func newBrowser(t *testing.T) *browser {
	t.Helper()
	if testing.Short() {
		t.Skip("a minute of a browser")
	}
	path, err := exec.LookPath("chromium")
	if err != nil {
		t.Skip("no Chromium on this machine: the page is not looked at (Debian: apt-get install chromium)")
	}
	started, end := chromedp.NewExecAllocator(context.Background(),
		append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.NoSandbox)...)
	ctx, closeTab := chromedp.NewContext(started)
	t.Cleanup(func() { closeTab(); end() })
	b := &browser{t: t, ctx: ctx}
	err = chromedp.Listen(ctx, func(event any) {
		b.mu.Lock()
		defer b.mu.Unlock()
		switch e := event.(type) {
		case *network.EventRequestWillBeSent:
			b.requests = append(b.requests, e.Request.URL)
		case *runtime.EventExceptionThrown, *runtime.EventConsoleAPICalled, *log.EventEntryAdded:
			b.errors = append(b.errors, fmt.Sprintf("%+v", e))
		}
	})
	if err != nil && strings.Contains(err.Error(), "failed to start") { // Listen starts it
		t.Skipf("%s is here but does not start: the page is not looked at: %v", path, err)
	}
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// do runs an action and returns its value.
func do[T any](b *browser, action chromedp.Action[T]) T {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, 2*time.Minute)
	defer cancel()
	value, err := chromedp.Run(ctx, action)
	if err != nil {
		b.t.Fatal(err)
	}
	return value
}

// open loads a page at a width and waits until it is there. The scheme is light, dark or, on paper, print.
func (b *browser) open(address string, width int64, scheme string) {
	b.t.Helper()
	size := emulation.SetDeviceMetricsOverrideParams{
		Width:             width,
		Height:            900,
		DeviceScaleFactor: 1,
		Mobile:            width < 600,
	}
	feature := &emulation.MediaFeature{Name: "prefers-color-scheme", Value: scheme}
	media := emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{feature}}
	if scheme == "print" {
		media = emulation.SetEmulatedMediaParams{Media: scheme}
	}
	do(b, chromedp.Func(func(ctx context.Context, tab *chromedp.Target) error {
		_, err1 := cdp.Call(ctx, tab, emulation.SetDeviceMetricsOverride, size)
		_, err2 := cdp.Call(ctx, tab, emulation.SetEmulatedMedia, media)
		return errors.Join(err1, err2)
	}))
	do(b, chromedp.Navigate(address))
}

// is checks the value of an expression, which a busy browser may take a while to come to.
func (b *browser) is(what, expression string, want any) {
	b.t.Helper()
	for end := time.Now().Add(5 * time.Second); ; time.Sleep(50 * time.Millisecond) {
		got := do(b, chromedp.Evaluate[any](expression, chromedp.EvalAwaitPromise))
		if fmt.Sprint(got) == fmt.Sprint(want) {
			return
		}
		if time.Now().After(end) {
			b.t.Errorf("%s: %v, want %v", what, got, want)
			return
		}
	}
}

// click clicks on what an expression finds.
func (b *browser) click(expression string) {
	b.t.Helper()
	do(b, chromedp.Evaluate[chromedp.Void](expression+".click()"))
}

// What is true of the page at any width. 4.5:1 is the contrast that WCAG 2 asks of text at least, sec. 1.4.3.
const (
	// cutOff lists what leaves the window, or is wider than its place, with everything opened that opens.
	cutOff = `(() => {
		for (const d of document.querySelectorAll("details")) d.open = true;
		const hidden = "caption, .unseen, .word";
		return [...document.querySelectorAll("main *, nav *")].filter((e) => {
			const box = e.getBoundingClientRect();
			if (!e.getClientRects().length || e.closest(hidden) || e.closest(".scroll, figure")) return false;
			const outside = box.right > innerWidth + 1 || box.left < -1;
			return outside || e.clientWidth > 0 && e.scrollWidth > e.clientWidth + 1;
		}).slice(0, 8).map((e) => e.scrollWidth + " > " + e.clientWidth + ": " + e.outerHTML.slice(0, 120)).join("\n");
	})()`
	smallest = `Math.min(...[...document.querySelectorAll("p, td, th, summary, h1, h2, h3, code, small")]
		.filter((e) => e.getClientRects().length).map((e) => parseFloat(getComputedStyle(e).fontSize))) >= 11`
	// broken lists the ids of claims that take more than one line, and names of rows that take more than their words.
	broken = `[...document.querySelectorAll(".ledger .id, .sortable tr > :first-child")].filter((e) => {
		const text = document.createRange();
		text.selectNodeContents(e);
		const most = e.matches(".id") ? 1 : e.textContent.split(/[\s-]/).length;
		return text.getClientRects().length > most;
	}).map((e) => e.textContent).join()`
	// cut lists the tables that paper has no room for.
	cut = `[...document.querySelectorAll("table")].filter((t) => t.getBoundingClientRect().right > innerWidth + 1)
		.map((t) => t.textContent.trim().slice(0, 60)).join("\n")`
	closed = `(dispatchEvent(new Event("beforeprint")), document.querySelectorAll("details:not([open])").length)`
	// undecoded are the drawings that do not load, lazy ones included.
	undecoded = `Promise.all([...document.images].filter((i) => i.src).map((i) => {
		i.loading = "eager";
		return i.decode().then(() => "", () => i.alt);
	})).then((a) => a.join(""))`
	contrast = `(() => {
		const channel = (v) => { v /= 255; return v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4; };
		const light = (s) => {
			const [r, g, b] = s.match(/[\d.]+/g).slice(0, 3).map(channel);
			return 0.2126 * r + 0.7152 * g + 0.0722 * b;
		};
		const back = light(getComputedStyle(document.body).backgroundColor);
		const texts = [...document.querySelectorAll("h1, small, .verdict, a, summary")];
		return texts.filter((e) => !e.closest(".banner")).every((e) => {
			const fore = light(getComputedStyle(e).color);
			return (Math.max(fore, back) + 0.05) / (Math.min(fore, back) + 0.05) >= 4.5;
		});
	})()`
)

// TestBrowser looks at pages in a real browser, narrow and wide, light and dark, and does what a reader does.
func TestBrowser(t *testing.T) {
	b, folder := newBrowser(t), t.TempDir()
	toy := exec.Command("go", "test", "-count=1", "-run=^TestToy$", "./page")
	toy.Dir, toy.Env = "..", append(os.Environ(), "TOY="+folder)
	if out, err := toy.CombinedOutput(); err != nil {
		t.Fatalf("%v: %v\n%s", toy, err, out)
	}
	for _, width := range widths {
		for _, name := range []string{"index", "gmm", "claims", "comparison", "grids", "alone/index"} {
			b.look(filepath.Join(folder, name+".html"), width, []string{"light", "dark"}[len(name)%2])
		}
		b.act(folder, width)
	}
	b.quiet(folder)
}

// TestCommittedPages looks at the committed pages. REPORT=FOLDER takes others. On a laptop Figure 1 is on the first
// screen, and Table 1 is one table.
func TestCommittedPages(t *testing.T) {
	folder := must(filepath.Abs(cmp.Or(os.Getenv("REPORT"), "../../../results")))
	pages, err := filepath.Glob(filepath.Join(folder, "*.html"))
	if err != nil || len(pages) == 0 {
		t.Fatalf("pages %q, %v", pages, err)
	}
	b := newBrowser(t)
	for i, path := range pages {
		for k, width := range widths[:2] {
			b.look(path, width, []string{"light", "dark"}[(i+k)%2])
		}
	}
	for _, path := range pages {
		b.open("file://"+path, 1280, "light")
		at := filepath.Base(path)
		const dead = `[...document.querySelectorAll("#contents a")].filter((a) =>
			!document.getElementById(decodeURIComponent(a.hash.slice(1)))).map((a) => a.hash).join()`
		b.is(at+": the list of contents leads nowhere", dead, "")
		if at != "claims.html" { // which has no picture
			b.is(at+": a picture is open",
				`[...document.querySelectorAll("main figure img")].some((i) => i.checkVisibility())`, true)
		}
		b.is(at+": ids with spaces", `[...document.querySelectorAll("[id]")].filter((e) => /\s/.test(e.id)).length`, 0)
		b.open("file://"+path, paper, "print")
		b.is(at+": closed in print", closed, 0)
		b.is(at+": figures that paper lacks", undecoded, "")
		b.is(at+": tables that are cut in print", cut, "")
		b.is(at+": names that are broken in print", broken, "")
		b.is(at+": pictures without words",
			`[...document.querySelectorAll("main img")].filter((i) => i.alt.length < 20).length`, 0)
	}
	b.open("file://"+filepath.Join(folder, "index.html"), 1280, "light")
	const figure = `document.querySelector("#figure-1 img").getBoundingClientRect()`
	b.is("Figure 1 is on the first screen", figure+".top < 900 && "+figure+".height > 100", true)
	const table = `[...document.querySelectorAll("#table-1 table.grouped")].map((t) =>
		t.rows.length + (t.scrollWidth > t.parentElement.clientWidth ? " scroll" : " rows"))[0]`
	b.is("Table 1", table, "8 rows")
	b.open("file://"+filepath.Join(folder, "index.html"), 390, "light")
	b.is("Table 1 on a phone", table, "8 scroll")
	b.is("the text of figures on a phone", `[...document.querySelectorAll("main figure img")].every((i) =>
		i.getBoundingClientRect().width >= 0.6 * i.getAttribute("width"))`, true)
	b.quiet(folder)
}

var widths = []int64{390, 1280, 1920}

const paper = 718 // A4 within margins of a centimetre

// look checks what is true of every page.
func (b *browser) look(path string, width int64, scheme string) {
	b.t.Helper()
	b.open("file://"+path, width, scheme)
	at := fmt.Sprintf("%d px, %s", width, scheme)
	b.is(at+": width of the content", "document.documentElement.scrollWidth", width)
	b.is(at+": figures that do not load", undecoded, "")
	b.is(at+": smallest text", smallest, true)
	b.is(at+": contrast of text", contrast, true)
	b.is(at+": what is cut off", cutOff, "")
	b.is(at+": names that are broken", broken, "")
}

// quiet checks that pages asked for nothing but files of their folder, and had no errors.
func (b *browser) quiet(folder string) {
	b.t.Helper()
	if len(b.requests) == 0 {
		b.t.Error("no request was seen, not even that for the page")
	}
	for _, address := range b.requests {
		if !strings.HasPrefix(address, "file://"+folder+"/") && !strings.HasPrefix(address, "data:") {
			b.t.Errorf("the page asks for %.80s", address)
		}
	}
	for _, e := range b.errors {
		b.t.Errorf("console: %.300s", e)
	}
}

// seen are the names of the elements of a kind that are shown.
func seen(selector, name string) string {
	const of = `[...document.querySelectorAll(%q)].filter((e) => e.getClientRects().length).map((e) => e.%s).join()`
	return fmt.Sprintf(of, selector, name)
}

// act does what a reader does.
func (b *browser) act(folder string, width int64) {
	at := fmt.Sprintf("%d px", width)
	open := func(page string) { b.open("file://"+filepath.Join(folder, page), width, "light") }

	open("gmm.html")
	b.is(at+": the first protocol alone is open", seen("details.protocol[open]", "id"), "first")
	shown := hash("gmm-third-only", `document.getElementById("gmm-third-only").checkVisibility()`)
	b.is(at+": a link to what is folded shows it", shown, true)
	// tables sort by value, not by text: 6.61 and 1.31 of KL; a second click turns the order
	table := `document.querySelector("#gmm-kl table")`
	column := `[...` + table + `.tBodies[0].rows].map((r) => r.cells[1].dataset.value).join()`
	b.click(table + `.tHead.rows[0].cells[1]`)
	b.is(at+": sorted", column, "1.31,6.61")
	b.click(table + `.tHead.rows[0].cells[1]`)
	b.is(at+": sorted the other way", column, "6.61,1.31")

	open("claims.html")
	claims := seen(".ledger > li", "id")
	tile := `document.querySelector(".tile[data-outcome='not testable']")`
	b.click(tile)
	b.is(at+": claims of one outcome", claims, "claim-2")
	b.click(tile)
	b.is(at+": all again", claims, "claim-1,claim-2,claim-3,claim-4")
	b.find("RIGHT scale")
	b.is(at+": found claims", claims, "claim-2")
	b.is(at+": number found", `document.getElementById("found").textContent.trim()`, "1 claim")
	b.find("")
	b.click(`document.getElementById("unfold")`)
	b.is(at+": opened", `document.querySelectorAll(".ledger > li > details[open]").length`, 4)
	b.click(`document.getElementById("unfold")`)
	b.is(at+": a link opens its claim", hash("claim-2", `document.querySelector("#claim-2 > details").open`), true)

	open("grids.html")
	cells := `document.querySelector("img").checkVisibility()`
	b.is(at+": a grid is open", cells, true)
	b.is(at+": a link opens its grid", hash("grid-gmm-steps-third", cells), true)

	for old, page := range map[string]string{
		"claim-2": "claims.html", "gmm-figure3": "gmm.html", "grid-gmm-steps-third": "grids.html",
	} {
		open("index.html#" + old)
		b.is(at+": the old link to "+old, `location.pathname.split("/").pop() + location.hash`, page+"#"+old)
	}

	open("index.html")
	b.click(`document.querySelector("main img.zoom")`)
	enlarged := `document.getElementById("zoom").open && document.querySelector("#zoom img").naturalWidth > 0`
	b.is(at+": enlarged", enlarged, true)
	b.click(`document.querySelector("#zoom button")`)
	b.is(at+": closed again", `document.getElementById("zoom").open`, false)
}

// hash follows a link within the page and gives the value of an expression then.
func hash(id, expression string) string {
	return fmt.Sprintf(`new Promise((done) => {
		addEventListener("hashchange", () => setTimeout(() => done(%s)), { once: true });
		location.hash = %q;
	})`, expression, id)
}

// find types into the search box.
func (b *browser) find(text string) {
	b.t.Helper()
	do(b, chromedp.Evaluate[any](fmt.Sprintf(`(() => {
		const box = document.getElementById("search");
		box.value = %q;
		box.dispatchEvent(new Event("input"));
	})()`, text)))
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
