package posteriors

import (
	"context"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/semi-implicit/sifg/experiments/posteriors/posteriordb"
	"github.com/semi-implicit/sifg/pkg/harness/dataset"
	"github.com/semi-implicit/sifg/pkg/sifg/hmc"
	"github.com/semi-implicit/sifg/pkg/sifg/judge"
	"github.com/semi-implicit/sifg/pkg/sifg/rng"
)

// posteriordb returns the published files.
func fromPosteriordb(t *testing.T) *dataset.Data {
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
	data := fromPosteriordb(t)
	for _, row := range posteriordb.Table {
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
			copy(u, tr.laplace.Forward(z))
			for j, v := range tr.laplace.Back(u) {
				if math.Abs(v-z[j]) > 1e-6 {
					t.Errorf("z%d comes back as %g, was %g", j, v, z[j])
				}
			}
			p := &problem{truth: tr, posterior: tr.posterior, by: tr.laplace, seed: 1}
			p.bounds(1000, func(metric string, index int, value float64) {
				// Laplace is too wide where the mass is far from the mode.
				wide := row.Name == posteriordb.Table[0].Name || row.Name == posteriordb.Table[4].Name
				if metric == "laplace-sd-ratio" && !wide && (value < 0.75 || value > 1.25) ||
					metric == "floor-error-sd" && !(value < 0.1) ||
					metric == "floor-error-mean" && !(value < 0.1) || metric == "floor-energy" && !(value < 0.02) {
					t.Errorf("%s[%d] is %g", metric, index, value)
				}
			})
		})
	}
}

// TestTwelveWithoutAlarm: on the twelve posteriors the chains of package judge are to be taken, on all but one at most,
// and their means and standard deviations are those of the reference draws.
func TestTwelveWithoutAlarm(t *testing.T) {
	if testing.Short() {
		t.Skip("takes a minute")
	}
	data, alarms := fromPosteriordb(t), 0
	for _, row := range posteriordb.Table {
		tr, err := truthOf(data, row)
		if err != nil {
			t.Fatal(err)
		}
		o := hmc.Options{Seed: 1}
		for j := range tr.draws.D {
			o.Names = append(o.Names, fmt.Sprintf("v%d", j))
		}
		o.Values = tr.posterior.Constrain
		found, err := judge.Run(context.Background(), tr.posterior, o)
		if err != nil {
			t.Fatalf("%s: %v", row.Name, err)
		}
		t.Logf("%s: %d gradients, %d in all: %s", row.Name, found.Gradients, found.Asked,
			strings.Join(found.Reasons(), " "))
		if !strings.HasPrefix(found.Reasons()[0], "Use these draws of NUTS.") {
			alarms++
		}
		for c, x := range found.Values {
			// five standard errors of the draws and of the reference's, and what a tail that is not normal adds to the
			// sds'
			off, ratio := math.Abs(x.Mean-tr.mean[c]), x.SD/tr.sd[c]
			if !(off < 5*math.Hypot(x.MCSE, tr.sd[c]/100)) || math.Abs(ratio-1) > 0.15 {
				t.Errorf("%s, value %d: mean off by %.2g sds, ratio of sds %.3f", row.Name, c, off/tr.sd[c], ratio)
			}
		}
	}
	if alarms > 1 {
		t.Errorf("%d of %d are not to be taken", alarms, len(posteriordb.Table))
	}
}
