package judge

import (
	"strings"
	"testing"

	"github.com/semi-implicit/sifg/pkg/sifg/hmc"
)

// TestReasons: what is said of chains, by what their diagnostics are.
func TestReasons(t *testing.T) {
	const take, unseen = "Use these draws of NUTS. The chains: R-hat at most 1.001 (a)", "go unnoticed"
	two := func(p *Report, passes int, visited ...float64) {
		p.Share, p.Visited, p.Passes, p.Searches = []float64{0.7, 0.3}, visited, passes, 36
	}
	for name, c := range map[string]struct {
		change func(p *Report)
		trust  bool
		want   []string // one a reason
	}{
		"fine": {func(*Report) {}, true, []string{take, unseen}},
		"R-hat": {func(p *Report) { p.Values[1].RHat = 1.02 }, false,
			[]string{"do not agree about b. The", unseen}},
		"few draws": {func(p *Report) { p.Values[1].TailESS = 399 }, true, []string{"for rough answers", unseen}},
		"E-BFMI": {func(p *Report) { p.EBFMI, p.EnergyAt, p.EnergyRank = 0.2, 1, 0.5 }, true, []string{"Use these",
			"threatens the tails: means and the middle stand, far quantiles may be too near. The energy goes with b " +
				"(rank correlation 0.50), as in a funnel", unseen}},
		"no variance": {func(p *Report) { p.Heavy = []int{1} }, true,
			[]string{take, "The tails of b are heavy, like a power law's with hardly a variance: quantiles stand, sta",
				unseen}},
		"no mean": {func(p *Report) { p.Heavy, p.Means, p.EBFMI = []int{0, 1}, []int{1}, 0.2 }, true,
			[]string{"Use these", "the tails: the middle stands, far", "tails of b are heavy, like a power law's " +
				"with hardly a mean (k̂ above 0.7): quantiles stand, the mean, its ± and the sd depend on a few draws.",
				"tails of a are heavy, like a power law's with hardly a variance", unseen}},
		"divergences": {func(p *Report) { p.Divergent, p.DivergedAt, p.DivergedOff = 0.01, 1, -1.8 }, true,
			[]string{"Use these", "1 % of the iterations diverged, where b is 1.8 standard deviations below its mean",
				unseen}},
		"many divergences": {func(p *Report) { p.Divergent = 0.1 }, true, []string{"with care", "10 % of", unseen}},
		"refusals":         {func(p *Report) { p.Refused = 0.07 }, true, []string{"Use these", "refused 7 %", unseen}},
		"no mode":          {func(p *Report) { p.Share = nil }, true, []string{take, "which is no warning"}},
		"strays": {func(p *Report) { p.Strays = []int{1, 3} }, true, []string{take,
			"Run again from the heaviest mode: chain 2 and chain 4, which", unseen}},
		"two modes, visited": {func(p *Report) { two(p, 50, 0.69, 0.31) }, true, []string{take,
			"2 modes (70 % by Laplace's approximation, 69 % of the draws;"}},
		"two modes, one visited": {func(p *Report) { two(p, 0, 1, 0) }, false,
			[]string{"Do not use these draws: 2 modes were found", "2 modes"}},
		"two modes, few passes": {func(p *Report) { two(p, 3, 0.5, 0.5) }, false,
			[]string{"from one to another 3 times", "2 modes"}},
		"labels": {func(p *Report) { two(p, 0, 0.5, 0.5); p.Swapped, p.Apart = []int{0, 1}, true }, false,
			[]string{"Do not use", "2 modes", "Label switching: modes are each other with a, b swapped",
				"Each chain stays in one mode. Weights of the draws give each mode its share"}},
	} {
		p := &Report{Chains: 4, Moves: 4000, EBFMI: 0.9, Searches: 12, Share: []float64{1}, DivergedAt: -1,
			EnergyAt: -1, Names: []string{"a", "b"}, AllNames: []string{"a", "b"}, Values: []hmc.Coordinate{
				{RHat: 1.001, BulkESS: 5000, TailESS: 4000}, {RHat: 1, BulkESS: 6000, TailESS: 3000},
			}}
		c.change(p)
		said := p.Reasons()
		if p.Trusted() != c.trust {
			t.Errorf("%s: trusted %t", name, !c.trust)
		}
		for i, want := range c.want {
			if len(said) != len(c.want) || !strings.Contains(said[i], want) {
				t.Errorf("%s: %q, want %q", name, said, c.want)
				break
			}
		}
	}
}
