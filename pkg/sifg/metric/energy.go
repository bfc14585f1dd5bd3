package metric

import "math"

// EnergyDistance estimates 2 E‖X−Y‖ − E‖X−X'‖ − E‖Y−Y'‖ (Székely and Rizzo, 2013) between the laws of the clouds x and y.
// It is 0 for equal laws and positive otherwise. This is the unbiased estimator (U-statistic: a point is not paired with
// itself), so it may be slightly negative. Each cloud needs at least two points; cost (n+m)²/2 distances.
func EnergyDistance(x, y Points) float64 { return NewEnergy(y).Distance(x) }

// Energy is the energy distance to one reference cloud, whose own distances are summed once.
type Energy struct {
	reference Points
	within    float64
}

// NewEnergy prepares the distance to the reference, which must have two points at least and stay unchanged.
func NewEnergy(reference Points) *Energy {
	require(reference.D > 0 && reference.N > 1)
	return &Energy{reference, meanWithin(reference)}
}

// Distance is EnergyDistance(x, reference).
func (e *Energy) Distance(x Points) float64 {
	require(x.D == e.reference.D && x.N > 1)
	return 2*meanAcross(x, e.reference) - meanWithin(x) - e.within
}

func meanAcross(x, y Points) float64 {
	var sum float64
	for i := range x.N {
		var s float64
		for j := range y.N {
			s += math.Sqrt(sqDist(x.Row(i), y.Row(j)))
		}
		sum += s / float64(y.N)
	}
	return sum / float64(x.N)
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
