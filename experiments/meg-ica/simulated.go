package megica

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/claim"
	"github.com/semi-implicit/sifg/pkg/harness/figure"
	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/harness/stats"
	"github.com/semi-implicit/sifg/pkg/harness/table"
	"github.com/semi-implicit/sifg/pkg/sifg/rng"
)

// kurtoses are the excess kurtoses of the simulated sources: those of MEG's ten channels after unmixing them by the
// mode of the posterior of whitened channels (TestSimulatedLikeMEG), rounded. The channels themselves have 0.13 to 3.2.
var kurtoses = []float64{17.5, 3.5, 2.5, 2.1, 1.9, 0.74, 0.30, 0.30, 0.24, 0.16}

const (
	simulatedSamples = 17730   // as MEG has
	nearest          = 150     // the mean of the mixing matrix's diagonal: a channel records its own source most
	others           = 30      // the standard deviation of its entries
	resolution       = 1 << 10 // levels of a source per unit
)

// simulate returns recordings, a row a channel, and the p×p matrix that mixes them from p sources. The sources are
// independent over channels and samples, with mean 0, variance 1 and the kurtoses above: a normal variable times the
// root of a gamma variable with mean 1 and shape 3/κ. They are rounded to multiples of 1/1024, and the entries of the
// matrix, 150·I + N(0, 30²), to whole numbers. Products and sums are then exact, so the recordings have the same bits
// on every processor. The matrix has singular values from 48 to 309 with seed 1; those of MEG's channels, in the same
// units, go from 66 to 317.
func simulate(seed uint64) (recordings, mixing *mat.Dense) {
	p := len(kurtoses)
	sources := mat.NewDense(p, simulatedSamples, nil)
	for a, kurtosis := range kurtoses {
		r := rng.New(seed, "simulated-source", uint64(a))
		shape := 3 / kurtosis
		power := distuv.Gamma{Alpha: shape, Beta: shape, Src: r}
		for t := range simulatedSamples {
			v := math.Sqrt(power.Rand()) * r.NormFloat64()
			sources.Set(a, t, math.Round(v*resolution)/resolution)
		}
	}
	r := rng.New(seed, "simulated-mixing")
	mixing = mat.NewDense(p, p, nil)
	for a := range p {
		for b := range p {
			mixing.Set(a, b, math.Round(others*r.NormFloat64()))
		}
		mixing.Set(a, a, mixing.At(a, a)+nearest)
	}
	recordings = new(mat.Dense)
	recordings.Mul(mixing, sources)
	return recordings, mixing
}

// unmixing returns the inverse of whitening·mixing, row by row: it takes the scaled recordings back to their sources.
// whitening may be nil.
func unmixing(mixing, whitening *mat.Dense) ([]float64, error) {
	total := mixing
	if whitening != nil {
		total = new(mat.Dense)
		total.Mul(whitening, mixing)
	}
	var w mat.Dense
	err := w.Inverse(total)
	return w.RawMatrix().Data, err
}

// What simulated recordings show and MEG's cannot: how near particles, reference draws and W₀ are to the matrix that
// unmixes them.

// truthClaims are statements of this project, not of the paper.
var truthClaims = []claim.Claim{
	{
		ID:        "meg-ica-truth",
		Statement: "Simulated recordings: SIFG's particles are as near to the true unmixing matrix as draws of HMC.",
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
	out := claim.Outcome{
		Verdict:  e.within(0.1),
		Number:   e.String(),
		Evidence: text,
		Keys:     series(s, simulated).Keys("sifg"),
	}
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
		Number:  table.Num(d),
		Evidence: fmt.Sprintf("Amari distance of W₀ to the truth %s; random matrices: median %s, 5 %% quantile %s",
			table.Num(d), table.Num(stats.Median(random)), table.Num(low)),
		Keys: series(s, simulated).Keys(s.Methods(simulated)...),
	}
}

// againstTruth draws the distances of simulated recordings, to W₀ and to the truth.
func againstTruth(s *record.Set) (*figure.Figure, error) {
	if len(s.Methods(simulated)) == 0 {
		return nil, harness.ErrNoTrials
	}
	left, err := boxes(s, simulated, "amari", "Amari distance to W₀")
	if err != nil {
		return nil, err
	}
	right, err := boxes(s, simulated, truthMetric, "Amari distance to the truth")
	return &figure.Figure{Width: 18, Height: 7.5, Cols: 2, Panels: []figure.Panel{left, right}}, err
}
