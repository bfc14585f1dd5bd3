package cli

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// call runs a command line in the working folder. What goes to stderr besides progress is at most one sentence.
func (x *toyExperiment) call(t *testing.T, args ...string) (code int, stdout, sentence string) {
	t.Helper()
	var out, err bytes.Buffer
	code = Main(args, &out, &err, x.Experiment)
	for line := range strings.Lines(err.String()) {
		if s, ok := strings.CutPrefix(line, "sifg: "); ok {
			if sentence != "" {
				t.Errorf("two sentences: %q and %q", sentence, s)
			}
			sentence = s
		}
	}
	if (code == 0) != (sentence == "") {
		t.Errorf("%v: exit code %d with the sentence %q", args, code, sentence)
	}
	return code, out.String() + err.String(), sentence
}

// want runs a command line, whose words are separated by spaces, and checks its exit code and that it says all of the
// words.
func (x *toyExperiment) want(t *testing.T, line string, wantCode int, words ...string) (said string) {
	t.Helper()
	code, said, _ := x.call(t, strings.Fields(line)...)
	if code != wantCode {
		t.Errorf("%s: exit code %d, want %d (%s)", line, code, wantCode, said)
	}
	for _, w := range words {
		if !strings.Contains(said, w) {
			t.Errorf("%s: does not say %q: %s", line, w, said)
		}
	}
	return said
}

// files returns the bytes of the files under dir whose path has the pattern in it, by their path below dir.
func files(t *testing.T, dir, pattern string) map[string]string {
	t.Helper()
	out := map[string]string{}
	must(0, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.Contains(path, pattern) {
			return err
		}
		b, err := os.ReadFile(path)
		rel, _ := filepath.Rel(dir, path)
		out[rel] = string(b)
		return err
	}))
	return out
}

// same compares files but for those that hold times.
func same(t *testing.T, what string, got, want map[string]string) {
	t.Helper()
	for name := range want {
		if got[name] != want[name] && !timed(name) {
			t.Errorf("%s: %s is another", what, name)
		}
	}
}

// timed reports whether a file hangs on how long trials took.
func timed(name string) bool {
	base := filepath.Base(name)
	return base == "timings.parquet" || base == "trials.parquet" || strings.HasSuffix(base, ".html")
}

// put writes a file, in the place of whatever is there.
func put(t *testing.T, path, text string) {
	t.Helper()
	os.RemoveAll(path)
	must(0, os.MkdirAll(filepath.Dir(path), 0o777))
	must(0, os.WriteFile(path, []byte(text), 0o666))
}

// glob returns the paths of a pattern, of which there must be n.
func glob(t *testing.T, pattern string, n int) []string {
	t.Helper()
	found, err := filepath.Glob(pattern)
	if err != nil || len(found) != n {
		t.Fatalf("%s: %d paths, want %d (%v)", pattern, len(found), n, err)
	}
	return found
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
