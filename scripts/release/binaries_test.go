package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestBinaries: from a checkout of the tag, what .goreleaser.yaml says builds the command, which knows its version and
// its commit; and the files are there that go with it.
func TestBinaries(t *testing.T) {
	checkout := released(t)
	b, err := os.ReadFile(filepath.Join(checkout, ".goreleaser.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	all := func(pattern string) (values []string) {
		for _, found := range regexp.MustCompile(pattern).FindAllStringSubmatch(string(b), -1) {
			values = append(values, strings.Split(found[1], ", ")...)
		}
		if values == nil {
			t.Fatalf(".goreleaser.yaml does not match %s", pattern)
		}
		return values
	}
	for _, src := range all(`src: ([^,]+),`) {
		if _, err := os.Stat(filepath.Join(checkout, src)); err != nil {
			t.Error(err)
		}
	}
	sifg := filepath.Join(t.TempDir(), "sifg")
	args := append([]string{"build", "-o", sifg}, all(`flags: \[(.*)\]`)...)
	build := exec.Command("go", append(args, all(`main: (\S+)`)...)...)
	build.Dir, build.Env = checkout, append(os.Environ(), all(`env: \[(.*)\]`)...)
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %v\n%s", build, err, out)
	}
	head := exec.Command("git", "rev-parse", "HEAD")
	head.Dir = checkout
	commit, err := head.Output()
	if err != nil {
		t.Fatal(err)
	}
	r, err := read(checkout)
	if err != nil {
		t.Fatal(err)
	}
	said, err := exec.Command(sifg, "--version").Output()
	if want := "sifg " + r.version + ", commit " + string(commit); !strings.HasPrefix(string(said), want) {
		t.Errorf("--version says %q, error %v, want %q first", said, err, want)
	}
}
