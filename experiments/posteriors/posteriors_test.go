package posteriors

import (
	"math"
	"testing"

	"github.com/semi-implicit/sifg/pkg/harness/dataset"
	"github.com/semi-implicit/sifg/pkg/sifg/rng"
	"github.com/semi-implicit/sifg/pkg/sifg/target/posterior"
)

// posteriordb returns the published files.
func posteriordb(t *testing.T) *dataset.Data {
	t.Helper()
	l, err := dataset.Open(dataset.Options{})
	if err != nil {
		t.Fatal(err)
	}
	data, err := l.Load("posteriordb")
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// TestLaplace: the mode is one, the curvature there is I in z, and the approximation has the place and about the size
// of each posterior.
func TestLaplace(t *testing.T) {
	if testing.Short() {
		t.Skip("twelve posteriors: a second")
	}
	data := posteriordb(t)
	for _, row := range posterior.Table {
		t.Run(row.Name, func(t *testing.T) {
			tr, err := truthOf(data, row)
			if err != nil {
				t.Fatal(err)
			}
			d := tr.posterior.Dim()
			density := newLocal(tr.posterior, tr.laplace)
			z, grad := make([]float64, d), make([]float64, d)
			density.Gradient(grad, z)
			for j, g := range grad {
				if math.Abs(g) > 1e-3 {
					t.Errorf("slope %g along z%d at the mode", g, j)
				}
			}
			for j := range d {
				z[j] = 1e-3
				density.Gradient(grad, z)
				if math.Abs(grad[j]/z[j]+1) > 0.02 {
					t.Errorf("curvature %g along z%d, want −1", grad[j]/z[j], j)
				}
				z[j] = 0
			}
			r := rng.New(1, "test")
			u := make([]float64, d)
			for j := range z {
				z[j] = r.NormFloat64()
			}
			copy(u, tr.laplace.forward(z))
			for j, v := range tr.laplace.back(u) {
				if math.Abs(v-z[j]) > 1e-6 {
					t.Errorf("z%d comes back as %g, was %g", j, v, z[j])
				}
			}
			p := &problem{truth: tr, posterior: tr.posterior, by: tr.laplace, seed: 1}
			p.bounds(1000, func(metric string, index int, value float64) {
				// Laplace is too wide where the mass is far from the mode.
				wide := row.Name == posterior.Table[0].Name || row.Name == posterior.Table[4].Name
				if metric == "laplace-sd-ratio" && !wide && (value < 0.75 || value > 1.25) ||
					metric == "floor-error-sd" && !(value < 0.1) ||
					metric == "floor-error-mean" && !(value < 0.1) || metric == "floor-energy" && !(value < 0.02) {
					t.Errorf("%s[%d] is %g", metric, index, value)
				}
			})
		})
	}
}
