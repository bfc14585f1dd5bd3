package unix

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// A build for Windows fails with one sentence and nothing else.
func TestWindowsIsRefused(t *testing.T) {
	cmd := exec.Command("go", "build", ".")
	cmd.Env = append(os.Environ(), "GOOS=windows", "GOARCH=amd64", "CGO_ENABLED=0")
	out, err := cmd.CombinedOutput()
	if err == nil || strings.Count(string(out), "undefined") != 1 ||
		!strings.Contains(string(out), "needs_Linux_macOS_or_another_Unix") {
		t.Errorf("error %v: %s", err, out)
	}
}
