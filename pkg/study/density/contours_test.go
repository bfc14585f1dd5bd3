package density

import (
	"math"
	"testing"
)

func TestContour(t *testing.T) {
	g := newGrid(-2, 2, -2, 2, 81, func(x, y float64) float64 { return x*x + y*y })
	lines := g.contour(1)
	if len(lines) != 1 {
		t.Fatalf("%d lines for a circle", len(lines))
	}
	if first, last := lines[0][0], lines[0][len(lines[0])-1]; first != last {
		t.Error("the circle is not closed")
	}
	// linear interpolation of r² on an edge of length h = 0.05 errs by at most h²/4, so r by h²/8
	for i, p := range lines[0] {
		if r := math.Hypot(p.x, p.y); math.Abs(r-1) > 0.05*0.05/8*1.1 {
			t.Errorf("point %v of the circle at radius %g", p, r)
		}
		if q := lines[0][max(i-1, 0)]; math.Hypot(p.x-q.x, p.y-q.y) > 0.05*math.Sqrt2 {
			t.Errorf("points %v and %v are not of one cell", p, q)
		}
	}
	for _, c := range []struct {
		g     *grid
		level float64
		lines int
	}{
		{g, 6, 4}, {g, 100, 0}, // r² = 6 leaves the square at four sides, four corners remain
		{&grid{x: []float64{0, 1}, y: []float64{0, 1}, z: []float64{1, 0, 0, 1}}, 0.4, 2},          // a saddle
		{&grid{x: []float64{0, 1}, y: []float64{0, 1}, z: []float64{1, math.NaN(), 0, 1}}, 0.4, 0}, // a cell with a NaN
	} {
		if n := len(c.g.contour(c.level)); n != c.lines {
			t.Errorf("%d lines at %g, want %d", n, c.level, c.lines)
		}
	}
}

func TestLevelsOfMass(t *testing.T) {
	// The region of mass m of a standard normal in two dimensions is a disc of radius² −2 log(1−m), where the density
	// is (1−m)/2π. On a grid of step h the mass of the disc is known to about its border's share, 2πr·h/2 cells of
	// density (1−m)/2π: an error of r(1−m)h/2 in m, hence r·h/2 relative in the level.
	g := newGrid(-6, 6, -6, 6, 241, func(x, y float64) float64 { return math.Exp(-(x*x+y*y)/2) / (2 * math.Pi) })
	for _, m := range []float64{0.5, 0.9} {
		got, want := g.levels(m)[0], (1-m)/(2*math.Pi)
		if tol := math.Sqrt(-2*math.Log(1-m)) * 0.05 / 2; math.Abs(got/want-1) > tol {
			t.Errorf("level of mass %g: %g, want %g within %g", m, got, want, tol)
		}
	}
}
