package machine

import "testing"

// The machine, its kernels and the program have names.
func TestThis(t *testing.T) {
	if m := This(); m.CPU == "" || m.Kernel == "" || m.Commit == "" {
		t.Errorf("%+v", m)
	}
}
