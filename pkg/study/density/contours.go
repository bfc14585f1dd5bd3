package density

import (
	"math"
	"slices"

	"github.com/semi-implicit/sifg/pkg/harness/figure"
	"github.com/semi-implicit/sifg/pkg/sifg/target"
)

// Contours returns the borders of the highest-density regions of a density on [x0, x1]×[y0, y1], which must hold nearly
// all of its mass: one region for each mass in (0, 1). The legend does not name them.
func Contours(
	density func(x, y float64) float64, x0, x1, y0, y1 float64, style figure.Style, mass ...float64,
) []figure.Layer {
	g := newGrid(x0, x1, y0, y1, 240, density)
	style = style.As("")
	style.Width = 0.6
	var out []figure.Layer
	for _, level := range g.levels(mass...) {
		for _, line := range g.contour(level) {
			l := figure.Line{Style: style}
			for _, p := range line {
				l.X, l.Y = append(l.X, p.x), append(l.Y, p.y)
			}
			out = append(out, l)
		}
	}
	return out
}

// Panel2D is a panel of a 2-D mixture without samples: the regions that hold 50, 90 and 99 % of its mass, in a window
// that holds those of target.GMM2D and the starts of the paper and its scripts.
func Panel2D(mixture *target.Mixture, title string) figure.Panel {
	const xMin, xMax, yMin, yMax = -4.6, 4.6, -3.2, 3.2
	at := func(x, y float64) float64 { return math.Exp(mixture.LogDensity([]float64{x, y})) }
	style := figure.Method("truth").Thin()
	return figure.Panel{
		Title:  title,
		X:      figure.Axis{Label: "x₁", Min: xMin, Max: xMax},
		Y:      figure.Axis{Label: "x₂", Min: yMin, Max: yMax},
		Layers: Contours(at, xMin, xMax, yMin, yMax, style, 0.5, 0.9, 0.99),
	}
}

// grid is a function of two variables on an even grid: its value at (x[j], y[i]) is z[i*len(x)+j].
type grid struct{ x, y, z []float64 }

// newGrid returns f on n×n points that span [x0, x1]×[y0, y1].
func newGrid(x0, x1, y0, y1 float64, n int, f func(x, y float64) float64) *grid {
	g := &grid{}
	for i := range n {
		t := float64(i) / float64(n-1)
		g.x, g.y = append(g.x, x0+float64(t*(x1-x0))), append(g.y, y0+float64(t*(y1-y0)))
	}
	for _, y := range g.y {
		for _, x := range g.x {
			g.z = append(g.z, f(x, y))
		}
	}
	return g
}

// levels returns, for each mass, the level whose region {z ≥ level} holds that share of the sum of z.
func (g *grid) levels(mass ...float64) (out []float64) {
	z := slices.Clone(g.z)
	slices.Sort(z)
	slices.Reverse(z)
	sums, sum := make([]float64, len(z)), 0.0
	for i, v := range z {
		sum += v
		sums[i] = sum
	}
	for _, m := range mass {
		i, _ := slices.BinarySearch(sums, m*sum)
		out = append(out, z[i])
	}
	return out
}

// contour returns the polylines where the grid's value is level, by marching squares with linear interpolation. Cells
// with a value that is not finite have none. (gonum's plotter.Contour returns its lines in the order of a map.)
func (g *grid) contour(level float64) [][]point {
	next := map[point][]point{} // the ends of the pieces of line from a point: one or two
	var order []point           // so that the result does not depend on the order of the map
	nx := len(g.x)
	for i := range len(g.y) - 1 {
		for j := range nx - 1 {
			corners := [4]int{i*nx + j, i*nx + j + 1, (i+1)*nx + j + 1, (i+1)*nx + j} // anticlockwise
			mean := 0.0
			var cut []point
			for k, p := range corners {
				q := corners[(k+1)%4]
				if (g.z[p] >= level) != (g.z[q] >= level) {
					cut = append(cut, g.cross(min(p, q), max(p, q), level))
				}
				mean += float64(g.z[p] / 4)
			}
			// a saddle: the lines must miss its middle
			if len(cut) == 4 && (mean >= level) != (g.z[corners[0]] >= level) {
				cut = append(cut[1:], cut[0])
			}
			for k := 0; !math.IsNaN(mean) && k < len(cut); k += 2 {
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
func (g *grid) cross(p, q int, level float64) point {
	t, nx := (level-g.z[p])/(g.z[q]-g.z[p]), len(g.x)
	x, y := g.x[p%nx], g.y[p/nx]
	return point{x + float64(t*(g.x[q%nx]-x)), y + float64(t*(g.y[q/nx]-y))}
}
