package megica

import (
	"context"
	"encoding/json"
	"flag"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/dataset"
	"github.com/semi-implicit/sifg/pkg/harness/settings"
	"github.com/semi-implicit/sifg/pkg/sifg/hmc"
)

var update = flag.Bool("update", false, "continue the committed chains and write reference/density.json")

// committedChains are a protocol's posterior and reference.
func committedChains(t *testing.T, name string) (*posterior, *reference) {
	t.Helper()
	data, err := dataset.Open(dataset.Options{Mirror: os.Getenv("SIFG_DATASETS_MIRROR")})
	if err != nil || data.Absent("meg") != nil {
		t.Skip("the data set meg is not here")
	}
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
	options := map[string]any{
		"channels":  id.Channels,
		"scaling":   id.Scaling,
		"average":   id.Average,
		"prior_sd":  id.PriorSD,
		"reference": map[string]any{"chains": 1, "iterations": 24, "leapfrog": 1, "start": "mode", "draws": 2},
	}
	recordings := "meg"
	if strings.HasPrefix(name, "simulated") {
		recordings, options["simulated"] = "", 1
	}
	d, err := posteriorOf(&harness.Trial{
		Data:   func() (*dataset.Data, error) { return data.Load("meg") },
		Config: &settings.Config{Data: recordings, Options: options},
	})
	if err != nil {
		t.Fatal(err)
	}
	d.o.Reference = id.HMC
	return d, ref
}

// TestDensity: the committed diagnostics of the log density are those of the committed draws, and good where the draws
// are the posterior's.
func TestDensity(t *testing.T) {
	if testing.Short() {
		t.Skip("the density at all draws of the committed chains: three seconds")
	}
	made := map[string]map[string][]float64{}
	for _, name := range summaries {
		d, ref := committedChains(t, name)
		chains := ref.Identity.HMC.Chains
		u := make([][]float64, chains)
		for i := range ref.draws.N {
			k := i * chains / ref.draws.N
			u[k] = append(u[k], d.Energy(ref.draws.Row(i)))
		}
		c := hmc.Describe(u)
		made[name] = map[string][]float64{
			"of":           ref.Facts["energy-error"],
			"density-rhat": {c.RHat},
			"density-ess":  {c.BulkESS, c.TailESS},
		}
		if *update {
			made[name]["e-bfmi"] = continued(t, d, ref)
			continue
		}
		got := densities(name, ref.Facts["energy-error"])
		for fact, want := range made[name] {
			near := func(x, y float64) bool { return math.Abs(x-y) <= 1e-6*math.Abs(y) }
			if !slices.EqualFunc(got[fact], want, near) {
				t.Errorf("%s: %s is %v, want %v", name, fact, got[fact], want)
			}
		}
		if strings.HasSuffix(name, "matched") &&
			(c.RHat > 1.01 || len(got["e-bfmi"]) != chains || slices.Min(got["e-bfmi"]) < 0.3) {
			t.Errorf("%s: R-hat %g, E-BFMI %v", name, c.RHat, got["e-bfmi"])
		}
		if densities(name, []float64{0}) != nil {
			t.Errorf("%s: something for other chains", name)
		}
	}
	if *update {
		b, err := json.MarshalIndent(made, "", " ")
		if err == nil {
			err = os.WriteFile("reference/density.json", append(b, '\n'), 0o666)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// continued runs the same sampler for 250 iterations from the last committed draw of each chain and returns the E-BFMI
// of each.
func continued(t *testing.T, d *posterior, ref *reference) (out []float64) {
	t.Helper()
	o := d.o.Reference
	chains, h := make([]*hmc.Chain, o.Chains), make([][]float64, o.Chains)
	for k := range chains {
		cfg := hmc.Config{Step: o.Step, Leapfrog: o.Leapfrog, Jitter: o.Jitter, Warmup: o.Warmup, Released: o.Released}
		var err error
		start := ref.draws.Row((k+1)*ref.draws.N/o.Chains - 1)
		if chains[k], err = hmc.NewChain(d.ICA, cfg, start, o.Seed+1, k); err != nil {
			t.Fatal(err)
		}
	}
	err := hmc.Run(context.Background(), chains, 250, func(chain, _ int, _ []float64, info hmc.Info) error {
		h[chain] = append(h[chain], info.Hamiltonian)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for k := range h {
		out = append(out, hmc.EBFMI(h[k]))
	}
	return out
}
