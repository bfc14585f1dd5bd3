package grid

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/semi-implicit/sifg/pkg/harness/store"
)

// A trial whose record is damaged is missing: its cell cannot be chosen, and the others can.
func TestDamagedCell(t *testing.T) {
	g, err := layOut("{product: {step: [0.1, 0.2]}, methods: [svgd], problems: [small]}", "min gap")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	s, err := store.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	compute(t, s, g, all)
	found, err := filepath.Glob(filepath.Join(dir, "toy", "*", "*", "trace.parquet"))
	if err != nil || os.Truncate(found[0], 1) != nil {
		t.Fatal(err)
	}
	if r, err := g.Choose(s, ""); err != nil || r.Missing != 1 {
		t.Errorf("%+v, error %v", r, err)
	}
}
