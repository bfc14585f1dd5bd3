package page

import (
	"bufio"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
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

// message is an answer or an event of the protocol.
type message struct {
	ID     int
	Method string
	Params json.RawMessage
	Result json.RawMessage
	Error  *struct{ Message string }
}

// newBrowser starts a browser that ends with the test; without one the test is skipped.
func newBrowser(t *testing.T) *browser {
	t.Helper()
	var path string
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "chrome"} {
		if p, err := exec.LookPath(name); err == nil {
			path = p
			break
		}
	}
	if path == "" {
		t.Skip("no Chromium on this machine: the page is not looked at (Debian: apt-get install chromium)")
	}
	profile, err := os.MkdirTemp("", "sifg-browser-")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 8*time.Minute)
	args := []string{"--headless", "--disable-gpu", "--hide-scrollbars", "--no-first-run", "--remote-debugging-port=0", "--remote-allow-origins=*",
		"--user-data-dir=" + profile, "about:blank"}
	if os.Geteuid() == 0 { // its sandbox refuses to be root's
		args = append([]string{"--no-sandbox"}, args...)
	}
	cmd := exec.CommandContext(ctx, path, args...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // it starts others, which end with it
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cancel()
		cmd.Wait()     // killed
		for range 50 { // the last of its processes may still write
			if os.RemoveAll(profile) == nil {
				return
			}
			time.Sleep(20 * time.Millisecond)
		}
	})
	var host string
	lines := bufio.NewScanner(stderr)
	for lines.Scan() {
		if _, address, ok := strings.Cut(lines.Text(), "DevTools listening on ws://"); ok {
			host, _, _ = strings.Cut(address, "/")
			break
		}
	}
	if host == "" {
		t.Fatalf("%s says no address of its debugging protocol", path)
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
	ws, err := websocket.Dial(tab.WebSocketDebuggerURL, "", "http://"+host)
	if err != nil {
		t.Fatal(err)
	}
	ws.MaxPayloadBytes = 64 << 20
	t.Cleanup(func() { ws.Close() })
	b := &browser{t: t, ws: ws}
	for _, domain := range []string{"Page", "Runtime", "Log", "Network"} {
		b.do(domain+".enable", nil)
	}
	return b
}

// do sends a command and returns its result; events that come before it are noted.
func (b *browser) do(method string, params any) json.RawMessage {
	b.t.Helper()
	b.id++
	if params == nil {
		params = struct{}{}
	}
	if err := websocket.JSON.Send(b.ws, map[string]any{"id": b.id, "method": method, "params": params}); err != nil {
		b.t.Fatal(err)
	}
	for {
		m := b.next()
		if m.ID != b.id {
			continue
		}
		if m.Error != nil {
			b.t.Fatalf("%s: %s", method, m.Error.Message)
		}
		return m.Result
	}
}

// next reads one message and notes what it says of requests and errors.
func (b *browser) next() message {
	b.t.Helper()
	var m message
	b.ws.SetReadDeadline(time.Now().Add(2 * time.Minute))
	if err := websocket.JSON.Receive(b.ws, &m); err != nil {
		b.t.Fatal(err)
	}
	switch m.Method {
	case "Page.loadEventFired":
		b.loads++
	case "Network.requestWillBeSent":
		var p struct{ Request struct{ URL string } }
		json.Unmarshal(m.Params, &p)
		b.requests = append(b.requests, p.Request.URL)
	case "Runtime.exceptionThrown":
		b.errors = append(b.errors, string(m.Params))
	case "Log.entryAdded", "Runtime.consoleAPICalled":
		var p struct {
			Type  string
			Entry struct{ Level, Text string }
		}
		json.Unmarshal(m.Params, &p)
		if p.Type == "error" || p.Type == "warning" || p.Entry.Level == "error" || p.Entry.Level == "warning" {
			b.errors = append(b.errors, string(m.Params))
		}
	}
	return m
}

// open loads a page at a width and waits until it is there.
func (b *browser) open(address string, width, height int, scheme string) {
	b.t.Helper()
	b.do("Emulation.setDeviceMetricsOverride", map[string]any{"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600})
	b.do("Emulation.setEmulatedMedia", map[string]any{"features": []map[string]string{{"name": "prefers-color-scheme", "value": scheme}}})
	before := b.loads
	b.do("Page.navigate", map[string]any{"url": address})
	for b.loads == before {
		b.next()
	}
}

// eval evaluates an expression, or waits for the promise that it is, and returns its value.
func (b *browser) eval(expression string) any {
	b.t.Helper()
	var out struct {
		Result           struct{ Value any }
		ExceptionDetails *struct{ Exception struct{ Description string } }
	}
	raw := b.do("Runtime.evaluate", map[string]any{"expression": expression, "returnByValue": true, "awaitPromise": true})
	if err := json.Unmarshal(raw, &out); err != nil {
		b.t.Fatal(err)
	}
	if out.ExceptionDetails != nil {
		b.t.Fatalf("%s: %s", expression, out.ExceptionDetails.Exception.Description)
	}
	return out.Result.Value
}

// is checks the value of an expression, which a busy browser may take a while to come to.
func (b *browser) is(what, expression string, want any) {
	b.t.Helper()
	for end := time.Now().Add(5 * time.Second); ; time.Sleep(50 * time.Millisecond) {
		got := b.eval(expression)
		if fmt.Sprint(got) == fmt.Sprint(want) {
			return
		}
		if time.Now().After(end) {
			b.t.Errorf("%s: %v, want %v", what, got, want)
			return
		}
	}
}

// shoot writes a picture of the whole page, or of what is seen, if SHOTS names a folder: to look at it.
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

// TestBrowser looks at the page in a real browser: wide and narrow, light and dark. SHOTS=DIR keeps pictures, and
// REPORT=FILE takes another page.
func TestBrowser(t *testing.T) {
	b := newBrowser(t)
	path := filepath.Join(t.TempDir(), "index.html")
	if err := Write(path, toyPage(t, t.TempDir())); err != nil {
		t.Fatal(err)
	}
	other := os.Getenv("REPORT")
	if other != "" {
		path = other
	}
	for _, width := range []int{1280, 360} {
		for _, scheme := range []string{"light", "dark"} {
			b.open("file://"+path, width, 800, scheme)
			at := fmt.Sprintf("%d px, %s", width, scheme)
			b.shoot(fmt.Sprintf("%d-%s", width, scheme), true)
			b.is(at+": width of the content", "document.documentElement.scrollWidth", width)
			b.is(at+": what sticks out", `[...document.querySelectorAll("main *")].filter((e) => e.getClientRects().length && !e.closest(".scroll, .command, pre, .hidden") &&
				e.getBoundingClientRect().right > innerWidth + 1).map((e) => e.outerHTML.slice(0, 80)).join("; ")`, "")
			b.is(at+": figures that do not load", `Promise.all([...document.images].filter((i) => i.src).map((i) => i.decode().then(() => "", () => i.alt))).then((a) => a.join(""))`, "")
			b.is(at+": smallest text", `Math.min(...[...document.querySelectorAll("p, td, th, summary, h1, h2, h3, code, small")].filter((e) => e.getClientRects().length).map((e) => parseFloat(getComputedStyle(e).fontSize))) >= 11`, true)
			// 4.5:1 is what WCAG 2 asks of text at least, sec. 1.4.3
			b.is(at+": contrast of text", contrast, true)
		}
		if other != "" {
			continue
		}
		b.act(width)
	}
	local := b.live(path)
	for _, address := range b.requests {
		if address != "file://"+path && !strings.HasPrefix(address, "data:") && address != local && address != local+"events" {
			t.Errorf("the page asks for %.80s", address)
		}
	}
	for _, e := range b.errors {
		t.Errorf("console: %.300s", e)
	}
}

// live serves the page, and looks whether it loads itself again when there is another version; it returns the address.
func (b *browser) live(path string) string {
	page, err := os.ReadFile(path)
	if err != nil {
		b.t.Fatal(err)
	}
	var version atomic.Int64
	version.Store(1)
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) { w.Write(Live(page, int(version.Load()))) })
	mux.HandleFunc("GET /events", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprintf(w, "retry: 100\ndata: %d\n\n", version.Load()) // and again when the browser asks again
	})
	server := httptest.NewServer(mux)
	b.t.Cleanup(server.Close)
	b.open(server.URL+"/", 1280, 800, "light")
	b.eval(`document.querySelector("#claim-1 > details").open = true`)
	before := b.loads
	version.Store(2)
	for b.loads == before {
		b.next()
	}
	b.is("served: version after it loaded itself again", `document.querySelector("script[data-version]").dataset.version`, "2")
	b.is("served: still open", `document.querySelector("#claim-1 > details").open`, true)
	return server.URL + "/"
}

// contrast tells whether the ordinary, the soft and the verdicts' colours stand out from the page's.
const contrast = `(() => {
	const rgb = (s) => s.match(/[\d.]+/g).slice(0, 3).map((v) => { v /= 255; return v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4; });
	const light = (s) => { const [r, g, b] = rgb(s); return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
	const back = light(getComputedStyle(document.body).backgroundColor);
	return [...document.querySelectorAll("h1, small, .verdict, a, summary")].every((e) => {
		const fore = light(getComputedStyle(e).color);
		return (Math.max(fore, back) + 0.05) / (Math.min(fore, back) + 0.05) >= 4.5;
	});
})()`

// act does what a reader does.
func (b *browser) act(width int) {
	at := fmt.Sprintf("%d px", width)
	chips, statement := `document.querySelector("#claim-1 .chips").getBoundingClientRect()`, `document.querySelector("#claim-1 .statement").getBoundingClientRect()`
	if width < 600 {
		b.is(at+": verdicts stand below the statement", chips+".top >= "+statement+".bottom - 1", true)
	} else {
		b.is(at+": verdicts stand beside the statement", chips+".left >= "+statement+".right - 1", true)
	}

	// tables sort by value, not by text: 6.61 and 1.31 of KL; a second click turns the order
	column := `[...document.querySelector("table.sortable").tBodies[0].rows].map((r) => r.cells[1].dataset.value).join()`
	head := `document.querySelector("table.sortable").tHead.rows[0].cells[1]`
	b.is(at+": order as written", column, "6.61,1.31")
	b.eval(head + ".click()")
	b.is(at+": sorted", column, "1.31,6.61")
	b.is(at+": said to be sorted", head+`.getAttribute("aria-sort")`, "ascending")
	b.eval(head + ".click()")
	b.is(at+": sorted the other way", column, "6.61,1.31")

	seen := `[...document.querySelectorAll(".ledger > li")].filter((e) => e.getClientRects().length).map((e) => e.id).join()`
	b.is(at+": all claims", seen, "claim-1,claim-2,claim-3")
	b.eval(`document.querySelector(".tile[data-outcome='not testable']").click()`)
	b.is(at+": claims of one outcome", seen, "claim-2")
	b.eval(`document.querySelector(".tile[data-outcome='not testable']").click()`)
	b.is(at+": all again", seen, "claim-1,claim-2,claim-3")
	open := `document.querySelectorAll(".ledger > li > details[open]").length`
	b.eval(`document.getElementById("unfold").click()`)
	b.is(at+": opened", open, 3)
	b.eval(`document.getElementById("unfold").click()`)
	b.is(at+": closed", open, 0)
	b.is(at+": a link opens its claim", `new Promise((done) => { addEventListener("hashchange", () => setTimeout(() => done(document.querySelector("#claim-2 > details").open))); location.hash = "claim-2"; })`, true)

	// the pointer over the middle of a panel: one line a curve
	b.eval(`document.querySelector("img[data-values]").scrollIntoView({block: "center"})`)
	var box struct{ X, Y float64 }
	text, _ := b.eval(`JSON.stringify((() => { const i = document.querySelector("img[data-values]"), r = i.getBoundingClientRect(), v = JSON.parse(document.getElementById(i.dataset.values).textContent), p = v.panels[0].area; return {x: r.left + (p[0] + p[2]) / 2 / v.w * r.width, y: r.top + (p[1] + p[3]) / 2 / v.h * r.height}; })())`).(string)
	if err := json.Unmarshal([]byte(text), &box); err != nil {
		b.t.Fatal(err)
	}
	b.do("Input.dispatchMouseEvent", map[string]any{"type": "mouseMoved", "x": box.X, "y": box.Y})
	b.is(at+": values under the pointer", `!document.getElementById("tip").hidden && /^iteration [45]\d.*(L2-GF|SIFG|Ada-GWG|Ada-SIFG)[\d.]+$/.test(document.getElementById("tip").textContent)`, true)
	b.shoot(fmt.Sprintf("%d-values", width), false)
	b.eval(`document.querySelector("img.zoom").click()`)
	b.is(at+": enlarged", `document.getElementById("zoom").open && document.querySelector("#zoom img").naturalWidth > 0`, true)
	b.shoot(fmt.Sprintf("%d-zoom", width), false)
	b.eval(`document.querySelector("#zoom button").click()`)
	b.is(at+": closed again", `document.getElementById("zoom").open`, false)
}
