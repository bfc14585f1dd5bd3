package figure

import (
	"bytes"
	"fmt"
	"html"
	"image"
	"image/color"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
)

// svgCanvas writes SVG for pages that hold many figures, a tenth as long as that of gonum's vgsvg: coordinates are
// whole steps of a tenth of a point, relative to the point before; lines have no points nearer than can be seen;
// neighbours share their attributes; and a mark is described once for all its points.
type svgCanvas struct {
	h          vg.Length
	color      color.NRGBA
	width      vg.Length
	dash       []vg.Length
	origin     vg.Point // of text; nothing else is moved or turned
	turn       float64  // radians
	body       bytes.Buffer
	group      []string // elements that share their attributes, not yet written
	attributes string   // of the group
	marks      int      // that are described
}

func (c *svgCanvas) SetColor(col color.Color)               { c.color = color.NRGBAModel.Convert(col).(color.NRGBA) }
func (c *svgCanvas) SetLineWidth(w vg.Length)               { c.width = w }
func (c *svgCanvas) SetLineDash(d []vg.Length, _ vg.Length) { c.dash = d }
func (c *svgCanvas) Push()                                  {}
func (c *svgCanvas) Translate(p vg.Point)                   { c.origin = p }
func (c *svgCanvas) Rotate(radians float64)                 { c.turn = radians }
func (c *svgCanvas) Pop()                                   { c.origin, c.turn = vg.Point{}, 0 }

// No figure scales the canvas or has an image.
func (c *svgCanvas) Scale(x, y float64)                  {}
func (c *svgCanvas) DrawImage(vg.Rectangle, image.Image) {}

// steps returns a length in steps.
func steps(v vg.Length) int { return int(math.Round(10 * float64(v))) }

// at returns a point in steps from the upper left corner.
func (c *svgCanvas) at(p vg.Point) [2]int { return [2]int{steps(p.X), steps(c.h - p.Y)} }

func (c *svgCanvas) all(points []vg.Point) (out [][2]int) {
	for _, p := range points {
		out = append(out, c.at(p))
	}
	return out
}

// add adds an element to the group of this fill or stroke with these other attributes.
func (c *svgCanvas) add(paint, attributes, element string) {
	a := fmt.Sprintf(` %s="#%02x%02x%02x"`, paint, c.color.R, c.color.G, c.color.B) + attributes
	if c.color.A < 0xff {
		a += fmt.Sprintf(` %s-opacity="%.2g"`, paint, float64(c.color.A)/0xff)
	}
	if a != c.attributes {
		c.end()
	}
	c.attributes = a
	c.group = append(c.group, element)
}

// end writes the group. An element that is alone has the attributes itself.
func (c *svgCanvas) end() {
	if len(c.group) == 1 {
		c.body.WriteString(strings.Replace(c.group[0], " ", c.attributes+" ", 1))
	} else if c.group != nil {
		c.body.WriteString("<g" + c.attributes + ">" + strings.Join(c.group, "") + "</g>")
	}
	c.group = nil
}

func (c *svgCanvas) Fill(p vg.Path) { c.add("fill", "", `<path d="`+c.path(p)+`"/>`) }

func (c *svgCanvas) Stroke(p vg.Path) {
	a := fmt.Sprintf(` stroke-width="%d"`, steps(c.width))
	if c.dash != nil {
		var dash []int
		for _, d := range c.dash {
			dash = append(dash, steps(d))
		}
		a += ` stroke-dasharray="` + strings.Trim(fmt.Sprint(dash), "[]") + `"`
	}
	c.add("stroke", a, `<path d="`+c.path(p)+`"/>`)
}

// FillString writes a label as wide as it is in f, whatever font the reader has: the layout counts on it. In another
// font, the letters of a long label get narrower or wider, those of a short one only move.
func (c *svgCanvas) FillString(f font.Face, pt vg.Point, s string) {
	sin, cos := math.Sincos(c.turn)
	x, y := float64(pt.X), float64(pt.Y)
	at := c.at(c.origin.Add(vg.Point{X: vg.Length(x*cos - y*sin), Y: vg.Length(x*sin + y*cos)}))
	more := ""
	if c.turn != 0 {
		more = fmt.Sprintf(` transform="rotate(%.4g %d %d)"`, -c.turn*180/math.Pi, at[0], at[1])
	}
	if utf8.RuneCountInString(s) > 5 {
		more += ` lengthAdjust="spacingAndGlyphs"`
	}
	c.add("fill", fmt.Sprintf(` font-size="%d"`, steps(f.Font.Size)),
		fmt.Sprintf(`<text x="%d" y="%d" textLength="%d"%s>%s</text>`,
			at[0], at[1], steps(f.Width(s)), more, html.EscapeString(s)))
}

// repeat draws a mark at each of these places, as markers of one path.
func (c *svgCanvas) repeat(mark *svgCanvas, places []vg.Point) {
	c.end()
	mark.end()
	c.marks++
	fmt.Fprintf(&c.body, `<marker id="m%d" overflow="visible" markerUnits="userSpaceOnUse">%s</marker>`+
		`<path marker-start="url(#m%[1]d)" marker-mid="url(#m%[1]d)" marker-end="url(#m%[1]d)" d="%[3]s"/>`,
		c.marks, mark.body.Bytes(), polyline(c.all(places)))
}

// path returns the data of a path. The only arcs of a figure are whole circles.
func (c *svgCanvas) path(p vg.Path) string {
	var out strings.Builder
	var line []vg.Point
	end := func() {
		out.WriteString(polyline(c.all(line)))
		line = nil
	}
	for _, part := range p {
		switch part.Type {
		case vg.MoveComp:
			end()
			fallthrough
		case vg.LineComp:
			if n := len(line); n > 0 {
				if step := part.Pos.Sub(line[n-1]); step.Dot(step) < 0.25 { // nobody sees it
					continue
				}
			}
			line = append(line, part.Pos)
		case vg.ArcComp:
			end()
			r := steps(part.Radius)
			fmt.Fprintf(&out, "a%d %d 0 1 0 %d 0a%d %d 0 1 0 %d 0", r, r, -2*r, r, r, 2*r)
		case vg.CloseComp:
			end()
			out.WriteByte('z')
		}
	}
	end()
	return out.String()
}

// polyline returns a line in the data of a path, relative to its first point.
func polyline(p [][2]int) string {
	var out []byte
	var at [2]int
	for i, q := range p {
		if i < 2 {
			out = append(out, "Ml"[i])
		}
		for k := range q {
			if q[k] >= at[k] && (i > 1 || k > 0) {
				out = append(out, ' ')
			}
			out = strconv.AppendInt(out, int64(q[k]-at[k]), 10)
		}
		at = q
	}
	return string(out)
}

// families have the widths of Liberation Sans, but the last.
const families = "Liberation Sans,Arimo,Arial,Helvetica,sans-serif"

// write ends the drawing, of this width, and returns its text.
func (c *svgCanvas) write(w vg.Length) []byte {
	c.end()
	const text = `<svg xmlns="http://www.w3.org/2000/svg" width="%.5gpt" height="%.5gpt" viewBox="0 0 %d %d" ` +
		`fill="none" stroke-linejoin="round" font-family="%s">%s</svg>` + "\n"
	return fmt.Appendf(nil, text, w, c.h, steps(w), steps(c.h), families, c.body.Bytes())
}
