package hmc

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/semi-implicit/sifg/pkg/sifg/rng"
)

// Options say what Sample runs. The zero value is four chains of the No-U-Turn sampler with 1000 iterations of warm-up
// and 1000 draws each, which is right for most densities.
type Options struct {
	// Config is how chains move. For the No-U-Turn sampler a Warmup of 0 without a Step is one of 1000 iterations, and
	// with a warm-up Dense is set in up to 50 dimensions.
	Config  Config
	Chains  int // 0: 4
	Draws   int // that are kept of each chain; 0: 1000
	Discard int // iterations between the warm-up and the first draw that is kept
	Seed    uint64
	// Start returns where a chain begins, Dim values. nil: the first of 100 points, uniform on (−2, 2) in each
	// coordinate, where energy and gradient are finite.
	Start func(chain int) []float64

	// Names are those of the values that draws consist of, such as "mu" or "theta[1]". Values sets dst to them at a
	// position x, as Constrained.Constrain of package target does. Values nil: the coordinates, by default "x[1]" ….
	Names  []string
	Values func(dst, x []float64)

	Until Until // grows the chains; the zero value does not

	// Folder keeps checkpoints, at every 1000th iteration of a chain and where a run stops; it is made where it is
	// missing. A call of the same folder goes on from there, to the same bits as if it had not been stopped; asked for
	// fewer draws than are there it returns those. A folder of other chains is refused: of another configuration, seed,
	// start, or density, which is compared at three points of each chain. "": none.
	Folder string

	// Progress is told the iterations that all chains have done, of those they may do, while none runs: at every
	// 1000th iteration, and where Draws more draws are complete. nil: nobody is.
	Progress func(done, total int)
	// Each sees every iteration that is computed, those of a chain in order, those of several chains at once. x is the
	// position, which it must copy to keep. An error ends the run. nil: nobody does.
	Each func(chain, iter int, x []float64, info Info) error
	// Ended is called, in the goroutine of a chain, when the chain is not stepped for a while or for good, whatever the
	// cause: a density that lets chains wait for each other must not wait for this one. nil: nothing is.
	Ended func(chain int)
}

// Until says how long chains grow: by Options.Draws at a time until R-hat and effective sample sizes of all values that
// vary hold, or each chain has Draws draws. Chains that disagree after two rounds or more, with an R-hat above 1.1, do
// not go on: more of them would not mend it.
type Until struct {
	RHat  float64 // at most; 0: 1.01
	ESS   float64 // at least, of bulk and tails; 0: 400
	Draws int     // of each chain at most; 0: those of Options
}

// hopeless is an R-hat that longer chains do not mend.
const hopeless = 1.1

// dense is up to how many dimensions Sample adapts all of M. By gradients that cost a draw nothing where it was of no
// use, and gave up to a hundred times as many effective draws a gradient where coordinates are correlated.
const dense = 50

// round is the number of iterations between two checkpoints.
const round = 1000

// Sample runs chains on d side by side, and returns their draws with what they tell. Its errors are those of options
// that cannot be, of a start outside of the density, of a folder of other chains, of Each, and of ctx, which must not
// be nil (both its error and its cause); chains that have not converged are none: see Result.
func Sample(ctx context.Context, d Density, o Options) (*Result, error) {
	if err := o.complete(d); err != nil {
		return nil, err
	}
	s := &sampling{o: o, d: d.Dim()}
	for k := range o.Chains {
		t, err := open(d, &o, k)
		if err != nil {
			return nil, err
		}
		s.tracks, s.chains = append(s.tracks, t), append(s.chains, t.Chain)
	}
	for n := o.Draws; ; n = min(n+o.Draws, o.Until.Draws) {
		if err := s.run(ctx, o.Config.Warmup+o.Discard+n); err != nil {
			return nil, err
		}
		r := s.result(n)
		rhat, ess := r.Summary.Worst()
		r.Converged = rhat <= o.Until.RHat && ess >= o.Until.ESS
		if r.Converged || n >= o.Until.Draws || n > o.Draws && rhat > hopeless {
			return r, nil
		}
	}
}

// complete sets what is left out and says what cannot be.
func (o *Options) complete(d Density) error {
	dim, err := dimension(d)
	if err != nil {
		return err
	}
	o.Chains, o.Draws = cmp.Or(o.Chains, 4), cmp.Or(o.Draws, 1000)
	o.Until.RHat, o.Until.ESS = cmp.Or(o.Until.RHat, 1.01), cmp.Or(o.Until.ESS, 400)
	if o.Chains < 0 || o.Draws < 0 || o.Discard < 0 || o.Until.Draws < 0 {
		return fmt.Errorf("hmc: Chains %d, Draws %d, Until.Draws %d and Discard %d must not be negative", o.Chains,
			o.Draws, o.Until.Draws, o.Discard)
	}
	o.Until.Draws = max(o.Until.Draws, o.Draws)
	if o.Config.Leapfrog == 0 && o.Config.Warmup == 0 && o.Config.Step == 0 {
		o.Config.Warmup = 1000
	}
	if o.Config.Leapfrog == 0 && o.Config.Warmup > 0 && dim <= dense {
		o.Config.Dense = true
	}
	rows, held := max(o.Discard, o.Until.Draws, 1000), mostNumbers/o.Chains
	switch {
	case rows > held/(2*(dim+noted)):
		return fmt.Errorf("hmc: Chains %d with Draws %d, Until.Draws %d and Discard %d in %d dimensions are more than "+
			"the %d numbers that a run may have", o.Chains, o.Draws, o.Until.Draws, o.Discard, dim, mostNumbers)
	case !(o.Until.RHat > 1) || !(o.Until.ESS > 0):
		return fmt.Errorf("hmc: Until: RHat %g must be above 1 and ESS %g above 0", o.Until.RHat, o.Until.ESS)
	case o.Values != nil && len(o.Names) == 0:
		return errors.New("hmc: Values goes with Names, one for each value")
	case o.Values == nil && o.Names != nil && len(o.Names) != dim:
		return fmt.Errorf("hmc: %d Names for %d coordinates", len(o.Names), dim)
	}
	if o.Names == nil {
		for j := range dim {
			o.Names = append(o.Names, fmt.Sprintf("x[%d]", j+1))
		}
	}
	names := slices.Sorted(slices.Values(o.Names))
	if len(slices.Compact(names)) < len(o.Names) || slices.Contains(o.Names, "") {
		return errors.New("hmc: Names must be different from each other, and none may be empty")
	}
	if o.Values == nil {
		o.Values = func(dst, x []float64) { copy(dst, x) }
	}
	if o.Progress == nil {
		o.Progress = func(int, int) {}
	}
	return nil
}

// start returns where chain k begins.
func (o *Options) start(d Density, k int) ([]float64, error) {
	if o.Start != nil {
		return slices.Clone(o.Start(k)), nil
	}
	r := rng.New(o.Seed, "hmc-start", uint64(k))
	x, g := make([]float64, d.Dim()), make([]float64, d.Dim())
	for range 100 {
		for j := range x {
			x[j] = float64(4*r.Float64()) - 2
		}
		if finite(d.Grad(g, x)) && all(g, finite) {
			return x, nil
		}
	}
	return nil, errors.New("hmc: energy or gradient is not finite at any of 100 points of (−2, 2)^d: set Start, or " +
		"transform parameters so that the density is positive on all of R^d")
}

// sampling is a run of Sample.
type sampling struct {
	o      Options
	d      int
	tracks []*track
	chains []*Chain
}

// track is a chain with what it left behind: a row for each iteration after the warm-up, which is the position and the
// numbers of its Info.
type track struct {
	*Chain
	id    identity
	rows  []float64
	saved int // values of rows that the folder has
}

// noted is how many numbers of an Info a row has.
const noted = 7

func (t *track) note(x []float64, i Info) {
	flags := 0.0
	if i.Accepted {
		flags = 1
	}
	if i.Divergent {
		flags += 2
	}
	t.rows = append(append(t.rows, x...), i.AcceptChance, i.Energy, i.Hamiltonian, i.EnergyError, float64(i.Gradients),
		float64(i.Depth), flags)
}

// row returns what was noted of iteration i after the warm-up.
func (t *track) row(i int) ([]float64, Info) {
	d := len(t.x)
	row := t.rows[i*(d+noted) : (i+1)*(d+noted)]
	v := row[d:]
	return row[:d], Info{AcceptChance: v[0], Energy: v[1], Hamiltonian: v[2], EnergyError: v[3], Gradients: int(v[4]),
		Depth: int(v[5]), Accepted: int(v[6])&1 != 0, Divergent: v[6] >= 2}
}

// run takes all chains to so many iterations.
func (s *sampling) run(ctx context.Context, until int) error {
	each := func(chain, iter int, x []float64, info Info) error {
		if !info.Warmup {
			s.tracks[chain].note(x, info)
		}
		if s.o.Each == nil {
			return nil
		}
		return s.o.Each(chain, iter, x, info)
	}
	first := slices.MinFunc(s.chains, func(a, b *Chain) int { return a.iteration - b.iteration })
	for done := first.iteration; done < until; {
		done = min(done-done%round+round, until)
		err := run(ctx, s.chains, done, each, s.o.Ended)
		for k, t := range s.tracks {
			if s.o.Folder != "" && all(t.x, finite) {
				err = errors.Join(err, t.save(s.o.Folder, k))
			}
		}
		if err != nil {
			return err
		}
		s.o.Progress(done, s.o.Config.Warmup+s.o.Discard+s.o.Until.Draws)
	}
	return nil
}
