package cli

import (
	"time"

	"github.com/semi-implicit/sifg/pkg/harness"
)

// eta predicts when a run will end. What trials of a kind took in this run goes before what was measured earlier; earlier
// measurements are scaled by how this run compares with them, because other work or another machine makes all trials slower
// alike. A kind that was never measured says nothing about that scale.
type eta struct {
	jobs    int
	seconds bool // costs knows something of all trials; else weights are only proportional to the work
	kinds   map[kind]*seen
}

// kind is what trials of about the same cost have in common.
type kind struct {
	experiment, problem, method string
	particles, iterations       int
}

// seen counts the trials of a kind.
type seen struct {
	weight   float64 // predicted seconds of one, or a measure of its work
	known    bool    // weight was measured at such trials
	waiting  int     // and running
	ended    int
	measured int     // of those that ended well
	spent    float64 // their seconds
}

func kindOf(t *harness.Trial) kind {
	return kind{t.Experiment, t.Problem, t.Method, t.Config.Particles, t.Config.Iterations}
}

func newETA(todo []harness.Trial, costs *harness.Costs, jobs int) *eta {
	e := &eta{jobs: max(1, jobs), kinds: map[kind]*seen{}}
	_, known := costs.Total(todo, jobs)
	e.seconds = known == len(todo)
	for i := range todo {
		t := &todo[i]
		g := e.kinds[kindOf(t)]
		if g == nil {
			g = &seen{weight: float64(t.Config.Iterations+1) * float64(t.Config.Particles)}
			if s, ok := costs.Seconds(t); e.seconds && ok {
				g.weight, g.known = s, costs.Like(t)
			}
			e.kinds[kindOf(t)] = g
		}
		g.waiting++
	}
	return e
}

// ended notes a trial that took this long; what one took that did not run to its end says nothing of others.
func (e *eta) ended(t *harness.Trial, seconds float64, ok bool) {
	g := e.kinds[kindOf(t)]
	if g == nil {
		return
	}
	g.waiting, g.ended = g.waiting-1, g.ended+1
	if ok {
		g.measured, g.spent = g.measured+1, g.spent+seconds
	}
}

// enough of a running trial is done to go by the time it took so far.
const enough = 0.05

// now returns the fraction of the work that is done and the seconds until all is, and false if nothing is known of that yet.
func (e *eta) now(run map[*harness.Trial]*running) (fraction, left float64, known bool) {
	scale, known := e.scale(run)
	done, todo, longest := 0.0, 0.0, 0.0
	for _, g := range e.kinds {
		done += float64(g.ended) * g.each(scale)
		todo += float64(g.waiting) * g.each(scale)
	}
	for t, r := range run {
		g := e.kinds[kindOf(t)]
		if g == nil {
			continue
		}
		rest := g.each(scale) * (1 - r.fraction)
		if r.fraction > enough {
			rest = time.Since(r.since).Seconds() * (1 - r.fraction) / r.fraction
		}
		part := g.each(scale) * r.fraction
		done, todo, longest = done+part, todo-g.each(scale)+rest, max(longest, rest)
	}
	todo = max(0, todo)
	return done / max(done+todo, 1e-9), max(todo/float64(e.jobs), longest), known
}

// each is what a trial of the kind takes, by what is known now.
func (g *seen) each(scale float64) float64 {
	if g.measured > 0 {
		return g.spent / float64(g.measured)
	}
	return g.weight * scale
}

// scale returns seconds per weight: by all trials of this run that say something of it, ended or running.
func (e *eta) scale(run map[*harness.Trial]*running) (float64, bool) {
	spent, weight := 0.0, 0.0
	for _, g := range e.kinds {
		if g.known || !e.seconds {
			spent, weight = spent+g.spent, weight+float64(g.measured)*g.weight
		}
	}
	for t, r := range run {
		if g := e.kinds[kindOf(t)]; g != nil && (g.known || !e.seconds) && r.fraction > enough {
			spent, weight = spent+time.Since(r.since).Seconds(), weight+r.fraction*g.weight
		}
	}
	if weight > 0 {
		return spent / weight, true
	}
	return 1, e.seconds
}
