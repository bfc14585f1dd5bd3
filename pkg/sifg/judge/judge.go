package judge

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/semi-implicit/sifg/pkg/sifg/hmc"
	"github.com/semi-implicit/sifg/pkg/sifg/metric"
)

// Gatherer is a density that answers many questions at once, as a program in another process does.
type Gatherer interface {
	hmc.Density
	// Join is said by a goroutine that is about to ask, Leave by one that will not ask for a while. Questions of those
	// that have joined may wait until all of them ask.
	Join()
	Leave()
	// Values returns the values of points, n×d, row by row, one for each of Options.Names. It stands in the place of
	// Options.Values.
	Values(points []float64) []float64
}

// Version is that of the numbers: raise it when the same density and options may give others.
const Version = 4

// Result is the draws of the chains and what is known of them.
type Result struct {
	Report
	Sample *hmc.Result     // the draws of all values, for printing and saving
	U      []metric.Points // the coordinates of the draws, by chain
	// Diverged are all values where moves that diverged ended.
	Diverged metric.Points
	// Weights are of the draws, chain after chain, 1 on average, where each chain stays in one of several modes: the
	// modes' shares by Laplace's approximation over those of the draws. nil: none are needed, or none help.
	Weights []float64
}

// String is the reasons, and the table of the values.
func (r *Result) String() string { return strings.Join(r.Reasons(), "\n") + "\n" + r.Sample.String() }

// Rules of the chains: in rounds until R-hat of every value is at most mostRHat and its effective draws are enough, or
// there are mostRounds. All of M is adapted in up to mostDense dimensions.
const (
	enough     = 1000
	mostRounds = 5
	mostDense  = 40
	hopeless   = 1.1

	// On eleven posteriors of posteriordb an acceptance of 0.9 costs 1.1 to 1.5 times the gradients of 0.8, warm-up
	// included, and 1.1 to 1.3 times those of 0.85; on gp-pois, where chains of long steps stick in narrow bends and
	// have to go on, 0.6 and 0.75 times.
	accept = 0.9
	// Chains run again with shorter steps where many moves diverge, or some do and chains nearly agree, or agree with a
	// low E-BFMI: on a funnel in five dimensions such chains, with 0.7 % divergent, missed a sixth of the width.
	careful = 0.98
)

// Run samples a density by hmc.Sample and judges the draws. It chooses where chains start, and has other values for
// what options leave at zero: an acceptance of 0.9, all of M in up to 40 dimensions, and rounds of Draws until there
// are 1000 effective draws, or five rounds. It takes neither Start nor Folder. An error says what is wrong with the
// density: its gradient, where it is finite, or that it does not fall off; or it is one of hmc.Sample.
func Run(ctx context.Context, d hmc.Density, o hmc.Options) (*Result, error) {
	if o.Start != nil || o.Folder != "" || o.Config.Leapfrog != 0 {
		return nil, errors.New("judge: Start, Folder and Leapfrog cannot be set: searches choose the starts, of the " +
			"No-U-Turn sampler, and there are no checkpoints")
	}
	o.Chains, o.Draws = cmp.Or(o.Chains, 4), cmp.Or(o.Draws, 1000)
	o.Config.Warmup = cmp.Or(o.Config.Warmup, 1000)
	if d == nil || o.Chains < 1 || o.Draws < 1 || o.Config.Warmup < 1 {
		return nil, fmt.Errorf("judge: a density, and positive Chains, Draws and Warmup are needed, not %d, %d and %d",
			o.Chains, o.Draws, o.Config.Warmup)
	}
	dim := d.Dim()
	o.Config.TargetAccept = cmp.Or(o.Config.TargetAccept, accept)
	o.Config.Dense = o.Config.Dense || dim <= mostDense
	o.Until.ESS, o.Until.Draws = cmp.Or(o.Until.ESS, enough), cmp.Or(o.Until.Draws, mostRounds*o.Draws)
	inner, stop := context.WithCancel(ctx)
	defer stop()
	r := &run{counted: counted{Density: d, ctx: inner}, options: o, dim: dim}
	for j := range dim {
		r.coordinates = append(r.coordinates, fmt.Sprintf("x[%d]", j+1))
	}
	if g, ok := d.(Gatherer); ok {
		r.gatherer = g
	} else if o.Values == nil && len(o.Names) == dim {
		r.coordinates = o.Names
	}
	r.options.Names = slices.Clone(o.Names)
	if o.Names == nil {
		r.options.Names = r.coordinates
	}
	out, err := r.whole()
	if ctx.Err() != nil { // what else went wrong is of that
		return nil, fmt.Errorf("judge: stopped: %w (%w)", ctx.Err(), context.Cause(ctx))
	}
	return out, err
}

// whole does all of a run.
func (r *run) whole() (*Result, error) {
	if err := r.begin(); err != nil {
		return nil, err
	}
	s, err := r.sample()
	if err != nil {
		return nil, err
	}
	rhat, _ := s.Summary.Worst()
	divergent := float64(s.Summary.Divergences) / float64(s.Summary.Iterations)
	again := false
	if !(rhat <= hopeless) {
		r.revisit(s)
		again = r.astray()
	}
	least, _ := energy(s)
	if divergent > manyDivergent || divergent > mostDivergent && rhat <= hopeless &&
		(rhat > mostRHat || least < leastEBFMI) {
		again, r.options.Config.TargetAccept = true, max(careful, r.options.Config.TargetAccept)
	}
	if again {
		if s, err = r.sample(); err != nil {
			return nil, err
		}
	}
	out := &Result{Sample: s, U: r.u, Diverged: r.diverged()}
	out.Report, out.Weights = r.describe(s)
	return out, nil
}
