package megica

import (
	"fmt"
	"math"
	"slices"

	"github.com/semi-implicit/sifg/pkg/harness/claim"
	"github.com/semi-implicit/sifg/pkg/harness/figure"
	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/harness/stats"
	"github.com/semi-implicit/sifg/pkg/harness/table"
)

// What simulated recordings show and MEG's cannot: how near particles, reference draws and W₀ are to the matrix that
// unmixes them.

// truthClaims are statements of this project, not of the paper.
var truthClaims = []claim.Claim{
	{
		ID: "meg-ica-truth",
		Statement: "Simulated recordings: SIFG's particles are as near to the true unmixing matrix as draws " +
			"of HMC.",
		Rule: "median Amari distance of all particles to the inverse of the mixing matrix within 10 % of that of as " +
			"many draws of the reference chains: the whole interval (95 %, from resampling tries) of the ratio less " +
			"1 inside ±10 %; not reproduced if all of the interval is outside, otherwise not decided",
		Check: asNearAsDraws,
	},
	{
		ID: "meg-ica-w0",
		Statement: "Simulated recordings: W₀, from which the paper measures distances, is near the true " +
			"unmixing matrix.",
		Rule: "the Amari distance of W₀ to the inverse of the mixing matrix is at most a tenth of the median of " +
			"matrices with N(0, 1) entries; not reproduced if it is above the 5 % quantile of theirs, otherwise not " +
			"decided",
		Check: nearTruth,
	},
}

// asNearAsDraws checks claim meg-ica-truth.
func asNearAsDraws(s *record.Set) claim.Outcome {
	ours, exact := final(s, simulated, "sifg", truthMetric), floorOf(s, simulated, "floor-"+truthMetric)
	if len(ours) == 0 || len(exact) == 0 {
		return missing
	}
	e := estimated(func(medians []float64) float64 { return medians[0]/medians[1] - 1 }, []int{0, 1}, ours, exact)
	random := floorOf(s, simulated, "random-"+truthMetric)
	text := fmt.Sprintf("median Amari distance to the truth: SIFG %s, draws of HMC %s, random matrices %s; ratio less "+
		"1 %s", table.Num(median(ours)), table.Num(median(exact)), table.Num(median(random)), e)
	out := claim.Outcome{Verdict: e.within(0.1), Evidence: text, Keys: series(s, simulated).Keys("sifg")}
	return asked(out, e, math.Abs(e.mid)-0.1)
}

// nearTruth checks claim meg-ica-w0.
func nearTruth(s *record.Set) claim.Outcome {
	w0 := floorOf(s, simulated, "w0-"+truthMetric)
	random := slices.Concat(floorOf(s, simulated, "random-"+truthMetric)...)
	if len(w0) == 0 || len(random) == 0 {
		return missing
	}
	d, low := w0[0][0], stats.Quantile(random, 0.05)
	return claim.Outcome{
		Verdict: claim.Decide(d <= stats.Median(random)/10, d > low),
		Evidence: fmt.Sprintf("Amari distance of W₀ to the truth %s; random matrices: median %s, 5 %% quantile %s",
			table.Num(d), table.Num(stats.Median(random)), table.Num(low)),
		Keys: series(s, simulated).Keys(s.Methods(simulated)...),
	}
}

// ofSimulated makes a table where the protocol has simulated recordings.
func ofSimulated(made func(*record.Set) (*table.Table, error)) func(*record.Set) (*table.Table, error) {
	return func(s *record.Set) (*table.Table, error) {
		if len(s.Methods(simulated)) == 0 {
			return nil, fmt.Errorf("the protocol has no simulated recordings")
		}
		return made(s)
	}
}

// againstTruth draws the distances of simulated recordings, to W₀ and to the truth.
func againstTruth(s *record.Set) (*figure.Figure, error) {
	left, err := violins(s, simulated, "amari", "Amari distance to W₀")
	if err != nil {
		return nil, err
	}
	right, err := violins(s, simulated, truthMetric, "Amari distance to the truth")
	return &figure.Figure{Width: 18, Height: 7.5, Cols: 2, Panels: []figure.Panel{left, right}}, err
}
