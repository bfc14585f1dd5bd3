package figure

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"gonum.org/v1/plot/vg"
)

var nan, inf = math.NaN(), math.Inf(1)

func encode(t *testing.T, f *Figure, format string) ([]byte, Drawn) {
	t.Helper()
	data, drawn, err := f.Encode(format)
	if err != nil {
		t.Fatal(err)
	}
	return data, drawn
}

func render(t *testing.T, f *Figure) (image.Image, Drawn) {
	t.Helper()
	data, drawn := encode(t, f, "png")
	img, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	return img, drawn
}

// same tells whether a pixel has a colour to within the last bits: the rasteriser rounds.
func same(c color.Color, want color.NRGBA) bool {
	g := color.NRGBAModel.Convert(c).(color.NRGBA)
	near := func(a, b uint8) bool { return max(a, b)-min(a, b) <= 2 }
	return near(g.R, want.R) && near(g.G, want.G) && near(g.B, want.B)
}

// checkBorder fails if anything is drawn at the outermost pixels: it would be cut off.
func checkBorder(t *testing.T, name string, img image.Image) {
	t.Helper()
	b := img.Bounds()
	for x := range b.Max.X {
		for y := range b.Max.Y {
			if edge := x < 2 || y < 2 || x >= b.Max.X-2 || y >= b.Max.Y-2; edge && !same(img.At(x, y), white) {
				t.Errorf("%s: ink at the border, pixel (%d, %d) of %v", name, x, y, b.Max)
				return
			}
		}
	}
}

// TestEncode draws figures like the real ones. To look at them, set FIGURE_DIR to a folder.
func TestEncode(t *testing.T) {
	most := map[string]int{"scatter": 64e3, "paths": 400e3, "curves": 30e3, "violins": 20e3, "heat": 30e3} // bytes of SVG
	for name, f := range toyFigures() {
		for _, format := range Formats {
			data, drawn := encode(t, f, format)
			if again, _ := encode(t, f, format); !bytes.Equal(data, again) {
				t.Errorf("%s.%s: other bytes the second time", name, format)
			}
			if dir := os.Getenv("FIGURE_DIR"); dir != "" {
				if err := os.WriteFile(filepath.Join(dir, name+"."+format), data, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			switch format {
			case "svg":
				if len(data) > most[name] {
					t.Errorf("%s.svg has %d bytes, want %d at most", name, len(data), most[name])
				}
			case "png":
				img, err := png.Decode(bytes.NewReader(data))
				if err != nil {
					t.Fatal(err)
				}
				checkBorder(t, name, img)
				if got := float64(img.Bounds().Dx()); math.Abs(got-drawn.Width/2.54*dpi) > 1 {
					t.Errorf("%s: %g pixels for %g cm", name, got, drawn.Width)
				}
			}
		}
	}
}

func TestLegend(t *testing.T) {
	f := curveFigure()
	l, err := f.layout()
	if err != nil {
		t.Fatal(err)
	}
	img, _ := render(t, f)
	for _, m := range toyMethods[:7] {
		found := false
		for y := range int(l.strip * dpi / 72) {
			for x := range img.Bounds().Dx() {
				found = found || same(img.At(x, y), Method(m).Color)
			}
		}
		if !found {
			t.Errorf("colour of %s is not in the legend", m)
		}
	}
	line := func(m string) Layer { return Line{X: []float64{0, 1}, Y: []float64{0, 1}, Style: Method(m)} }
	dots := Scatter{Style: Method("sifg")}
	f = &Figure{Panels: []Panel{{Layers: []Layer{line("mine"), line("truth"), dots, line("svgd"), line("sifg"), HLine{}, line("l2-gf")}}}}
	if l, err = f.layout(); err != nil {
		t.Fatal(err)
	}
	got := ""
	for _, row := range l.keys {
		for _, k := range row {
			got += fmt.Sprintf("%s %t %t, ", k.Label, k.line, k.mark)
		}
	}
	if want := "L2-GF true false, SIFG true true, SVGD true false, Ground truth true false, mine true false, "; got != want {
		t.Errorf("legend %q, want %q", got, want)
	}
}

// TestMethods: no two methods look alike, all but the references are readable on white and black, and an unknown sampler
// has a style of its own.
func TestMethods(t *testing.T) {
	seen := map[string]string{}
	all := map[string]color.NRGBA{}
	for _, m := range methods {
		if m.Color == ink { // references
			continue
		}
		all[m.name] = m.Color
		for _, k := range []string{fmt.Sprint(m.Color), fmt.Sprint(m.Dash, m.Mark), m.Label} {
			if seen[k] != "" {
				t.Errorf("%s and %s share %s", m.name, seen[k], k)
			}
			seen[k] = m.name
		}
	}
	for i, c := range spare {
		all[fmt.Sprint("spare ", i)] = c
	}
	for name, c := range all {
		y := 0.0 // relative luminance, of WCAG 2
		for i, v := range []uint8{c.R, c.G, c.B} {
			s := float64(v) / 255
			if s = math.Pow((s+0.055)/1.055, 2.4); v <= 10 {
				s = float64(v) / 255 / 12.92
			}
			y += s * []float64{0.2126, 0.7152, 0.0722}[i]
		}
		if onWhite, onBlack := 1.05/(y+0.05), (y+0.05)/0.05; onWhite < 2.15 || onBlack < 2.15 {
			t.Errorf("%s has a contrast of %.2f to white and %.2f to black", name, onWhite, onBlack)
		}
	}
	a, b := Method("my-sampler"), Method("other")
	if !reflect.DeepEqual(a, Method("my-sampler")) || a.Label != "my-sampler" || seen[fmt.Sprint(a.Color)] != "" || a.Color == b.Color {
		t.Errorf("unknown samplers: %v, %v", a, b)
	}
	if Label("ada-sifg-a") != "Ada-SIFG-A" || Label("mine") != "mine" {
		t.Error("wrong labels")
	}
}

func TestOddData(t *testing.T) {
	s := Method("sifg")
	for name, c := range map[string]struct {
		panel  Panel
		hidden int
	}{
		"no layers":            {Panel{}, 0},
		"no data":              {Panel{Layers: []Layer{Line{Style: s}, Scatter{}, Band{}, Violin{}}}, 0},
		"no data, log axis":    {Panel{Y: Axis{Scale: Log}, Layers: []Layer{Line{Style: s}}}, 0},
		"all NaN":              {Panel{Layers: []Layer{Line{X: []float64{1, 2}, Y: []float64{nan, inf}}}}, 2},
		"gap":                  {Panel{Layers: []Layer{Line{X: []float64{1, 2, 3, 4}, Y: []float64{1, nan, 2, 3}, Marks: true, Style: s}}}, 1},
		"constant":             {Panel{Layers: []Layer{Line{X: []float64{1, 2}, Y: []float64{5, 5}}}}, 0},
		"zero":                 {Panel{Layers: []Layer{Line{X: []float64{0, 0}, Y: []float64{0, 0}}}}, 0},
		"one point":            {Panel{Layers: []Layer{Line{X: []float64{3}, Y: []float64{-7}}}}, 0},
		"negative, log axis":   {Panel{Y: Axis{Scale: Log}, Layers: []Layer{Scatter{X: []float64{1, 2, 3, 4}, Y: []float64{-1, 0, 1, 100}}}}, 2},
		"all below, log axis":  {Panel{Y: Axis{Scale: Log}, Layers: []Layer{Line{X: []float64{1, 2}, Y: []float64{-1, -2}}}}, 2},
		"band below, log axis": {Panel{Y: Axis{Scale: Log}, Layers: []Layer{Band{X: []float64{1, 2}, Lo: []float64{-1, 1}, Hi: []float64{2, 3}}}}, 1},
		"outside": {Panel{X: Axis{Min: 0, Max: 1}, Y: Axis{Min: 0, Max: 1}, Layers: []Layer{
			Scatter{X: []float64{0.5, 2, 1e300}, Y: []float64{0.5, 0.5, -1e300}}}}, 2},
		"huge":             {Panel{Layers: []Layer{Line{X: []float64{0, 1}, Y: []float64{-1e307, 1e307}}}}, 0},
		"constant violin":  {Panel{X: Axis{Categories: []string{"a", "b"}}, Layers: []Layer{Violin{At: 1, Values: []float64{2, 2, nan}}}}, 1},
		"one-cell heatmap": {Panel{Layers: []Layer{HeatMap{Grid{X: []float64{1}, Y: []float64{1}, Z: []float64{nan}}}}}, 1},
		"steep log range":  {Panel{Y: Axis{Scale: AutoLog}, Layers: []Layer{Line{X: []float64{0, 1}, Y: []float64{1e-100, 1e100}}}}, 0},
		"tiny range":       {Panel{Layers: []Layer{Line{X: []float64{0, 1}, Y: []float64{1, 1 + 1e-14}}}}, 0},
		"reference below":  {Panel{Y: Axis{Scale: AutoLog}, Layers: []Layer{Line{X: []float64{0, 1}, Y: []float64{1, 100}}, HLine{Y: -1}}}, 2},
	} {
		f := &Figure{Panels: []Panel{c.panel}}
		img, drawn := render(t, f)
		checkBorder(t, name, img)
		if drawn.Hidden != c.hidden {
			t.Errorf("%s: %d hidden values, want %d", name, drawn.Hidden, c.hidden)
		}
		for _, format := range []string{"svg", "pdf"} {
			if data, _ := encode(t, f, format); bytes.Contains(data, []byte("NaN")) || bytes.Contains(data, []byte("+Inf")) {
				t.Errorf("%s: the %s holds a number that is none", name, format)
			}
		}
	}
}

func TestRefused(t *testing.T) {
	line := []Layer{Line{X: []float64{0, 1}, Y: []float64{0, 1}}}
	for want, f := range map[string]*Figure{
		"needs a panel":          {},
		"no character '語'":       {Panels: []Panel{{Note: "語"}}},
		`label "from the key–`:   {Panels: []Panel{{Layers: []Layer{HLine{Style: Style{Label: "from the key–\u0000"}}}}}},
		"must be positive":       {Panels: []Panel{{Y: Axis{Scale: Log, Min: -1, Max: 1}, Layers: line}}},
		`"KL": limits from 2 to`: {Panels: []Panel{{Y: Axis{Label: "KL", Min: 2, Max: 1}, Layers: line}}},
		"must be linear":         {Plane: true, Panels: []Panel{{Y: Axis{Scale: Log}, Layers: line}}},
		"leave no room":          {Width: 1, Panels: []Panel{{Layers: line}}},
	} {
		if _, _, err := f.Encode("png"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
	if _, _, err := curveFigure().Encode("gif"); err == nil || !strings.Contains(err.Error(), "svg png pdf") {
		t.Errorf("unknown format: %v", err)
	}
	defer func() {
		if r := recover(); r != "figure: coordinates of a layer differ in length" {
			t.Errorf("panic %v", r)
		}
	}()
	(&Figure{Panels: []Panel{{Layers: []Layer{Line{X: []float64{1}}}}}}).Encode("png")
}

// TestSVG reads a drawing back: it is well-formed, and lines and marks are where the data are.
func TestSVG(t *testing.T) {
	var x, y []float64
	for i := range 300 {
		x, y = append(x, float64(i)), append(y, 50*math.Sin(float64(i)/20)+float64(i%7))
	}
	f := &Figure{Panels: []Panel{{Title: "a < b & c", Layers: []Layer{
		Line{X: x, Y: y, Style: Method("sifg")}, Scatter{X: x, Y: y, Style: Method("svgd").As("")},
	}}}}
	data, _ := encode(t, f, "svg")
	for d := xml.NewDecoder(bytes.NewReader(data)); ; {
		if _, err := d.Token(); err == io.EOF {
			break
		} else if err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Contains(data, []byte("a &lt; b &amp; c")) || !bytes.Contains(data, []byte("Liberation Sans,Arimo,Arial,Helvetica,sans-serif")) {
		t.Error("no title, or no fallback fonts")
	}
	points := func(pattern string) (out []vg.Point) { // in points, y upwards from the upper edge
		all := regexp.MustCompile(pattern+`M(-?\d+) (-?\d+)l([^"]*)"`).FindAllSubmatch(data, -1)
		if all == nil {
			t.Fatalf("no path %s", pattern)
		}
		m := all[len(all)-1] // the first may be in the legend
		var px, py int
		fmt.Sscan(string(m[1])+" "+string(m[2]), &px, &py)
		steps := regexp.MustCompile(`-?\d+`).FindAllString(string(m[3]), -1)
		for i := 0; ; i += 2 {
			out = append(out, vg.Point{X: vg.Length(px) / 10, Y: -vg.Length(py) / 10})
			if i == len(steps) {
				return out
			}
			var dx, dy int
			fmt.Sscan(steps[i]+" "+steps[i+1], &dx, &dy)
			px, py = px+dx, py+dy
		}
	}
	l, _ := f.layout()
	p := l.panels[0]
	want := map[vg.Point]bool{}
	line := points(`stroke="#0072b2" stroke-width="12"><path d="`)
	for i := range x {
		at, _ := p.at(x[i], y[i])
		at.Y -= vg.Length(l.h)
		want[vg.Point{X: vg.Length(steps(at.X)) / 10, Y: -vg.Length(steps(-at.Y)) / 10}] = true
		off := inf
		for k := range line[1:] {
			a, b := line[k], line[k+1].Sub(line[k])
			q := at.Sub(a)
			q = q.Sub(b.Scale(min(max(q.Dot(b)/b.Dot(b), 0), 1)))
			off = min(off, math.Hypot(float64(q.X), float64(q.Y)))
		}
		if off > 0.1+0.05*math.Sqrt2 { // by leaving out points, and by rounding
			t.Fatalf("point %d is %g points off the line", i, off)
		}
	}
	if len(line) > 280 {
		t.Errorf("a line of 300 points keeps %d", len(line))
	}
	marks := points(`marker-end="url\(#m[0-9a-f]+\)" d="`)
	for _, at := range marks {
		if !want[at] {
			t.Fatalf("a mark at %v, where no point is", at)
		}
	}
	if len(marks) != len(x) {
		t.Errorf("%d marks for %d points", len(marks), len(x))
	}
}

func TestPDFColoursAreNotPremultiplied(t *testing.T) {
	r, g, b, a := straight(color.NRGBA{200, 100, 50, 51}).RGBA()
	if r>>8 != 200 || g>>8 != 100 || b>>8 != 50 || a>>8 != 51 {
		t.Errorf("got %d %d %d %d", r>>8, g>>8, b>>8, a>>8)
	}
}
