package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/mod/modfile"
)

// user is somebody without a checkout: an empty folder, and a module proxy that has this repository at its version.
type user struct {
	t   *testing.T
	dir string
	env []string
	bin string
	r   *repository
}

// newUser serves the modules of a release of this checkout's commit. Other modules come from the module cache, or from
// where this machine gets them.
func newUser(t *testing.T) *user {
	t.Helper()
	r, err := read(released(t))
	if err != nil {
		t.Fatal(err)
	}
	served := t.TempDir()
	if err := r.proxy(served); err != nil {
		t.Fatal(err)
	}
	known, err := exec.Command("go", "env", "GOMODCACHE", "GOPROXY").Output()
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(string(known), "\n")
	proxies := "file://" + served + ",file://" + filepath.Join(lines[0], "cache", "download") + "," + lines[1]
	u := &user{t: t, dir: t.TempDir(), bin: t.TempDir(), r: r}
	u.env = append(os.Environ(), "GOPROXY="+proxies, "GOSUMDB=off", "GOWORK=off", "GOFLAGS=-trimpath -modcacherw",
		"GOMODCACHE="+t.TempDir(), "GOBIN="+u.bin)
	return u
}

// released pushes the tags of a release to a repository of its own, as CONTRIBUTING.md says, and returns a checkout of
// the tag of the version, as the workflow has it. That tag is pushed last and alone.
func released(t *testing.T) (checkout string) {
	t.Helper()
	if testing.Short() {
		t.Skip("a minute of builds from a tag")
	}
	text, err := os.ReadFile("../../CONTRIBUTING.md")
	if err != nil {
		t.Fatal(err)
	}
	command := regexp.MustCompile(`(?m)^    (for tag in .*)$`).FindStringSubmatch(string(text))
	if command == nil {
		t.Fatal("CONTRIBUTING.md does not say how tags are pushed")
	}
	dir := t.TempDir()
	bare, clone, checkout := filepath.Join(dir, "bare"), filepath.Join(dir, "clone"), filepath.Join(dir, "checkout")
	sh := func(in, script string) string {
		cmd := exec.Command("sh", "-euc", script)
		cmd.Dir = in
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%s: %v\n%s", script, err, out)
		}
		return strings.TrimSpace(string(out))
	}
	root := sh("../..", "git rev-parse --show-toplevel")
	sh(dir, "git init -q --bare bare && git clone -q --no-tags "+root+" clone")
	log := filepath.Join(bare, "pushes")
	hook := "#!/bin/sh\nsed 's/.* //' >>" + log + "\necho -- >>" + log + "\n"
	if err := os.WriteFile(filepath.Join(bare, "hooks", "post-receive"), []byte(hook), 0o777); err != nil {
		t.Fatal(err)
	}
	sh(clone, "git remote set-url origin "+bare+" && "+command[1])
	pushes := strings.Split(strings.TrimSuffix(sh(bare, "cat pushes"), "\n--"), "\n--\n")
	r, err := read(clone)
	if err != nil {
		t.Fatal(err)
	}
	if last := pushes[len(pushes)-1]; len(pushes) != len(r.tags()) || last != "refs/tags/"+r.version {
		t.Errorf("%d pushes, the last %s; want each of %d tags alone, %s last",
			len(pushes), last, len(r.tags()), r.version)
	}
	sh(dir, "git clone -q --depth 1 --branch "+r.version+" file://"+bare+" "+checkout)
	return checkout
}

// run runs a command in the user's folder and returns what it prints.
func (u *user) run(name string, args ...string) string {
	u.t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir, cmd.Env = u.dir, u.env
	out, err := cmd.CombinedOutput()
	if err != nil {
		u.t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
	}
	return string(out)
}

// TestInstall: go install builds the command outside of the checkout. It knows its version, and runs.
func TestInstall(t *testing.T) {
	u := newUser(t)
	u.run("go", "install", command+"@"+u.r.version)
	sifg := filepath.Join(u.bin, "sifg")
	if said := u.run(sifg, "--version"); !strings.HasPrefix(said, "sifg "+u.r.version+", commit "+u.r.version+" h1:") {
		t.Errorf("--version says %s", said)
	}
	said := u.run(sifg, "run", "gmm", "--problems", "gmm-2d", "--methods", "svgd", "--scale", "smoke")
	if !strings.Contains(said, "1 computed") {
		t.Errorf("a run says %s", said)
	}
}

// TestGet: the library can be got into an empty module, with few others, and a program that uses it runs.
func TestGet(t *testing.T) {
	u := newUser(t)
	u.run("go", "mod", "init", "example.org/mine")
	u.run("go", "get", prefix+"pkg/sifg@"+u.r.version)
	program := `package main

import (
	"context"
	"fmt"

	"` + prefix + `pkg/sifg"
	"` + prefix + `pkg/sifg/target"
)

func main() {
	logDensity := func(x []float64) float64 { return -(x[0]*x[0] + x[1]*x[1]) / 2 }
	normal := target.NewFunc(2, logDensity, func(g, x []float64) {
		g[0], g[1] = -x[0], -x[1]
	})
	flow, err := sifg.New(sifg.Default("svgd", 2, 100))
	if err != nil {
		panic(err)
	}
	cloud, err := sifg.Run(context.Background(), flow, normal, sifg.Options{Particles: 100, Iterations: 10, Seed: 1})
	if err != nil {
		panic(err)
	}
	fmt.Println(cloud.X.Rows, "particles")
}
`
	if err := os.WriteFile(filepath.Join(u.dir, "main.go"), []byte(program), 0o666); err != nil {
		t.Fatal(err)
	}
	u.run("go", "get", ".")
	if said := u.run("go", "run", "."); !strings.Contains(said, "100 particles") {
		t.Errorf("the program says %s", said)
	}
	b, err := os.ReadFile(filepath.Join(u.dir, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	f, err := modfile.Parse("go.mod", b, nil)
	if err != nil {
		t.Fatal(err)
	}
	few := []string{prefix + "pkg/sifg", "gonum.org/v1/gonum", "github.com/sbinet/npyio"}
	for _, q := range f.Require {
		if path := q.Mod.Path; !slices.Contains(few, path) && !strings.HasPrefix(path, "golang.org/x/") {
			t.Errorf("the library brings the module %s", path)
		}
	}
}

// TestBrowserIsApart: what only tests need is not among the modules that the command needs.
func TestBrowserIsApart(t *testing.T) {
	r, err := read("../..")
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range r.needed(command) {
		b, err := os.ReadFile(filepath.Join(r.root, m.dir, "go.sum"))
		if err == nil && strings.Contains(string(b), "chromedp") {
			t.Errorf("%s depends on chromedp", m.dir)
		}
	}
}
