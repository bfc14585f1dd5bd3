package harness

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The folder of the results may be called anything: what is in its name is no pattern.
func TestFolderOfAnyName(t *testing.T) {
	results := filepath.Join(t.TempDir(), "a[b")
	left, run := filepath.Join(results, ".index.html.tmp-X"), filepath.Join(results, "toy", "paper", "run.json")
	if err := os.MkdirAll(filepath.Dir(run), 0o777); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{left, run} {
		if err := os.WriteFile(path, []byte("no JSON"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if err := tidy(results); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(left); !os.IsNotExist(err) {
		t.Errorf("what a killed program left is there: %v", err)
	}
	if bad, err := VerifyResults(results); err != nil || len(bad) != 1 || !strings.Contains(bad[0], run) {
		t.Errorf("verified: %q, error %v", bad, err)
	}
}
