package authors

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/semi-implicit/sifg/pkg/harness/internal/safe"
	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/sifg/rng"
)

// curves returns curves at the checkpoints, one a seed.
func curves(at []int, values ...[]float64) (out []record.Curve) {
	for i, v := range values {
		out = append(out, record.Curve{Seed: uint64(i + 1), Iteration: at, Value: v})
	}
	return out
}

// numbers are those of curves, as a file has them.
func numbers(figure, problem, method, metric string, of []record.Curve) (out []Number) {
	for _, c := range of {
		for k, at := range c.Iteration {
			out = append(out, Number{
				Figure: figure, Problem: problem, Method: method, Seed: c.Seed, Iteration: uint64(at), Metric: metric,
				Value: c.Value[k], Seconds: 1, Processor: "some",
			})
		}
	}
	return out
}

// ours is a set with curves of one method.
func ours(problem, method, metric string, of []record.Curve) *record.Set {
	s := &record.Set{Traces: map[string][]record.Trace{}}
	for _, c := range of {
		key := fmt.Sprint(problem, method, c.Seed)
		s.Trials = append(s.Trials,
			record.Trial{Key: key, Problem: problem, Method: method, Seed: c.Seed, Status: record.StatusOK})
		for k, at := range c.Iteration {
			row := record.Trace{Key: key, Iteration: at, Metric: metric, Value: c.Value[k]}
			s.Traces[key] = append(s.Traces[key], row)
		}
	}
	return s
}

// TestByHand: areas, differences and p-values of curves that are worked out by hand. The start does not count, nor do
// checkpoints that one side lacks.
func TestByHand(t *testing.T) {
	one := []float64{9, 1, 1, 1, 7}
	script := curves([]int{0, 10, 20, 40, 50}, one, one, one)
	mine := curves([]int{0, 10, 20, 40}, []float64{5, 2, 2, 0}, []float64{5, 2, 2, 0}, []float64{5, 2, 2, 0})
	rows := Compare(set(numbers("Figure 3 left", "gmm-10d", "m", "knn-kl", script)),
		[]*record.Set{ours("gmm-10d", "m", "knn-kl", mine)})
	if len(rows) != 1 {
		t.Fatalf("%d rows", len(rows))
	}
	r := rows[0]
	// Weights 1/6, 1/2, 1/3. Gaps 1, 1, −1. Both ways to part equal curves have the area, of 20.
	area := r.test.areas(r.test.curves)[0]
	if math.Abs(area-1) > 1e-15 || math.Abs(r.Difference-1.0/3) > 1e-15 || r.P != 0.1 || r.Holm != 0.1 || r.Differs {
		t.Errorf("area %g, %+v", area, r)
	}
	if !math.IsNaN(r.Sees) {
		t.Errorf("with p of at least 0.1 a curve is told that is %g away", r.Sees)
	}

	at := []int{2000}
	script, mine = curves(at, []float64{1}, []float64{3}), curves(at, []float64{5}, []float64{6}, []float64{7})
	rows = Compare(set(numbers("Table 1", "wine", "sgld", "test-nll", script)),
		[]*record.Set{ours("wine", "sgld", "test-nll", mine)})
	r = rows[0]
	se := math.Sqrt(4.0 / 3 * (1.0/2 + 1.0/3)) // squares 2 and 2 with three degrees of freedom
	if r.Difference != 4 || math.Abs(r.Sees-4.1416*se) > 1e-12 || !r.Differs || r.Curve {
		t.Errorf("%+v", r)
	}
	if half := 3.182446 * se; math.Abs(r.To-4-half) > 1e-5 || math.Abs(4-r.From-half) > 1e-5 {
		t.Errorf("interval %g to %g, want 4 ± %g", r.From, r.To, half)
	}
	if math.Abs(r.P-0.0320) > 5e-4 { // of t = 3.795 with three degrees of freedom
		t.Errorf("p = %g", r.P)
	}
}

// wandering returns n curves about a level: each has a level of its own, and noise that wanders.
func wandering(r *rng.Stream, n int, level float64) (out []record.Curve) {
	for seed := range n {
		c := record.Curve{Seed: uint64(seed + 1)}
		own, v := 0.1*r.NormFloat64(), 0.0
		for at := range 20 {
			v = float64(0.7*v) + float64(0.1*r.NormFloat64())
			c.Iteration, c.Value = append(c.Iteration, 10*(at+1)), append(c.Value, level+own+v)
		}
		out = append(out, c)
	}
	return out
}

// TestRates: of equal curves the test tells about 5 %, and at the difference that it says it sees about 80 %, with ten
// seeds and five. The bounds are three standard deviations of the share, and for the second 0.05 more, since Sees is an
// estimate.
func TestRates(t *testing.T) {
	const times = 100
	share := func(name string, shift float64) (differ, sees float64) {
		r := rng.New(7, name)
		for range times {
			theirs := set(numbers("Figure 3 left", "gmm-10d", "m", "knn-kl", wandering(r, 10, 0)))
			row := Compare(theirs, []*record.Set{ours("gmm-10d", "m", "knn-kl", wandering(r, 5, shift))})[0]
			sees += row.Sees / times
			if row.Differs {
				differ += 1.0 / times
			}
		}
		return differ, sees
	}
	sd := func(p float64) float64 { return math.Sqrt(p * (1 - p) / times) }
	alarms, sees := share("equal", 0)
	if math.Abs(alarms-0.05) > 3*sd(0.05) {
		t.Errorf("of equal curves %.3f differ", alarms)
	}
	if told, _ := share("apart", sees); math.Abs(told-0.8) > 0.05+3*sd(0.8) {
		t.Errorf("of curves that are %.3f apart %.3f differ, want 0.8", sees, told)
	}
}

// TestLost: runs with a number that is not finite are counted on their side and left out.
func TestLost(t *testing.T) {
	at := []int{2000}
	script := curves(at, []float64{1}, []float64{math.NaN()}, []float64{3})
	all := curves(at, []float64{2}, []float64{math.Inf(1)}, []float64{2.5}, []float64{3})
	released := ours("meg-10", "m", "amari-median", all)
	released.Trials[3].Status = record.StatusDiverged
	theirs := set(numbers("Figure 4 left", "meg-10", "m", "amari-median", script))
	r := Compare(theirs, []*record.Set{released})[0]
	if r.ScriptLost != 1 || r.OursLost != 2 || len(r.Script) != 2 || len(r.Ours) != 2 {
		t.Errorf("%+v", r)
	}
	same := r
	same.ScriptLost, same.OursLost, same.Method = 0, 0, "agreeing"
	text := Table([]Row{r, same}, false).Markdown()
	if !strings.Contains(text, "failed runs: theirs 1, ours 2") || strings.Contains(text, same.Method) ||
		!strings.Contains(text, "1 last values") {
		t.Errorf("the table does not tell lost runs, or all that agree:\n%s", text)
	}
	if text = Table([]Row{r, same}, true).Markdown(); !strings.Contains(text, same.Method) {
		t.Errorf("not all rows:\n%s", text)
	}
}

// TestRead: what was written is read; no file is no numbers; damage names the file.
func TestRead(t *testing.T) {
	dir := t.TempDir()
	if got, err := Read(dir); got != nil || err != nil {
		t.Errorf("of nothing: %v, %v", got, err)
	}
	want := numbers("Table 1", "p", "m", "test-nll", curves([]int{1, 2}, []float64{1, 2}, []float64{3, math.Inf(1)}))
	b := must(record.Encode(want))
	file := filepath.Join(dir, "authors", "numbers.parquet")
	must(0, os.Mkdir(filepath.Dir(file), 0o777))
	digest := fmt.Sprintf("%x  numbers.parquet\n", sha256.Sum256(b))
	err1 := os.WriteFile(file, b, 0o666)
	err2 := os.WriteFile(filepath.Join(dir, "authors", "numbers.sha256"), []byte(digest), 0o666)
	must(0, errors.Join(err1, err2))
	if got, err := Read(dir); err != nil || !reflect.DeepEqual(got, set(want)) {
		t.Errorf("%v, %v", got, err)
	}
	b[len(b)/2]++
	must(0, os.WriteFile(file, b, 0o666))
	if _, err := Read(dir); !errors.Is(err, safe.ErrDamaged) || !strings.Contains(err.Error(), file) {
		t.Errorf("of a file with another byte: %v", err)
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
