package run

import (
	"fmt"
	"slices"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/sifg"
)

// Costs predicts how long trials take on a quiet machine from those that were measured. A trial takes a fixed time for
// each operation of its sampler (sifg.Sampler.Work), and a time for each particle, iteration and checkpoint, for the
// score, the move and the metrics. The second is learned from trials of the same method on the same problem; else of
// samplers whose work is known too, on the same problem or on one with the same target. A computation takes as long for
// its work as others of its variant. Of trials that cost the same the fastest counts, since what else a machine does
// only adds to its time.
type Costs struct {
	Experiments []*harness.Experiment // whose computations tell their work
	CPU         string                // times of this processor (record.Timing.Processor) tell more than others

	like map[kind]*sample
}

// kind is trials whose costs compare.
type kind struct{ experiment, problem, target, method, options, cpu string }

// cost is the seconds of a trial's work, and its size, with which the rest grows.
type cost struct{ work, size float64 }

// sample is what trials of a kind took.
type sample struct {
	dim     int
	fastest map[cost]float64 // seconds of the fastest of trials that cost the same
}

const (
	operationSeconds = 8.5e-12 // about what an operation takes on a core with AVX-512
	lookIterations   = 20      // a checkpoint's metrics take about as long as the scores and moves of 20 iterations
	trialSeconds     = 0.01    // about what each trial takes besides, for its files
	runSeconds       = 0.5     // about what a run takes besides, for its start and its report
)

// kinds returns the kinds of a trial on a processor, and of each the same on any, those that tell most of it first.
func (c *Costs) kinds(t *harness.Trial, cpu string) (out []kind) {
	for _, k := range c.alike(t) {
		on := k
		on.cpu = cpu
		out = append(out, on, k)
	}
	return out
}

func (c *Costs) alike(t *harness.Trial) []kind {
	own := kind{experiment: t.Experiment, problem: t.Problem, method: t.Method}
	if t.Config.Computation() {
		if c.computation(t).Work == nil {
			own.options = fmt.Sprint(t.Config.Options)
		}
		return []kind{own}
	}
	out := []kind{own}
	if s, err := sifg.ByName(t.Config.Sampler.Sampler); err == nil && s.Work != nil {
		out = append(out, kind{experiment: t.Experiment, problem: t.Problem})
		if name, ok := t.Config.Options["target"].(string); ok { // as experiments name it whose problems share targets
			out = append(out, kind{experiment: t.Experiment, target: name})
		}
	}
	return out
}

// computation is the trial's computation, without Work where that is not known.
func (c *Costs) computation(t *harness.Trial) (out harness.Computation) {
	if e := harness.ByName(c.Experiments, t.Experiment); e != nil {
		out = e.Computations[t.Problem]
	}
	return out
}

// of returns the cost of a trial in d dimensions.
func (c *Costs) of(t *harness.Trial, d int) cost {
	if t.Config.Computation() {
		if work := c.computation(t).Work; work != nil {
			return cost{0, work(t)}
		}
		return cost{0, 1}
	}
	out, n, iterations := cost{}, t.Config.Particles, t.Config.Iterations
	if s, err := sifg.ByName(t.Config.Sampler.Sampler); err == nil && s.Work != nil {
		out.work = operationSeconds * s.Work(t.Config.Sampler, n, d, iterations)
	}
	looks := 2
	if every := t.Config.Judge.Every; every > 0 {
		looks += (iterations - 1) / every
	}
	out.size = float64(n) * float64(iterations+lookIterations*looks)
	return out
}

// Add adds a trial in d dimensions that ran to its end on a processor.
func (c *Costs) Add(t *harness.Trial, d int, cpu string, seconds float64) {
	if c.like == nil {
		c.like = map[kind]*sample{}
	}
	at := c.of(t, d)
	if at.size == 0 {
		return // a computation by options that this program refuses
	}
	for _, k := range c.kinds(t, cpu) {
		if c.like[k] == nil {
			c.like[k] = &sample{d, map[cost]float64{}}
		}
		if fastest, there := c.like[k].fastest[at]; !there || seconds < fastest {
			c.like[k].fastest[at] = seconds
		}
	}
}

// Seconds returns the predicted seconds of a trial, and false if nothing comparable was measured.
func (c *Costs) Seconds(t *harness.Trial) (float64, bool) {
	for _, k := range c.kinds(t, c.CPU) {
		if s := c.like[k]; s != nil {
			return s.seconds(c.of(t, s.dim)), true
		}
	}
	return 0, false
}

// seconds predicts the seconds of a trial by the median of the sample. Where a trial took less than its work, the
// machine is faster than operationSeconds says, and nothing is known of the rest.
func (s *sample) seconds(of cost) float64 {
	var rest []float64 // seconds a unit of size; below 0: the share of the work that it took less
	for at, seconds := range s.fastest {
		if seconds < at.work {
			rest = append(rest, seconds/at.work-1)
		} else {
			rest = append(rest, (seconds-at.work)/at.size)
		}
	}
	slices.Sort(rest)
	middle := rest[(len(rest)-1)/2]
	if middle < 0 {
		return of.work * (1 + middle)
	}
	return of.work + middle*of.size
}

// Each returns the predicted seconds of each trial, and how many of them could be predicted. The others count as the
// mean of those of their experiment, or of all where it has none; as 0 where nothing is known.
func (c *Costs) Each(trials []harness.Trial) (seconds []float64, known int) {
	seconds = make([]float64, len(trials))
	sum, count := map[string]float64{}, map[string]float64{} // of those by experiment, and of all by ""
	var unknown []int
	for i := range trials {
		s, ok := c.Seconds(&trials[i])
		if !ok {
			unknown = append(unknown, i)
			continue
		}
		seconds[i] = s
		for _, e := range []string{trials[i].Experiment, ""} {
			sum[e] += s
			count[e]++
		}
	}
	for _, i := range unknown {
		e := trials[i].Experiment
		if count[e] == 0 {
			e = ""
		}
		seconds[i] = sum[e] / max(1, count[e])
	}
	return seconds, int(count[""])
}

// Total returns the predicted seconds of the trials with jobs at once, by Each, and how many could be predicted; 0 if
// none could.
func (c *Costs) Total(trials []harness.Trial, jobs int) (seconds float64, known int) {
	each, known := c.Each(trials)
	if known == 0 {
		return 0, 0
	}
	for _, s := range each {
		seconds += s + trialSeconds
	}
	return max(seconds/float64(max(1, jobs)), slices.Max(each)) + runSeconds, known
}
