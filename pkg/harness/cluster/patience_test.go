package cluster

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// A command that hangs is given up, with what it started.
func TestPatience(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"scontrol": "#!/bin/sh\n", "squeue": "#!/bin/sh\nsleep 60\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
	defer func(d time.Duration) { patience["squeue"] = d }(patience["squeue"])
	patience["squeue"] = 50 * time.Millisecond
	began := time.Now()
	_, err := States(map[string]string{"1": "name"})
	if err == nil || !strings.Contains(err.Error(), "squeue did not answer within 50ms") {
		t.Errorf("error %v", err)
	}
	if took := time.Since(began); took > 10*time.Second {
		t.Errorf("it took %v", took)
	}
}

func TestIndices(t *testing.T) {
	for text, want := range map[string][]int{"0": {0}, "0-3,7,9-10": {0, 1, 2, 3, 7, 9, 10}} {
		got, err := Expand(text)
		if err != nil || Indices(got) != text || len(got) != len(want) {
			t.Errorf("%s: %v, %v, written %s", text, got, err, Indices(got))
		}
	}
	if got, err := Expand("[0-8:4,11%2]"); err != nil || Indices(got) != "0,4,8,11" {
		t.Errorf("%v, %v", got, err)
	}
	if s := Indices([]int{9, 3, 4, 9, 5}); s != "3-5,9" {
		t.Error(s)
	}
	for _, bad := range []string{"", "N/A", "4294967294-", "3-1", "1-2:0", "-1", "0-99999999999"} {
		if got, err := Expand(bad); err == nil {
			t.Errorf("%q is %v", bad, got)
		}
	}
}
