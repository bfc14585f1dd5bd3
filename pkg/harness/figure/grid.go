package figure

import (
	"math"
	"slices"

	"gonum.org/v1/plot/vg"
)

// Grid is a function of two variables on a grid: the value at (X[j], Y[i]) is Z[i*len(X)+j].
type Grid struct {
	X, Y []float64 // increasing
	Z    []float64 // len(Y)×len(X), row-major
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

// MassLevels returns for each mass in (0, 1) the level whose region {Z ≥ level} holds that share of the sum of Z: for a
// density, its highest-density regions. The grid must be even and wide enough to hold nearly all mass.
func (g Grid) MassLevels(mass ...float64) []float64 {
	z := slices.Clone(g.Z)
	slices.Sort(z)
	slices.Reverse(z)
	total := 0.0
	for _, v := range z {
		total += v
	}
	var out []float64
	for _, m := range mass {
		sum, i := 0.0, 0
		for ; i < len(z)-1 && sum+z[i] < m*total; i++ {
			sum += z[i]
		}
		out = append(out, z[i])
	}
	return out
}

func (g Grid) check() {
	if len(g.Z) != len(g.X)*len(g.Y) {
		panic("figure: a grid's Z is not len(Y)×len(X)")
	}
}

func (g Grid) extent(e *extent) {
	g.check()
	for _, x := range g.X {
		e.addX(x)
	}
	for _, y := range g.Y {
		e.addY(y)
	}
}

// Contours are lines of equal value: of the true density, behind a sample.
type Contours struct {
	Grid   Grid
	Levels []float64
	Style  Style
}

// HeatMap fills a cell around each point of a grid with a colour. Values that are not finite stay white and are counted.
// Give the figure a ColorBar of the same limits.
type HeatMap struct {
	Grid     Grid
	Min, Max float64
	Log      bool
}

func (h Contours) extent(e *extent) { h.Grid.extent(e) }

func (h Contours) draw(a *area) {
	s := h.Style.line()
	if h.Style.Width == 0 {
		s.Width = 0.6
	}
	for _, z := range h.Grid.Z {
		if math.IsNaN(z) {
			a.undrawable++
		}
	}
	for _, level := range h.Levels {
		for _, line := range h.Grid.contour(level) {
			var pts []vg.Point
			for _, q := range line {
				if p, ok := a.at(q[0], q[1]); ok {
					pts = append(pts, p)
				}
			}
			a.stroke(s, pts)
		}
	}
}

func (h Contours) key() (Item, string) {
	st := h.Style
	if st.Width == 0 {
		st.Width = 0.6
	}
	return Item{Style: st, Line: true}, "contours"
}

// contour returns the polylines where the grid's value is level: marching squares with linear interpolation along the
// edges, pieces joined end to end. Cells with a value that is not finite have no lines.
func (g Grid) contour(level float64) [][][2]float64 {
	nx, ny := len(g.X), len(g.Y)
	// An edge is named by its lower left point and whether it goes up: 2·point + 0 (along X) or 1 (along Y).
	at := func(e int) [2]float64 {
		p := e / 2
		i, j := p/nx, p%nx
		q := p + 1
		if e%2 == 1 {
			q = p + nx
		}
		t := (level - g.Z[p]) / (g.Z[q] - g.Z[p])
		if e%2 == 1 {
			return [2]float64{g.X[j], g.Y[i] + t*(g.Y[i+1]-g.Y[i])}
		}
		return [2]float64{g.X[j] + t*(g.X[j+1]-g.X[j]), g.Y[i]}
	}
	next := map[int][]int{} // edge → edges joined to it by a piece of line, two at most
	var order []int
	join := func(a, b int) {
		for _, e := range []int{a, b} {
			if next[e] == nil {
				order = append(order, e)
			}
		}
		next[a], next[b] = append(next[a], b), append(next[b], a)
	}
	for i := range ny - 1 {
		for j := range nx - 1 {
			p := i*nx + j
			z := [4]float64{g.Z[p], g.Z[p+1], g.Z[p+nx+1], g.Z[p+nx]} // corners, anticlockwise
			edge := [4]int{2 * p, 2*(p+1) + 1, 2 * (p + nx), 2*p + 1} // edge k joins corners k and k+1
			mean, bad := 0.0, false
			var cut []int
			for k := range 4 {
				mean += z[k] / 4
				bad = bad || !finite(z[k])
				if (z[k] >= level) != (z[(k+1)%4] >= level) {
					cut = append(cut, edge[k])
				}
			}
			switch {
			case bad:
			case len(cut) == 2:
				join(cut[0], cut[1])
			case len(cut) == 4 && (mean >= level) == (z[0] >= level): // a saddle: corners 0 and 2 are joined in the middle
				join(cut[0], cut[1])
				join(cut[2], cut[3])
			case len(cut) == 4:
				join(cut[3], cut[0])
				join(cut[1], cut[2])
			}
		}
	}
	var lines [][][2]float64
	done := map[int]bool{}
	walk := func(e int) {
		line := [][2]float64{at(e)}
		for start := e; ; {
			done[e] = true
			to := -1
			for _, n := range next[e] {
				if !done[n] {
					to = n
					break
				}
			}
			if to < 0 {
				if len(line) > 2 && slices.Contains(next[e], start) { // closed
					line = append(line, line[0])
				}
				break
			}
			e = to
			line = append(line, at(e))
		}
		lines = append(lines, line)
	}
	for _, e := range order { // lines that end at the border first
		if len(next[e]) == 1 && !done[e] {
			walk(e)
		}
	}
	for _, e := range order {
		if !done[e] {
			walk(e)
		}
	}
	return lines
}

func (h HeatMap) extent(e *extent) {
	h.Grid.check()
	e.tight = true
	for _, x := range borders(h.Grid.X) {
		e.addX(x)
	}
	for _, y := range borders(h.Grid.Y) {
		e.addY(y)
	}
}

// borders returns the edges of the cells around increasing centres.
func borders(c []float64) []float64 {
	n := len(c)
	switch n {
	case 0:
		return nil
	case 1:
		return []float64{c[0] - 0.5, c[0] + 0.5}
	}
	out := []float64{c[0] - (c[1]-c[0])/2}
	for i := 1; i < n; i++ {
		out = append(out, (c[i-1]+c[i])/2)
	}
	return append(out, c[n-1]+(c[n-1]-c[n-2])/2)
}

func (h HeatMap) draw(a *area) {
	scale := axis{min: h.Min, max: h.Max, log: h.Log}
	xs, ys := borders(h.Grid.X), borders(h.Grid.Y)
	for i := range h.Grid.Y {
		for j := range h.Grid.X {
			u := scale.unit(h.Grid.Z[i*len(h.Grid.X)+j])
			if !finite(u) {
				a.undrawable++
				continue
			}
			p, ok := a.at(xs[j], ys[i])
			q, ok2 := a.at(xs[j+1], ys[i+1])
			if !ok || !ok2 {
				continue
			}
			q.X, q.Y = min(q.X+0.15, a.Max.X), min(q.Y+0.15, a.Max.Y) // no light seams between cells
			a.FillPolygon(viridis(u), a.ClipPolygonXY([]vg.Point{p, {X: q.X, Y: p.Y}, q, {X: p.X, Y: q.Y}}))
		}
	}
}

func (h HeatMap) key() (Item, string) { return Item{}, "heat map" }
