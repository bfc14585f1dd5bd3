//go:build amd64 && !purego

package simd

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// TestGenerated: the generated files are those that gen writes. It is a module of its own, outside go.work.
func TestGenerated(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the generator, as make lint does")
	}
	t.Parallel()
	sources, err := filepath.Glob("gen/*")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range sources { // go test takes a cached result until a file that the test itself has read changes
		if _, err := os.ReadFile(name); err != nil {
			t.Fatal(err)
		}
	}
	run := func(args ...string) ([]byte, error) {
		cmd := exec.Command("go", args...)
		cmd.Dir = "gen"
		cmd.Env = append(os.Environ(), "GOWORK=off")
		return cmd.CombinedOutput()
	}
	out, err := run("run", ".", "-check")
	if err == nil {
		return
	}
	if _, offline := run("mod", "download"); offline != nil {
		t.Skip("the modules that gen needs are not here: ", offline)
	}
	t.Errorf("go generate in package simd: %v\n%s", err, out)
}
