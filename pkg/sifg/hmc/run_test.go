package hmc

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"reflect"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
)

// record runs chains to n iterations in all and appends their draws.
func record(t *testing.T, chains []*Chain, n int, to [][]float64) {
	t.Helper()
	err := run(context.Background(), chains, n, func(chain, _ int, x []float64, _ Info) error {
		to[chain] = append(to[chain], x...)
		return nil
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
}

// A chain stopped anywhere, in the warm-up too, saved as JSON and resumed makes the draws it would have made, bit for
// bit.
func TestResume(t *testing.T) {
	d := quartic{d: 3}
	x0 := []float64{0.3, -1, math.Pi}
	for name, cfg := range map[string]Config{
		"plain":    {Step: 0.2, Leapfrog: 5, Mass: []float64{1, 0.7, 1.0 / 3}, Jitter: 0.3},
		"released": {Step: 0.2, Leapfrog: 5, Released: true},
		"warm-up":  {Leapfrog: 5, Warmup: 100, Mass: []float64{1, 2, 3}},
		"nuts":     {Warmup: 100},
		"dense":    {Warmup: 100, Dense: true},
		"micro":    {Warmup: 100, Microcanonical: true},
	} {
		whole := make([][]float64, 1)
		c := must(NewChain(d, cfg, x0, math.MaxUint64, 7))
		record(t, []*Chain{c}, 150, whole)
		for _, stop := range []int{0, 1, 14, 15, 50, 74, 75, 99, 100, 101, 149} {
			parts := make([][]float64, 1)
			first := must(NewChain(d, cfg, x0, math.MaxUint64, 7))
			record(t, []*Chain{first}, stop, parts)
			var s State
			if err := json.Unmarshal(must(json.Marshal(first.State())), &s); err != nil {
				t.Fatal(err)
			}
			second := must(Resume(d, cfg, s))
			first.Step() // must not reach into what was saved
			record(t, []*Chain{second}, 150, parts)
			if !slices.Equal(parts[0], whole[0]) || !reflect.DeepEqual(second.State(), c.State()) {
				t.Errorf("%s: stopped after %d iterations, the chain went another way", name, stop)
			}
		}
	}
}

// Chains are the same side by side as one by one, and differ from one another.
func TestRunIsDeterministic(t *testing.T) {
	d := quartic{d: 2}
	cfg := Config{Leapfrog: 3, Warmup: 30}
	fresh := func(i int) *Chain { return must(NewChain(d, cfg, []float64{0, 1}, 9, i)) }
	together, alone := make([][]float64, 5), make([][]float64, 5)
	var chains []*Chain
	for i := range 5 {
		chains = append(chains, fresh(i))
		one := make([][]float64, 1)
		record(t, []*Chain{fresh(i)}, 60, one)
		alone[i] = one[0]
	}
	record(t, chains, 60, together)
	for i := range 5 {
		if !slices.Equal(together[i], alone[i]) {
			t.Errorf("chain %d is another in company", i)
		}
		if i > 0 && slices.Equal(alone[i][60:], alone[0][60:]) {
			t.Errorf("chain %d repeats chain 0", i)
		}
	}
	if record(t, chains, 60, together); chains[0].iteration != 60 {
		t.Error("chains that have done their iterations do more")
	}
}

func TestRunStops(t *testing.T) {
	cfg := Config{Step: 0.1, Leapfrog: 2}
	chains := []*Chain{
		must(NewChain(quartic{d: 2}, cfg, []float64{0, 1}, 9, 0)),
		must(NewChain(quartic{d: 2}, cfg, []float64{0, 1}, 9, 1)),
	}
	ctx, cancel := context.WithCancel(context.Background())
	err := run(ctx, chains, 1<<40, func(chain, iter int, _ []float64, _ Info) error {
		if chain == 1 && iter == 20 {
			cancel()
		}
		return nil
	}, nil)
	if !errors.Is(err, context.Canceled) || chains[1].iteration != 21 {
		t.Errorf("cancelled: %v after %d iterations", err, chains[1].iteration)
	}
	why := errors.New("the service goes down")
	caused, end := context.WithCancelCause(context.Background())
	end(why)
	if err := run(caused, chains, 1<<40, nil, nil); !errors.Is(err, context.Canceled) || !errors.Is(err, why) {
		t.Errorf("cancelled with a cause: %v", err)
	}
	full := errors.New("disk full")
	err = run(context.Background(), chains, 1<<40, func(chain, iter int, _ []float64, _ Info) error {
		if chain == 0 && iter >= 1e4 { // it may be further than that by the time the other stopped the run before
			return full
		}
		return nil
	}, nil)
	if !errors.Is(err, full) {
		t.Errorf("an error of the sink became %v", err)
	}
	func() {
		defer func() {
			if recover() != "sink" {
				t.Error("a panic of the sink was lost")
			}
		}()
		_ = run(context.Background(), chains, 1<<40, func(int, int, []float64, Info) error { panic("sink") }, nil)
	}()

	for _, cfg := range []Config{{Step: 1e300, Leapfrog: 3}, {Leapfrog: 3, Warmup: 120}, {Warmup: 50}} {
		stuck := must(NewChain(spike{}, cfg, []float64{0}, 9, 2))
		for range 2 { // the second call goes on where the first stopped, and says the same
			err = run(context.Background(), []*Chain{stuck}, 1000, nil, nil)
			if err == nil || !strings.Contains(err.Error(), "chain 2: none of its first") {
				t.Errorf("a chain that accepts nothing: %v", err)
			}
		}
	}

	nan := must(NewChain(runaway{}, Config{Step: 1, Leapfrog: 2, Released: true}, []float64{1}, 1, 3))
	err = run(context.Background(), []*Chain{nan}, 1000, nil, nil)
	if err == nil || !strings.Contains(err.Error(), "chain 3: the position is not finite after iteration") {
		t.Errorf("a released chain at NaN: %v", err)
	}
}

// spike is a density that its gradient knows nothing of: all proposals are rejected.
type spike struct{}

func (spike) Dim() int { return 1 }
func (spike) Energy(x []float64) float64 {
	if x[0] == 0 {
		return 0
	}
	return 500
}
func (s spike) Grad(dst, x []float64) float64 {
	dst[0] = 1
	return s.Energy(x)
}

// runaway has no density but forces that grow beyond every number: the script accepts the NaN it ends at.
type runaway struct{}

func (runaway) Dim() int                   { return 1 }
func (runaway) Energy(x []float64) float64 { return x[0] - x[0] }
func (runaway) Grad(dst, x []float64) float64 {
	dst[0] = -math.Exp(x[0] * x[0])
	return x[0] - x[0]
}

func TestRefusals(t *testing.T) {
	d := quartic{d: 2}
	x := []float64{0, 1}
	good := Config{Step: 0.1, Leapfrog: 2}
	with := func(change func(c *Config)) Config {
		c := good
		change(&c)
		return c
	}
	nan := math.NaN()
	for want, c := range map[string]struct {
		cfg Config
		x   []float64
	}{
		"3 coordinates":    {good, []float64{1, 2, 3}},
		"start is not":     {good, []float64{1, nan}},
		"energy":           {good, []float64{1e200, 0}},
		"Step is 0":        {with(func(c *Config) { c.Step = 0 }), x},
		"Step is NaN":      {with(func(c *Config) { c.Step = nan }), x},
		"Leapfrog is -1":   {with(func(c *Config) { c.Leapfrog = -1 }), x},
		"Jitter and":       {with(func(c *Config) { c.Leapfrog, c.Jitter = 0, 0.1 }), x},
		"Jitter is 2":      {with(func(c *Config) { c.Leapfrog, c.Jitter = 0, 2 }), x},
		"Warmup is -2":     {Config{Warmup: -2}, x},
		"Microcanonical g": {with(func(c *Config) { c.Microcanonical = true }), x},
		"Dense goes":       {with(func(c *Config) { c.Dense = true }), x},
		"2 positive":       {with(func(c *Config) { c.Mass = []float64{1, 0} }), x},
		"Mass must":        {with(func(c *Config) { c.Mass = []float64{1} }), x},
		"Jitter is 1":      {with(func(c *Config) { c.Jitter = 1 }), x},
		"Warmup is -1":     {with(func(c *Config) { c.Warmup = -1 }), x},
		"TargetAccept is":  {with(func(c *Config) { c.TargetAccept = 1 }), x},
		"no warm-up":       {with(func(c *Config) { c.Released, c.Warmup = true, 5 }), x},
	} {
		if _, err := NewChain(d, c.cfg, c.x, 1, 0); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("want an error about %q, got %v", want, err)
		}
	}
	far := must(NewChain(d, Config{Step: 1e300, Leapfrog: 3}, x, 1, 0))
	_, noDensity := NewChain(nil, good, x, 1, 0)
	_, minus := NewChain(d, good, x, 1, -1)
	_, dense := NewChain(quartic{d: 30_000}, Config{Warmup: 9, Dense: true}, make([]float64, 30_000), 1, 0)
	_, resumed := Resume(nil, good, State{})
	for want, err := range map[string]error{
		"density is nil":           noDensity,
		"indices start at 0":       minus,
		"takes 30000 × 30000":      dense,
		"resuming: hmc: the dens":  resumed,
		"none of its first 100 it": run(context.Background(), []*Chain{far}, 200, nil, nil),
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("want an error about %q, got %v", want, err)
		}
	}

	s := must(NewChain(d, with(func(c *Config) { c.Warmup = 30 }), x, 1, 0)).State()
	done := must(NewChain(d, good, x, 1, 0)).State()
	nuts := must(NewChain(d, Config{Warmup: 30}, x, 1, 0)).State()
	for want, c := range map[string]struct {
		cfg    Config
		state  State
		change func(s *State)
	}{
		"Leapfrog 0":      {with(func(c *Config) { c.Warmup = 30 }), nuts, func(*State) {}},
		"0 and true":      {Config{Warmup: 30, Microcanonical: true}, nuts, func(*State) {}},
		"step 0.1":        {with(func(c *Config) { c.Step = 0.2 }), done, func(*State) {}},
		"does not fit":    {good, done, func(s *State) { s.Iteration = -1 }},
		"fit Warmup 30":   {with(func(c *Config) { c.Warmup = 30 }), s, func(s *State) { s.Iteration = 30 }},
		"Mean and Sum":    {with(func(c *Config) { c.Warmup = 30 }), s, func(s *State) { s.Adapt = &adaptation{} }},
		"Old and New":     {Config{Warmup: 30}, nuts, func(s *State) { s.Adapt = &adaptation{} }},
		"masses":          {with(func(c *Config) { c.Warmup = 30 }), s, func(s *State) { s.Step = 0 }},
		"the start has 0": {good, done, func(s *State) { s.X = nil }},
	} {
		c.change(&c.state)
		if _, err := Resume(d, c.cfg, c.state); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("want an error about %q, got %v", want, err)
		}
	}
}

// TestEnded: whatever ends a chain, it is said of every chain, so that none waits for one that is gone.
func TestEnded(t *testing.T) {
	stop := errors.New("stop")
	for what, each := range map[string]func(chain, iter int, x []float64, info Info) error{
		"the end": nil,
		"an error": func(chain, iter int, _ []float64, _ Info) error {
			if chain == 1 && iter == 3 {
				return stop
			}
			return nil
		},
	} {
		var ended [3]atomic.Int64
		normal := gaussian{mean: []float64{0, 0}, precision: []float64{1, 0, 0, 1}}
		_, err := Sample(context.Background(), normal, Options{
			Chains: 3, Draws: 10, Config: Config{Warmup: 10}, Each: each,
			Ended: func(chain int) { ended[chain].Add(1) },
		})
		if (err != nil) != (each != nil) {
			t.Errorf("%s: %v", what, err)
		}
		for k := range ended {
			if ended[k].Load() == 0 {
				t.Errorf("%s: nothing is said of chain %d", what, k)
			}
		}
	}
}
