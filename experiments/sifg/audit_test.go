package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestAudit: a script that shares no code with this program recomputes the comparisons of the verdict from the
// committed Parquet files and
// agrees, and it finds a number in a report that was changed.
func TestAudit(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil || exec.Command(python, "-c", "import numpy, pyarrow.parquet").Run() != nil {
		t.Skip("this needs python3 with numpy and pyarrow")
	}
	script := filepath.Join("..", "..", "scripts", "audit", "audit.py")
	audit := func(args ...string) (string, error) {
		out, err := exec.Command(python, append([]string{script}, args...)...).CombinedOutput()
		return string(out), err
	}
	if out, err := audit(results); err != nil {
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
	out, err := audit(forged, name)
	if err == nil || !strings.Contains(out, "better, here equal") || !strings.HasSuffix(out, ", 1 disagreements\n") {
		t.Errorf("a forged verdict: %v, %s", err, out)
	}
}
