package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/semver"
)

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

// places are the files with the version, besides go.mod, and what surrounds it there. The first is where it is defined.
var places = []struct{ file, pattern string }{
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
		m := module{path: f.Module.Mod.Path, dir: filepath.ToSlash(filepath.Clean(use.Path))}
		if m.path != prefix+m.dir {
			return nil, fmt.Errorf("%s/go.mod: module %s, want %s", m.dir, m.path, prefix+m.dir)
		}
		for _, q := range f.Require {
			if strings.HasPrefix(q.Mod.Path, prefix) {
				m.requires = append(m.requires, q.Mod.Path)
			}
		}
		r.modules = append(r.modules, m)
	}
	text, err := os.ReadFile(filepath.Join(root, places[0].file))
	if err != nil {
		return nil, err
	}
	found := regexp.MustCompile(places[0].pattern).FindSubmatch(text)
	if found == nil {
		return nil, fmt.Errorf("%s does not match %s", places[0].file, places[0].pattern)
	}
	r.version = string(found[1])
	return r, nil
}

func (r *repository) parse(dir string) (*modfile.File, error) {
	path := filepath.Join(r.root, dir, "go.mod")
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return modfile.Parse(path, b, nil)
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
		path := filepath.Join(r.root, p.file)
		b, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		at := regexp.MustCompile(p.pattern).FindSubmatchIndex(b)
		if at == nil {
			return fmt.Errorf("%s does not match %s", p.file, p.pattern)
		}
		if had := string(b[at[2]:at[3]]); p.file == "CHANGELOG.md" && had != version {
			return fmt.Errorf("CHANGELOG.md: the first section is of %s: write one of %s first", had, version)
		}
		b = slices.Concat(b[:at[2]], []byte(version), b[at[3]:])
		if err := os.WriteFile(path, b, 0o666); err != nil {
			return err
		}
	}
	r.version = version
	for _, m := range r.modules {
		mod, sum, err := r.tidy(m)
		if err != nil {
			return err
		}
		err1 := os.WriteFile(filepath.Join(r.root, m.dir, "go.mod"), mod, 0o666)
		err2 := os.WriteFile(filepath.Join(r.root, m.dir, "go.sum"), sum, 0o666)
		if sum == nil {
			err2 = os.RemoveAll(filepath.Join(r.root, m.dir, "go.sum"))
		}
		if err := errors.Join(err1, err2); err != nil {
			return err
		}
	}
	tidied, err := read(r.root)
	if err != nil {
		return err
	}
	files, err := tidied.derived()
	for name, b := range files {
		err = errors.Join(err, os.WriteFile(filepath.Join(r.root, name), b, 0o666))
	}
	return err
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
		b, err := os.ReadFile(filepath.Join(r.root, p.file))
		found := regexp.MustCompile(p.pattern).FindSubmatch(b)
		if err != nil || found == nil || string(found[1]) != r.version {
			err := fmt.Errorf("%s does not have the version %s where %s is", p.file, r.version, p.pattern)
			wrong = append(wrong, err)
		}
	}
	same := func(name string, want []byte) {
		if b, _ := os.ReadFile(filepath.Join(r.root, name)); !bytes.Equal(b, want) {
			err := fmt.Errorf("%s is not tidy: go run ./scripts/release set %s mends it", name, r.version)
			wrong = append(wrong, err)
		}
	}
	files, err := r.derived()
	if err != nil {
		return err
	}
	for name, b := range files {
		same(name, b)
	}
	for _, m := range r.modules {
		mod, sum, err := r.tidy(m)
		if err != nil {
			return err
		}
		same(m.dir+"/go.mod", mod)
		same(m.dir+"/go.sum", sum)
	}
	return errors.Join(wrong...)
}
