package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestAudit: scripts that share no code with this program recompute the comparisons of the verdict, and the numbers of
// README and docs/findings.md, from the committed Parquet files and agree. They find a number in a report that was
// changed.
func TestAudit(t *testing.T) {
	long(t, "reads all reports by scripts of Python")
	python(t, "numpy", "pyarrow")
	script := func(name string, args ...string) (string, error) {
		args = append([]string{filepath.Join("..", "..", "scripts", "audit", name)}, args...)
		out, err := exec.Command("python", args...).CombinedOutput()
		return string(out), err
	}
	if out, err := script("words.py", results); err != nil {
		t.Errorf("%v: %s", err, out)
	}

	const name = "monomial-gamma"
	forged := t.TempDir()
	if err := os.Mkdir(filepath.Join(forged, name), 0o777); err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{"trials.parquet", "trace.parquet", "report.json"} {
		text, err := os.ReadFile(filepath.Join(results, name, file))
		if err != nil {
			t.Fatal(err)
		}
		if file == "report.json" {
			said := []byte(`"verdict": "equal"`)
			at := bytes.LastIndex(text, said) // findings come last
			text = append(bytes.Clone(text[:at]), bytes.Replace(text[at:], said, []byte(`"verdict": "better"`), 1)...)
		}
		if err := os.WriteFile(filepath.Join(forged, name, file), text, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	out, err := script("audit.py", forged, name)
	if err == nil || !strings.Contains(out, "better, here equal") || !strings.HasSuffix(out, ", 1 disagreements\n") {
		t.Errorf("a forged verdict: %v, %s", err, out)
	}
}
