package grid

import (
	"errors"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/internal/safe"
	"github.com/semi-implicit/sifg/pkg/harness/usage"
)

// Shipped returns the names of the grids that come with an experiment.
func Shipped(e *harness.Experiment) []string {
	if e.Grids == nil {
		return nil
	}
	files, _ := fs.Glob(e.Grids, "grids/*.yaml")
	for i, f := range files {
		files[i] = strings.TrimSuffix(path.Base(f), ".yaml")
	}
	return files
}

// Find reads the grid of that name that comes with an experiment, else the file.
func Find(e *harness.Experiment, file string) (*Spec, error) {
	if slices.Contains(Shipped(e), file) {
		text, err := fs.ReadFile(e.Grids, "grids/"+file+".yaml")
		if err != nil {
			return nil, err
		}
		return ReadSpec(file+".yaml", text)
	}
	text, err := safe.Read(file, 1<<20)
	if errors.Is(err, fs.ErrNotExist) && filepath.Ext(file) == "" {
		return nil, usage.Unknown("grid", file, "--grid", Shipped(e))
	}
	if err != nil {
		return nil, usage.Errorf("--grid: %v", err)
	}
	return ReadSpec(file, text)
}
