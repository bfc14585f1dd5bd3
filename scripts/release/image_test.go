package main

import (
	"os/exec"
	"strings"
	"testing"
)

// TestImage: the image of Containerfile is built, and its program runs without anything beside it. The base here is
// empty, so that nothing is fetched.
func TestImage(t *testing.T) {
	if testing.Short() {
		t.Skip("half a minute of an image")
	}
	if _, err := exec.LookPath("buildah"); err != nil {
		t.Skip("no buildah on this machine: the image is not built (Debian: apt-get install buildah)")
	}
	r, err := read("../..")
	if err != nil {
		t.Fatal(err)
	}
	run := func(name string, args ...string) string {
		t.Helper()
		cmd := exec.Command(name, args...)
		cmd.Dir = "../.."
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
		}
		return string(out)
	}
	storage := []string{"--root", t.TempDir(), "--runroot", t.TempDir(), "--storage-driver", "vfs"}
	const image = "localhost/sifg-test"
	builder := "buildah " + strings.Join(storage, " ")
	run("make", "image", "IMAGE="+image, "BUILDER="+builder, "BUILDFLAGS=--build-arg BASE=scratch --isolation chroot")
	with := func(args ...string) []string { return append(append([]string{}, storage...), args...) }
	made := strings.TrimSpace(run("buildah", with("from", image)...))
	said := run("buildah", with("run", "--isolation", "chroot", made, "--", "/usr/local/bin/sifg", "--version")...)
	if !strings.HasPrefix(said, "sifg "+r.version+", commit ") {
		t.Errorf("--version in the image says %s", said)
	}
}
