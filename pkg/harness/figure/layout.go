package figure

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/plot/vg"
)

// margins around a data area, in points.
type margins struct{ left, right, bottom, top float64 }

// layout is a figure with every size decided.
type layout struct {
	f          *Figure
	rows, cols int
	x, y       []axis // of each panel
	empty      []bool
	turn       []bool // tick labels of X are turned
	margin     []margins
	keys       [][]Item // rows of the legend
	w, h       float64  // of the figure, points
	areas      []vg.Rectangle
	bar        axis    // of the colour bar
	barWidth   float64 // of its strip, 0 without one
}

const (
	pointsPerCm = 72 / 2.54
	outer       = 3.0  // margin of the figure
	gap         = 9.0  // between panels
	keyWidth    = 19.0 // of a legend entry's key
	keySpace    = 12.0 // between entries
	keyHeight   = 12.5 // of a row of the legend
	barGap      = 4.0  // left of the colour bar
	barSize     = 8.0  // its width
)

func (f *Figure) layout() (*layout, error) {
	n := len(f.Panels)
	l := &layout{f: f, rows: f.Rows, cols: f.Cols, turn: make([]bool, n), margin: make([]margins, n)}
	switch {
	case n == 0:
		return nil, fmt.Errorf("a figure needs a panel")
	case l.rows < 0 || l.cols < 0 || l.rows > 0 && l.cols > 0 && l.rows*l.cols < n:
		return nil, fmt.Errorf("%d×%d places for %d panels", l.rows, l.cols, n)
	case l.cols == 0 && l.rows == 0:
		l.rows, l.cols = 1, n
	case l.cols == 0:
		l.cols = (n + l.rows - 1) / l.rows
	case l.rows == 0:
		l.rows = (n + l.cols - 1) / l.cols
	}
	for i, p := range f.Panels {
		e := newExtent()
		for _, layer := range p.Layers {
			layer.extent(e)
		}
		marginX, marginY := 0.0, 0.04
		switch {
		case e.tight:
			marginY = 0
		case e.padX:
			marginX = 0.04
		}
		x, noX, err := p.X.resolve(e.x, e.softX, marginX)
		if err != nil {
			return nil, fmt.Errorf("panel %d: %w", i, err)
		}
		y, noY, err := p.Y.resolve(e.y, e.softY, marginY)
		if err != nil {
			return nil, fmt.Errorf("panel %d: %w", i, err)
		}
		if p.EqualAxes && (x.log || y.log) {
			return nil, fmt.Errorf("panel %d: equal axes must be linear", i)
		}
		l.x, l.y = append(l.x, x), append(l.y, y)
		l.empty = append(l.empty, noX && noY && len(p.Layers) > 0)
	}
	cm := f.Width
	if cm == 0 {
		cm = map[int]float64{1: 9, 2: 14}[l.cols]
		if cm == 0 {
			cm = 18
		}
	}
	l.w = cm * pointsPerCm
	l.keys = l.legend()
	if b := f.ColorBar; b != nil {
		if !(b.Min < b.Max) || !finite(b.Min) || !finite(b.Max) || b.Log && b.Min <= 0 {
			return nil, fmt.Errorf("colour bar %q: limits from %g to %g are not a range", b.Label, b.Min, b.Max)
		}
		l.bar = axis{min: b.Min, max: b.Max, log: b.Log}
		l.bar.setTicks(5)
		l.barWidth = barGap + barSize + tickLength + 2 + barLabels(l.bar) + 3 + textSize*(capHeight+descent)
	}
	// The number of ticks depends on the panels' size, and the size on the ticks' labels: twice is enough.
	pw := l.w/float64(l.cols) - 40
	ph := pw * l.aspect()
	for range 2 {
		for i := range f.Panels {
			l.ticks(i, pw, ph)
		}
		pw, ph = l.place()
	}
	if pw < 20 || ph < 20 {
		return nil, fmt.Errorf("%.1f×%.1f cm leave no room for %d×%d panels", cm, l.h/pointsPerCm, l.rows, l.cols)
	}
	return l, l.checkTexts()
}

// aspect returns height over width of the panels' data areas.
func (l *layout) aspect() float64 {
	a := 0.0
	for i, p := range l.f.Panels {
		if p.EqualAxes {
			a = max(a, (l.y[i].max-l.y[i].min)/(l.x[i].max-l.x[i].min))
		}
	}
	if a == 0 {
		a = 0.72
	}
	return min(max(a, 0.25), 2.5)
}

// labelled tells whether panel i shows the labels of its x and y axis.
func (l *layout) labelled(i int) (x, y bool) {
	return !l.f.Shared || i+l.cols >= len(l.f.Panels), !l.f.Shared || i%l.cols == 0
}

// ticks chooses panel i's ticks for a data area of w×h points, and its margins.
func (l *layout) ticks(i int, w, h float64) {
	p, x, y := l.f.Panels[i], &l.x[i], &l.y[i]
	y.setTicks(int(min(max(h/26, 2), 7)))
	widest := 0.0
	n := int(min(max(w/32, 2), 8))
	for ; ; n-- { // fewer, until the labels have room
		x.setTicks(n)
		sum, count := 0.0, 0
		widest = 0
		for _, t := range x.ticks {
			if t.Label != "" {
				b := float64(textWidth(t.Label, tickSize))
				sum, count, widest = sum+b+6, count+1, max(widest, b)
			}
		}
		l.turn[i] = len(x.Categories) > 0 && widest+4 > w/float64(max(count, 1))
		if n <= 2 || len(x.Categories) > 0 || sum <= w {
			break
		}
	}
	if p.EqualAxes {
		y.setTicks(n)
	}
	m := margins{left: 2, right: 3, bottom: 2, top: 3}
	showX, showY := l.labelled(i)
	if showY {
		yw := 0.0
		for _, t := range y.ticks {
			yw = max(yw, float64(textWidth(t.Label, tickSize)))
		}
		m.left = tickLength + 2.5 + yw
		if p.Y.Label != "" {
			m.left += textSize*(capHeight+descent) + 4
		}
	}
	if showX {
		m.bottom = tickLength + 3 + tickSize*capHeight
		if l.turn[i] {
			m.bottom = tickLength + 3 + tickSize*capHeight + widest*math.Sin(slant)
		}
		if p.X.Label != "" {
			m.bottom += textSize*capHeight + 5
		}
		m.bottom += textSize * descent
		for _, t := range x.ticks { // labels that stick out at the sides
			half, u := float64(textWidth(t.Label, tickSize))/2, x.unit(t.Value)
			if l.turn[i] {
				m.left = max(m.left, 2*half*math.Cos(slant)-u*w)
				continue
			}
			m.right = max(m.right, half-(1-u)*w+1)
			m.left = max(m.left, half-u*w+1)
		}
	}
	if len(y.ticks) > 0 && showY {
		m.top = max(m.top, tickSize/2)
	}
	if p.Title != "" {
		m.top = textSize + 4
	}
	l.margin[i] = m
}

// slant is the angle of turned tick labels.
const slant = math.Pi / 6

// place decides height and data areas; it returns the size of a data area before equal axes crop it.
func (l *layout) place() (w, h float64) {
	col, row := make([]margins, l.cols), make([]margins, l.rows)
	for i, m := range l.margin {
		c, r := &col[i%l.cols], &row[i/l.cols]
		c.left, c.right = max(c.left, m.left), max(c.right, m.right)
		r.bottom, r.top = max(r.bottom, m.bottom), max(r.top, m.top)
	}
	usedW := 2*outer + gap*float64(l.cols-1)
	for _, c := range col {
		usedW += c.left + c.right
	}
	usedW += l.barWidth
	w = (l.w - usedW) / float64(l.cols)
	usedH := 2*outer + gap*float64(l.rows-1) + keyHeight*float64(len(l.keys))
	for _, r := range row {
		usedH += r.bottom + r.top
	}
	if l.f.Height > 0 {
		l.h = l.f.Height * pointsPerCm
	} else {
		l.h = math.Ceil(usedH + w*l.aspect()*float64(l.rows))
	}
	h = (l.h - usedH) / float64(l.rows)
	l.areas = make([]vg.Rectangle, len(l.f.Panels))
	y := l.h - outer - keyHeight*float64(len(l.keys))
	for r := range l.rows {
		y -= row[r].top
		x := outer
		for c := range l.cols {
			x += col[c].left
			if i := r*l.cols + c; i < len(l.areas) {
				x0, y0, w, h := x, y-h, w, h
				if l.f.Panels[i].EqualAxes { // the exact shape, in the middle
					a := (l.y[i].max - l.y[i].min) / (l.x[i].max - l.x[i].min)
					if h > w*a {
						y0, h = y0+(h-w*a)/2, w*a
					} else {
						x0, w = x0+(w-h/a)/2, h/a
					}
				}
				l.areas[i] = vg.Rectangle{
					Min: vg.Point{X: vg.Length(x0), Y: vg.Length(y0)}, Max: vg.Point{X: vg.Length(x0 + w), Y: vg.Length(y0 + h)},
				}
			}
			x += w + col[c].right + gap
		}
		y -= h + row[r].bottom + gap
	}
	return w, h
}

// legend collects the entries, methods first and always in the same order, and breaks them into rows of about the same
// width.
func (l *layout) legend() [][]Item {
	if l.f.NoLegend {
		return nil
	}
	items := l.f.Legend
	if items == nil {
		at := map[string]int{}
		for _, p := range l.f.Panels {
			for _, layer := range p.Layers {
				it, _ := layer.key()
				if it.Label == "" {
					continue
				}
				k, seen := at[it.Label]
				if !seen {
					at[it.Label], items = len(items), append(items, it)
					continue
				}
				o := &items[k]
				if it.Line && !o.Line {
					o.Dash, o.Width = it.Dash, it.Width
				}
				if it.Mark && !o.Mark {
					o.Style.Mark = it.Style.Mark
				}
				o.Line, o.Fill, o.Mark = o.Line || it.Line, o.Fill || it.Fill, o.Mark || it.Mark
			}
		}
		slices.SortStableFunc(items, func(a, b Item) int { return legendRank(a.Label) - legendRank(b.Label) })
	}
	rows := wrap(items, l.w-2*outer)
	for width := l.w - 2*outer - 6; ; width -= 6 { // the narrowest rows of this number
		narrow := wrap(items, width)
		if len(narrow) > len(rows) || width < 6 {
			return rows
		}
		rows = narrow
	}
}

// wrap breaks the entries into rows of at most this width.
func wrap(items []Item, width float64) [][]Item {
	var rows [][]Item
	used := math.Inf(1)
	for _, it := range items {
		w := itemWidth(it)
		if used+keySpace+w > width {
			rows, used = append(rows, nil), -keySpace
		}
		rows[len(rows)-1] = append(rows[len(rows)-1], it)
		used += keySpace + w
	}
	return rows
}

// keySize is the width of an entry's key: a mark alone needs less than a line.
func keySize(it Item) float64 {
	if it.Line || it.Fill {
		return keyWidth
	}
	return 8
}

func itemWidth(it Item) float64 { return keySize(it) + 4 + float64(textWidth(it.Label, legendSize)) }

func (l *layout) checkTexts() error {
	var texts []string
	for i, p := range l.f.Panels {
		texts = append(texts, p.Title, p.X.Label, p.Y.Label)
		for _, t := range append(l.x[i].ticks[:len(l.x[i].ticks):len(l.x[i].ticks)], l.y[i].ticks...) {
			texts = append(texts, t.Label)
		}
		for _, layer := range p.Layers {
			if t, ok := layer.(Text); ok {
				texts = append(texts, t.S)
			}
		}
	}
	for _, r := range l.keys {
		for _, it := range r {
			texts = append(texts, it.Label)
		}
	}
	if b := l.f.ColorBar; b != nil {
		texts = append(texts, b.Label)
	}
	for _, t := range texts {
		if err := checkText(t); err != nil {
			return err
		}
	}
	return nil
}
