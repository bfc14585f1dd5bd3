package density

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/sifg"
	"github.com/semi-implicit/sifg/pkg/sifg/hmc"
	"github.com/semi-implicit/sifg/pkg/sifg/metric"
	"github.com/semi-implicit/sifg/pkg/sifg/npy"
	"github.com/semi-implicit/sifg/pkg/sifg/rng"
	"github.com/semi-implicit/sifg/pkg/sifg/target"
	"github.com/semi-implicit/sifg/pkg/study/samplers"
)

// HMC says how reference chains are run. They start at exact draws, adapt step and mass in the first half and keep the
// second.
type HMC struct {
	Chains     int `mapstructure:"chains" json:"chains"`         // 0: no reference chains
	Iterations int `mapstructure:"iterations" json:"iterations"` // of each chain
	Leapfrog   int `mapstructure:"leapfrog" json:"leapfrog"`     // steps an iteration
	// kept, spread evenly over the second halves of all chains
	Draws int    `mapstructure:"draws" json:"draws"`
	Seed  uint64 `mapstructure:"seed" json:"seed"`
}

func (h *HMC) check() error {
	switch kept := h.Chains * (h.Iterations - h.Iterations/2); {
	case h.Chains == 0:
		return nil
	case h.Chains < 0 || h.Iterations < 50 || h.Leapfrog < 1:
		return fmt.Errorf("options.hmc: chains and leapfrog must be 1 or more, iterations 50 or more, got %d, %d, %d",
			h.Chains, h.Leapfrog, h.Iterations)
	case h.Draws < 2 || h.Draws > kept:
		return fmt.Errorf("options.hmc.draws: must be 2 to %d, the number of draws in the second halves, got %d",
			kept, h.Draws)
	}
	return nil
}

// hmcDraws are the draws of the reference chains and their diagnostics.
type hmcDraws struct {
	points metric.Points
	facts  map[string]float64
}

// Reference implements harness.Experiment.Reference for problems with options.hmc.
func Reference(t *harness.Trial) (*harness.Reference, error) {
	o, d, err := decode(t.Config.Options)
	if err != nil || o.HMC.Chains == 0 {
		return nil, err
	}
	config := struct {
		Target string `json:"target"`
		HMC    HMC    `json:"hmc"`
	}{o.Target, o.HMC}
	make := func(ctx context.Context, dir string, progress func(int, int)) (map[string][]byte, error) {
		return o.HMC.run(ctx, d, dir, progress)
	}
	return &harness.Reference{Config: config, Make: make}, nil
}

// run makes the reference files: the draws and the diagnostics.
func (h *HMC) run(
	ctx context.Context, d target.Density, dir string, progress func(int, int),
) (map[string][]byte, error) {
	chains, err := hmc.Sample(ctx, samplers.Energy(d), hmc.Options{
		Config: hmc.Config{Leapfrog: h.Leapfrog, Jitter: 0.1, Warmup: h.Iterations / 2},
		Chains: h.Chains,
		Draws:  h.Iterations - h.Iterations/2,
		Seed:   h.Seed,
		Start: func(k int) []float64 {
			x := sifg.NewBatch(1, d.Dim())
			d.Sample(x, rng.New(h.Seed, "hmc-start", uint64(k)))
			return metric.FromBatch(x).Row(0)
		},
		Folder:   dir,
		Progress: progress,
	})
	if err != nil {
		return nil, err
	}
	summary := &chains.Summary
	facts := map[string]float64{
		"acceptance":  summary.Acceptance,
		"divergences": float64(summary.Divergences),
	}
	facts["rhat"], facts["ess"] = summary.Worst()
	text, err := json.Marshal(facts)
	if err != nil {
		return nil, fmt.Errorf("the diagnostics of the reference chains, %v: %w", facts, err)
	}
	file := npy.Encode([]int{h.Draws, d.Dim()}, hmc.Thin(chains.Draws, h.Draws).Data)
	return map[string][]byte{"draws.npy": file, "facts.json": text}, nil
}

// readHMC reads a trial's reference.
func readHMC(t *harness.Trial) (*hmcDraws, error) {
	out := &hmcDraws{}
	if err := harness.ReadJSON(t.Reference, "facts.json", &out.facts); err != nil {
		return nil, err
	}
	var err error
	out.points, err = harness.ReadPoints(t.Reference, "draws.npy")
	return out, err
}

// judgeHMC measures as many draws of the chains as there are particles, as metrics "hmc-…", and puts the diagnostics.
func (p *problem) judgeHMC(names []string, like *sifg.Cloud, put func(string, int, float64)) {
	draws := metric.NewPoints(like.Z.Rows, like.Z.Cols)
	r := rng.New(p.seed, "hmc").Rand()
	for i := range draws.N {
		copy(draws.Row(i), p.hmc.points.Row(r.IntN(p.hmc.points.N)))
	}
	c := *like
	c.Z = draws.Batch()
	c.X = c.Z
	prefixed := func(name string, index int, value float64) { put("hmc-"+name, index, value) }
	p.all(names, &c, metric.FromBatch(c.Z), prefixed)
	for _, name := range slices.Sorted(maps.Keys(p.hmc.facts)) {
		put("hmc-"+name, 0, p.hmc.facts[name])
	}
}
