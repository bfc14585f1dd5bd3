package theory

import (
	"math"

	"github.com/semi-implicit/sifg/pkg/sifg"
	"github.com/semi-implicit/sifg/pkg/sifg/metric"
	"github.com/semi-implicit/sifg/pkg/sifg/target"
)

// law is a mixture Σ_k a_k N(m_k, s_k² I) on R^d in float64. With all s_k = 0 it is a cloud of Diracs, which has a
// density only once it is smoothed. It holds scratch memory: one goroutine at a time.
type law struct {
	weights []float64
	means   [][]float64
	sds     []float64

	norms, logs []float64 // constants of the components, made at the first use; scratch
}

// cloud is the law of equally weighted Diracs.
func cloud(z [][]float64) *law {
	l := &law{means: z}
	for range z {
		l.weights, l.sds = append(l.weights, 1/float64(len(z))), append(l.sds, 0)
	}
	return l
}

// normal is N(0, I) on R^d.
func normal(d int) *law {
	return &law{weights: []float64{1}, means: [][]float64{make([]float64, d)}, sds: []float64{1}}
}

// bimodal is a mixture of two normal laws on the line, about as wide as N(0, 1) and smooth on
// the scale of all σ used here.
func bimodal() *law {
	return &law{weights: []float64{0.4, 0.6}, means: [][]float64{{-1.5}, {1}}, sds: []float64{0.5, 0.7}}
}

// target is the library's target with this law, which must have a density.
func (l *law) target() *target.Mixture {
	return must(target.NewMixture(l.weights, l.means, l.sds))
}

// smooth is the law convolved with N(0, σ² I).
func (l *law) smooth(sigma float64) *law {
	out := &law{weights: l.weights, means: l.means, sds: make([]float64, len(l.sds))}
	for k, s := range l.sds {
		out.sds[k] = math.Hypot(s, sigma)
	}
	return out
}

// responsibilities returns the log density at x and leaves the responsibilities of the components in l.logs.
func (l *law) responsibilities(x []float64) float64 {
	if l.logs == nil {
		l.logs = make([]float64, len(l.means))
		for k, s := range l.sds {
			l.norms = append(l.norms, math.Log(l.weights[k])-float64(float64(len(x))*math.Log(s*math.Sqrt(2*math.Pi))))
		}
	}
	top := math.Inf(-1)
	for k, m := range l.means {
		q := 0.0
		for c, v := range x {
			q += float64((v - m[c]) * (v - m[c]))
		}
		s := l.sds[k]
		l.logs[k] = l.norms[k] - q/(2*s*s)
		top = max(top, l.logs[k])
	}
	sum := 0.0
	for k, v := range l.logs {
		if v -= top; v > -40 {
			l.logs[k] = math.Exp(v)
		} else {
			l.logs[k] = 0
		}
		sum += l.logs[k]
	}
	for k := range l.logs {
		l.logs[k] /= sum
	}
	return top + math.Log(sum)
}

// score returns the gradient of the log density at x.
func (l *law) score(x []float64) []float64 {
	l.responsibilities(x)
	g := make([]float64, len(x))
	for k, r := range l.logs {
		if r *= 1 / (l.sds[k] * l.sds[k]); r != 0 {
			for c, m := range l.means[k] {
				g[c] += float64(r * (m - x[c]))
			}
		}
	}
	return g
}

// points are the rows of a batch in float64.
func points(b sifg.Batch) [][]float64 { return rows(metric.FromBatch(b)) }

// rows are those of points, not copies.
func rows(p metric.Points) (out [][]float64) {
	for i := range p.N {
		out = append(out, p.Row(i))
	}
	return out
}

func sq(x float64) float64 { return float64(x * x) }

func dot(a, b []float64) float64 {
	s := 0.0
	for i, v := range a {
		s += float64(v * b[i])
	}
	return s
}

// along sets dst = a + t·b and returns it.
func along(dst, a []float64, t float64, b []float64) []float64 {
	for i, v := range a {
		dst[i] = v + float64(t*b[i])
	}
	return dst
}
