package metric

import "math"

// EnergyDistance estimates 2 E‖X−Y‖ − E‖X−X'‖ − E‖Y−Y'‖ (Székely and Rizzo, 2013) between the laws of the clouds x
// and y. It is 0 for equal laws and positive otherwise. This is the unbiased estimator (U-statistic: a point is not
// paired with itself), so it may be slightly negative. Each cloud needs at least two points; cost (n+m)²/2 distances.
func EnergyDistance(x, y Points) float64 { return NewEnergy(y).Distance(x) }

// Energy is the energy distance to one law, or to a reference cloud, of which all that does not depend on the sample
// is computed once.
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

// Distance estimates the energy distance from the law of x, a cloud of two points at least. It is unbiased.
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
