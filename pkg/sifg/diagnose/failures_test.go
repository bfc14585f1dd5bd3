package diagnose

import (
	"context"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/semi-implicit/sifg/pkg/sifg"
	"github.com/semi-implicit/sifg/pkg/sifg/rng"
	"github.com/semi-implicit/sifg/pkg/sifg/target"
)

// failure is runs of sifg.Default("sifg", d, 500) that come out wrong, and what is said of them; "": nothing is.
type failure struct {
	d     int
	score func(dst, x []float64)
	start [2]float32 // added to the first coordinate of the start of each run
	split bool       // of every other particle subtracted

	summary string // by Summarize of one run
	watch   string // by Watch
	both    string // by Summarize of both runs, of their agreement
}

// failures has the rows of the table in docs/library.md.
var failures = map[string]failure{
	"the gradient has the wrong sign": {
		d:       2,
		score:   func(dst, x []float64) { dst[0], dst[1] = x[0], x[1] },
		summary: "wrong sign",
		watch:   "has not converged",
	},
	"one coordinate is 1000 wide, the other 1": {
		d:       2,
		score:   func(dst, x []float64) { dst[0], dst[1] = -x[0]/1e6, -x[1] },
		summary: "Coordinate 0 has not spread",
		watch:   "has not converged",
	},
	"centred hierarchy, 15-D: a funnel": {
		d:       15,
		score:   centred,
		summary: "non-centred",
		watch:   "has not converged",
	},
	"banana, stopped early": {
		d: 2,
		score: func(dst, x []float64) {
			e := x[1] - x[0]*x[0]/2 + 2
			dst[0], dst[1] = -x[0]/4+e*x[0], -e
		},
		watch: "may not have converged",
	},
	"Cauchy, stopped early": {
		d: 2,
		score: func(dst, x []float64) {
			r := 1 + x[0]*x[0] + x[1]*x[1]
			dst[0], dst[1] = -3*x[0]/r, -3*x[1]/r
		},
		summary: "heavy tails",
		watch:   "has not converged",
	},
	"two modes, each run in another": {
		d:     2,
		score: twoModes,
		start: [2]float32{6, -6},
		both:  "do not agree",
	},
	"two modes, half of the initial particles in each": {
		d:       2,
		score:   twoModes,
		start:   [2]float32{6, 6},
		split:   true,
		summary: "separate lumps",
	},
	"two modes, all runs in one": {
		d:     2,
		score: twoModes,
		start: [2]float32{6, 6},
	},
}

// centred is the score of fourteen coordinates N(0, exp v) with v ~ N(0, 9).
func centred(dst, x []float64) {
	v, w := x[0], math.Exp(-x[0])
	dst[0] = -v / 9
	for j, y := range x[1:] {
		dst[j+1] = -y * w
		dst[0] += y*y*w/2 - 0.5
	}
}

// twoModes is the score of two normal laws at ±6 of the first coordinate.
func twoModes(dst, x []float64) { dst[0], dst[1] = -x[0]+6*math.Tanh(6*x[0]), -x[1] }

// run returns one of the two runs, and what Watch says of it.
func (f failure) run(t *testing.T, k int) (*sifg.Cloud, string) {
	t.Helper()
	var w Watch
	o := sifg.Options{Particles: 500, Iterations: 1000, Seed: uint64(1 + k), Every: 25, Callback: w.Look}
	o.Init = func(dst sifg.Batch, r *rng.Stream) {
		r.Normal(dst.Data)
		for i := range dst.Rows {
			dst.Data[i*f.d] += f.start[k]
			if f.split && i%2 == 0 {
				dst.Data[i*f.d] -= 2 * f.start[k]
			}
		}
	}
	p := struct{ sifg.Target }{target.NewFunc(f.d, nothing, f.score)} // it shows no log density
	flow, err := sifg.New(sifg.Default("sifg", f.d, 500))
	if err != nil {
		t.Fatal(err)
	}
	c, err := sifg.Run(context.Background(), flow, p, o)
	if err != nil {
		t.Fatal(err)
	}
	return c, strings.Join(w.Warnings(), " ")
}

// TestFailures: what can be seen is said with its likely cause, what cannot is named by the sentence that is always
// there, and docs/library.md says which is which.
func TestFailures(t *testing.T) {
	if testing.Short() {
		t.Skip("two runs of each failure: a quarter of a minute")
	}
	document, err := os.ReadFile("../../../docs/library.md")
	if err != nil {
		t.Fatal(err)
	}
	rows := map[string][]string{}
	for line := range strings.Lines(string(document)) {
		if cells := strings.Split(line, " | "); len(cells) == 4 {
			rows[strings.TrimPrefix(cells[0], "| ")] = cells
		}
	}
	for name, f := range failures {
		t.Run(name, func(t *testing.T) { f.check(t, rows[name]) })
	}
}

// check compares what is said of two runs with what should be, and with the row of docs/library.md.
func (f failure) check(t *testing.T, row []string) {
	t.Helper()
	c, moved := f.run(t, 0)
	other, _ := f.run(t, 1)
	alone, both := Summarize(c), Summarize(c, other)
	disagree := ""
	for _, w := range both.Warnings {
		if strings.HasPrefix(w, "The 2 runs do not agree") {
			disagree = w
		}
	}
	said := strings.Join(alone.Warnings, " ")
	if said == "" && !strings.Contains(alone.String(), "Not detected by this: modes without particles") {
		t.Error("what is not seen is not said")
	}
	for i, x := range [][3]string{
		{"Summarize", said, f.summary},
		{"Watch", moved, f.watch},
		{"Summarize of both", disagree, f.both},
	} {
		if x[2] == "" && x[1] != "" || !strings.Contains(x[1], x[2]) {
			t.Errorf("%s: %q, want %q", x[0], x[1], x[2])
		}
		if row == nil || strings.HasPrefix(row[1+i], "–") != (x[1] == "") {
			t.Errorf("docs/library.md has %q, and %s says %q", row, x[0], x[1])
		}
	}
}
