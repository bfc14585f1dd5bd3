package figure

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"image"
	"image/color"
	"math"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"

	"github.com/semi-implicit/sifg/pkg/sifg"
	"github.com/semi-implicit/sifg/pkg/sifg/rng"
)

var nan, inf = math.NaN(), math.Inf(1)

const dpi = 200

func encode(t *testing.T, f *Figure) (svg []byte, hidden int) {
	t.Helper()
	svg, hidden, err := f.SVG()
	if err != nil {
		t.Fatal(err)
	}
	return svg, hidden
}

// render draws the figure in pixels.
func render(t *testing.T, f *Figure) image.Image {
	t.Helper()
	l, err := f.layout()
	if err != nil {
		t.Fatal(err)
	}
	c := vgimg.NewWith(vgimg.UseWH(vg.Length(l.w), vg.Length(l.h)), vgimg.UseDPI(dpi))
	l.draw(draw.New(c))
	return c.Image()
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
	for i := range b.Dx() * b.Dy() {
		x, y := i%b.Dx(), i/b.Dx()
		if edge := x < 2 || y < 2 || x >= b.Dx()-2 || y >= b.Dy()-2; edge && !same(img.At(x, y), white) {
			t.Errorf("%s: ink at the border, pixel (%d, %d) of %v", name, x, y, b.Max)
			return
		}
	}
}

// TestDrawing draws a figure like the real ones.
func TestDrawing(t *testing.T) {
	f := planeFigure(toyMethods...)
	data, _ := encode(t, f)
	if again, _ := encode(t, f); !bytes.Equal(data, again) || len(data) > 72e3 { // 8000 particles
		t.Errorf("%d bytes, or other bytes the second time", len(data))
	}
	img := render(t, f)
	checkBorder(t, "plane", img)
	if got := float64(img.Bounds().Dx()); math.Abs(got-18/2.54*dpi) > 1 {
		t.Errorf("%g pixels for 18 cm", got)
	}
}

func TestLegend(t *testing.T) {
	line := func(m string) Layer { return Line{X: []float64{0, 1}, Y: []float64{0, 1}, Style: Method(m)} }
	thin := Line{Style: Method("svgd").Thin()}
	l, err := (&Figure{Panels: []Panel{{Layers: []Layer{
		line("mine"), line("truth"), Scatter{Style: Method("sifg")}, thin, line("sifg"), HLine{}, line("l2-gf"),
	}}}}).layout()
	if err != nil {
		t.Fatal(err)
	}
	got := ""
	for _, k := range slices.Concat(l.keys...) {
		got += fmt.Sprintf("%s %t %t %g, ", k.Label, k.line, k.mark, k.Width)
	}
	const want = "L2-GF true false 0, SIFG true true 0, SVGD true false 0.6, " +
		"Ground truth true false 0, mine true false 0, "
	if got != want {
		t.Errorf("legend %q, want %q", got, want)
	}
}

// TestMethods: no two methods look alike, and an unknown sampler has a style of its own.
func TestMethods(t *testing.T) {
	seen := map[string]string{}
	for _, s := range sifg.Samplers() {
		m := Method(s.Name)
		for _, k := range []string{fmt.Sprint(m.Color), fmt.Sprintf("%v %T", m.Dash, m.Mark), m.Label} {
			if seen[k] != "" {
				t.Errorf("%s and %s share %s", s.Name, seen[k], k)
			}
			seen[k] = s.Name
		}
	}
	a, b := Method("mine"), Method("other")
	if !reflect.DeepEqual(a, Method("mine")) || seen[fmt.Sprint(a.Color)] != "" || a.Color == b.Color {
		t.Errorf("unknown samplers: %v, %v", a, b)
	}
	if a.Label != "mine" {
		t.Errorf("an unknown sampler is called %s", a.Label)
	}
	Looks["mine"] = Style{Label: "Mine", Color: RGB(0x102030), Mark: Cross}
	defer delete(Looks, "mine")
	declared := Method("mine")
	if want := (Style{Label: "Mine", Color: RGB(0x102030), Mark: Cross}); !reflect.DeepEqual(declared, want) {
		t.Errorf("a declared method: %+v, want %+v", declared, want)
	}
}

func TestOddData(t *testing.T) {
	s := Method("sifg")
	log := Axis{Scale: Log}
	with := func(y Axis, layers ...Layer) Panel { return Panel{Y: y, Layers: layers} }
	square := Axis{Min: 0, Max: 1}
	two, three := []float64{1, 2}, []float64{1, 2, 3}
	for name, c := range map[string]struct {
		panel  Panel
		hidden int
	}{
		"no layers":         {Panel{}, 0},
		"no data":           {with(Axis{}, Line{Style: s}, Scatter{}, Band{}, Box{}), 0},
		"no data, log":      {with(log, Line{Style: s}), 0},
		"all NaN":           {with(Axis{}, Line{X: two, Y: []float64{nan, inf}}), 2},
		"gap":               {with(Axis{}, Line{X: three, Y: []float64{1, nan, 2}, Style: s}), 1},
		"zero":              {with(Axis{}, Line{X: []float64{0, 0}, Y: []float64{0, 0}}), 0},
		"one point":         {with(Axis{}, Line{X: []float64{3}, Y: []float64{-7}}), 0},
		"negative, log":     {with(log, Scatter{X: []float64{1, 2, 3, 4}, Y: []float64{-1, 0, 1, 100}}), 2},
		"all negative, log": {with(log, Line{X: two, Y: []float64{-1, -2}}), 2},
		"band below, log":   {with(log, Band{X: two, Lo: []float64{-1, 1}, Hi: []float64{2, 3}}), 1},
		"outside": {Panel{X: square, Y: square, Layers: []Layer{
			Scatter{X: []float64{0.5, 2, 1e300}, Y: []float64{0.5, 0.5, -1e300}}}}, 2},
		"huge":         {with(Axis{}, Line{X: []float64{0, 1}, Y: []float64{-1e307, 1e307}}), 0},
		"too huge":     {with(Axis{}, Line{X: []float64{0, 1, 2}, Y: []float64{-1, 1, 1.7e308}}), 1},
		"constant box": {with(Axis{}, Box{Values: []float64{2, 2, nan}}), 1},
		"steep, log":   {with(log, Line{X: two, Y: []float64{1e-100, 1e100}}, HLine{Y: -1}), 2},
		"tiny range":   {with(Axis{}, Line{X: two, Y: []float64{1, 1 + 1e-14}}), 0},
	} {
		f := &Figure{Panels: []Panel{c.panel}}
		checkBorder(t, name, render(t, f))
		data, hidden := encode(t, f)
		if hidden != c.hidden {
			t.Errorf("%s: %d hidden values, want %d", name, hidden, c.hidden)
		}
		if bytes.Contains(data, []byte("NaN")) || bytes.Contains(data, []byte("+Inf")) {
			t.Errorf("%s: the SVG holds a number that is none", name)
		}
	}
}

func TestRefused(t *testing.T) {
	line := []Layer{Line{X: []float64{0, 1}, Y: []float64{0, 1}}}
	for want, f := range map[string]*Figure{
		"needs a panel":          {},
		"limits from -1 to 1":    {Panels: []Panel{{Y: Axis{Scale: Log, Min: -1, Max: 1}, Layers: line}}},
		`"KL": limits from 2 to`: {Panels: []Panel{{Y: Axis{Label: "KL", Min: 2, Max: 1}, Layers: line}}},
		"leave no room":          {Width: 1, Panels: []Panel{{Layers: line}}},
	} {
		if _, _, err := f.SVG(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

// TestSVG reads a drawing back: it is well-formed, and lines and marks are where the data are.
func TestSVG(t *testing.T) {
	var x, y []float64
	for i := range 600 {
		x, y = append(x, float64(i)), append(y, 50*math.Sin(float64(i)/40))
	}
	f := &Figure{Panels: []Panel{{Title: "a < b & c語\u0000", Layers: []Layer{
		Line{X: x, Y: y, Style: Method("sifg").As("")}, Scatter{X: x, Y: y, Style: Method("svgd").As("")},
	}}}}
	data, _ := encode(t, f)
	if err := xml.Unmarshal(data, new(struct{})); err != nil || !bytes.Contains(data, []byte(`a &lt; b &amp; c語\x00`)) {
		t.Fatalf("%v: %s", err, data)
	}
	// path returns the points of the path after a pattern, in steps.
	path := func(pattern string) (out [][2]int) {
		found := regexp.MustCompile(pattern + `M([-\dl ]+)"`).FindSubmatch(data)
		if found == nil {
			t.Fatalf("no path %s", pattern)
		}
		at := [2]int{}
		for i, s := range regexp.MustCompile(`-?\d+`).FindAllString(string(found[1]), -1) {
			v, _ := strconv.Atoi(s)
			if at[i%2] += v; i%2 == 1 {
				out = append(out, at)
			}
		}
		return out
	}
	line, marks := path(`stroke="#0072b2" stroke-width="12" d="`), path(`marker-end="url\(#m[0-9a-f]+\)" d="`)
	l, _ := f.layout()
	c := &svgCanvas{h: vg.Length(l.h)}
	for i := range x {
		p, _ := l.panels[0].at(x[i], y[i])
		at := c.at(p)
		if !slices.Contains(marks, at) {
			t.Errorf("no mark at point %d", i)
		}
		off := inf
		for k, b := range line[1:] {
			a := line[k]
			dx, dy, ex, ey := float64(b[0]-a[0]), float64(b[1]-a[1]), float64(at[0]-a[0]), float64(at[1]-a[1])
			s := min(max((dx*ex+dy*ey)/(dx*dx+dy*dy), 0), 1)
			off = min(off, math.Hypot(ex-s*dx, ey-s*dy))
		}
		if off > 5+math.Sqrt2 { // 5 by leaving out points, half a step in x and y by rounding both
			t.Errorf("point %d is %g steps off the line", i, off)
		}
	}
	if len(line) == len(x) || len(marks) != len(x) {
		t.Errorf("of 600 points %d on the line and %d marks", len(line), len(marks))
	}
}

// TestCSV: the file has every point of every layer.
func TestCSV(t *testing.T) {
	f := Figure{Panels: []Panel{{}, {Title: "a, b", Layers: []Layer{
		Line{X: []float64{1, 2}, Y: []float64{1.0 / 3, nan}, Style: Method("sifg")},
		Band{X: []float64{1}, Lo: []float64{0}, Hi: []float64{2}},
		HLine{Y: 5}, Box{At: 1, Values: []float64{6, 7}},
		Scatter{X: []float64{1e-9}, Y: []float64{-1}},
		Scatter{X: []float64{0}, Y: []float64{3}, Style: Method("sgld"), Shared: "others"},
	}}, {X: Axis{Label: "step", Categories: []string{"0.1", "0.2"}}, Layers: []Layer{
		Scatter{X: []float64{1.2, 2}, Y: []float64{1, 1}},
	}}}}
	const want = `panel,title,kind,label,x,y,low,high
2,"a, b",line,SIFG,1,0.3333333,,
2,"a, b",line,SIFG,2,,,
2,"a, b",band,,1,,0,2
2,"a, b",horizontal line,,,5,,
2,"a, b",box,,1,6,,
2,"a, b",box,,1,7,,
2,"a, b",points,,1e-09,-1,,
2,"a, b",others,SGLD,0,3,,
3,step,points,,0.2,1,,
3,step,points,,2,1,,
`
	if got := strings.ReplaceAll(string(f.CSV()), "\r\n", "\n"); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

var toyMethods = []string{"l2-gf", "ada-gwg", "sifg", "ada-sifg", "svgd", "sgld", "kde-flow", "truth"}

// planeFigure has a panel for each method, with 1000 particles of five modes on a circle, and the way of one.
func planeFigure(methods ...string) *Figure {
	f := &Figure{Cols: 4, Plane: true}
	for i, m := range methods {
		var x, y []float64
		r := rng.New(uint64(i), "figure-test")
		for range 1000 {
			sin, cos := math.Sincos(2 * math.Pi * math.Floor(r.Float64()*float64(min(3+i, 5))) / 5)
			x, y = append(x, 3*cos+0.5*r.NormFloat64()), append(y, 3*sin+0.5*r.NormFloat64())
		}
		f.Panels = append(f.Panels, Panel{
			Title: Method(m).Label, X: Axis{Label: "x₁", Min: -5, Max: 5}, Y: Axis{Label: "x₂", Min: -5, Max: 5},
			Layers: []Layer{
				Scatter{X: x, Y: y, Style: Method(m)}, Line{X: x[:9], Y: y[:9], Style: Method(m).As("").Thin()},
				Scatter{X: x[8:9], Y: y[8:9], Style: Method("truth").As(""), Radius: 2.5},
			},
		})
	}
	return f
}
