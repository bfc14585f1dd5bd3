package ucibnn

import (
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/dataset"
	"github.com/semi-implicit/sifg/pkg/harness/settings"
	"github.com/semi-implicit/sifg/pkg/sifg"
	"github.com/semi-implicit/sifg/pkg/sifg/rng"
)

// library has the published files; the test is skipped where they are not here.
func library(t *testing.T, names ...string) *dataset.Library {
	t.Helper()
	l, err := dataset.Open(dataset.Options{Cache: "../../datasets/cache", Mirror: os.Getenv("SIFG_DATASETS_MIRROR")})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		if err := l.Absent(name); err != nil {
			t.Skip(err)
		}
	}
	return l
}

type golden struct {
	train, aside, test int
	constant, ols, nll float64
}

// The sizes that the released scripts work with, and test RMSE and NLL of the trivial predictors on those rows as an
// independent computation gave them.
var released = map[string]golden{
	"boston":   {409, 46, 51, 6.982, 3.712, 2.784},
	"concrete": {834, 93, 103, 14.782, 11.236, 3.846},
	"diabetes": {622, 69, 77, 0.4773, 0.3826, 0.4607},
	"power":    {8111, 500, 957, 17.282, 4.377, 2.898},
	"protein":  {11689, 500, 1354, 6.088, 5.188, 3.065},
	"wine":     {1295, 144, 160, 0.4962, 0.4223, 0.5571},
}

func TestReleasedSplits(t *testing.T) {
	for name, want := range released {
		t.Run(name, func(t *testing.T) { releasedSplit(t, name, want) })
	}
}

func releasedSplit(t *testing.T, name string, want golden) {
	d, err := library(t, name).Load(name)
	if err != nil {
		t.Fatal(err)
	}
	r, err := divide(d, "released", "overlap", 1)
	if err != nil {
		t.Fatal(err)
	}
	if len(r.train) != want.train || len(r.dev) != want.aside || len(r.test) != want.test {
		t.Errorf("%s: %d, %d, %d rows, want %+v", name, len(r.train), len(r.dev), len(r.test), want)
	}
	if !slices.Equal(r.dev, r.train[want.train-want.aside:]) {
		t.Errorf("%s: the overlapping development part is not the end of the training part", name)
	}
	held, err := divide(d, "released", "holdout", 1)
	if err != nil {
		t.Fatal(err)
	}
	disjoint(t, name, d.Rows, held)
	p, err := prepare(d, "released", "overlap", 1)
	if err != nil {
		t.Fatal(err)
	}
	constant, ols := p.trivial()
	for what, v := range map[string][3]float64{ // the printed digits
		"constant RMSE": {constant[0], want.constant, 6e-4}, "OLS RMSE": {ols[0], want.ols, 6e-4}, "OLS NLL": {ols[1], want.nll, 6e-4},
	} {
		if math.Abs(v[0]-v[1]) > v[2] {
			t.Errorf("%s: %s %.4f, want %.4f", name, what, v[0], v[1])
		}
	}
}

// disjoint checks that the parts share no row and leave none out.
func disjoint(t *testing.T, name string, n int, r rows) {
	t.Helper()
	all := slices.Concat(r.train, r.dev, r.test)
	slices.Sort(all)
	if len(all) != n || len(slices.Compact(all)) != n {
		t.Errorf("%s: the parts have %d rows, want each of %d once", name, len(all), n)
	}
}

// rowsOf is a data set of n rows: two features, a constant one, and their sum.
func rowsOf(n int) *dataset.Data {
	d := &dataset.Data{Name: "made", Columns: []string{"a", "b", "constant", "sum"}, Rows: n, Cols: 4, Target: 3}
	r := rng.New(1, "made")
	for range n {
		a, b := r.NormFloat64(), 5+2*r.NormFloat64()
		d.X = append(d.X, a, b, 7, a+b)
	}
	return d
}

func TestSplits(t *testing.T) {
	d := rowsOf(100)
	for i := range 3 {
		d.Splits = append(d.Splits, dataset.Split{Train: shuffled(100, rng.New(uint64(i), "x"))[:80], Test: []int{i}})
	}
	one, err := divide(d, "random", "holdout", 1)
	if err != nil {
		t.Fatal(err)
	}
	disjoint(t, "random", 100, one)
	if len(one.test) != 10 || len(one.dev) != 9 {
		t.Errorf("a random split has %d test and %d development rows, want 10 and 9", len(one.test), len(one.dev))
	}
	two, _ := divide(d, "random", "holdout", 2)
	if again, _ := divide(d, "random", "holdout", 1); !slices.Equal(again.train, one.train) || slices.Equal(two.train, one.train) {
		t.Error("a random split does not follow the seed")
	}
	for seed, want := range map[uint64]int{1: 0, 3: 2} {
		s, err := divide(d, "standard", "holdout", seed)
		if err != nil {
			t.Fatal(err)
		}
		both := slices.Concat(s.train, s.dev)
		slices.Sort(both)
		published := slices.Clone(d.Splits[want].Train)
		slices.Sort(published)
		if !slices.Equal(s.test, []int{want}) || !slices.Equal(both, published) || len(s.dev) != 8 {
			t.Errorf("seed %d: not the published split %d", seed, want)
		}
	}
}

func TestPrepare(t *testing.T) {
	r, err := prepare(rowsOf(200), "random", "holdout", 3)
	if err != nil {
		t.Fatal(err)
	}
	n, d := r.train.x.Dims()
	if d != 3 {
		t.Fatalf("%d features, want 3", d)
	}
	for j := range d {
		x := make([]float64, n)
		for i := range n {
			x[i] = r.train.x.At(i, j)
		}
		mean, sd := meanSD(x)
		want := 1.0
		if j == 2 {
			want = 0 // constant
		}
		if math.Abs(mean) > 1e-12 || math.Abs(sd-want) > 1e-12 {
			t.Errorf("feature %d has mean %g and standard deviation %g", j, mean, sd)
		}
	}
	constant, ols := r.trivial() // the target is linear in the features, so least squares is exact but for rounding
	if ols[0] > 1e-10 || constant[0] < 1 {
		t.Errorf("RMSE of least squares %g, of a constant %g", ols[0], constant[0])
	}
}

func TestDataRefusals(t *testing.T) {
	flat, none := rowsOf(100), rowsOf(100)
	for i := range flat.Rows {
		flat.X[i*4+3] = 2
	}
	none.Target = -1
	for want, f := range map[string]func() error{
		"is constant":             func() error { _, err := prepare(flat, "random", "holdout", 1); return err },
		"no target":               func() error { _, err := prepare(none, "random", "holdout", 1); return err },
		"too few":                 func() error { _, err := prepare(rowsOf(12), "random", "holdout", 1); return err },
		"no permutation":          func() error { _, err := prepare(rowsOf(99), "released", "holdout", 1); return err },
		"no standard splits":      func() error { _, err := prepare(rowsOf(99), "standard", "holdout", 1); return err },
		"options.split: \"rand\"": func() error { return checkWith(map[string]any{"split": "rand"}) },
		"options.repeats":         func() error { return checkWith(map[string]any{"repeats": -1}) },
		"options.hidden":          func() error { return checkWith(map[string]any{"hidden": 0}) },
		"\"btach\"":               func() error { return checkWith(map[string]any{"btach": 1}) },
	} {
		if err := f(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v; want %q", err, want)
		}
	}
}

func checkWith(options map[string]any) error {
	return check(&harness.Trial{Config: settings.Config{Data: "made", Options: options}})
}

// TestSplitsWhenPlanned: a plan is refused where a data set lacks the split that a seed asks for.
func TestSplitsWhenPlanned(t *testing.T) {
	d := rowsOf(100)
	for range 3 {
		d.Splits = append(d.Splits, dataset.Split{Train: shuffled(100, rng.New(1, "x"))[:90], Test: []int{1, 2}})
	}
	for _, c := range []struct {
		split string
		seed  uint64
		want  string
	}{
		{"standard", 1, ""}, {"standard", 3, ""}, {"standard", 4, "seed 4: data set made has 3 " +
			"standard splits"}, {"standard", 0, "want seeds from 1 to 3"},
		{"released", 1, "take the protocol matched"}, {"random", 4, ""},
	} {
		err := check(small(c.seed, map[string]any{"split": c.split}, d))
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s, seed %d: %v, want %q", c.split, c.seed, err, c.want)
		}
	}
}

func small(seed uint64, options map[string]any, d *dataset.Data) *harness.Trial {
	return &harness.Trial{
		Seed:   seed,
		Config: settings.Config{Data: d.Name, Particles: 6, Iterations: 4, Options: options},
		Data:   func() (*dataset.Data, error) { return d, nil },
	}
}

// Fewer rows than a mini-batch make a mini-batch; the start follows Options.Lambda; the last checkpoint has every metric.
func TestTrial(t *testing.T) {
	lambdas := map[string]int{"shared": 1, "prior": 6}
	for lambda, distinct := range lambdas {
		p, err := build(small(1, map[string]any{"lambda": lambda, "hidden": 3, "repeats": 2}, rowsOf(60)))
		if err != nil {
			t.Fatal(err)
		}
		flow, err := sifg.New(sifg.Config{Sampler: "sifg", Hidden: 4})
		if err != nil {
			t.Fatal(err)
		}
		c, err := flow.Start(p.Target, 6, 1, p.Init)
		if err != nil {
			t.Fatal(err)
		}
		var last []float32
		for i := range c.Z.Rows {
			last = append(last, c.Z.Data[(i+1)*c.Z.Cols-1])
		}
		slices.Sort(last)
		if got := len(slices.Compact(last)); got != distinct {
			t.Errorf("lambda %s: %d different values of log λ, want %d", lambda, got, distinct)
		}
		seen := map[string]int{}
		for range 4 {
			if _, err := flow.Step(c); err != nil {
				t.Fatal(err)
			}
		}
		p.Measure(c, c.Z, func(name string, _ int, v float64) {
			seen[name]++
			if math.IsNaN(v) || math.IsInf(v, 0) {
				t.Errorf("%s is %g", name, v)
			}
		})
		for name, n := range map[string]int{"rmse": 1, "m5": 1, "test-rmse": 1, "test-nll": 1, "dev-rmse": 1, "dev-nll": 1, "repeat-rmse": 2} {
			if seen[name] != n {
				t.Errorf("%s was put %d times, want %d", name, seen[name], n)
			}
		}
	}
}
