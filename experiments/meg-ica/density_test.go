package megica

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"math"
	"os"
	"testing"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/dataset"
	"github.com/semi-implicit/sifg/pkg/harness/settings"
	"github.com/semi-implicit/sifg/pkg/harness/stats"
	"github.com/semi-implicit/sifg/pkg/sifg/hmc"
)

var update = flag.Bool("update", false, "run the first iterations of the committed chains and write reference/density.json")

// TestDensity: the diagnostics of the log density, of the second half of the committed chains' first iterations, are those of a chain that
// has converged, and of the law of the committed draws: the means of −log π agree within five standard errors.
func TestDensity(t *testing.T) {
	data, err := dataset.Open(dataset.Options{Mirror: os.Getenv("SIFG_DATASETS_MIRROR")})
	if err != nil || data.Absent("meg") != nil {
		t.Skip("the data set meg is not here")
	}
	made := map[string]map[string][]float64{}
	for _, name := range protocols {
		summary, err := committed.ReadFile("reference/" + name + ".json")
		if err != nil {
			t.Fatal(err)
		}
		draws, err := committed.ReadFile("reference/" + name + ".npy")
		if err != nil {
			t.Fatal(err)
		}
		ref, err := readReference(from(map[string][]byte{summaryFile: summary, drawsFile: draws}))
		if err != nil {
			t.Fatal(err)
		}
		id := ref.Identity
		d, err := posteriorOf(&harness.Trial{
			Data: func() (*dataset.Data, error) { return data.Load("meg") },
			Config: settings.Config{Data: "meg", Options: map[string]any{"channels": id.Channels, "scaling": id.Scaling, "average": id.Average,
				"prior_sd": id.PriorSD, "reference": map[string]any{"chains": 1, "iterations": 100, "leapfrog": 1, "start": "mode", "draws": 2}}},
		})
		if err != nil {
			t.Fatal(err)
		}
		d.o.Reference = id.HMC
		if *update {
			made[name] = densityOf(t, d, ref)
			continue
		}
		var u []float64
		for i := range 200 {
			u = append(u, d.Energy(ref.draws.Row(5*i)))
		}
		got := densities(name, ref.Facts["energy-error"])
		if got == nil {
			t.Fatalf("%s: nothing for these chains", name)
		}
		// The chain's standard error by its effective sample size, that of 200 draws as if independent, which far apart they are.
		se := got["density-mean"][1] * math.Sqrt(1/got["density-ess"][0]+1.0/200)
		if gap := stats.Mean(u) - got["density-mean"][0]; math.Abs(gap) > 5*se {
			t.Errorf("%s: mean −log π of the draws is %g above the chains', standard error %g", name, gap, se)
		}
		if r, least := got["density-rhat"][0], got["e-bfmi"]; name == "matched" && (r > 1.01 || stats.Quantile(least, 0) < 0.3) {
			t.Errorf("%s: R-hat %g, E-BFMI %v", name, r, least)
		}
		if densities(name, []float64{0}) != nil {
			t.Errorf("%s: something for other chains", name)
		}
	}
	if *update {
		var b bytes.Buffer
		e := json.NewEncoder(&b)
		e.SetIndent("", " ")
		if err := e.Encode(made); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile("reference/density.json", b.Bytes(), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// densityOf runs the chains for their first iterations and judges the second half of these.
func densityOf(t *testing.T, d *posterior, ref *reference) map[string][]float64 {
	t.Helper()
	o := d.o.Reference
	n := min(o.Iterations, 4000/o.Chains)
	chains, u, h := make([]*hmc.Chain, o.Chains), make([][]float64, o.Chains), make([][]float64, o.Chains)
	for k := range chains {
		cfg := hmc.Config{Step: o.Step, Leapfrog: o.Leapfrog, Jitter: o.Jitter, Warmup: o.Warmup, Released: o.Released}
		var err error
		if chains[k], err = hmc.NewChain(d.ICA, cfg, d.start(ref.Mode, k), o.Seed, k); err != nil {
			t.Fatal(err)
		}
	}
	err := hmc.Run(context.Background(), chains, n, func(chain, iter int, _ []float64, info hmc.Info) error {
		if iter >= n/2 {
			u[chain], h[chain] = append(u[chain], info.Energy), append(h[chain], info.Hamiltonian)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	c := hmc.Describe(u)
	out := map[string][]float64{"density-iterations": {float64(n)}, "density-mean": {c.Mean, c.SD}, "density-rhat": {c.RHat},
		"density-ess": {c.BulkESS, c.TailESS}, "of": ref.Facts["energy-error"]}
	for k := range h {
		out["e-bfmi"] = append(out["e-bfmi"], hmc.EBFMI(h[k]))
	}
	return out
}
