// Command release keeps the modules of this repository at one version, from the root of the checkout:
//
//	go run ./scripts/release check         # everything agrees, and go.mod and go.sum are tidy
//	go run ./scripts/release set v0.2.0    # sets the version everywhere and tidies
//	go run ./scripts/release tags          # the tags to push, one of each module that users need
//	go run ./scripts/release api           # how the library's interface differs from its last version's
//
// Modules are those of go.work. Each requires its siblings at the version, and replaces them by their folders, so that
// GOWORK=off works in a checkout. Only the command has no replacements, because go install refuses them.
package main

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/semver"
)

const usage = "usage: go run ./scripts/release check | set VERSION | tags | api"

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	r, err := read(".")
	if err != nil {
		return err
	}
	switch line := strings.Join(args, " "); {
	case line == "check":
		return r.check()
	case line == "tags":
		fmt.Println(strings.Join(r.tags(), "\n"))
		return nil
	case line == "api":
		said, err := r.api()
		fmt.Println(said)
		return err
	case len(args) == 2 && args[0] == "set":
		return r.set(args[1])
	}
	return fmt.Errorf("%s", usage)
}

const (
	prefix  = "github.com/semi-implicit/sifg/"
	command = prefix + "experiments/sifg"
)

// repository is a checkout.
type repository struct {
	root    string
	version string   // of all modules, v0.1.0
	modules []module // of go.work, in its order
}

// module is one module of the repository.
type module struct {
	path     string
	dir      string // from the root, with slashes
	requires []string
}

// place is a file with the version, and what surrounds it there.
type place struct{ file, pattern string }

// find returns the text of the file, and where in it the version is.
func (p place) find(root string) (text []byte, from, to int, err error) {
	text, err = os.ReadFile(filepath.Join(root, p.file))
	if err != nil {
		return nil, 0, 0, err
	}
	at := regexp.MustCompile(p.pattern).FindSubmatchIndex(text)
	if at == nil {
		return nil, 0, 0, fmt.Errorf("%s does not match %s", p.file, p.pattern)
	}
	return text, at[2], at[3], nil
}

// places are the files with the version, besides go.mod, and what surrounds it there. The first is where it is defined.
var places = []place{
	{"pkg/harness/internal/machine/machine.go", `const Version = "(v[0-9.]+)"`},
	{"CITATION.cff", `(?m)^version: (v[0-9.]+)$`},
	{"README.md", `experiments/sifg@(v[0-9.]+)`},
	{"CHANGELOG.md", `(?m)^## (v[0-9.]+) \(\d{4}-\d{2}-\d{2}\)$`},
}

// read reads go.work, the modules and the version.
func read(root string) (*repository, error) {
	r := &repository{root: root}
	b, err := os.ReadFile(filepath.Join(root, "go.work"))
	if err != nil {
		return nil, fmt.Errorf("%w: run it from the root of the checkout", err)
	}
	work, err := modfile.ParseWork("go.work", b, nil)
	if err != nil {
		return nil, err
	}
	for _, use := range work.Use {
		f, err := r.parse(use.Path)
		if err != nil {
			return nil, err
		}
		m := module{f.Module.Mod.Path, filepath.ToSlash(filepath.Clean(use.Path)), siblings(f)}
		if m.path != prefix+m.dir {
			return nil, fmt.Errorf("%s/go.mod: module %s, want %s", m.dir, m.path, prefix+m.dir)
		}
		r.modules = append(r.modules, m)
	}
	text, from, to, err := places[0].find(root)
	r.version = string(text[from:to])
	return r, err
}

func (r *repository) parse(dir string) (*modfile.File, error) {
	path := filepath.Join(r.root, dir, "go.mod")
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return modfile.Parse(path, b, nil)
}

// siblings returns the modules of the repository that a module requires.
func siblings(f *modfile.File) (paths []string) {
	for _, q := range f.Require {
		if strings.HasPrefix(q.Mod.Path, prefix) {
			paths = append(paths, q.Mod.Path)
		}
	}
	return paths
}

// needed returns the modules that these need, themselves among them.
func (r *repository) needed(paths ...string) []module {
	seen := map[string]bool{}
	var visit func(path string)
	visit = func(path string) {
		i := slices.IndexFunc(r.modules, func(m module) bool { return m.path == path })
		if i < 0 || seen[path] {
			return
		}
		seen[path] = true
		for _, p := range r.modules[i].requires {
			visit(p)
		}
	}
	for _, p := range paths {
		visit(p)
	}
	return slices.DeleteFunc(slices.Clone(r.modules), func(m module) bool { return !seen[m.path] })
}

// tags are the tags of a release: the version, and one for each module that users need.
func (r *repository) tags() []string {
	out := []string{r.version}
	for _, m := range r.needed(command) {
		out = append(out, m.dir+"/"+r.version)
	}
	return out
}

// set sets the version, which may be the present one, in all places and modules.
func (r *repository) set(version string) error {
	if !semver.IsValid(version) || semver.Canonical(version) != version || semver.Prerelease(version) != "" {
		return fmt.Errorf("version %q: want one like v0.2.0", version)
	}
	for _, p := range places {
		b, from, to, err := p.find(r.root)
		if err != nil {
			return err
		}
		if had := string(b[from:to]); p.file == "CHANGELOG.md" && had != version {
			return fmt.Errorf("CHANGELOG.md: the first section is of %s: write one of %s first", had, version)
		}
		b = slices.Concat(b[:from], []byte(version), b[to:])
		if err := os.WriteFile(filepath.Join(r.root, p.file), b, 0o666); err != nil {
			return err
		}
	}
	r.version = version
	if err := r.write(r.tidied()); err != nil {
		return err
	}
	now, err := read(r.root)
	if err != nil {
		return err
	}
	return now.write(now.derived())
}

// write writes files, unless they could not be made, and removes those that should not be.
func (r *repository) write(files map[string][]byte, err error) error {
	for name, b := range files {
		path := filepath.Join(r.root, name)
		if b == nil {
			err = errors.Join(err, os.RemoveAll(path))
		} else {
			err = errors.Join(err, os.WriteFile(path, b, 0o666))
		}
	}
	return err
}

// tidied returns the go.mod and the go.sum that each module should have; nil is that of none.
func (r *repository) tidied() (map[string][]byte, error) {
	out := map[string][]byte{}
	for _, m := range r.modules {
		mod, sum, err := r.tidy(m)
		if err != nil {
			return nil, err
		}
		out[m.dir+"/go.mod"], out[m.dir+"/go.sum"] = mod, sum
	}
	return out, nil
}

// derived returns the files that follow from the go.mod of the modules.
func (r *repository) derived() (map[string][]byte, error) {
	work, err := r.work()
	if err != nil {
		return nil, err
	}
	out := map[string][]byte{"go.work": work}
	for _, dir := range []string{"docs/templates/experiment", "docs/templates/sampler"} {
		if out[dir+"/go.mod"], err = r.template(dir); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// check reports everything that set would change.
func (r *repository) check() error {
	var wrong []error
	for _, p := range places {
		if b, from, to, err := p.find(r.root); err != nil || string(b[from:to]) != r.version {
			err := fmt.Errorf("%s does not have the version %s where %s is", p.file, r.version, p.pattern)
			wrong = append(wrong, err)
		}
	}
	files, err1 := r.derived()
	modules, err2 := r.tidied()
	if err := errors.Join(err1, err2); err != nil {
		return err
	}
	maps.Copy(files, modules)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if b, _ := os.ReadFile(filepath.Join(r.root, name)); !bytes.Equal(b, files[name]) {
			err := fmt.Errorf("%s is not tidy: go run ./scripts/release set %s mends it", name, r.version)
			wrong = append(wrong, err)
		}
	}
	return errors.Join(wrong...)
}
