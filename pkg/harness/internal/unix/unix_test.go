package unix

import (
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

const prefix = "github.com/semi-implicit/sifg/pkg/harness/"

// onWindows runs the go command for Windows.
func onWindows(args ...string) (string, error) {
	cmd := exec.Command("go", args...)
	cmd.Env = append(os.Environ(), "GOOS=windows", "GOARCH=amd64", "CGO_ENABLED=0")
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// A build for Windows fails with one sentence and nothing else.
func TestWindowsIsRefused(t *testing.T) {
	out, err := onWindows("build", prefix+"internal/unix")
	if err == nil || strings.Count(out, "undefined") != 1 ||
		!strings.Contains(out, "needs_Linux_macOS_or_another_Unix") {
		t.Errorf("error %v: %s", err, out)
	}
}

// Whatever calls the system by names that only Unix has imports this package, so that the sentence comes before its
// type errors.
func TestOthersComeAfter(t *testing.T) {
	for _, name := range []string{"internal/disk", "internal/safe", "internal/sealed", "store", "run", "cli"} {
		out, err := onWindows("list", "-f", `{{join .Deps "\n"}}`, prefix+name)
		if err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		if !slices.Contains(strings.Fields(out), prefix+"internal/unix") {
			t.Errorf("%s does not import internal/unix", name)
		}
	}
}
