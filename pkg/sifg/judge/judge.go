package judge

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/semi-implicit/sifg/pkg/sifg/hmc"
)

// Posterior is a density on R^d and what people want to know of it.
type Posterior struct {
	// Density is that of the coordinates u. Four goroutines ask it at once; one that is a Gatherer is told how many.
	Density hmc.Density
	Names   []string // of the coordinates; nil: u0, u1, …
	// Values returns the values of points, n×d, row by row: len(ValueNames) a point. nil: the coordinates.
	Values     func(points []float64) []float64
	ValueNames []string
}

// Gatherer is a density that answers several goroutines at once, when all of them wait for an answer.
type Gatherer interface {
	hmc.Density
	Sit(n int) // so many goroutines ask from now on; none waits
	Leave()    // one of them asks no more
}

func (p *Posterior) values(points []float64) []float64 {
	if p.Values == nil {
		return points
	}
	return p.Values(points)
}

// Options of Run. A zero field means what its comment says.
type Options struct {
	Seed uint64
	// Warmup is the first iterations of a chain, which adapt it; 0: 1000. Then chains go on by Round, 0: 1000,
	// iterations, at most Rounds, 0: 5, times.
	Warmup, Round, Rounds int
	Progress              func(done, total int) // is told the iterations done; may be nil
}

// Rules of the chains: in rounds until R-hat of every value is at most mostRHat and its effective draws are enough.
// After the second round only chains that nearly agree, R-hat at most hopeless, go on. All of M is adapted in up to
// dense dimensions.
const (
	chains   = 4
	enough   = 1000
	dense    = 40
	hopeless = 1.1

	// With an acceptance of 0.8 chains stick in narrow bends: on a banana they are then worth a sixth.
	accept = 0.9
)

// Result is the draws of the chains and what is known of them.
type Result struct {
	Report
	Dim    int
	U      [][]float64 // coordinates, by chain, row by row
	Draws  [][]float64 // values, by chain, row by row: len(AllNames) a row
	Kept   []int       // values that vary: Values[i] is that of column Kept[i] of Draws
	Energy [][]float64 // H, by chain
	// Weights are of the draws, chain after chain, 1 on average, where each chain stays in one of several modes: the
	// modes' shares by Laplace's approximation over those of the draws. nil: none are needed, or none help.
	Weights []float64
}

// run is the chains on one posterior and what they found.
type run struct {
	counted
	posterior Posterior
	options   Options
	dim       int

	found       *search
	wide        [][]float64 // starts on (−2, 2)
	chains      []*hmc.Chain
	u, energies [][]float64 // by chain
	levels      [][]float64 // log density, by chain
	broken      [][]float64 // u where iterations that diverged ended, by chain
	strays      []int

	values  [][]float64 // by chain, row by row
	columns int
	kept    []int
	report  Report
	weights []float64
}

// Run samples a posterior and judges the draws. An error says what is wrong with the posterior: its gradient, where it
// is finite, or that it does not fall off; or it is ctx's.
func Run(ctx context.Context, p Posterior, o Options) (*Result, error) {
	o.Warmup, o.Round, o.Rounds = cmp.Or(o.Warmup, 1000), cmp.Or(o.Round, 1000), cmp.Or(o.Rounds, 5)
	d := p.Density.Dim()
	switch {
	case o.Warmup < 1 || o.Round < 50 || o.Rounds < 1:
		return nil, fmt.Errorf("judge: a warm-up of %d and %d rounds of %d iterations: want at least 1, 1 and 50",
			o.Warmup, o.Rounds, o.Round)
	case p.Names != nil && len(p.Names) != d, p.Values != nil && len(p.ValueNames) == 0:
		return nil, fmt.Errorf("judge: %d names of %d coordinates and %d of the values", len(p.Names), d,
			len(p.ValueNames))
	}
	for j := len(p.Names); j < d; j++ {
		p.Names = append(p.Names, fmt.Sprintf("u%d", j))
	}
	if p.Values == nil {
		p.ValueNames = p.Names
	}
	inner, stop := context.WithCancel(ctx)
	defer stop()
	r := &run{posterior: p, options: o, dim: d, counted: counted{Density: p.Density, ctx: inner, stop: stop},
		u: make([][]float64, chains), energies: make([][]float64, chains), broken: make([][]float64, chains),
		levels: make([][]float64, chains)}
	err := r.begin()
	if err == nil {
		err = r.grow()
	}
	switch {
	case ctx.Err() != nil: // what else went wrong is of that
		return nil, fmt.Errorf("judge: stopped: %w (%w)", ctx.Err(), context.Cause(ctx))
	case err != nil:
		return nil, err
	}
	return &Result{Report: r.report, Dim: d, U: r.u, Draws: r.values, Kept: r.kept, Energy: r.energies,
		Weights: r.weights}, nil
}

// String is the reasons, and a table of the values that vary.
func (s *Result) String() string {
	var b strings.Builder
	for _, reason := range s.Reasons() {
		b.WriteString(reason + "\n")
	}
	fmt.Fprintf(&b, "%16s %10s %10s %10s %10s %10s %7s %7s %7s\n", "value", "mean", "± MCSE", "sd", "5 %", "95 %",
		"R-hat", "bulk", "tail")
	for j, c := range s.Values {
		fmt.Fprintf(&b, "%16s %10.4g %10.2g %10.3g %10.4g %10.4g %7.3f %7.0f %7.0f\n", s.Names[j], c.Mean, c.MCSE,
			c.SD, s.Low[j], s.High[j], c.RHat, c.BulkESS, c.TailESS)
	}
	return b.String()
}
