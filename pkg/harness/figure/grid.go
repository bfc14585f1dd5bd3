package figure

import (
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/plot/vg"
)

// Grid is a function of two variables on a grid: its value at (X[j], Y[i]) is Z[i*len(X)+j].
type Grid struct {
	X, Y []float64 // increasing
	Z    []float64 // len(Y)×len(X), row-major
}

// Contours are lines of equal value, of the target's density for example.
type Contours struct {
	Grid   Grid
	Levels []float64
	Style  Style
}

// HeatMap fills cells of size 1×1 with colours of Figure.ColorBar. Z[i*Cols+j] is the value of the cell around (j, i), which
// stays white if that is not finite.
type HeatMap struct {
	Cols int
	Z    []float64
}

// NewGrid returns f on n×n points that span [x0, x1]×[y0, y1].
func NewGrid(x0, x1, y0, y1 float64, n int, f func(x, y float64) float64) Grid {
	g := Grid{X: make([]float64, n), Y: make([]float64, n), Z: make([]float64, 0, n*n)}
	for i := range n {
		t := float64(i) / float64(n-1)
		g.X[i], g.Y[i] = x0+t*(x1-x0), y0+t*(y1-y0)
	}
	for _, y := range g.Y {
		for _, x := range g.X {
			g.Z = append(g.Z, f(x, y))
		}
	}
	return g
}

// MassLevels returns, for each mass in (0, 1), the level whose region {Z ≥ level} holds that share of the sum of Z: the
// highest-density regions of a density. The grid must be even and hold nearly all of the mass.
func (g Grid) MassLevels(mass ...float64) []float64 {
	z := slices.Clone(g.Z)
	slices.Sort(z)
	slices.Reverse(z)
	sums := floats.CumSum(make([]float64, len(z)), z)
	var out []float64
	for _, m := range mass {
		i, _ := slices.BinarySearch(sums, m*sums[len(z)-1])
		out = append(out, z[i])
	}
	return out
}

func (c Contours) extent(e *extent) {
	e.x, e.y = append(e.x, c.Grid.X...), append(e.y, c.Grid.Y...)
}

func (c Contours) draw(p *panel) {
	for _, level := range c.Levels {
		for _, line := range c.Grid.contour(level) {
			var places []vg.Point
			for _, q := range line {
				if at, ok := p.at(q.x, q.y); ok {
					places = append(places, at)
				}
			}
			p.stroke(c.Style.line(thinWidth), places)
		}
	}
}

func (c Contours) key() key { return key{} }

// contour returns the polylines where the grid's value is level, by marching squares with linear interpolation. Cells
// with a value that is not finite have none. (gonum's plotter.Contour returns its lines in the order of a map.)
func (g Grid) contour(level float64) [][]point {
	next := map[point][]point{} // the ends of the pieces of line from a point: one or two
	var order []point           // so that the result does not depend on the order of the map
	nx := len(g.X)
	for i := range len(g.Y) - 1 {
		for j := range nx - 1 {
			corners := [4]int{i*nx + j, i*nx + j + 1, (i+1)*nx + j + 1, (i+1)*nx + j} // anticlockwise
			mean := 0.0
			var cut []point
			for k, p := range corners {
				q := corners[(k+1)%4]
				if (g.Z[p] >= level) != (g.Z[q] >= level) {
					cut = append(cut, g.cross(min(p, q), max(p, q), level))
				}
				mean += g.Z[p] / 4
			}
			if len(cut) == 4 && (mean >= level) != (g.Z[corners[0]] >= level) { // a saddle: the lines must miss its middle
				cut = append(cut[1:], cut[0])
			}
			for k := 0; finite(mean) && k < len(cut); k += 2 {
				a, b := cut[k], cut[k+1]
				next[a], next[b] = append(next[a], b), append(next[b], a)
				order = append(order, a, b)
			}
		}
	}
	var lines [][]point
	for _, pieces := range []int{1, 2} { // lines that end at the border first, then closed ones
		for _, p := range order {
			if len(next[p]) != pieces {
				continue
			}
			var line []point
			for at := p; next[at] != nil; {
				to := next[at]
				delete(next, at)
				line = append(line, at)
				if at = to[0]; next[at] == nil {
					at = to[len(to)-1]
				}
			}
			if pieces == 2 {
				line = append(line, p)
			}
			lines = append(lines, line)
		}
	}
	return lines
}

type point struct{ x, y float64 }

// cross returns where the edge from point p to point q of the grid crosses the level.
func (g Grid) cross(p, q int, level float64) point {
	t, nx := (level-g.Z[p])/(g.Z[q]-g.Z[p]), len(g.X)
	x, y := g.X[p%nx], g.Y[p/nx]
	return point{x + t*(g.X[q%nx]-x), y + t*(g.Y[q/nx]-y)}
}

func (h HeatMap) extent(e *extent) {
	e.add([]float64{-0.5, float64(h.Cols) - 0.5}, []float64{-0.5, float64(len(h.Z)/h.Cols) - 0.5})
	e.z = append(e.z, h.Z...)
}

func (h HeatMap) draw(p *panel) {
	for k, z := range h.Z {
		u, x, y := p.bar.unit(z), float64(k%h.Cols), float64(k/h.Cols)
		if !finite(u) {
			p.hidden++
			continue
		}
		a, _ := p.at(x-0.5, y-0.5)
		b, _ := p.at(x+0.5, y+0.5)
		b.X, b.Y = min(b.X+0.4, p.Max.X), min(b.Y+0.4, p.Max.Y) // no light seams between cells
		p.FillPolygon(viridis(u), p.ClipPolygonXY([]vg.Point{a, {X: b.X, Y: a.Y}, b, {X: a.X, Y: b.Y}}))
	}
}

func (h HeatMap) key() key { return key{} }
