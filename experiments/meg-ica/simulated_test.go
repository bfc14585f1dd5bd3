package megica

import (
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/semi-implicit/sifg/pkg/harness/stats"
	"github.com/semi-implicit/sifg/pkg/sifg/metric"
	"github.com/semi-implicit/sifg/pkg/sifg/target"
)

// moments returns the variance and the excess kurtosis of values with their mean.
func moments(x []float64) (variance, kurtosis float64) {
	mean := stats.Mean(x)
	for _, v := range x {
		variance += (v - mean) * (v - mean) / float64(len(x))
		kurtosis += math.Pow(v-mean, 4) / float64(len(x))
	}
	return variance, kurtosis/(variance*variance) - 3
}

// TestSimulated: the recordings have the same bits everywhere. Unmixed by the inverse of the mixing matrix they are
// sources with variance 1 and about the kurtoses that were asked for: the standard error of a kurtosis of n values from
// a law with excess κ is of the order (κ+3)·√(24/n), and twelve of them are allowed, for the heavy tails.
func TestSimulated(t *testing.T) {
	recorded, mixing := simulate(1)
	const want = "9bce1d48ea2c2294efe6eb36636389bdadec514556925854c8c277e2b62ae3bb"
	if got := digestOf(recorded.RawMatrix().Data); got != want {
		t.Errorf("SHA-256 of the recordings %s, want %s", got, want)
	}
	w, err := unmixing(mixing, nil)
	if err != nil {
		t.Fatal(err)
	}
	p := len(kurtoses)
	var sources mat.Dense
	sources.Mul(mat.NewDense(p, p, w), recorded)
	for a, want := range kurtoses {
		variance, kurtosis := moments(sources.RawRowView(a))
		error := (want + 3) * math.Sqrt(24./simulatedSamples)
		if math.Abs(variance-1) > 0.1 || math.Abs(kurtosis-want) > 12*error || kurtosis <= 0 {
			t.Errorf("source %d: variance %g, excess kurtosis %g, want 1 and %g", a, variance, kurtosis, want)
		}
	}
	if other, _ := simulate(2); mat.Equal(other, recorded) {
		t.Error("another seed makes the same recordings")
	}
}

// TestTruth: the mode of the posterior is near the true unmixing matrix, raw and whitened, and far from that of other
// sources.
func TestTruth(t *testing.T) {
	for _, scaling := range scalings {
		w, mixing := simulate(1)
		x, whitening, err := scale(w, scaling)
		if err != nil {
			t.Fatal(err)
		}
		truth, err := unmixing(mixing, whitening)
		if err != nil {
			t.Fatal(err)
		}
		pi, err := target.NewICA(x, target.ICAOptions{PriorSD: 10, Exponent: 1})
		if err != nil {
			t.Fatal(err)
		}
		mode, err := pi.Mode(1)
		if err != nil {
			t.Fatal(err)
		}
		p := len(kurtoses)
		if d := metric.Amari(mode.W, truth, p); d > 0.05 {
			t.Errorf("%s: the mode has the Amari distance %g to the truth", scaling, d)
		}
		slices.Reverse(truth) // no permutation of rows: the columns are reversed too
		if d := metric.Amari(mode.W, truth, p); d < 0.5 {
			t.Errorf("%s: the mode has the Amari distance %g to another matrix", scaling, d)
		}
	}
}
