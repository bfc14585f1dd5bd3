package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestAudit: scripts that share no code with this program recompute the comparisons, and the numbers of README and of
// documents about results, from the committed Parquet files and agree. They find a verdict that was changed.
func TestAudit(t *testing.T) {
	long(t, "reads all results by scripts of Python")
	python(t, "numpy", "pyarrow")
	script := func(name string, args ...string) (string, error) {
		args = append([]string{filepath.Join("..", "..", "scripts", "audit", name)}, args...)
		out, err := exec.Command("python", args...).CombinedOutput()
		return string(out), err
	}
	if out, err := script("words.py", results); err != nil {
		t.Errorf("%v: %s", err, out)
	}

	const name, compared = "monomial-gamma", "tuned/compare-monomial-gamma.md"
	forged := t.TempDir()
	must(0, os.MkdirAll(filepath.Join(forged, name, "tuned"), 0o777))
	for _, file := range []string{"trials.parquet", "trace.parquet", compared} {
		text := must(os.ReadFile(filepath.Join(results, name, file)))
		if file == compared {
			text = bytes.Replace(text, []byte("| worse "), []byte("| better"), 1)
		}
		must(0, os.WriteFile(filepath.Join(forged, name, file), text, 0o666))
	}
	out, err := script("audit.py", forged, name)
	if err == nil || !strings.Contains(out, "better, here worse") || !strings.HasSuffix(out, ", 1 disagreements\n") {
		t.Errorf("a forged verdict: %v, %s", err, out)
	}
}
