package figure

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

var nan, inf = math.NaN(), math.Inf(1)

func render(t *testing.T, f *Figure) (image.Image, Info) {
	t.Helper()
	data, info, err := f.Encode("png")
	if err != nil {
		t.Fatal(err)
	}
	img, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	return img, info
}

// rgb tells whether a pixel has a colour to within the last bits (the rasteriser rounds).
func rgb(c color.Color, want color.NRGBA) bool {
	g := color.NRGBAModel.Convert(c).(color.NRGBA)
	near := func(a, b uint8) bool { return max(a, b)-min(a, b) <= 2 }
	return near(g.R, want.R) && near(g.G, want.G) && near(g.B, want.B)
}

// checkBorder fails if anything is drawn at the outermost pixels: it would be cut off.
func checkBorder(t *testing.T, name string, img image.Image) {
	t.Helper()
	b, white := img.Bounds(), color.NRGBA{0xff, 0xff, 0xff, 0xff}
	for x := b.Min.X; x < b.Max.X; x++ {
		for y := b.Min.Y; y < b.Max.Y; y++ {
			edge := x < 2 || y < 2 || x >= b.Max.X-2 || y >= b.Max.Y-2
			if edge && !rgb(img.At(x, y), white) {
				t.Errorf("%s: ink at the border, pixel (%d, %d) of %v", name, x, y, b.Max)
				return
			}
		}
	}
}

func TestFiguresSave(t *testing.T) {
	dir := os.Getenv("FIGURE_DIR") // to look at them
	if dir == "" {
		dir = t.TempDir()
	}
	for name, f := range toyFigures() {
		info, err := f.Save(dir, name)
		if err != nil {
			t.Fatal(err)
		}
		if want := []string{name + ".png", name + ".svg", name + ".pdf"}; !reflect.DeepEqual(info.Files[:len(Formats)], want) {
			t.Errorf("files %v, want %v first", info.Files, want)
		}
		for _, format := range Formats {
			saved, err := os.ReadFile(filepath.Join(dir, name+"."+format))
			if err != nil {
				t.Fatal(err)
			}
			again, _, err := f.Encode(format)
			if err != nil || !bytes.Equal(saved, again) {
				t.Errorf("%s.%s: other bytes the second time (%v)", name, format, err)
			}
			if format != "png" {
				continue
			}
			img, err := png.Decode(bytes.NewReader(saved))
			if err != nil {
				t.Fatal(err)
			}
			checkBorder(t, name, img)
			if got := float64(img.Bounds().Dx()); math.Abs(got-info.Width/2.54*DPI) > 1 {
				t.Errorf("%s: %g pixels for %g cm", name, got, info.Width)
			}
		}
	}
	left, err := filepath.Glob(filepath.Join(dir, ".*"))
	if err != nil || len(left) > 0 {
		t.Errorf("files left behind: %v (%v)", left, err)
	}
	f := curveFigure()
	if _, err := f.Save(filepath.Join(dir, "absent"), "x"); err == nil {
		t.Error("saving into a folder that does not exist must fail")
	}
	if _, _, err := f.Encode("gif"); err == nil {
		t.Error("an unknown format must fail")
	}
}

func TestLegendShowsEachMethod(t *testing.T) {
	f := curveFigure()
	l, err := f.layout()
	if err != nil {
		t.Fatal(err)
	}
	img, _ := render(t, f)
	strip := int(float64(len(l.keys)) * keyHeight * DPI / 72)
	for _, m := range toyMethods {
		found := false
		for y := range strip {
			for x := range img.Bounds().Dx() {
				found = found || rgb(img.At(x, y), Method(m).Color)
			}
		}
		if !found {
			t.Errorf("colour of %s is not in the legend", m)
		}
	}
	n := 0
	for _, row := range l.keys {
		for _, it := range row {
			n++
			if !it.Line || !it.Fill {
				t.Errorf("entry %s must show line and band", it.Label)
			}
		}
	}
	if n != len(toyMethods) {
		t.Errorf("%d entries in the legend, want one a method", n)
	}
	f.NoLegend = true
	if l, _ = f.layout(); len(l.keys) != 0 {
		t.Error("NoLegend leaves a legend")
	}
	f = scatterFigure()
	l, _ = f.layout()
	if got := l.keys[len(l.keys)-1]; got[len(got)-1].Label != "Ground truth" {
		t.Errorf("last entry is %q, want the ground truth", got[len(got)-1].Label)
	}
	line := func(m string) Layer { return Line{X: []float64{0, 1}, Y: []float64{0, 1}, Style: Method(m)} }
	f = &Figure{Panels: []Panel{{Layers: []Layer{line("truth"), line("mine"), line("svgd"), line("sifg"), line("l2-gf")}}}}
	l, _ = f.layout()
	got := ""
	for _, row := range l.keys {
		for _, it := range row {
			got += it.Label + ", "
		}
	}
	if want := "L2-GF, SIFG, SVGD, Ground truth, mine, "; got != want {
		t.Errorf("legend %q, want %q", got, want)
	}
}

func TestMethodsDiffer(t *testing.T) {
	seen := map[string]string{}
	for name, s := range methods {
		if s.Label == "" {
			t.Errorf("%s has no label", name)
		}
		if name == "truth" || name == "hmc" { // both black: references
			continue
		}
		for _, k := range []string{fmt.Sprint("colour ", s.Color), fmt.Sprint("dash ", s.Dash), fmt.Sprint("mark ", s.Mark)} {
			if seen[k] != "" {
				t.Errorf("%s and %s share %s", name, seen[k], k)
			}
			seen[k] = name
		}
	}
	if a, b := Method("my-sampler"), Method("my-sampler"); !reflect.DeepEqual(a, b) || a.Label != "my-sampler" {
		t.Error("an unknown method must have a fixed style under its own name")
	}
}

func TestOddData(t *testing.T) {
	s := Method("sifg")
	cases := []struct {
		name    string
		panel   Panel
		dropped []Drop
	}{
		{"no layers", Panel{}, nil},
		{"no data", Panel{Layers: []Layer{Line{Style: s}, Scatter{}, Band{}, Path{}, Violin{}}}, nil},
		{"no data on a log axis", Panel{Y: Axis{Scale: Log}, Layers: []Layer{Line{Style: s}}}, nil},
		{"all NaN", Panel{Layers: []Layer{Line{X: []float64{1, 2}, Y: []float64{nan, inf}, Style: s}}},
			[]Drop{{0, "line SIFG", 2, 0}}},
		{"gap", Panel{Layers: []Layer{Line{X: []float64{1, 2, 3, 4}, Y: []float64{1, nan, 2, 3}}}}, []Drop{{0, "line", 1, 0}}},
		{"constant", Panel{Layers: []Layer{Line{X: []float64{1, 2}, Y: []float64{5, 5}, Style: s}}}, nil},
		{"zero", Panel{Layers: []Layer{Line{X: []float64{0, 0}, Y: []float64{0, 0}, Style: s}}}, nil},
		{"one point", Panel{Layers: []Layer{Line{X: []float64{3}, Y: []float64{-7}, Style: s}}}, nil},
		{"negative on a log axis", Panel{Y: Axis{Scale: Log}, Layers: []Layer{
			Scatter{X: []float64{1, 2, 3, 4}, Y: []float64{-1, 0, 1, 100}, Style: s}}}, []Drop{{0, "scatter SIFG", 2, 0}}},
		{"only negative on a log axis", Panel{Y: Axis{Scale: Log}, Layers: []Layer{
			Line{X: []float64{1, 2}, Y: []float64{-1, -2}}}}, []Drop{{0, "line", 2, 0}}},
		{"band below zero on a log axis", Panel{Y: Axis{Scale: Log}, Layers: []Layer{
			Line{X: []float64{1, 2}, Y: []float64{1, 2}}, Band{X: []float64{1, 2}, Lo: []float64{-1, 1}, Hi: []float64{2, 3}}}},
			[]Drop{{0, "band", 1, 0}}},
		{"outside", Panel{X: Axis{Min: 0, Max: 1}, Y: Axis{Min: 0, Max: 1}, Layers: []Layer{
			Scatter{X: []float64{0.5, 2, 1e300}, Y: []float64{0.5, 0.5, -1e300}}}}, []Drop{{0, "scatter", 0, 2}}},
		{"huge", Panel{Layers: []Layer{Line{X: []float64{0, 1}, Y: []float64{-1e307, 1e307}}}}, nil},
		{"constant violin", Panel{X: Axis{Categories: []string{"a", "b"}}, Layers: []Layer{
			Violin{At: 1, Values: []float64{2, 2, nan}}}}, []Drop{{0, "violin", 1, 0}}},
		{"one-cell heat map", Panel{Layers: []Layer{HeatMap{Grid: Grid{X: []float64{1}, Y: []float64{1}, Z: []float64{nan}}, Max: 1}}},
			[]Drop{{0, "heat map", 1, 0}}},
		{"steep log range", Panel{Y: Axis{Scale: AutoLog}, Layers: []Layer{Line{X: []float64{0, 1}, Y: []float64{1e-100, 1e100}}}}, nil},
		{"tiny range", Panel{Layers: []Layer{Line{X: []float64{0, 1}, Y: []float64{1, 1 + 1e-14}}}}, nil},
		{"reference lines", Panel{Y: Axis{Scale: AutoLog}, Layers: []Layer{
			Line{X: []float64{0, 1}, Y: []float64{1, 100}}, HLine{Y: 0.5}, HLine{Y: 1e-9}, HLine{Y: -1, Style: s}}},
			[]Drop{{0, "hline", 0, 1}, {0, "hline SIFG", 1, 0}}},
		{"half fixed", Panel{Y: Axis{Min: 0, Max: nan}, Layers: []Layer{Line{X: []float64{0, 1}, Y: []float64{1, 2}}}}, nil},
	}
	for _, c := range cases {
		f := &Figure{Panels: []Panel{c.panel}}
		img, info := render(t, f)
		checkBorder(t, c.name, img)
		if !reflect.DeepEqual(info.Dropped, c.dropped) {
			t.Errorf("%s: dropped %v, want %v", c.name, info.Dropped, c.dropped)
		}
		for _, format := range []string{"svg", "pdf"} {
			data, _, err := f.Encode(format)
			if err != nil || bytes.Contains(data, []byte("NaN")) || bytes.Contains(data, []byte("+Inf")) {
				t.Errorf("%s: %s holds a number that is none (%v)", c.name, format, err)
			}
		}
	}
}

func TestRefused(t *testing.T) {
	line := []Layer{Line{X: []float64{0, 1}, Y: []float64{0, 1}}}
	cases := map[string]*Figure{
		"needs a panel":        {},
		"2×1 places":           {Rows: 2, Cols: 1, Panels: make([]Panel, 3)},
		"no character '⁰'":     {Panels: []Panel{{Title: "10⁰", Layers: line}}},
		"no character '語'":     {Panels: []Panel{{Layers: []Layer{Text{S: "語"}}}}},
		"must be above zero":   {Panels: []Panel{{Y: Axis{Scale: Log, Min: -1, Max: 1}, Layers: line}}},
		"from 2 to 1":          {Panels: []Panel{{Y: Axis{Label: "KL", Min: 2, Max: 1}, Layers: line}}},
		"equal axes":           {Panels: []Panel{{EqualAxes: true, Y: Axis{Scale: Log}, Layers: line}}},
		"leave no room":        {Width: 1, Panels: []Panel{{Layers: line}}},
		`colour bar "KL"`:      {ColorBar: &ColorBar{Label: "KL", Min: 0, Max: 1, Log: true}, Panels: []Panel{{Layers: line}}},
		`label "from the key–`: {Legend: []Item{{Style: Style{Label: "from the key–\u0000"}}}, Panels: []Panel{{Layers: line}}},
	}
	for want, f := range cases {
		if _, _, err := f.Encode("png"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
	defer func() {
		if r := recover(); r != "figure: coordinates of a layer differ in length" {
			t.Errorf("panic %v", r)
		}
	}()
	(&Figure{Panels: []Panel{{Layers: []Layer{Line{X: []float64{1}}}}}}).Encode("png")
}

func labels(ts []Tick) string {
	var s []string
	for _, t := range ts {
		if t.Label != "" {
			s = append(s, t.Label)
		}
	}
	return strings.Join(s, " ")
}

func TestTicks(t *testing.T) {
	cases := []struct {
		a    axis
		n    int
		want string
	}{
		{axis{min: -4.6, max: 4.6}, 5, "−4 −2 0 2 4"},
		{axis{min: 0, max: 2000}, 5, "0 500 1000 1500 2000"},
		{axis{min: 0, max: 1}, 5, "0.0 0.2 0.4 0.6 0.8 1.0"},
		{axis{min: -0.3, max: 0.1}, 4, "−0.3 −0.2 −0.1 0.0 0.1"},
		{axis{min: 0, max: 3e6}, 3, "0 1×10^{6} 2×10^{6} 3×10^{6}"},
		{axis{min: 0, max: 3e-5}, 3, "0 1×10^{−5} 2×10^{−5} 3×10^{−5}"},
		{axis{min: 0.003, max: 30, log: true}, 6, "10^{−2} 10^{−1} 10^{0} 10^{1}"},
		{axis{min: 0.001, max: 1, log: true}, 6, "10^{−3} 10^{−2} 10^{−1} 10^{0}"},
		{axis{min: 0.3, max: 6, log: true}, 6, "0.5 1 2 5"},
		{axis{min: 1.2e-6, max: 9e-6, log: true}, 6, "2×10^{−6} 5×10^{−6}"},
		{axis{min: 1e-12, max: 1e12, log: true}, 6, "10^{−10} 10^{−5} 10^{0} 10^{5} 10^{10}"},
		{axis{min: 2, max: 4, log: true}, 3, "2 3 4"},
		{axis{Axis: Axis{Categories: []string{"a", "b"}}, min: -0.6, max: 1.6}, 5, "a b"},
		{axis{Axis: Axis{Ticks: []Tick{{1, "one"}, {9, "nine"}}}, min: 0, max: 2}, 5, "one"},
	}
	for _, c := range cases {
		c.a.setTicks(c.n)
		if got := labels(c.a.ticks); got != c.want {
			t.Errorf("%g to %g: ticks %q, want %q", c.a.min, c.a.max, got, c.want)
		}
	}
}

func TestScaleFollowsTheData(t *testing.T) {
	resolve := func(a Axis, hard, soft limits) axis {
		r, _, err := a.resolve(hard, soft, 0)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	auto := Axis{Scale: AutoLog}
	if !resolve(auto, limits{0.1, 10, 0.1}, none()).log {
		t.Error("a factor of 100 asks for a log axis")
	}
	if resolve(auto, limits{1, 10, 1}, none()).log || resolve(auto, limits{-0.1, 100, 0.1}, none()).log {
		t.Error("a factor of 10, or values below zero, ask for a linear axis")
	}
	if r := resolve(auto, limits{0.1, 10, 0.1}, limits{-1, 20, 1e-9}); r.min != 0.01 || r.max != 20 {
		t.Errorf("a band may widen a log axis by a decade below: got %g to %g", r.min, r.max)
	}
	if !resolve(auto, limits{0.1, 10, 0.1}, limits{-1, -1, inf}).log {
		t.Error("a reference line below zero must not decide the scale")
	}
	if r := resolve(Axis{}, limits{0, 1, 1}, limits{-1, 2, 1}); r.min != -1 || r.max != 2 {
		t.Errorf("a linear axis holds the band: got %g to %g", r.min, r.max)
	}
	if resolve(Axis{Scale: AutoLog, Min: 0, Max: nan}, limits{0.1, 10, 0.1}, none()).log {
		t.Error("an axis that starts at zero is linear")
	}
	if u := (&axis{min: 0.01, max: 100, log: true}).unit(1); math.Abs(u-0.5) > 1e-15 {
		t.Errorf("1 lies at %g between 0.01 and 100", u)
	}
}

func TestEqualAxes(t *testing.T) {
	f := scatterFigure()
	f.Panels[1].Y.Max = 2 // 10 wide, 7 high
	l, err := f.layout()
	if err != nil {
		t.Fatal(err)
	}
	for i, r := range l.areas {
		ux := float64(r.Max.X-r.Min.X) / (l.x[i].max - l.x[i].min)
		uy := float64(r.Max.Y-r.Min.Y) / (l.y[i].max - l.y[i].min)
		if math.Abs(ux/uy-1) > 1e-12 {
			t.Errorf("panel %d: a unit is %g points along x, %g along y", i, ux, uy)
		}
	}
}

func TestMarkup(t *testing.T) {
	got := markup("x_{1}·10^{−2}y", 100)
	want := []run{{"x", 100, 0}, {"1", 72, -16}, {"·10", 100, 0}, {"−2", 72, 36}, {"y", 100, 0}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if got := markup("a^{b", 10); !reflect.DeepEqual(got, []run{{"a^{b", 10, 0}}) {
		t.Errorf("markup that is not closed is text: got %v", got)
	}
}

func TestContour(t *testing.T) {
	g := NewGrid(-2, 2, -2, 2, 81, func(x, y float64) float64 { return x*x + y*y })
	lines := g.contour(1)
	if len(lines) != 1 {
		t.Fatalf("%d lines for a circle", len(lines))
	}
	if first, last := lines[0][0], lines[0][len(lines[0])-1]; first != last {
		t.Error("the circle is not closed")
	}
	for _, p := range lines[0] { // linear interpolation of r² on an edge of length h = 0.05 errs by at most h²/4 in r², half of it in r
		if r := math.Hypot(p[0], p[1]); math.Abs(r-1) > 0.05*0.05/8*1.1 {
			t.Errorf("point %v of the circle at radius %g", p, r)
		}
	}
	if n := len(g.contour(6)); n != 4 { // r² = 6 leaves the square at four sides, four corners remain
		t.Errorf("%d lines at the corners, want 4", n)
	}
	if n := len(g.contour(100)); n != 0 {
		t.Errorf("%d lines above the largest value", n)
	}
	saddle := Grid{X: []float64{0, 1}, Y: []float64{0, 1}, Z: []float64{1, 0, 0, 1}}
	if n := len(saddle.contour(0.4)); n != 2 {
		t.Errorf("%d lines of a saddle, want 2", n)
	}
	hole := Grid{X: []float64{0, 1}, Y: []float64{0, 1}, Z: []float64{1, nan, 0, 1}}
	if n := len(hole.contour(0.4)); n != 0 {
		t.Errorf("%d lines in a cell with a NaN", n)
	}
}

func TestMassLevels(t *testing.T) {
	// The region of mass m of a standard normal in two dimensions is a disc of radius² −2 log(1−m), where the density is
	// (1−m)/2π. On a grid of step h the mass of the disc is known to about its border's share, 2πr·h/2 cells of density
	// (1−m)/2π: an error of r(1−m)h/2 in m, hence r·h/2 relative in the level.
	g := NewGrid(-6, 6, -6, 6, 241, func(x, y float64) float64 { return math.Exp(-(x*x+y*y)/2) / (2 * math.Pi) })
	for _, m := range []float64{0.5, 0.9} {
		got, want := g.MassLevels(m)[0], (1-m)/(2*math.Pi)
		if tol := math.Sqrt(-2*math.Log(1-m)) * 0.05 / 2; math.Abs(got/want-1) > tol {
			t.Errorf("level of mass %g: %g, want %g within %g", m, got, want, tol)
		}
	}
}

func TestColumn(t *testing.T) {
	if got := Column([]float32{1, 2, 3, 4, 5, 6}, 3, 1); !reflect.DeepEqual(got, []float64{2, 5}) {
		t.Errorf("column 1 is %v", got)
	}
}

func TestPNGPalette(t *testing.T) {
	// two flat colours and a ramp of 256 shades, which fall into 32 cells: each is at most 7 levels from its cell's colour
	img := image.NewRGBA(image.Rect(0, 0, 256, 12))
	for x := range 256 {
		for y := range 12 {
			img.Set(x, y, [3]color.NRGBA{blue, vermillion, {uint8(x), uint8(x), uint8(x), 0xff}}[min(y/4, 2)])
		}
	}
	data, err := encodePNG(img)
	if err != nil {
		t.Fatal(err)
	}
	got, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	if _, ok := got.(*image.Paletted); !ok {
		t.Errorf("decoded as %T", got)
	}
	for x := range 256 {
		for y := range 12 {
			g, w := got.At(x, y).(color.RGBA), img.RGBAAt(x, y)
			if d := max(g.R, w.R) - min(g.R, w.R); y < 8 && (g.R != w.R || g.G != w.G || g.B != w.B) || d > 7 {
				t.Fatalf("pixel (%d, %d) is %v, want %v", x, y, g, w)
			}
		}
	}
	again, _ := encodePNG(img)
	if !bytes.Equal(data, again) {
		t.Error("other bytes the second time")
	}
}

func TestSVGNamesOtherFonts(t *testing.T) {
	data, _, err := curveFigure().Encode("svg")
	if err != nil || !bytes.Contains(data, []byte("font-family:Liberation Sans,Arimo,Arial,Helvetica,sans-serif")) {
		t.Errorf("no fallback fonts in the SVG (%v)", err)
	}
}

func TestPDFColoursAreNotPremultiplied(t *testing.T) {
	r, g, b, a := straight(color.NRGBA{200, 100, 50, 51}).RGBA()
	if r>>8 != 200 || g>>8 != 100 || b>>8 != 50 || a>>8 != 51 {
		t.Errorf("got %d %d %d %d", r>>8, g>>8, b>>8, a>>8)
	}
}
