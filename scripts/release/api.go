package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

const (
	library   = "pkg/sifg" // the module whose interface programs use
	gorelease = "golang.org/x/exp/cmd/gorelease@v0.0.0-20261113113407-e3970619a1a4"
)

// api says how the library's interface differs from that of its last published version, by gorelease, and fails if the
// new version's number does not allow that. Where there is no such version, or it or gorelease cannot be fetched, it
// says so.
func (r *repository) api() (string, error) {
	run := func(name string, args ...string) (string, error) {
		cmd := exec.Command(name, args...)
		cmd.Dir, cmd.Env = filepath.Join(r.root, library), append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=mod")
		out, err := cmd.CombinedOutput()
		return strings.TrimSpace(string(out)), err
	}
	tags, err := run("git", "tag", "--list", "--sort=-version:refname", library+"/v*")
	if err != nil {
		return "", fmt.Errorf("git tag: %w\n%s", err, tags)
	}
	base := ""
	for _, tag := range strings.Fields(tags) {
		if v := strings.TrimPrefix(tag, library+"/"); v != r.version && base == "" {
			base = v
		}
	}
	if base == "" {
		return fmt.Sprintf("%s has no version before %s: nothing to compare", library, r.version), nil
	}
	dir, err := os.MkdirTemp("", "sifg-release-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(dir)
	tool := filepath.Join(dir, "gorelease")
	said1, err1 := run("env", "GOBIN="+dir, "go", "install", gorelease)
	said2, err2 := run("go", "mod", "download", prefix+library+"@"+base)
	if err := errors.Join(err1, err2); err != nil {
		return fmt.Sprintf("not available, nothing is compared: %v\n%s%s", err, said1, said2), nil
	}
	said, err := run(tool, "-base="+base, "-version="+r.version)
	if err != nil {
		return "", fmt.Errorf("%s %s beside %s: %w\n%s", library, r.version, base, err, said)
	}
	return said, nil
}
