package metric

import (
	"math"
	"testing"

	"github.com/semi-implicit/sifg/pkg/sifg/rng"
)

// normals returns n draws of N(m_c, s_c²) with m = (0, 10) and s = (1, 0.01), scaled about the mean by the factor.
func normals(n int, purpose string, factor float64) Points {
	r := rng.New(4, purpose)
	x := NewPoints(n, 2)
	for i := range n {
		x.Row(i)[0] = factor * r.NormFloat64()
		x.Row(i)[1] = 10 + 0.01*factor*r.NormFloat64()
	}
	return x
}

// By hand: reference means (1, 2) and sds (1, 2); the cloud's are (1.5, 2) and (2, 2).
func TestErrorsByHand(t *testing.T) {
	ref := NewReference(Points{3, 2, []float64{0, 0, 1, 2, 2, 4}})
	e := ref.Errors(Points{3, 2, []float64{-0.5, 0, 1.5, 4, 3.5, 2}})
	if want := (MomentErrors{0.5, 0.25, 1, 0.5}); e != want {
		t.Errorf("%+v, want %+v", e, want)
	}
}

// For n exact draws the error of a mean is |N(0, 1)|/√n, √(2/π)/√n on average, and that of a standard deviation 1/√(2n)
// as much; the larger of two has √(2/π)·√2 in place of √(2/π). 400 repeats leave an error of √(1 − 2/π)/√(2/π)/√800 =
// 2.7 % on the average of two, so five standard errors are 13 %; the reference, 50 times as large, adds a few. A cloud
// twice as narrow has an error of 0.5.
func TestExactErrors(t *testing.T) {
	const n = 400
	ref := NewReference(normals(20000, "reference", 1))
	e := ref.ExactErrors(n, 400, rng.New(1, "resample"))
	mean := math.Sqrt(2/math.Pi) / math.Sqrt(n)
	for name, v := range map[string][2]float64{
		"mean": {e.AverageMean, mean}, "sd": {e.AverageSD, mean / math.Sqrt2},
		"largest mean": {e.LargestMean, mean * math.Sqrt2}, "largest sd": {e.LargestSD, mean},
	} {
		if math.Abs(v[0]/v[1]-1) > 0.15 {
			t.Errorf("%s: %g, want %g", name, v[0], v[1])
		}
	}
	if narrow := ref.Errors(normals(n, "cloud", 0.5)); narrow.AverageSD < 5*e.AverageSD {
		t.Errorf("a cloud half as wide has an error of %g, exact draws %g", narrow.AverageSD, e.AverageSD)
	}
}

// The coverage of an interval between quantiles of n exact draws has a standard deviation of √(level(1−level)/n): five
// of them. The interval of a cloud half as wide covers what ±0.8225 does in place of ±1.645: 59 %.
func TestIntervalCoverage(t *testing.T) {
	const n = 2000
	ref := NewReference(normals(20000, "reference", 1))
	for _, level := range []float64{0.5, 0.9} {
		tolerance := 5 * math.Sqrt(level*(1-level)/n)
		for c, v := range ref.Coverage(normals(n, "cloud", 1), level) {
			if math.Abs(v-level) > tolerance {
				t.Errorf("coverage of %g in coordinate %d is %g", level, c, v)
			}
		}
		want := math.Erf(math.Erfinv(level) / 2)
		for c, v := range ref.Coverage(normals(n, "cloud", 0.5), level) {
			if math.Abs(v-want) > tolerance {
				t.Errorf("coverage of a narrow cloud in coordinate %d is %g, want %g", c, v, want)
			}
		}
	}
	for p, want := range map[float64]float64{0: 1, 0.125: 1, 0.25: 1.5, 0.5: 2.5, 1: 5} {
		if got := Quantile([]float64{1, 2, 3, 5}, p); got != want {
			t.Errorf("quantile %g is %g, want %g", p, got, want)
		}
	}
	if got := Quantile([]float64{7}, 0.9); got != 7 {
		t.Errorf("quantile of one value is %g", got)
	}
}

// ExactKSD is the mean and standard deviation that v² has over clouds of exact draws. The mean of 400 values with the
// spread that it states has a standard error of sd/20; their standard deviation, of a law close to χ² with few degrees
// of freedom, is known to some 15 %. A cloud half as wide is many standard deviations off.
func TestExactKSD(t *testing.T) {
	const clouds = 400
	r := rng.New(9, "clouds")
	var sum, squares, wantMean, wantSD float64
	for range clouds {
		x := NewPoints(60, 2)
		score := NewPoints(60, 2)
		for k := range x.Data {
			x.Data[k] = r.NormFloat64()
			score.Data[k] = -x.Data[k]
		}
		v, _ := KSD(x, score)
		sum += v * v / clouds
		squares += v * v * v * v / clouds
		mean, sd := ExactKSD(x, score)
		wantMean += mean / clouds
		wantSD += sd / clouds
	}
	sd := math.Sqrt(squares - sum*sum)
	if math.Abs(sum-wantMean) > 5*wantSD/20 || math.Abs(sd/wantSD-1) > 0.3 {
		t.Errorf("v² is %g ± %g over clouds, said to be %g ± %g", sum, sd, wantMean, wantSD)
	}
	x := normals(500, "cloud", 0.5)
	score := NewPoints(500, 2)
	for i := range 500 {
		x.Row(i)[1] = (x.Row(i)[1] - 10) / 0.01
		score.Row(i)[0], score.Row(i)[1] = -x.Row(i)[0], -x.Row(i)[1]
	}
	v, _ := KSD(x, score)
	if mean, sd := ExactKSD(x, score); v*v < mean+8*sd {
		t.Errorf("v² of a narrow cloud is %g, of exact draws %g ± %g", v*v, mean, sd)
	}
}
