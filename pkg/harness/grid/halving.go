package grid

import (
	"math"
	"slices"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/plan"
	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/harness/report"
	"github.com/semi-implicit/sifg/pkg/harness/stats"
	"github.com/semi-implicit/sifg/pkg/harness/store"
)

// Round returns the part of a plan that successive halving asks for, as far as the trials in the store decide: once
// these are there, the next call may ask for more. Without halving it is the whole plan. It depends on the trials
// alone, so a stopped grid continues to the same choice.
func (s *Spec) Round(all *plan.Plan, q Question, have *store.Store) (*plan.Plan, error) {
	if s.Halving == 0 {
		return all, nil
	}
	r, _, err := new(report.Results).Collect(all, have, []*harness.Experiment{q.On(all.Experiments[0])})
	if err != nil {
		return nil, err
	}
	first := all.Trials[0]
	known := r.Experiment(first.Experiment).Set(first.Protocol)
	if known == nil {
		known = &record.Set{} // the store has none
	}
	out, of := *all, func(t harness.Trial) string { return t.Problem + " " + t.Method }
	out.Trials = nil
	for rest := all.Trials; len(rest) > 0; { // those of a method on a problem stand together
		n := slices.IndexFunc(rest, func(t harness.Trial) bool { return of(t) != of(rest[0]) })
		if n < 0 {
			n = len(rest)
		}
		out.Trials = append(out.Trials, s.halve(rest[:n], q, known)...)
		rest = rest[n:]
	}
	return &out, nil
}

// halve returns the trials of one method on one problem that are wanted. The first round has all cells with s.Halving
// seeds; each next one has twice as many seeds, and of the cells the better half, two at least, and the settings as
// they are. It ends when the best two are apart, but not in the first round, or with the seeds.
func (s *Spec) halve(trials []harness.Trial, q Question, known *record.Set) []harness.Trial {
	wanted := map[string]int{} // how many seeds, by the name of a cell's method
	var seeds []uint64
	for _, t := range trials {
		wanted[t.Row().Method] = s.Halving
		if !slices.Contains(seeds, t.Seed) {
			seeds = append(seeds, t.Seed)
		}
	}
	asked := func(method string, seed uint64) bool { return slices.Index(seeds, seed) < wanted[method] }
	for n := min(s.Halving, len(seeds)); ; {
		round, planned := *known, 0
		round.Trials = slices.DeleteFunc(slices.Clone(known.Trials), func(t record.Trial) bool {
			return t.Problem != trials[0].Problem || wanted[t.Method] < n || !asked(t.Method, t.Seed)
		})
		for _, of := range wanted {
			if of >= n {
				planned += n
			}
		}
		round.Missing, round.Problems = nil, []string{trials[0].Problem}
		if len(round.Trials) < planned || n == len(seeds) {
			break
		}
		g := q.groups(&round)[0]
		best := g.ranked()
		if len(best) < 2 || n > s.Halving && apart(best[0], best[1]) {
			break
		}
		n = min(2*n, len(seeds))
		wanted[g.use.variant] = n
		for _, c := range best[:max(2, (len(best)+1)/2)] {
			wanted[c.variant] = n
		}
	}
	return slices.DeleteFunc(slices.Clone(trials), func(t harness.Trial) bool { return !asked(t.Row().Method, t.Seed) })
}

// apart reports whether the means of two cells differ by more than the standard error of their difference, paired by
// seed. Where one is within the bound of the question and the other is not, more seeds are wanted.
func apart(a, b *cell) bool {
	gaps := record.Pair(a.samples[0], b.samples[0], 0).Gaps
	return a.outside == b.outside && math.Abs(stats.Mean(gaps)) > stats.SE(gaps)
}
