package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"

	"golang.org/x/mod/modfile"
)

// tidy returns the go.mod and the go.sum that a module should have; sum is nil if it needs none. It changes nothing.
func (r *repository) tidy(m module) (mod, sum []byte, err error) {
	dir, err := os.MkdirTemp("", "sifg-release-")
	if err != nil {
		return nil, nil, err
	}
	defer os.RemoveAll(dir)
	f, err := r.parse(m.dir)
	if err != nil {
		return nil, nil, err
	}
	if err := r.replaceAll(f, m); err != nil {
		return nil, nil, err
	}
	sum, err = os.ReadFile(filepath.Join(r.root, m.dir, "go.sum"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, nil, err
	}
	copied := filepath.Join(dir, "go.mod")
	err1 := os.WriteFile(copied, modfile.Format(f.Syntax), 0o666)
	err2 := os.WriteFile(filepath.Join(dir, "go.sum"), sum, 0o666)
	if err := errors.Join(err1, err2); err != nil {
		return nil, nil, err
	}
	tidy := exec.Command("go", "mod", "tidy", "-modfile="+copied)
	tidy.Dir, tidy.Env = filepath.Join(r.root, m.dir), append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=mod")
	if out, err := tidy.CombinedOutput(); err != nil {
		return nil, nil, fmt.Errorf("%s: go mod tidy: %w\n%s", m.dir, err, out)
	}
	b, err := os.ReadFile(copied)
	if err != nil {
		return nil, nil, err
	}
	if f, err = modfile.Parse("go.mod", b, nil); err != nil {
		return nil, nil, err
	}
	if err := r.settle(f, m); err != nil {
		return nil, nil, err
	}
	if sum, err = os.ReadFile(filepath.Join(dir, "go.sum")); err != nil || len(sum) == 0 {
		sum = nil
	}
	return modfile.Format(f.Syntax), sum, nil
}

// work returns what go.work should be: it replaces the version of every module that another requires by its folder. The
// go command does not do so by itself, and would look for that version in the network.
func (r *repository) work() ([]byte, error) {
	path := filepath.Join(r.root, "go.work")
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	f, err := modfile.ParseWork(path, b, nil)
	if err != nil {
		return nil, err
	}
	if err := dropAll(f.Replace, f.DropReplace); err != nil {
		return nil, err
	}
	f.SortBlocks()
	f.Cleanup()
	out := modfile.Format(f.Syntax)
	out = append(out, "\n// Versions that are not published yet are those of the checkout.\nreplace (\n"...)
	for _, m := range r.modules {
		required := func(other module) bool { return slices.Contains(other.requires, m.path) }
		if slices.ContainsFunc(r.modules, required) {
			out = fmt.Appendf(out, "\t%s %s => ./%s\n", m.path, r.version, m.dir)
		}
	}
	return append(out, ")\n"...), nil
}

// template returns the go.mod that a template of the documents should have: it stands for one beside a checkout.
func (r *repository) template(dir string) ([]byte, error) {
	f, err := r.parse(dir)
	if err != nil {
		return nil, err
	}
	if err := errors.Join(dropAll(f.Replace, f.DropReplace), r.setSiblings(f)); err != nil {
		return nil, err
	}
	f.Cleanup()
	const why = "The checkout of SIFG is beside this folder. With a published version leave these lines out."
	out := fmt.Appendf(modfile.Format(f.Syntax), "\n// %s\nreplace (\n", why)
	for _, m := range r.needed(siblings(f)...) {
		out = fmt.Appendf(out, "\t%s => ../sifg/%s\n", m.path, m.dir)
	}
	return append(out, ")\n"...), nil
}

// dropAll drops the replacements of a go.mod or of go.work.
func dropAll(all []*modfile.Replace, drop func(path, version string) error) (err error) {
	for _, old := range slices.Clone(all) {
		err = errors.Join(err, drop(old.Old.Path, old.Old.Version))
	}
	return err
}

// setSiblings sets the version of the siblings that a module requires.
func (r *repository) setSiblings(f *modfile.File) (err error) {
	for _, path := range siblings(f) {
		err = errors.Join(err, f.AddRequire(path, r.version))
	}
	return err
}

// replaceAll makes a module take all siblings from their folders.
func (r *repository) replaceAll(f *modfile.File, m module) error {
	for _, s := range r.modules {
		path, err := filepath.Abs(filepath.Join(r.root, s.dir))
		if err != nil {
			return err
		}
		if s.path != m.path {
			if err := f.AddReplace(s.path, "", path, ""); err != nil {
				return err
			}
		}
	}
	f.Cleanup()
	return nil
}

// settle sets the version of the siblings that a module needs, and leaves replacements for these alone.
func (r *repository) settle(f *modfile.File, m module) error {
	if err := r.setSiblings(f); err != nil {
		return err
	}
	needs := siblings(f)
	for _, s := range r.modules {
		err := f.DropReplace(s.path, "")
		if m.path != command && slices.Contains(needs, s.path) {
			var from string
			if from, err = filepath.Rel(filepath.FromSlash(m.dir), filepath.FromSlash(s.dir)); err == nil {
				err = f.AddReplace(s.path, "", filepath.ToSlash(from), "")
			}
		}
		if err != nil {
			return err
		}
	}
	f.Cleanup()
	return nil
}
