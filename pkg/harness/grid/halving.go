package grid

import (
	"fmt"
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
	of := func(t harness.Trial) string { return t.Problem + " " + t.Method }
	groups := map[string][]harness.Trial{}
	for _, t := range all.Trials {
		groups[of(t)] = append(groups[of(t)], t)
	}
	wanted := map[string]bool{} // names of trials
	for _, trials := range groups {
		s.halve(trials, q, known, wanted)
	}
	out := *all
	out.Trials = slices.DeleteFunc(slices.Clone(all.Trials), func(t harness.Trial) bool { return !wanted[name(t.Row())] })
	return &out, nil
}

// name names a trial of a grid's plan: unlike its key, it is not that of another cell with the same settings.
func name(t record.Trial) string { return fmt.Sprint(t.Problem, " ", t.Method, " ", t.Seed) }

// halve adds the trials of one method on one problem that are wanted. The first round has all cells with s.Halving
// seeds; each next one has twice as many seeds, and of the cells the better half, two at least, and the settings as
// they are. It ends when the best two are apart, but not in the first round, or with the seeds.
func (s *Spec) halve(trials []harness.Trial, q Question, known *record.Set, wanted map[string]bool) {
	var seeds []uint64
	in := map[string]bool{} // methods that are cells
	for _, t := range trials {
		in[t.Row().Method] = true
		if !slices.Contains(seeds, t.Seed) {
			seeds = append(seeds, t.Seed)
		}
	}
	for n := s.Halving; ; n *= 2 {
		n = min(n, len(seeds))
		round, planned := *known, map[string]bool{}
		for _, t := range trials {
			if row := t.Row(); in[row.Method] && slices.Contains(seeds[:n], t.Seed) {
				wanted[name(row)], planned[name(row)] = true, true
			}
		}
		other := func(t record.Trial) bool { return !planned[name(t)] }
		round.Trials = slices.DeleteFunc(slices.Clone(known.Trials), other)
		round.Missing, round.Problems = nil, []string{trials[0].Problem}
		if len(round.Trials) < len(planned) || n == len(seeds) {
			return
		}
		g := q.groups(&round)[0]
		best := g.ranked()
		if len(best) < 2 || n > s.Halving && apart(best[0], best[1]) {
			return
		}
		in = map[string]bool{g.use.variant: true}
		for _, c := range best[:max(2, (len(best)+1)/2)] {
			in[c.variant] = true
		}
	}
}

// apart reports whether the means of two cells differ by more than the standard error of their difference, paired by
// seed. Where one is within the bound of the question and the other is not, more seeds are wanted.
func apart(a, b *cell) bool {
	gaps := record.Pair(a.samples[0], b.samples[0], 0).Gaps
	return a.outside == b.outside && math.Abs(stats.Mean(gaps)) > stats.SE(gaps)
}
