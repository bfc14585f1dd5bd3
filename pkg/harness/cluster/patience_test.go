package cluster

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// A command that hangs is given up, even if what it started keeps its output open.
func TestPatience(t *testing.T) {
	dir := t.TempDir()
	started := filepath.Join(dir, "started")
	squeue := "#!/bin/sh\nsleep 3600 &\necho $! > " + started + "\nwait\n"
	for name, text := range map[string]string{"scontrol": "#!/bin/sh\n", "squeue": squeue} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
	defer func(d time.Duration) { patience["squeue"] = d }(patience["squeue"])
	patience["squeue"] = 500 * time.Millisecond
	_, err := states(map[string]string{"1": "name"})
	if err == nil || !strings.Contains(err.Error(), "squeue did not answer within 500ms") {
		t.Errorf("error %v", err)
	}
	b, err := os.ReadFile(started)
	if pid, bad := strconv.Atoi(strings.TrimSpace(string(b))); err == nil && bad == nil {
		syscall.Kill(pid, syscall.SIGKILL)
	}
}

func TestIndices(t *testing.T) {
	for text, want := range map[string][]int{"0": {0}, "0-3,7,9-10": {0, 1, 2, 3, 7, 9, 10}} {
		got, err := expand(text)
		if err != nil || Indices(got) != text || len(got) != len(want) {
			t.Errorf("%s: %v, %v, written %s", text, got, err, Indices(got))
		}
	}
	if got, err := expand("[0-8:4,11%2]"); err != nil || Indices(got) != "0,4,8,11" {
		t.Errorf("%v, %v", got, err)
	}
	if s := Indices([]int{9, 3, 4, 9, 5}); s != "3-5,9" {
		t.Error(s)
	}
	for _, bad := range []string{"", "N/A", "4294967294-", "3-1", "1-2:0", "-1", "0-99999999999"} {
		if got, err := expand(bad); err == nil {
			t.Errorf("%q is %v", bad, got)
		}
	}
}
