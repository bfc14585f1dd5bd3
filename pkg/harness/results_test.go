package harness

import (
	"crypto/rand"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The folder of the results may be called anything: what is in its name is no pattern.
func TestFolderOfAnyName(t *testing.T) {
	results := filepath.Join(t.TempDir(), "a[b")
	left := filepath.Join(results, "toy", ".trials.parquet.tmp-"+rand.Text())
	run, own := filepath.Join(results, "toy", "paper", "run.json"), filepath.Join(results, "toy", ".draft.tmp-1")
	if err := os.MkdirAll(filepath.Dir(run), 0o777); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{left, run, own} {
		if err := os.WriteFile(path, []byte("no JSON"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(results, ".keep.tmp-dir"), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := tidy(results, []*Experiment{{Name: "toy"}, {Name: "other"}}); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(own); err != nil {
		t.Errorf("a file of somebody else's is gone: %v", err)
	}
	if _, err := os.Stat(left); !os.IsNotExist(err) {
		t.Errorf("what a killed program left is there: %v", err)
	}
	if bad, err := VerifyResults(results); err != nil || len(bad) != 1 || !strings.Contains(bad[0], run) {
		t.Errorf("verified: %q, error %v", bad, err)
	}
}
