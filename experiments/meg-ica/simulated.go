package megica

import (
	"math"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/semi-implicit/sifg/pkg/sifg/rng"
)

// kurtoses are the excess kurtoses of the simulated sources: those of MEG's ten channels after unmixing them by the
// mode of the posterior of whitened channels, rounded. The channels themselves have 0.13 to 3.2.
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
	var total, w mat.Dense
	if total.CloneFrom(mixing); whitening != nil {
		total.Mul(whitening, mixing)
	}
	err := w.Inverse(&total)
	return w.RawMatrix().Data, err
}
