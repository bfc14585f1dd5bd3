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
// alone, so a stopped grid continues to the same choice. For each method on each problem the first round has all cells
// with s.Halving seeds; each next one has twice as many seeds, and of the cells the better half, two at least, and the
// settings as they are. It ends when the best two are apart, but not in the first round, or with the seeds.
func (s *Spec) Round(all *plan.Plan, q Question, have *store.Store) (*plan.Plan, error) {
	if s.Halving == 0 {
		return all, nil
	}
	r, _, err := new(report.Results).Collect(all, have, all.Experiments)
	if err != nil {
		return nil, err
	}
	first := all.Trials[0]
	known := r.Experiment(first.Experiment).Set(first.Protocol)
	name := func(t record.Trial) string { return t.Problem + " " + t.Method }
	wanted, at := map[string]int{}, map[uint64]int{} // how many seeds a cell has; the place of a seed
	for _, t := range all.Trials {
		wanted[name(t.Row())] = s.Halving
		if _, there := at[t.Seed]; !there {
			at[t.Seed] = len(at)
		}
	}
	for n := s.Halving; known != nil && n < len(at); n *= 2 { // nil: the store has none
		round, other := *known, func(t record.Trial) bool { return wanted[name(t)] < n || at[t.Seed] >= n }
		round.Trials = slices.DeleteFunc(slices.Clone(known.Trials), other)
		round.Missing = slices.DeleteFunc(slices.Clone(known.Missing), other)
		for _, g := range q.groups(&round) {
			best := g.ranked()
			waits := slices.ContainsFunc(g.cells, func(c *cell) bool { return c.why == notAll })
			if waits || len(best) < 2 || n > s.Halving && apart(best[0], best[1]) {
				continue
			}
			for _, c := range slices.Concat(best[:max(2, (len(best)+1)/2)], []*cell{g.use}) {
				wanted[g.problem+" "+c.variant] = 2 * n
			}
		}
	}
	out := *all
	out.Trials = slices.DeleteFunc(slices.Clone(all.Trials), func(t harness.Trial) bool {
		return at[t.Seed] >= wanted[name(t.Row())]
	})
	return &out, nil
}

// apart reports whether the means of two cells differ by more than the standard error of their difference, paired by
// seed. Where one is within the bound of the question and the other is not, more seeds are wanted.
func apart(a, b *cell) bool {
	gaps := record.Pair(a.samples[0], b.samples[0], 0).Gaps
	return a.outside == b.outside && math.Abs(stats.Mean(gaps)) > stats.SE(gaps)
}
