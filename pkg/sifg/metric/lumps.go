package metric

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/semi-implicit/sifg/pkg/sifg/rng"
)

// Lumps are the two separated parts of a cloud: along a direction nearly nothing lies between them.
type Lumps struct {
	Coordinate int     // along which they lie farthest apart, in their own widths
	Share      float64 // of the points that are in the smaller one
}

// Rules of FindLumps. Two normal lumps of one width are apart if their means differ by about five standard deviations.
const (
	fewestOfLump = 20   // points, fewer of which outliers may be
	leastShare   = 0.02 // of the points in a lump
	apart        = 2.5  // difference of the means over the sum of the standard deviations; 1.3 for a normal law
	between      = 0.03 // of the points in the middle third between the means; 0.25 for a normal law
	directions   = 5    // principal ones that are looked along, besides the coordinates
)

// FindLumps looks along each coordinate, and along the first principal directions of the standardised points, for the
// cut with the least variance within its two sides; ok if the sides are apart there. Outliers of heavy tails are no
// lump, for they are as wide as they are far. Points must be finite; a cloud of fewer than 50 has no lumps.
func FindLumps(p Points) (l Lumps, ok bool) {
	if p.N < 50 {
		return l, false
	}
	far := 0.0
	look := func(x []float64) (share float64, is bool) {
		sorted := slices.Sorted(slices.Values(x))
		k, separation := gap(sorted)
		if separation <= max(apart, far) {
			return 0, false
		}
		far = separation
		return float64(min(k, len(x)-k)) / float64(len(x)), true
	}
	for j := range p.D {
		if share, is := look(p.Column(j)); is {
			l, ok = Lumps{j, share}, true
		}
	}
	if ok || p.D < 2 {
		return l, ok
	}
	for _, direction := range principal(p) {
		x := make([]float64, p.N)
		for i := range x {
			for j, w := range direction {
				x[i] += float64(w * p.Row(i)[j])
			}
		}
		if share, is := look(x); is {
			most := 0
			for j, w := range direction {
				if math.Abs(w) > math.Abs(direction[most]) {
					most = j
				}
			}
			l, ok = Lumps{most, share}, true
		}
	}
	return l, ok
}

// gap returns how many of the sorted values are left of the cut between two lumps, of them all or of those on one side
// of their cut, as where there are three, and how far apart the lumps are.
func gap(sorted []float64) (at int, separation float64) {
	k := cut(sorted)
	if separation = separated(sorted, k); separation > apart {
		return k, separation
	}
	for _, side := range [][2]int{{0, k}, {k, len(sorted)}} {
		part := sorted[side[0]:side[1]]
		if len(part) < 100 { // of fewer, two bunches may be chance
			continue
		}
		at := cut(part)
		if separation = separated(part, at); separation > apart {
			return side[0] + at, separation
		}
	}
	return 0, 0
}

// cut returns how many of the sorted values are left of the cut with the least variance within its sides.
func cut(sorted []float64) (at int) {
	n, total, mean := float64(len(sorted)), 0.0, stat.Mean(sorted, nil)
	at, most := 1, -1.0
	for k, v := range sorted[:len(sorted)-1] {
		total += v - mean
		left := float64(k + 1)
		if b := total * total / (left * (n - left)); b > most {
			at, most = k+1, b
		}
	}
	return at
}

// separated returns the difference of the means of two sides over the sum of their widths; 0 if they are no lumps.
func separated(sorted []float64, k int) float64 {
	a, b := sorted[:k], sorted[k:]
	small := min(len(a), len(b))
	if small < fewestOfLump || float64(small) < leastShare*float64(len(sorted)) {
		return 0
	}
	left, s := stat.MeanStdDev(a, nil)
	right, t := stat.MeanStdDev(b, nil)
	lo, _ := slices.BinarySearch(sorted, left+(right-left)/3)
	hi, _ := slices.BinarySearch(sorted, left+2*(right-left)/3)
	if float64(hi-lo) > between*float64(len(sorted)) {
		return 0
	}
	return (right - left) / (s + t)
}

// principal returns the first principal directions of the standardised points, as weights of the points' coordinates,
// by orthogonal iteration: 20·n·d·20 multiplications, whatever is larger of n and d. That suffices for directions that
// stand out, as that between two lumps does; others need not be exact.
func principal(p Points) (out [][]float64) {
	const rounds, spare = 20, 5
	mean, sd := make([]float64, p.D), make([]float64, p.D)
	for j := range p.D {
		if mean[j], sd[j] = stat.MeanStdDev(p.Column(j), nil); sd[j] == 0 {
			sd[j] = 1
		}
	}
	x := mat.NewDense(p.N, p.D, p.Standard(mean, sd).Data)
	k := min(directions+spare, p.N, p.D)
	v := mat.NewDense(p.D, k, nil)
	r := rng.New(1, "principal")
	for i := range p.D {
		for j := range k {
			v.Set(i, j, r.NormFloat64())
		}
	}
	var along mat.Dense // n×k
	var svd mat.SVD
	for range rounds {
		along.Mul(x, v)
		v.Mul(x.T(), &along)
		if !svd.Factorize(v, mat.SVDThinU) {
			return nil
		}
		svd.UTo(v)
	}
	for j := range min(directions, k) {
		w := mat.Col(nil, j, v)
		for i := range w {
			w[i] /= sd[i]
		}
		out = append(out, w)
	}
	return out
}
