package megica

import (
	"maps"
	"slices"

	"github.com/semi-implicit/sifg/pkg/harness/record"
)

// The problems: few and many particles on MEG's recordings, and ten particles on simulated ones.
const few, many, simulated = "meg-10", "meg-100", "ica-simulated"

// values returns the components of a metric at an iteration (math.MaxInt: the last), a slice a try, of the first of the
// methods that has it. What as many reference draws ("floor-amari") or random matrices ("random-amari") score, and what
// is known of the reference ("reference-rhat"), is the same for all methods, at iteration 0.
func values(s *record.Set, problem, metric string, iteration int, methods ...string) (out [][]float64) {
	for _, m := range methods {
		bySeed := record.View{Set: s, Problem: problem}.Components(m, metric, iteration)
		for _, seed := range slices.Sorted(maps.Keys(bySeed)) {
			out = append(out, bySeed[seed])
		}
		if out != nil {
			break
		}
	}
	return out
}
