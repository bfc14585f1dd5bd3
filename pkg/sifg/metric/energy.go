package metric

import "math"

// EnergyDistance estimates 2 E‖X−Y‖ − E‖X−X'‖ − E‖Y−Y'‖ (Székely and Rizzo, 2013) between the laws of the clouds x and y.
// It is 0 for equal laws and positive otherwise. This is the unbiased estimator (U-statistic: a point is not paired with
// itself), so it may be slightly negative. Each cloud needs at least two points; cost (n+m)²/2 distances.
func EnergyDistance(x, y Points) float64 {
	require(x.D == y.D && x.D > 0 && x.N > 1 && y.N > 1)
	return 2*meanAcross(x, y) - meanWithin(x) - meanWithin(y)
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
