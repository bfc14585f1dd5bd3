package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	gomodule "golang.org/x/mod/module"
	"golang.org/x/mod/zip"
)

// proxy writes the modules that users need, as they are in the checkout, in the layout of a module proxy (go help
// goproxy).
func (r *repository) proxy(dir string) error {
	for _, m := range r.needed(command) {
		at := filepath.Join(dir, filepath.FromSlash(m.path), "@v")
		if err := os.MkdirAll(at, 0o777); err != nil {
			return err
		}
		mod, err := os.ReadFile(filepath.Join(r.root, m.dir, "go.mod"))
		if err != nil {
			return err
		}
		version := gomodule.Version{Path: m.path, Version: r.version}
		info := fmt.Sprintf(`{"Version":%q,"Time":%q}`, r.version, time.Now().UTC().Format(time.RFC3339))
		out, err := os.Create(filepath.Join(at, r.version+".zip"))
		if err != nil {
			return err
		}
		err = errors.Join(zip.CreateFromDir(out, version, filepath.Join(r.root, m.dir)), out.Close(),
			os.WriteFile(filepath.Join(at, r.version+".mod"), mod, 0o666),
			os.WriteFile(filepath.Join(at, r.version+".info"), []byte(info), 0o666),
			os.WriteFile(filepath.Join(at, "list"), []byte(r.version+"\n"), 0o666))
		if err != nil {
			return fmt.Errorf("%s: %w", m.path, err)
		}
	}
	return nil
}
