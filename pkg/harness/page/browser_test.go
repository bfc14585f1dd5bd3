package page

import (
	"bufio"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/net/websocket"
)

// browser is one tab of a headless Chromium, driven by its debugging protocol.
type browser struct {
	t        *testing.T
	ws       *websocket.Conn
	id       int
	loads    int      // pages that were loaded
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
	profile, err := os.MkdirTemp("", "sifg-browser-")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 8*time.Minute)
	cmd := exec.CommandContext(ctx, path, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--no-first-run",
		"--remote-debugging-port=0", "--remote-allow-origins=*", "--user-data-dir="+profile, "about:blank")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // it starts others, which end with it
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	stderr, err := cmd.StderrPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cancel()
		cmd.Wait()                                                      // killed
		for end := 50; end > 0 && os.RemoveAll(profile) != nil; end-- { // the last of its processes may still write
			time.Sleep(20 * time.Millisecond)
		}
	})
	lines, host := bufio.NewScanner(stderr), ""
	for host == "" && lines.Scan() {
		_, address, _ := strings.Cut(lines.Text(), "DevTools listening on ws://")
		host, _, _ = strings.Cut(address, "/")
	}
	go func() {
		for lines.Scan() { // so that it can go on writing
		}
	}()
	request, err := http.NewRequest(http.MethodPut, "http://"+host+"/json/new?about:blank", nil)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	var tab struct{ WebSocketDebuggerURL string }
	if err := json.NewDecoder(answer.Body).Decode(&tab); err != nil {
		t.Fatal(err)
	}
	b := &browser{t: t}
	if b.ws, err = websocket.Dial(tab.WebSocketDebuggerURL, "", "http://"+host); err != nil {
		t.Fatal(err)
	}
	b.ws.MaxPayloadBytes = 64 << 20
	t.Cleanup(func() { b.ws.Close() })
	for _, domain := range []string{"Page", "Runtime", "Log", "Network"} {
		b.do(domain+".enable", struct{}{})
	}
	return b
}

// do sends a command and returns its result.
func (b *browser) do(method string, params any) json.RawMessage {
	b.t.Helper()
	b.id++
	if err := websocket.JSON.Send(b.ws, map[string]any{"id": b.id, "method": method, "params": params}); err != nil {
		b.t.Fatal(err)
	}
	for {
		if id, result := b.next(); id == b.id {
			return result
		}
	}
}

// next reads one message and notes what it says of loads, requests and errors.
func (b *browser) next() (id int, result json.RawMessage) {
	b.t.Helper()
	var m struct {
		ID     int
		Method string
		Params struct {
			Request struct{ URL string }
			Type    string
			Entry   struct{ Level, Text string }
		}
		Result json.RawMessage
		Error  *struct{ Message string }
	}
	b.ws.SetReadDeadline(time.Now().Add(2 * time.Minute))
	if err := websocket.JSON.Receive(b.ws, &m); err != nil {
		b.t.Fatal(err)
	}
	if m.Error != nil {
		b.t.Fatal(m.Error.Message)
	}
	switch m.Method {
	case "Page.loadEventFired":
		b.loads++
	case "Network.requestWillBeSent":
		b.requests = append(b.requests, m.Params.Request.URL)
	case "Runtime.exceptionThrown", "Log.entryAdded", "Runtime.consoleAPICalled":
		b.errors = append(b.errors, m.Method+" "+m.Params.Type+" "+m.Params.Entry.Text)
	}
	return m.ID, m.Result
}

// open loads a page at a width and waits until it is there.
func (b *browser) open(address string, width int, scheme string) {
	b.t.Helper()
	b.do("Emulation.setDeviceMetricsOverride", map[string]any{"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 600})
	b.do("Emulation.setEmulatedMedia", map[string]any{"features": []map[string]string{{"name": "prefers-color-scheme", "value": scheme}}})
	before := b.loads
	b.do("Page.navigate", map[string]any{"url": address})
	for b.loads == before {
		b.next()
	}
}

// is checks the value of an expression, which a busy browser may take a while to come to.
func (b *browser) is(what, expression string, want any) {
	b.t.Helper()
	for end := time.Now().Add(5 * time.Second); ; time.Sleep(50 * time.Millisecond) {
		var out struct {
			Result           struct{ Value any }
			ExceptionDetails json.RawMessage
		}
		raw := b.do("Runtime.evaluate", map[string]any{"expression": expression, "returnByValue": true, "awaitPromise": true})
		if err := json.Unmarshal(raw, &out); err != nil || out.ExceptionDetails != nil {
			b.t.Fatalf("%s: %s: %s", what, expression, out.ExceptionDetails)
		}
		if want == nil || fmt.Sprint(out.Result.Value) == fmt.Sprint(want) {
			return
		}
		if time.Now().After(end) {
			b.t.Errorf("%s: %v, want %v", what, out.Result.Value, want)
			return
		}
	}
}

// shoot writes a picture of what is seen, or of the whole page, if SHOTS names a folder: to look at it.
func (b *browser) shoot(name string, whole bool) {
	dir := os.Getenv("SHOTS")
	if dir == "" {
		return
	}
	var out struct{ Data string }
	json.Unmarshal(b.do("Page.captureScreenshot", map[string]any{"captureBeyondViewport": whole}), &out)
	data, err := base64.StdEncoding.DecodeString(out.Data)
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, name+".png"), data, 0o644)
	}
	if err != nil {
		b.t.Fatal(err)
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
		if err := os.WriteFile(path, []byte(render(t, toyReport())), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, width := range []int{390, 1280, 1920} {
		for _, scheme := range []string{"light", "dark"} {
			b.open("file://"+path, width, scheme)
			at := fmt.Sprintf("%d px, %s", width, scheme)
			b.shoot(fmt.Sprintf("%d-%s", width, scheme), false)
			b.shoot(fmt.Sprintf("%d-%s-whole", width, scheme), true)
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
	b.is("switch", `document.getElementById("only-released").click()`, nil)
	b.is(at+": another", figures, "under released")
	b.is("switch", `document.querySelector("fieldset label:last-child input").click()`, nil)
	b.is(at+": all", figures, "under paper,under released,under matched")

	// the first column stays where a table is scrolled
	b.is(at+": first column", `(() => { const s = document.querySelector("#gmm-kl .scroll"); s.style.width = "300px"; s.scrollLeft = 150;
		const left = s.querySelector("tbody td").getBoundingClientRect().left - s.getBoundingClientRect().left; s.style.width = ""; return Math.abs(left) < 2; })()`, true)

	// tables sort by value, not by text: 6.61 and 1.31 of KL; a second click turns the order
	column := `[...document.querySelector("#gmm-kl table").tBodies[0].rows].map((r) => r.cells[1].dataset.value).join()`
	head := `document.querySelector("#gmm-kl table").tHead.rows[0].cells[1].click()`
	b.is("sort", head, nil)
	b.is(at+": sorted", column, "1.31,6.61")
	b.is("sort", head, nil)
	b.is(at+": sorted the other way", column, "6.61,1.31")

	seen := `[...document.querySelectorAll(".ledger > li")].filter((e) => e.getClientRects().length).map((e) => e.id).join()`
	tile := `document.querySelector(".tile[data-outcome='not testable']").click()`
	b.is("filter", tile, nil)
	b.is(at+": claims of one outcome", seen, "claim-2")
	b.is("filter", tile, nil)
	b.is(at+": all again", seen, "claim-1,claim-2,claim-3")
	b.is("unfold", `document.getElementById("unfold").click()`, nil)
	b.is(at+": opened", `document.querySelectorAll(".ledger > li > details[open]").length`, 3)
	b.is("fold", `document.getElementById("unfold").click()`, nil)
	b.is(at+": a link opens its claim", `new Promise((done) => { addEventListener("hashchange", () => setTimeout(() => done(document.querySelector("#claim-2 > details").open))); location.hash = "claim-2"; })`, true)
	b.is("enlarge", `document.querySelector("img.zoom").click()`, nil)
	b.is(at+": enlarged", `document.getElementById("zoom").open && document.querySelector("#zoom img").naturalWidth > 0`, true)
	b.is("close", `document.querySelector("#zoom button").click()`, nil)
	b.is(at+": closed again", `document.getElementById("zoom").open`, false)
}
