package metric

import "math"

// Energy is the energy distance 2 E‖X−Y‖ − E‖X−X'‖ − E‖Y−Y'‖ (Székely and Rizzo, 2013) to one law of Y, or to a
// reference cloud: 0 for equal laws and positive otherwise. What does not depend on the sample is computed once.
type Energy struct {
	d      int
	to     func(x []float64) float64 // E‖x − Y‖
	within float64                   // E‖Y − Y'‖
}

// NewEnergy prepares the distance to the reference, which must have two points at least and stay unchanged.
func NewEnergy(reference Points) *Energy {
	require(reference.D > 0 && reference.N > 1)
	return &Energy{reference.D, reference.meanDistance, meanWithin(reference)}
}

// Distance estimates the energy distance from the law of x, a cloud of two points at least. It is unbiased (a point is
// not paired with itself), so it may be slightly negative.
func (e *Energy) Distance(x Points) float64 {
	require(x.D == e.d && x.N > 1)
	var sum float64
	for i := range x.N {
		sum += e.to(x.Row(i))
	}
	return 2*(sum/float64(x.N)) - meanWithin(x) - e.within
}

// meanDistance returns the mean of ‖x − y‖ over the points y.
func (p Points) meanDistance(x []float64) float64 {
	var s float64
	for j := range p.N {
		s += math.Sqrt(sqDist(x, p.Row(j)))
	}
	return s / float64(p.N)
}

func meanWithin(x Points) float64 {
	var sum float64
	for i := range x.N {
		var s float64
		for j := range i {
			s += math.Sqrt(sqDist(x.Row(i), x.Row(j)))
		}
		sum += s
	}
	return 2 * sum / float64(x.N) / float64(x.N-1)
}

// Energy prepares the energy distance to the mixture Σ_k w_k N(m_k, s_k² I), in closed form: no draws of it are
// involved.
func (m Modes) Energy() *Energy {
	K := len(m.Means)
	require(K > 0 && len(m.Weights) == K && len(m.SDs) == K)
	d := len(m.Means[0])
	root := newNormalNorm(d)
	e := &Energy{d: d, to: func(x []float64) float64 {
		var s float64
		for k, mean := range m.Means {
			s += float64(m.Weights[k] * root.mean(sqDist(x, mean), m.SDs[k]))
		}
		return s
	}}
	e.within = m.meanDistance(m)
	return e
}

// meanDistance returns E‖X − Y‖ of independent draws of two mixtures: the difference of draws of two components is
// normal again.
func (m Modes) meanDistance(o Modes) float64 {
	require(len(m.Means) > 0 && len(o.Means) > 0 && len(m.Means[0]) == len(o.Means[0]))
	root, sum := newNormalNorm(len(m.Means[0])), 0.0
	for k, mean := range m.Means {
		for l, other := range o.Means {
			sum += float64(m.Weights[k] * o.Weights[l] * root.mean(sqDist(mean, other), math.Hypot(m.SDs[k], o.SDs[l])))
		}
	}
	return sum
}

// NewEnergyNodes prepares the energy distance to the law of a quadrature rule: nodes, and their weights, which sum to
// 1. Both must stay unchanged.
func NewEnergyNodes(nodes Points, weights []float64) *Energy {
	require(nodes.D > 0 && nodes.N > 0 && len(weights) == nodes.N)
	e := &Energy{d: nodes.D, to: func(x []float64) float64 {
		var s float64
		for j, w := range weights {
			s += float64(w * math.Sqrt(sqDist(x, nodes.Row(j))))
		}
		return s
	}}
	for i, w := range weights {
		e.within += float64(w * e.to(nodes.Row(i)))
	}
	return e
}

// NewEnergyDraws prepares the energy distance to a law by many draws of it, more than can be paired with each other:
// E‖Y − Y'‖ is the mean over pairs (i, i+k mod n), k = 1 … 100. In it each draw occurs equally often, as in the mean
// over all pairs, so that the error of the draws cancels against that of E‖X − Y‖ where the laws are equal. There must
// be more than 100 draws, which stay unchanged.
func NewEnergyDraws(draws Points) *Energy {
	const pairs = 100
	require(draws.D > 0 && draws.N > pairs)
	var sum float64
	for i := range draws.N {
		var s float64
		for k := 1; k <= pairs; k++ {
			s += math.Sqrt(sqDist(draws.Row(i), draws.Row((i+k)%draws.N)))
		}
		sum += s / pairs
	}
	return &Energy{draws.D, draws.meanDistance, sum / float64(draws.N)}
}

// normalNorm has the mean length of normal vectors in R^d.
type normalNorm struct {
	d     float64
	ratio float64 // Γ((d+1)/2)/Γ(d/2)
}

func newNormalNorm(d int) normalNorm { return normalNorm{float64(d), gammas(float64(d), 0)} }

// gammas is Γ((d+1)/2 + k)/Γ(d/2 + k).
func gammas(d, k float64) float64 {
	a, _ := math.Lgamma(float64((d+1)/2) + k)
	b, _ := math.Lgamma(float64(d/2) + k)
	return math.Exp(a - b)
}

// mean returns E‖Y‖ of Y ~ N(m, s²I), square = ‖m‖², s > 0; NaN where an argument is. With z = ‖m‖²/(2s²) it is
//
//	√2·s·Γ((d+1)/2)/Γ(d/2)·₁F₁(−½; d/2; −z),
//
// and by Kummer's transformation √2·s times the mean of Γ((d+1)/2 + K)/Γ(d/2 + K) over K ~ Poisson(z): a sum of
// positive terms. Where z is large, the asymptotic series ‖m‖·₂F₀(−½, (1−d)/2; ; 1/z) is shorter. Both are exact to
// about 1e-14 where they meet.
func (o normalNorm) mean(square, s float64) float64 {
	z := square / (2 * s * s)
	switch {
	case math.IsNaN(z):
		return z
	case z > 50+2*o.d:
		term, sum := 1.0, 1.0
		for k := 0.0; math.Abs(term) > 1e-17 && k < z; k++ {
			term = float64(term * ((k - 0.5) * (k + float64((1-o.d)/2)) / ((k + 1) * z)))
			sum += term
		}
		return math.Sqrt(square) * sum
	}
	k, ratio, weight, total := 0.0, o.ratio, math.Exp(-z), 1.0
	far := z > 700 // e^−z is no float64 of full precision, or 0: weights are those of a K far below z, where one is 1
	if far {
		k = math.Floor(z - 12*math.Sqrt(z))
		ratio, weight = gammas(o.d, k), 1
	}
	for sum := 0.0; ; k++ {
		term := float64(weight * ratio)
		sum += term
		if k > z && term < 1e-17*sum {
			if far {
				sum /= total
			}
			return math.Sqrt2 * s * sum
		}
		weight *= z / (k + 1)
		total += weight
		ratio *= (float64((o.d+1)/2) + k) / (float64(o.d/2) + k)
	}
}
