package machine

import (
	"os"
	"runtime"
	"strings"
	"testing"
)

// The machine has a name: on Linux that of /proc/cpuinfo where it tells one, else the architecture's.
func TestThis(t *testing.T) {
	m := This()
	if m.Kernel == "" || m.Commit == "" {
		t.Errorf("%+v", m)
	}
	info, _ := os.ReadFile("/proc/cpuinfo")
	if !strings.Contains(string(info), "model name") {
		if m.CPU != runtime.GOARCH {
			t.Errorf("the processor is %q, want %q", m.CPU, runtime.GOARCH)
		}
		return
	}
	if m.CPU == runtime.GOARCH || !strings.Contains(string(info), ": "+m.CPU+"\n") {
		t.Errorf("the processor is %q, which /proc/cpuinfo does not name", m.CPU)
	}
}
