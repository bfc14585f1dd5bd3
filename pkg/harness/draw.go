package harness

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"syscall"

	"github.com/semi-implicit/sifg/pkg/harness/figure"
	"github.com/semi-implicit/sifg/pkg/harness/record"
)

// draw makes the figures and tables. One that cannot be made, for want of records say, is noted and the others go on.
func draw(dir string, e *Experiment, set *record.Set, info *RunInfo, earlier *kept) error {
	for _, f := range e.Figures {
		a, err := artifact(f.Name, f.Title, f.Caption, func(a *Artifact) error {
			fig, err := f.Draw(set)
			if err != nil {
				return err
			}
			drawn, err := fig.Save(filepath.Join(dir, "figures"), f.Name)
			for _, d := range drawn.Dropped {
				a.Hidden += d.Undrawable + d.Outside
			}
			for _, format := range figure.Formats {
				a.Files = append(a.Files, "figures/"+f.Name+"."+format)
			}
			return err
		})
		if err != nil {
			return err
		}
		if a.Problem != "" {
			old, ok, err := earlier.figure(dir, f.Name, set)
			if err != nil {
				return err
			}
			if ok {
				a = old
			}
		}
		info.Figures = append(info.Figures, a)
	}
	for _, t := range e.Tables {
		a, err := artifact(t.Name, t.Title, t.Caption, func(a *Artifact) error {
			tab, err := t.Make(set)
			if err != nil {
				return err
			}
			for _, format := range tableFormats {
				name := "tables/" + t.Name + "." + format.ext
				text := format.render(tab)
				if err := record.WriteFileAtomic(filepath.Join(dir, filepath.FromSlash(name)), func(w io.Writer) error {
					_, err := io.WriteString(w, text)
					return err
				}); err != nil {
					return err
				}
				a.Files = append(a.Files, name)
			}
			return nil
		})
		if err != nil {
			return err
		}
		info.Tables = append(info.Tables, a)
	}
	return nil
}

// artifact makes a figure or a table; where that fails it says why. The error is that files cannot be written.
func artifact(name, title, caption string, produce func(a *Artifact) error) (Artifact, error) {
	a := Artifact{Name: name, Title: title, Caption: caption}
	err := attempt(func() error { return produce(&a) })
	if unwritable(err) {
		return a, err
	}
	if err != nil {
		a.Problem, a.Files, a.Hidden = err.Error(), nil, 0
	}
	return a, nil
}

// unwritable reports whether err is the system's refusal to write a file, a full disk say, and not a want of records.
func unwritable(err error) bool {
	var system syscall.Errno
	return errors.As(err, &system) && system != syscall.ENOENT
}

// attempt turns a panic of f into an error.
func attempt(f func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v", p)
		}
	}()
	return f()
}
