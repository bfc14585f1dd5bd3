package browser

import (
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

	"github.com/semi-implicit/sifg/pkg/harness/internal/toypage"
	"github.com/semi-implicit/sifg/pkg/harness/page"
)

// browser is one tab of a headless Chromium.
type browser struct {
	t   *testing.T
	ctx context.Context

	mu       sync.Mutex
	requests []string // addresses that were asked for
	errors   []string // of the console, and exceptions
}

// newBrowser starts a browser that ends with the test; without one the test is skipped.
func newBrowser(t *testing.T) *browser {
	t.Helper()
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

// open loads a page at a width and waits until it is there.
func (b *browser) open(address string, width int64, scheme string) {
	b.t.Helper()
	size := emulation.SetDeviceMetricsOverrideParams{Width: width, Height: 900, DeviceScaleFactor: 1, Mobile: width < 600}
	media := emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}}
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

// shoot writes a picture if SHOTS names a folder: to look at it.
func (b *browser) shoot(name string, take chromedp.Action[[]byte]) {
	b.t.Helper()
	if dir := os.Getenv("SHOTS"); dir != "" {
		if err := os.WriteFile(filepath.Join(dir, name+".png"), do(b, take), 0o666); err != nil {
			b.t.Fatal(err)
		}
	}
}

// What is true of the page at any width. 4.5:1 is the contrast that WCAG 2 asks of text at least, sec. 1.4.3.
const (
	sticksOut = `[...document.querySelectorAll("main *, nav")].filter((e) => e.getClientRects().length && !e.closest(".scroll, .command, summary, caption") &&
		e.getBoundingClientRect().right > innerWidth + 1).map((e) => e.outerHTML.slice(0, 80)).join("; ")`
	smallest = `Math.min(...[...document.querySelectorAll("p, td, th, summary, h1, h2, h3, code, small")].filter((e) => e.getClientRects().length).map((e) => parseFloat(getComputedStyle(e).fontSize))) >= 11`
	contrast = `(() => {
		const rgb = (s) => s.match(/[\d.]+/g).slice(0, 3).map((v) => { v /= 255; return v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4; });
		const light = (s) => { const [r, g, b] = rgb(s); return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
		const back = light(getComputedStyle(document.body).backgroundColor);
		return [...document.querySelectorAll("h1, small, .verdict, a, summary")].filter((e) => !e.closest(".banner")).every((e) => {
			const fore = light(getComputedStyle(e).color);
			return (Math.max(fore, back) + 0.05) / (Math.min(fore, back) + 0.05) >= 4.5;
		});
	})()`
)

// TestBrowser looks at the page in a real browser: narrow and wide, light and dark. SHOTS=DIR keeps pictures; REPORT=FILE takes another
// page.
func TestBrowser(t *testing.T) {
	b := newBrowser(t)
	path, own := os.Getenv("REPORT"), false
	if path == "" {
		path, own = filepath.Join(t.TempDir(), "index.html"), true
		html, err := page.Render(toypage.Report(), toypage.Experiments())
		if err == nil {
			err = os.WriteFile(path, html, 0o666)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, width := range []int64{390, 1280, 1920} {
		for _, scheme := range []string{"light", "dark"} {
			b.open("file://"+path, width, scheme)
			at := fmt.Sprintf("%d px, %s", width, scheme)
			b.shoot(fmt.Sprintf("%d-%s", width, scheme), chromedp.CaptureScreenshot())
			b.shoot(fmt.Sprintf("%d-%s-whole", width, scheme), chromedp.FullScreenshot(100))
			b.is(at+": width of the content", "document.documentElement.scrollWidth", width)
			b.is(at+": what sticks out", sticksOut, "")
			b.is(at+": figures that do not load", `Promise.all([...document.images].filter((i) => i.src).map((i) => i.decode().then(() => "", () => i.alt))).then((a) => a.join(""))`, "")
			b.is(at+": smallest text", smallest, true)
			b.is(at+": contrast of text", contrast, true)
		}
		if own {
			b.act(fmt.Sprintf("%d px", width))
		}
	}
	if len(b.requests) == 0 {
		t.Error("no request was seen, not even that for the page")
	}
	for _, address := range b.requests {
		if address != "file://"+path && !strings.HasPrefix(address, "data:") {
			t.Errorf("the page asks for %.80s", address)
		}
	}
	for _, e := range b.errors {
		t.Errorf("console: %.300s", e)
	}
}

// act does what a reader does.
func (b *browser) act(at string) {
	figures := `[...document.querySelectorAll("#gmm-figure3 figure")].filter((e) => e.getClientRects().length).map((e) => e.className).join()`
	b.is(at+": one protocol", figures, "under paper")
	b.click(`document.getElementById("only-released")`)
	b.is(at+": another", figures, "under released")
	b.click(`document.querySelector("fieldset label:last-child input")`)
	b.is(at+": all", figures, "under paper,under released,under matched")

	// the first column stays where a table is scrolled
	b.is(at+": first column", `(() => { const s = document.querySelector("#gmm-kl .scroll"); s.style.width = "300px"; s.scrollLeft = 150;
		const left = s.querySelector("tbody td").getBoundingClientRect().left - s.getBoundingClientRect().left; s.style.width = ""; return Math.abs(left) < 2; })()`, true)

	// tables sort by value, not by text: 6.61 and 1.31 of KL; a second click turns the order
	column := `[...document.querySelector("#gmm-kl table").tBodies[0].rows].map((r) => r.cells[1].dataset.value).join()`
	head := `document.querySelector("#gmm-kl table").tHead.rows[0].cells[1]`
	b.click(head)
	b.is(at+": sorted", column, "1.31,6.61")
	b.click(head)
	b.is(at+": sorted the other way", column, "6.61,1.31")

	seen := `[...document.querySelectorAll(".ledger > li")].filter((e) => e.getClientRects().length).map((e) => e.id).join()`
	tile := `document.querySelector(".tile[data-outcome='not testable']")`
	b.click(tile)
	b.is(at+": claims of one outcome", seen, "claim-2")
	b.click(tile)
	b.is(at+": all again", seen, "claim-1,claim-2,claim-3")
	b.click(`document.getElementById("unfold")`)
	b.is(at+": opened", `document.querySelectorAll(".ledger > li > details[open]").length`, 3)
	b.click(`document.getElementById("unfold")`)
	b.is(at+": a link opens its claim", `new Promise((done) => { addEventListener("hashchange", () => setTimeout(() => done(document.querySelector("#claim-2 > details").open))); location.hash = "claim-2"; })`, true)
	b.click(`document.querySelector("img.zoom")`)
	b.is(at+": enlarged", `document.getElementById("zoom").open && document.querySelector("#zoom img").naturalWidth > 0`, true)
	b.click(`document.querySelector("#zoom button")`)
	b.is(at+": closed again", `document.getElementById("zoom").open`, false)
}
