package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/sifg/kernel"
)

// TestMain lets the test binary be the program that bench starts to measure the kernels of another path.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "bench" {
		os.Exit(Main(os.Args[1:], os.Stdout, os.Stderr))
	}
	os.Exit(m.Run())
}

func TestBench(t *testing.T) {
	dir, x := t.TempDir(), toy()
	doc := filepath.Join(dir, "speed.md")
	const before, after = "# Speed\n\n" + docBegin, docEnd + "The end.\n"
	if err := os.WriteFile(doc, []byte(before+"old\n"+after), 0o666); err != nil {
		t.Fatal(err)
	}
	code, out, sentence := call(t, dir, x, "bench", "--scale", "smoke", "--doc", doc)
	want(t, "bench", code, 0, sentence)
	rows, err := record.ReadBench(filepath.Join(dir, "results", "smoke", "bench", "bench.parquet"), "")
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(doc)
	if err != nil {
		t.Fatal(err)
	}
	if s := string(text); !strings.HasPrefix(s, before) || !strings.HasSuffix(s, after) || strings.Contains(s, "old\n") {
		t.Errorf("the block was not replaced:\n%s", s)
	}
	products, steps := map[string]int{}, 0
	for _, r := range rows {
		switch r.Group {
		case "product":
			products[r.Path]++
		case "iteration":
			steps++
			if r.Path != kernel.Path() || r.Unit != "ms" {
				t.Errorf("%+v", r)
			}
		}
		if r.CPU == "" || r.Started == "" || !strings.Contains(out, r.Name) || !strings.Contains(string(text), r.Name) {
			t.Errorf("%+v is not shown", r)
		}
	}
	for _, p := range kernel.Supported() {
		if products[p] == 0 || products[p] != products["portable"] {
			t.Errorf("%d products on %s, %d on portable", products[p], p, products["portable"])
		}
	}
	if steps < 20 || !strings.Contains(out, "mean nothing") {
		t.Errorf("%d iterations in\n%s", steps, out)
	}
}

// started sends a signal to this process when the first line of progress is written: the command catches signals by then.
type started struct {
	bytes.Buffer
	once sync.Once
}

func (s *started) Write(b []byte) (int, error) {
	s.once.Do(func() { syscall.Kill(os.Getpid(), syscall.SIGINT) })
	return s.Buffer.Write(b)
}

func TestBenchInterrupted(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	var out bytes.Buffer
	var errs started
	if code := Main([]string{"bench"}, &out, &errs); code != exitInterrupted || out.Len() > 0 {
		t.Errorf("exit code %d, want %d: %s%s", code, exitInterrupted, errs.String(), out.String())
	}
	if _, err := os.Stat(filepath.Join(dir, "results", "bench", "bench.parquet")); !os.IsNotExist(err) {
		t.Errorf("an interrupted measurement was written: %v", err)
	}
}

func TestBenchUsage(t *testing.T) {
	dir, x := t.TempDir(), toy()
	for _, c := range []struct {
		args  []string
		words []string
	}{
		{[]string{"bench", "--scale", "quick"}, []string{"--scale", "quick", "smoke"}},
		{[]string{"bench", "gmm"}, []string{"bench", "gmm"}},
		{[]string{"bench", "--doc", "missing.md"}, []string{"--doc", "missing.md"}},
		{[]string{"bench", "--doc", "empty.md"}, []string{"empty.md", "begin: sifg bench"}},
	} {
		if err := os.WriteFile(filepath.Join(dir, "empty.md"), nil, 0o666); err != nil {
			t.Fatal(err)
		}
		code, _, sentence := call(t, dir, x, c.args...)
		want(t, strings.Join(c.args, " "), code, exitUsage, sentence, c.words...)
	}
}
