package diagnose

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/semi-implicit/sifg/pkg/sifg"
	"github.com/semi-implicit/sifg/pkg/sifg/target"
)

// TestTails: of 500 exact draws, alone or with nine normal coordinates, the tails of a Cauchy law are told from those
// of a logistic one, which are exponential, of the exponential law itself and of a normal law.
func TestTails(t *testing.T) {
	laws := map[string]struct {
		quantile, score func(v float64) float64
		heavy           bool
	}{
		"Cauchy": {
			func(p float64) float64 { return math.Tan(math.Pi * (p - 0.5)) },
			func(x float64) float64 { return -2 * x / (1 + x*x) },
			true,
		},
		"logistic": {
			func(p float64) float64 { return math.Log(p / (1 - p)) },
			func(x float64) float64 { return -math.Tanh(x / 2) },
			false,
		},
		"log of an exponential": {
			func(p float64) float64 { return math.Log(-math.Log(1 - p)) },
			func(x float64) float64 { return 1 - math.Exp(x) },
			false,
		},
		"normal": {
			func(p float64) float64 { return math.Sqrt2 * math.Erfinv(2*p-1) },
			func(x float64) float64 { return -x },
			false,
		},
	}
	for name, law := range laws {
		seeds := uint64(20)
		if testing.Short() { // all take a second
			seeds = 3
		}
		for seed := range seeds {
			for _, d := range []int{1, 10} {
				r := rand.New(rand.NewPCG(seed, 1))
				c := &sifg.Cloud{Z: sifg.NewBatch(500, d), Target: target.NewFunc(d, nothing, func(dst, x []float64) {
					for j, v := range x {
						dst[j] = -v
					}
					dst[0] = law.score(x[0])
				})}
				for i := range c.Z.Data {
					c.Z.Data[i] = float32(r.NormFloat64())
					if i%d == 0 {
						c.Z.Data[i] = float32(law.quantile(r.Float64()))
					}
				}
				if s := Summarize(c); (s.tail < tailBound) != law.heavy || law.heavy && s.tailAt != 0 {
					t.Errorf("%s, %d dimensions, seed %d: %.2f along %d", name, d, seed, s.tail, s.tailAt)
				}
			}
		}
	}
}

// TestTailsOfStudent: in ten dimensions no coordinate alone pulls less farther out, and all together do.
func TestTailsOfStudent(t *testing.T) {
	for nu, heavy := range map[float64]bool{3: true, 100: false} {
		r, c := rand.New(rand.NewPCG(1, 1)), &sifg.Cloud{Z: sifg.NewBatch(500, 10)}
		c.Target = target.NewFunc(10, nothing, func(dst, x []float64) {
			sum := nu
			for _, v := range x {
				sum += v * v
			}
			for j, v := range x {
				dst[j] = -(nu + 10) * v / sum
			}
		})
		for i := range c.Z.Rows {
			var chi float64
			for range int(nu) {
				v := r.NormFloat64()
				chi += v * v
			}
			for j := range 10 {
				c.Z.Data[10*i+j] = float32(r.NormFloat64() / math.Sqrt(chi/nu))
			}
		}
		if s := Summarize(c); (s.tail < tailBound) != heavy {
			t.Errorf("ν = %g: %.2f", nu, s.tail)
		}
	}
}

// nothing stands for a log density that is not asked.
func nothing([]float64) float64 { return 0 }
