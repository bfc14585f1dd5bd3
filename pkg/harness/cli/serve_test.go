package cli

import (
	"bufio"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// TestServe follows a report from nothing through a part to the whole.
func TestServe(t *testing.T) {
	old := lookEvery
	lookEvery = 20 * time.Millisecond
	defer func() { lookEvery = old }()
	x, dir := toy(), t.TempDir()
	t.Chdir(dir)
	out, in := io.Pipe()
	code := -1
	var errs strings.Builder
	var served sync.WaitGroup
	served.Go(func() {
		code = Main([]string{"report", "--protocol", "all", "--serve", "127.0.0.1:0"}, in, &errs, x.Experiment)
		in.Close()
	})
	said := bufio.NewScanner(out)
	if !said.Scan() {
		t.Fatalf("it says nothing: %s", errs.String())
	}
	address, _, _ := strings.Cut(said.Text(), " ")
	get := func(host string) (status int, page string) {
		r, err := http.NewRequest(http.MethodGet, address, nil)
		if err != nil {
			t.Fatal(err)
		}
		if host != "" {
			r.Host = host
		}
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer answer.Body.Close()
		b, err := io.ReadAll(answer.Body)
		if err != nil {
			t.Fatal(err)
		}
		return answer.StatusCode, string(b)
	}
	events, err := http.Get(address + "events")
	if err != nil {
		t.Fatal(err)
	}
	defer events.Body.Close()
	versions := bufio.NewScanner(events.Body)
	next := func() string { // the next version
		for versions.Scan() {
			if v, ok := strings.CutPrefix(versions.Text(), "data: "); ok {
				return v
			}
		}
		t.Fatal("no more events")
		return ""
	}
	first := next()
	if first == "0" { // before the first look
		first = next()
	}
	if status, page := get(""); status != http.StatusOK || !strings.Contains(page, "No trial has ended") || !strings.Contains(page, `data-version="`+first+`"`) {
		t.Errorf("without a trial: status %d, %.300q", status, page)
	}
	if c := Main([]string{"run", "--protocol", "paper"}, io.Discard, io.Discard, x.Experiment); c != 0 {
		t.Fatalf("run: exit code %d", c)
	}
	report, err := os.ReadFile(filepath.Join("results", "index.html"))
	if err != nil {
		t.Fatal(err)
	}
	var page string
	// svgd alone differs between the toy's two protocols: released has 6 of its 9 trials in common with paper
	for !strings.Contains(page, "incomplete: 6 of 9 trials") || !strings.Contains(page, "9 of 9 trials: 9 ok") {
		next()
		_, page = get("")
	}
	for _, words := range []string{"EventSource", "connect-src 'self'", "There are trials."} {
		if !strings.Contains(page, words) {
			t.Errorf("the page lacks %q", words)
		}
	}
	if again, err := os.ReadFile(filepath.Join("results", "index.html")); err != nil || string(again) != string(report) {
		t.Errorf("the report itself was touched (%v)", err)
	}
	for host, want := range map[string]int{"localhost:1": 200, "127.0.0.1": 200, "[::1]:1": 200, "elsewhere.example:80": 403, "elsewhere.example": 403} {
		if status, _ := get(host); status != want {
			t.Errorf("asked for as %s: status %d, want %d", host, status, want)
		}
	}
	syscall.Kill(os.Getpid(), syscall.SIGINT)
	served.Wait()
	if code != 0 {
		t.Errorf("exit code %d: %s", code, errs.String())
	}
	if left, _ := filepath.Glob(filepath.Join(os.TempDir(), "sifg-live-*")); len(left) > 0 && os.Getenv("TMPDIR") != "" {
		t.Errorf("left behind: %v", left)
	}
}

func TestServeAddresses(t *testing.T) {
	for address, words := range map[string]string{
		":8080": "--serve-anyone", "0.0.0.0:8080": "--serve-anyone", "192.0.2.1:80": "ssh -L", "8080": "want an address", "example.org:80": "--serve-anyone",
	} {
		code, _, sentence := call(t, t.TempDir(), toy(), "report", "--serve", address)
		want(t, address, code, exitUsage, sentence, words)
	}
	l, local, err := listen("localhost:0", false)
	if err != nil || !local {
		t.Fatalf("localhost: %v", err)
	}
	l.Close()
	if l, local, err = listen(":0", true); err != nil || local {
		t.Fatalf("any address, asked for: %v", err)
	}
	l.Close()
	if _, _, err := listen("127.0.0.1:99999", false); code(err) != exitUsage {
		t.Errorf("no port: %v", err)
	}
}
