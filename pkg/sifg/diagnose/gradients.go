package diagnose

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/floats"

	"github.com/semi-implicit/sifg/pkg/sifg/rng"
)

// Gradient is a log density and its gradient in float64, as target.Func has them.
type Gradient interface {
	Dim() int
	LogDensity(x []float64) float64
	Gradient(dst, x []float64)
}

// ErrStochastic is why gradients are not compared: a density answers the same question differently, as one of
// mini-batches does.
var ErrStochastic = errors.New("the log density or the gradient at a point is another when it is asked again, so " +
	"they cannot be compared")

// Gradients compares gradients with the log density on segments around the points: the mean of the gradient along a
// segment, by quadrature, is what the log density rises by a unit of it. Segments become shorter until quadrature and
// the rounding of the log density leave less doubt than the tolerance, a share of the slope; where they always leave
// more, or values are not finite, nothing is said. The error names the first coordinate that is wrong, by t.Name(c) too
// where t has that, or is ErrStochastic.
//
// All coordinates are moved at once, by equal steps and by steps of equal effect; where that shows that something is
// wrong, each is moved alone.
func Gradients(t Gradient, tolerance float64, points ...[]float64) error {
	r := rng.New(1, "gradients")
	var first error
	factor, same := 0.0, true // all gradients seen are this multiple of the slopes
	for _, x := range points {
		s := newSegments(t, x, tolerance)
		if s == nil {
			return ErrStochastic
		}
		equal, weighed := make([]float64, len(x)), make([]float64, len(x))
		most := floats.Norm(s.grad, math.Inf(1))
		for c, g := range s.grad {
			sign := math.Copysign(1, r.NormFloat64())
			equal[c] = sign * max(1, math.Abs(x[c]))
			weighed[c] = sign / max(math.Abs(g), 1e-6*most, math.SmallestNonzeroFloat32)
		}
		if said, is := s.slopes(equal, 1, 0); said == is {
			if said, is = s.slopes(weighed, 1, 0); said == is {
				continue
			}
		}
		for c := range x {
			one := make([]float64, len(x))
			one[c] = 1
			said, is := s.slopes(one, max(1, math.Abs(x[c])), 1e-8*most)
			if said != is && first == nil {
				name := fmt.Sprint(c)
				if n, ok := t.(interface{ Name(c int) string }); ok && n.Name(c) != "" {
					name = n.Name(c)
				}
				first = fmt.Errorf("coordinate %s of the gradient is %.6g at x = %s, but the log density changes by "+
					"%.6g per unit of that coordinate there", name, said, show(x), is)
			}
			if math.Abs(is) > 0.01*most {
				if factor == 0 {
					factor = said / is
				}
				same = same && math.Abs(said/is-factor) < 1e-3*math.Abs(factor)
			}
		}
	}
	switch {
	case first == nil:
		return nil
	case same && math.Abs(factor+1) < 1e-3:
		return fmt.Errorf("%w: it has the wrong sign everywhere. Return the gradient of log π, not of the "+
			"energy −log π", first)
	case same && factor != 0:
		return fmt.Errorf("%w: it is %.4g times the slope everywhere. Correct that factor in one of the two functions",
			first, factor)
	}
	return fmt.Errorf("%w: check the terms in which coordinates are treated differently, and that both functions use "+
		"the same parameters and data", first)
}

// show prints a point; of a long one the first five coordinates.
func show(x []float64) string {
	if len(x) <= 5 {
		return fmt.Sprintf("%.3g", x)
	}
	return strings.TrimSuffix(fmt.Sprintf("%.3g", x[:5]), "]") + " …]"
}

// norm is the root of the sum of the squares of a_c·b_c.
func norm(a, b []float64) (sum float64) {
	for c := range a {
		sum = math.Hypot(sum, a[c]*b[c])
	}
	return sum
}

// segments are those through a point.
type segments struct {
	t         Gradient
	x, grad   []float64
	tolerance float64
	rounding  float64 // of the log density, as a share of it
}

// newSegments returns nil where the density answers the same question differently.
func newSegments(t Gradient, x []float64, tolerance float64) *segments {
	s := &segments{t: t, x: x, tolerance: tolerance, rounding: 0x1p-48}
	s.grad = s.gradient(x)
	log, again := t.LogDensity(slices.Clone(x)), t.LogDensity(slices.Clone(x))
	same := func(a, b float64) bool { return math.Float64bits(a) == math.Float64bits(b) }
	if !same(log, again) || !slices.EqualFunc(s.grad, s.gradient(x), same) {
		return nil
	}
	if float64(float32(log)) == log && log != math.Trunc(log) { // computed in float32, and the gradient too
		s.rounding, s.tolerance = 0x1p-23, max(tolerance, 1e-3)
	}
	return s
}

func (s *segments) gradient(x []float64) []float64 {
	g := make([]float64, len(x))
	s.t.Gradient(g, slices.Clone(x))
	return g
}

// at returns the point h·v from x.
func (s *segments) at(v []float64, h float64) []float64 {
	y := slices.Clone(s.x)
	for c := range y {
		y[c] += float64(h * v[c])
	}
	return y
}

// slopes returns the slope along v by the gradient and by the log density. They are the same where the two agree, to
// tolerance and the least difference, or nothing can be said. They differ where they do so alike on two segments, of
// which one is a quarter of the other. The longest goes longest/4 to both sides.
func (s *segments) slopes(v []float64, longest, least float64) (said, is float64) {
	before := math.NaN()
	for h := longest / 4; h > 1e-11*longest; h /= 4 {
		var along [5]float64 // the derivatives by the gradient
		size := 0.0          // of their parts
		for k := range along {
			g := s.gradient(s.at(v, h*float64(k-2)/2))
			along[k] = floats.Dot(g, v)
			size = max(size, norm(g, v))
		}
		up, down := s.t.LogDensity(s.at(v, h)), s.t.LogDensity(s.at(v, -h))
		rise := (up - down) / (2 * h)
		rough := (along[0] + 4*along[2] + along[4]) / 6
		fine := (7*along[0] + 32*along[1] + 12*along[2] + 32*along[3] + 7*along[4]) / 90
		doubt := math.Abs(fine-rough) + s.rounding*(math.Abs(up)+math.Abs(down))/(2*h) + s.tolerance*size/10
		enough := s.tolerance*max(math.Abs(rise), norm(s.grad, v)) + least
		switch off := rise - fine; {
		case math.Abs(off) <= enough+10*doubt && doubt <= enough:
			return rise, rise
		case !(math.Abs(off) > enough+10*doubt): // or not a number
			before = math.NaN()
		case math.Abs(off-before) < max(math.Abs(off), math.Abs(before))/2:
			return fine, rise
		default:
			before = off
		}
	}
	return 0, 0
}
