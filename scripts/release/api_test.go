package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestAPI: without an older tag there is nothing to compare, and without a network that is said and no error.
func TestAPI(t *testing.T) {
	r := &repository{root: t.TempDir(), version: "v0.2.0"}
	at := filepath.Join(r.root, library)
	if err := os.MkdirAll(at, 0o777); err != nil {
		t.Fatal(err)
	}
	t.Setenv("GOPROXY", "off")
	commit := "-c user.name=a -c user.email=a@b commit -q --allow-empty -m none"
	for _, step := range []struct{ git, want string }{
		{"init -q", "nothing to compare"}, {commit, "nothing to compare"},
		{"tag pkg/sifg/v0.2.0", "nothing to compare"}, {"tag pkg/sifg/v0.0.9", "not available"},
	} {
		git := exec.Command("git", strings.Fields(step.git)...)
		git.Dir = at
		if out, err := git.CombinedOutput(); err != nil {
			t.Fatalf("git %s: %v\n%s", step.git, err, out)
		}
		if said, err := r.api(); err != nil || !strings.Contains(said, step.want) {
			t.Errorf("after git %s: %q, %v, want %q", step.git, said, err, step.want)
		}
	}
}
