package diagnose_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/semi-implicit/sifg/pkg/sifg"
	"github.com/semi-implicit/sifg/pkg/sifg/diagnose"
	"github.com/semi-implicit/sifg/pkg/sifg/rng"
	"github.com/semi-implicit/sifg/pkg/sifg/target"
)

// ring is a target whose score can be spoilt: its log density is −2(‖x‖² − 1)².
type ring struct{ fault string }

func (ring) Dim() int { return 2 }

func (r ring) Score(dst, x sifg.Batch, _ int) {
	for i := range x.Rows {
		a, b := x.Data[2*i], x.Data[2*i+1]
		f := -8 * (a*a + b*b - 1)
		dst.Data[2*i], dst.Data[2*i+1] = f*a, f*b
		switch r.fault {
		case "sign":
			dst.Data[2*i+1] *= -1
		case "factor":
			dst.Data[2*i] *= 1.01
		case "rows":
			dst.Data[2*i] += 1e-2 * (x.Data[0] - a)
		case "nan":
			dst.Data[2*i] = float32(math.NaN())
		case "input":
			x.Data[2*i] = 0
		}
	}
	if r.fault == "gap" && x.Rows > 1 {
		dst.Data[2*x.Rows-1] = float32(math.NaN()) // what it held before
	}
}

func ringLog(x []float64) float64 {
	s := x[0]*x[0] + x[1]*x[1] - 1
	return -2 * s * s
}

func normals(n, d int) sifg.Batch {
	x := sifg.NewBatch(n, d)
	rng.New(1, "points").Normal(x.Data)
	return x
}

// TestScore: a right score passes, and each way to be wrong is named.
func TestScore(t *testing.T) {
	for fault, words := range map[string]string{
		"":       "",
		"sign":   "coordinate 1",
		"factor": "coordinate 0",
		"rows":   "coordinate 0",
		"nan":    "NaN",
		"gap":    "row 19, coordinate 1",
		"input":  "changed x",
	} {
		err := diagnose.Score(ring{fault}, ringLog, normals(20, 2))
		if (err == nil) != (words == "") || err != nil && !strings.Contains(err.Error(), words) {
			t.Errorf("fault %q: %v, want %q", fault, err, words)
		}
	}
	if err := diagnose.Score(ring{}, ringLog, normals(20, 3)); err == nil || !strings.Contains(err.Error(), "20×3") {
		t.Errorf("points of another dimension: %v", err)
	}
}

// A dependence on the other rows alone, too small for the difference quotient to see, is found too.
func TestRowsAlone(t *testing.T) {
	err := diagnose.Score(leaning{}, func(x []float64) float64 { return -x[0] * x[0] / 2 }, normals(20, 1))
	if err == nil || !strings.Contains(err.Error(), "must not depend on other rows") {
		t.Error(err)
	}
}

// leaning is N(0, 1), its score off by a little that depends on the number of rows.
type leaning struct{}

func (leaning) Dim() int { return 1 }

func (leaning) Score(dst, x sifg.Batch, _ int) {
	for i, v := range x.Data {
		dst.Data[i] = -v + 5e-4*float32(min(x.Rows-1, 1))
	}
}

// The library's own densities pass.
func TestOwnDensities(t *testing.T) {
	for _, e := range target.Table {
		p := e.New()
		x := sifg.NewBatch(50, p.Dim())
		p.Sample(x, rng.New(2, "points"))
		if err := diagnose.Score(p, p.LogDensity, x); err != nil {
			t.Errorf("%s: %v", e.Name, err)
		}
	}
}

// A test of one's own target: its log density is written once more, in float64, and compared at points around its mass.
func ExampleScore() {
	points := sifg.NewBatch(100, 2)
	rng.New(1, "points").Normal(points.Data)
	fmt.Println(diagnose.Score(ring{}, ringLog, points))
	// Output: <nil>
}
