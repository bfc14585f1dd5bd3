package page

import (
	"encoding/xml"
	"io"
	"net/url"
	"strings"
	"testing"

	"github.com/semi-implicit/sifg/pkg/harness/figure"
)

func TestCompactPath(t *testing.T) {
	for in, want := range map[string]string{
		"M0,0L396.85,0L396.85,212.6L0,212.6Z": "M0 0l396.9 0 0 212.6-396.9 0z",
		"M1,1L1.04,1.02L1.26,1L1.3,1":         "M1 1l0 0 .3 0",        // shorter than a tenth: left out, but a dot stays a dot
		"M1,1L2,1ZL3,3":                       "M1 1l1 0zl2 2",        // closing goes back to the beginning
		"M5,5L6,6M7,7L7,9":                    "M5 5l1 1M7 7l0 2",     // two pieces
		"M0,0A1,1 0 0 1 2,2":                  "M0,0A1,1 0 0 1 2,2",   // arcs stay
		"M-1.5,-0.5L-2.5,0.5":                 "M-1.5-.5l-1 1",        // signs part numbers
		"M1,1L2,2L3,3,4,4":                    "M1 1l1 1 1 1 1 1",     // one command, several pairs
		"M0.04,0L0.08,0L0.12,0L0.16,0L10,0":   "M0 0l.1 0 .1 0 9.8 0", // rounding does not add up: the end is at 10
	} {
		if got := compactPath(in); got != want {
			t.Errorf("%s becomes %s, want %s", in, got, want)
		}
	}
}

// TestCompact: a drawing is still well-formed, with its texts and every style, and much smaller.
func TestCompact(t *testing.T) {
	x, y := make([]float64, 300), make([]float64, 300)
	for i := range x {
		x[i], y[i] = float64(i), 1/(1+float64(i))
	}
	f := figure.Figure{Panels: []figure.Panel{{X: figure.Axis{Label: "iteration"}, Layers: []figure.Layer{
		figure.Line{X: x, Y: y, Style: figure.Method("sifg")}, figure.Line{X: x, Y: x, Style: figure.Method("svgd")},
	}}}}
	data, _, err := f.Encode("svg")
	if err != nil {
		t.Fatal(err)
	}
	small := compact(string(data))
	if 2*len(small) > len(data) {
		t.Errorf("%d bytes of %d", len(small), len(data))
	}
	d := xml.NewDecoder(strings.NewReader(small))
	for {
		if _, err := d.Token(); err == io.EOF {
			break
		} else if err != nil {
			t.Fatal(err)
		}
	}
	for _, want := range []string{">iteration<", ">SVGD<", "stroke:#0072B2", "viewBox="} {
		if !strings.Contains(small, want) {
			t.Errorf("it lacks %s", want)
		}
	}
	back, err := url.PathUnescape(percent.Replace(small))
	if err != nil || strings.Join(strings.Fields(back), " ") != strings.Join(strings.Fields(strings.ReplaceAll(small, `"`, "'")), " ") {
		t.Errorf("another drawing comes out of the address (%v)", err)
	}
}
