package posteriordb

import (
	"cmp"
	"context"
	"encoding/json"
	"flag"
	"math"
	"os"
	"path/filepath"
	"testing"
	"time"

	"gonum.org/v1/gonum/stat"

	"github.com/semi-implicit/sifg/pkg/sifg/hmc"
	"github.com/semi-implicit/sifg/pkg/sifg/rng"
	"github.com/semi-implicit/sifg/pkg/sifg/target"
)

// draws names a folder with posteriordb's files of reference draws, NAME.json.zip. With it the moments of testdata are
// computed anew and the chains are longer.
var draws = flag.String("draws", "", "folder with posteriordb's reference draws")

// moments are those of the 10,000 reference draws of a posterior's values, the standard deviation with divisor 9,999.
type moments struct{ Mean, SD []float64 }

func reference(t *testing.T) map[string]moments {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", "reference.json"))
	if err != nil {
		t.Fatal(err)
	}
	var m map[string]moments
	if err := json.Unmarshal(b, &m); err != nil {
		t.Fatal(err)
	}
	return m
}

// TestReferenceMoments: testdata/reference.json is that of the published draws.
func TestReferenceMoments(t *testing.T) {
	if testing.Short() {
		t.Skip("reads all published draws: a second")
	}
	folder := cmp.Or(*draws, filepath.FromSlash("../../../../datasets/files/posteriordb/draws"))
	if _, err := os.Stat(folder); err != nil {
		t.Skip("posteriordb's draws are not here: this is not a checkout, and no -draws names their folder")
	}
	computed := map[string]moments{}
	for _, e := range Table {
		b, err := os.ReadFile(filepath.Join(folder, e.Name+".json.zip"))
		if err != nil {
			t.Fatal(err)
		}
		flat, err := ReadDraws(b, e.values)
		if err != nil {
			t.Fatal(err)
		}
		var m moments
		for k := range e.values {
			var x []float64
			for _, chain := range hmc.Column(flat, len(e.values), k) {
				x = append(x, chain...)
			}
			mean, sd := stat.MeanStdDev(x, nil)
			m.Mean, m.SD = append(m.Mean, mean), append(m.SD, sd)
		}
		computed[e.Name] = m
	}
	b, err := json.MarshalIndent(computed, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join("testdata", "reference.json")
	if have, _ := os.ReadFile(path); string(have) != string(b)+"\n" {
		t.Errorf("%s is not that of the draws: go test -run TestReferenceMoments -draws FOLDER writes it", path)
		if *draws == "" {
			return
		}
		if err := os.WriteFile(path, append(b, '\n'), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// leapfrog has the steps an iteration: about the square root of the condition number that a diagonal mass leaves.
var leapfrog = map[string]int{
	"arK-arK": 12, "gp_pois_regr-gp_pois_regr": 60, "kidiq-kidscore_interaction": 80, "mesquite-logmesquite": 16,
	"earnings-logearn_interaction": 150, "nes1980-nes": 24, "sblrc-blr": 8, "diamonds-diamonds": 400,
	"low_dim_gauss_mix-low_dim_gauss_mix": 16,
}

// TestHMC: Hamiltonian Monte Carlo of this library and the reference draws, which come from another program, agree on
// every posterior. Means differ by less than 5 standard errors, those of both; standard deviations by less than 5 %;
// R-hat is below 1.01.
func TestHMC(t *testing.T) {
	if testing.Short() {
		t.Skip("chains of twelve posteriors")
	}
	want := reference(t)
	warmup, size := 1000, 2500
	if *draws != "" {
		size = 10000
	}
	for _, e := range Table {
		t.Run(e.Name, func(t *testing.T) {
			start := time.Now()
			p := load(t, e)
			s := sample(t, p, p.Values, p.Constrain, max(8, leapfrog[e.Name]), warmup, size)
			a := agree(s, want[e.Name])
			t.Logf("mean within %.1f standard errors, sd within %.1f %%, R-hat %.4f, least ESS %.0f, acceptance "+
				"%.2f, %d "+
				"divergent, %.1f s",
				a.mean, 100*a.sd, a.rhat, a.ess, s.Acceptance, s.Divergences, time.Since(start).Seconds())
			if !a.ok() {
				t.Errorf("the chains and the reference draws differ")
			}
		})
	}
}

// agreement is the worst over the values: |difference of means| in standard errors, |ratio of sds − 1|, R-hat, bulk
// ESS.
type agreement struct{ mean, sd, rhat, ess float64 }

func (a agreement) ok() bool { return a.mean < 5 && a.sd < 0.05 && a.rhat < 1.01 }

// agree compares; a mean of the reference draws, nearly independent, has a standard error of sd/100.
func agree(s hmc.Summary, ref moments) agreement {
	a := agreement{ess: math.Inf(1)}
	for k, c := range s.Coordinates {
		a.mean = max(a.mean, math.Abs(c.Mean-ref.Mean[k])/math.Hypot(c.MCSE, ref.SD[k]/100))
		a.sd = max(a.sd, math.Abs(c.SD/ref.SD[k]-1))
		a.rhat, a.ess = max(a.rhat, c.RHat), min(a.ess, c.BulkESS)
	}
	return a
}

// The comparison sees a posterior that lacks its Jacobian, the usual slip.
func TestHMCWithoutJacobian(t *testing.T) {
	if testing.Short() {
		t.Skip("a second of chains")
	}
	p := load(t, Table[3])
	slip := target.NewFunc(p.Dim(),
		func(u []float64) float64 { return p.LogDensity(u) - u[0] - u[1] - u[2] },
		func(dst, u []float64) {
			p.Gradient(dst, u)
			for k := range dst {
				dst[k]--
			}
		})
	if a := agree(sample(t, slip, p.Values, p.Constrain, 8, 500, 1000), reference(t)[p.Name]); a.ok() {
		t.Errorf("it passes: %+v", a)
	}
}

// sample runs four chains and summarises the constrained values.
func sample(
	t *testing.T, p hmc.Density, names []string, constrain func(dst, u []float64), steps, warmup, size int,
) hmc.Summary {
	t.Helper()
	r, err := hmc.Sample(context.Background(), p, hmc.Options{
		Config: hmc.Config{Leapfrog: steps, Warmup: warmup, TargetAccept: 0.9, Jitter: 0.3},
		Draws:  size,
		Seed:   1,
		Start: func(chain int) []float64 {
			r, x := rng.New(1, "start", uint64(chain)), make([]float64, p.Dim())
			for k := range x {
				x[k] = r.NormFloat64() / 2
			}
			return x
		},
		Names:  names,
		Values: constrain,
	})
	if err != nil {
		t.Fatal(err)
	}
	return r.Summary
}
