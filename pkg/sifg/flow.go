package sifg

import (
	"context"
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas/blas32"

	"github.com/semi-implicit/sifg/pkg/sifg/internal/simd"
	"github.com/semi-implicit/sifg/pkg/sifg/rng"
)

// Batch is an n×d matrix of n points in R^d: row-major, Stride == Cols, row i is point i. As a file for NumPy it is
// npy.Encode([]int{n, d}, b.Data), of package npy.
type Batch = blas32.General

// NewBatch returns a zero n×d batch; n and d must not be negative. Row i is Data[i*d : (i+1)*d].
func NewBatch(n, d int) Batch {
	return Batch{Rows: n, Cols: d, Stride: d, Data: simd.Zeros(n * d)}
}

// Target is an unnormalised log density on R^d. It must be immutable and safe for concurrent use.
type Target interface {
	// Dim returns d ≥ 1.
	Dim() int
	// Score sets dst[i] = ∇log π(x[i]) for every row, whatever the other rows. dst and x have d columns and the same
	// number of rows, which with Flow.Threads is a part of the cloud; they do not alias, and dst holds old values. x
	// must not be changed. iter is the outer iteration, from 0, and selects the mini-batch of a target that has them;
	// others ignore it.
	Score(dst, x Batch, iter int)
}

// FullScorer is a target of mini-batches that has its score by all data too, by which diagnose.Summarize judges.
type FullScorer interface {
	Target
	FullScore(dst, x Batch) // as Score
}

// Cloud is all that changes in a run, except what a Field or a Mover has learned. Flow.Start makes it; a literal has no
// random stream and panics in Perturb.
type Cloud struct {
	// Particles; the last N(0, I) draws; X = Z + Sigma·W as of the last Perturb (all n×d). A step perturbs before it
	// moves Z and may adapt Sigma after it, so Perturb is what makes X of the present Z. Where Sigma is 0, W is empty
	// and X is Z once Perturb was called. Before the first step X is zeros, or empty where Sigma is 0: see Sample.
	Z, W, X Batch
	// S = ∇log π at the points the velocity was judged at; V = velocity, the direction in which Z moves (n×d)
	S, V  Batch
	Sigma float32 // smoothing σ ≥ 0
	Iter  int     // outer iterations done
	// Wanders says that particles move as chains do, and never settle: a Mover that adds noise sets it in its Init.
	Wanders bool

	Target Target
	Seed   uint64 // names the random streams of the run

	threads int // of the flow
	noise   normals
}

// Sample returns the points that the cloud offers: X, and Z before the first step. It is a view.
func (c *Cloud) Sample() Batch {
	if c.Iter == 0 {
		return c.Z
	}
	return c.X
}

// normals is the stream "noise"; an interface so that tests can silence it.
type normals interface {
	NormalSplit(dst []float32, threads int)
}

// Perturb draws W anew and sets X = Z + Sigma·W; where Sigma is 0 it draws nothing and X is Z itself. It moves the
// stream "noise" on, so a run in whose callback it is called goes on with other bits.
func (c *Cloud) Perturb() {
	if c.Sigma == 0 {
		c.X = c.Z
		return
	}
	c.noise.NormalSplit(c.W.Data, c.threads)
	simd.AddScaled(c.X.Data, c.Z.Data, c.Sigma, c.W.Data)
}

// Score sets S = ∇log π(X).
func (c *Cloud) Score() {
	if n := c.X.Rows; c.threads > 1 && n > 3 {
		simd.Split(min(c.threads, n/2), n, 1, func(_, lo, hi int) {
			c.Target.Score(rows(c.S, lo, hi), rows(c.X, lo, hi), c.Iter)
		})
		return
	}
	c.Target.Score(c.S, c.X, c.Iter)
}

// rows returns rows lo to hi−1 of b, a view.
func rows(b Batch, lo, hi int) Batch {
	b.Rows, b.Data = hi-lo, b.Data[lo*b.Stride:hi*b.Stride]
	return b
}

// Info is what a step tells of itself, for traces.
type Info struct {
	Loss float64 // of the last network step, before it; 0 without a network
	P    float64 // exponent of the Stein loss; 0 without one
}

// Field gives the direction in which particles move.
type Field interface {
	// Init prepares for runs on c: it sizes buffers and seeds what is random from c.Seed.
	Init(c *Cloud)
	// Velocity perturbs the particles (c.Perturb), learns what it has to, and sets c.V. Where noise has a rule it may
	// adapt σ, by setting c.Sigma to a value above 0; the rules themselves are followed by this package's fields alone.
	Velocity(c *Cloud, noise *Noise) Info
}

// Mover moves the particles along the velocity.
type Mover interface {
	// Init prepares for runs on c.
	Init(c *Cloud)
	// Move updates c.Z from c.V.
	Move(c *Cloud)
}

// Flow is a sampler: three choices. Its Field and Mover hold state, so one Flow serves one run at a time; Start begins
// the next one afresh, and refuses what cannot be in a literal, as New does in a Config.
type Flow struct {
	Noise Noise
	Field Field
	Mover Mover

	// Threads > 1 lets one run use several cores, for its network, noise, large products and the target's score; the
	// bits are the same. Start takes it over: a later change waits for the next Start. Several runs side by side, one a
	// core, use a machine better.
	Threads int
}

// mostNumbers bounds n·d: a batch of them takes 4 GB.
const mostNumbers = 1 << 30

// Start prepares a run: n particles drawn by init from the stream named "init" (nil: N(0, I)), which is the same for
// every sampler of the same seed. n must be at least 2, and n·d at most 2³⁰.
func (f *Flow) Start(target Target, n int, seed uint64, init func(dst Batch, r *rng.Stream)) (*Cloud, error) {
	if err := f.check(); err != nil {
		return nil, err
	}
	if target == nil {
		return nil, errors.New("sifg: the target is nil")
	}
	switch d := target.Dim(); {
	case n < 2:
		return nil, fmt.Errorf("sifg: %d particles: at least 2 are needed", n)
	case d < 1:
		return nil, fmt.Errorf("sifg: the target has dimension %d: at least 1 is needed", d)
	case n > mostNumbers/d:
		return nil, fmt.Errorf("sifg: %d particles in %d dimensions are more than the %d numbers that a run may have",
			n, d, mostNumbers)
	}
	d := target.Dim()
	c := &Cloud{
		Z: NewBatch(n, d), S: NewBatch(n, d), V: NewBatch(n, d),
		Sigma:   f.Noise.Sigma,
		Target:  target,
		Seed:    seed,
		threads: f.Threads,
		noise:   rng.New(seed, "noise"),
	}
	if c.Sigma > 0 {
		c.W, c.X = NewBatch(n, d), NewBatch(n, d)
	}
	r := rng.New(seed, "init")
	if init == nil {
		r.Normal(c.Z.Data)
	} else {
		init(c.Z, r)
	}
	if !finite(c.Z.Data) {
		return nil, errors.New("sifg: the initial particles are not finite")
	}
	f.Field.Init(c)
	f.Mover.Init(c)
	return c, nil
}

// Step does one outer iteration of c, which the flow's last Start returned: velocity, then move. It returns a
// *DivergedError when a particle or σ is no longer finite or σ falls below 1e-18; the cloud is then of no use. After
// the first call it allocates nothing, unless Threads > 1 or the target does.
func (f *Flow) Step(c *Cloud) (Info, error) {
	info := f.Field.Velocity(c, &f.Noise)
	f.Mover.Move(c)
	c.Iter++
	switch {
	case f.Noise.Sigma > 0 && c.Sigma < leastSigma:
		return info, &DivergedError{c.Iter,
			fmt.Sprintf("σ fell below %v: set a lower bound (Noise.Min) or a lower rate", leastSigma)}
	case !finite(c.Z.Data) || c.Sigma-c.Sigma != 0:
		return info, &DivergedError{c.Iter, "a particle or σ is not finite"}
	}
	return info, nil
}

// DivergedError says that a run met a value that it cannot go on from.
type DivergedError struct {
	Iter   int // the outer iteration that produced it, from 1
	Reason string
}

func (e *DivergedError) Error() string {
	return fmt.Sprintf("diverged at iteration %d: %s", e.Iter, e.Reason)
}

// Options of a one-call Run.
type Options struct {
	Particles  int    // n ≥ 2
	Iterations int    // outer iterations ≥ 0
	Seed       uint64 // names every random stream of the run
	// fills dst (n×d, zeros) with the initial particles, r is the stream "init"; nil: N(0, I)
	Init func(dst Batch, r *rng.Stream)
	// Every and Callback: Callback sees the cloud before the first step, after every Every-th and after the last. It
	// must not change the cloud (nor call its Perturb), and must copy what it keeps: the batches are overwritten. An
	// error from it ends the run. Every 0: only the first and the last. At the first, X holds no sample yet: read Z.
	Every    int
	Callback func(c *Cloud, info Info) error
}

// Run starts f on target and steps it to the end. On an error (ctx done, divergence, the callback's) it returns the
// cloud as far as it came beside the error; f.Step goes on from there. ctx, which must not be nil, is looked at between
// iterations; the error wraps ctx.Err() and context.Cause(ctx).
func Run(ctx context.Context, f *Flow, target Target, o Options) (*Cloud, error) {
	c, err := f.Start(target, o.Particles, o.Seed, o.Init)
	if err != nil {
		return nil, err
	}
	return c, f.run(ctx, c, o)
}

func (f *Flow) run(ctx context.Context, c *Cloud, o Options) error {
	if o.Iterations < 0 || o.Every < 0 {
		return fmt.Errorf("sifg: %d iterations with a callback every %d: neither may be negative", o.Iterations,
			o.Every)
	}
	call := o.Callback
	if call == nil {
		call = func(*Cloud, Info) error { return nil }
	}
	if err := call(c, Info{}); err != nil {
		return err
	}
	for c.Iter < o.Iterations {
		if err := ctx.Err(); err != nil {
			if cause := context.Cause(ctx); cause != err {
				err = fmt.Errorf("%w: %w", err, cause)
			}
			return fmt.Errorf("sifg: stopped after iteration %d: %w", c.Iter, err)
		}
		info, err := f.Step(c)
		if err == nil && (c.Iter == o.Iterations || o.Every > 0 && c.Iter%o.Every == 0) {
			err = call(c, info)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// finite reports whether every value is: adding to the exponent of an infinity or of what is not a number reaches the
// sign bit.
func finite(x []float32) bool {
	var over uint32
	for _, v := range x {
		over |= math.Float32bits(v)&^(1<<31) + 1<<23
	}
	return over>>31 == 0
}
