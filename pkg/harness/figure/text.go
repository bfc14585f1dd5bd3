package figure

import (
	"fmt"
	"image/color"
	"math"
	"strings"

	"golang.org/x/image/font/sfnt"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/font/liberation"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

const (
	capHeight = 0.716 // of the font, over its size
	descent   = 0.212
)

// fonts are the fonts that come with gonum/plot. Liberation Sans has the widths of Arial and Helvetica.
var fonts = font.NewCache(liberation.Collection())

// face returns the theme's font.
func face(size float64) font.Face {
	return fonts.Lookup(font.Font{Typeface: "Liberation", Variant: "Sans"}, vg.Length(size))
}

// run is a piece of a label: a superscript, a subscript or plain text.
type run struct {
	s          string
	size, rise float64
}

// markup splits a label at ^{…} and _{…}.
func markup(s string, size float64) []run {
	var out []run
	for s != "" {
		i := strings.Index(s, "^{")
		if j := strings.Index(s, "_{"); j >= 0 && (i < 0 || j < i) {
			i = j
		}
		k := -1
		if i >= 0 {
			k = strings.IndexByte(s[i:], '}')
		}
		if k < 0 {
			return append(out, run{s, size, 0})
		}
		if i > 0 {
			out = append(out, run{s[:i], size, 0})
		}
		r := run{s[i+2 : i+k], 0.72 * size, 0.36 * size}
		if s[i] == '_' {
			r.rise = -0.16 * size
		}
		out, s = append(out, r), s[i+k+1:]
	}
	return out
}

func textWidth(s string, size float64) vg.Length {
	var w vg.Length
	for _, r := range markup(s, size) {
		f := face(r.size)
		w += f.Width(r.s)
	}
	return w
}

// drawText writes s so that the point (ax, ay) of its box, (0, 0) the start of the baseline and (1, 1) the end of the
// cap height, is at pt, turned by rot radians about it.
func drawText(c *draw.Canvas, s string, size float64, col color.NRGBA, pt vg.Point, ax, ay, rot float64) {
	c.SetColor(col)
	c.Push()
	c.Translate(pt)
	if rot != 0 {
		c.Rotate(rot)
	}
	x, y := -vg.Length(ax)*textWidth(s, size), -vg.Length(ay*capHeight*size)
	for _, r := range markup(s, size) {
		f := face(r.size)
		c.FillString(f, vg.Point{X: x, Y: y + vg.Length(r.rise)}, r.s)
		x += f.Width(r.s)
	}
	c.Pop()
}

// checkText returns an error if the font lacks a character of s: it would be left out without a word.
func checkText(s string) error {
	f := face(textSize)
	var buf sfnt.Buffer
	for _, run := range markup(s, textSize) {
		for _, r := range run.s {
			if g, err := f.Face.GlyphIndex(&buf, r); err != nil || g == 0 {
				return fmt.Errorf("label %q: the font has no character %q; write superscripts as ^{…}, subscripts as _{…}", s, r)
			}
		}
	}
	return nil
}

// mark draws one mark of radius r (points) at p, with a white edge if asked for.
func mark(c *draw.Canvas, s Shape, r float64, col color.NRGBA, edge bool, p vg.Point) {
	polygon := func(n int, start, r float64) vg.Path {
		var q vg.Path
		for i := range n {
			sin, cos := math.Sincos(start + 2*math.Pi*float64(i)/float64(n))
			pt := vg.Point{X: p.X + vg.Length(r*cos), Y: p.Y + vg.Length(r*sin)}
			if i == 0 {
				q.Move(pt)
			} else {
				q.Line(pt)
			}
		}
		q.Close()
		return q
	}
	var path vg.Path
	l := vg.Length(r)
	switch s {
	case Circle, Ring:
		path.Move(vg.Point{X: p.X + l, Y: p.Y})
		path.Arc(p, l, 0, 2*math.Pi)
		path.Close()
	case Square:
		path = polygon(4, math.Pi/4, 1.25*r)
	case Diamond:
		path = polygon(4, 0, 1.35*r)
	case Triangle:
		path = polygon(3, math.Pi/2, 1.4*r)
	case TriangleDown:
		path = polygon(3, -math.Pi/2, 1.4*r)
	case Cross, Plus:
		a := 0.0
		if s == Cross {
			a = math.Pi / 4
		}
		for range 2 {
			sin, cos := math.Sincos(a)
			d := vg.Point{X: vg.Length(1.2 * r * cos), Y: vg.Length(1.2 * r * sin)}
			path.Move(vg.Point{X: p.X - d.X, Y: p.Y - d.Y})
			path.Line(vg.Point{X: p.X + d.X, Y: p.Y + d.Y})
			a += math.Pi / 2
		}
	default:
		panic("figure: no such shape of a mark")
	}
	stroke := func(w float64, col color.NRGBA) {
		c.SetLineStyle(draw.LineStyle{Color: col, Width: vg.Length(w)})
		c.Stroke(path)
	}
	open := s == Cross || s == Plus || s == Ring
	w := max(0.6, 0.4*r)
	switch {
	case open && edge:
		stroke(w+1.2, color.NRGBA{0xff, 0xff, 0xff, col.A})
	case edge:
		stroke(1.2, color.NRGBA{0xff, 0xff, 0xff, col.A})
	}
	if open {
		stroke(w, col)
		return
	}
	c.SetColor(col)
	c.Fill(path)
}
