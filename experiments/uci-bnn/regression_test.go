package ucibnn

import (
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/dataset"
	"github.com/semi-implicit/sifg/pkg/harness/settings"
	"github.com/semi-implicit/sifg/pkg/sifg"
	"github.com/semi-implicit/sifg/pkg/sifg/rng"
)

// TestReleasedSplits: the sizes that the released scripts work with, and RMSE and NLL of the trivial predictors on
// those rows as an independent computation gave them. It is skipped where the published files are not here.
func TestReleasedSplits(t *testing.T) {
	l, err := dataset.Open(dataset.Options{Cache: "../../datasets/cache", Mirror: os.Getenv("SIFG_DATASETS_MIRROR")})
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]struct {
		train, aside, test int
		constant, ols, nll float64
	}{
		"boston":   {409, 46, 51, 6.982, 3.712, 2.784},
		"concrete": {834, 93, 103, 14.782, 11.236, 3.846},
		"diabetes": {622, 69, 77, 0.4773, 0.3826, 0.4607},
		"power":    {8111, 500, 957, 17.282, 4.377, 2.898},
		"protein":  {11689, 500, 1354, 6.088, 5.188, 3.065},
		"wine":     {1295, 144, 160, 0.4962, 0.4223, 0.5571},
	} {
		t.Run(name, func(t *testing.T) {
			if err := l.Absent(name); err != nil {
				t.Skip(err)
			}
			d, err := l.Load(name)
			if err != nil {
				t.Fatal(err)
			}
			r := divided(t, d, "released", "overlap", 1)
			if len(r.train) != want.train || len(r.test) != want.test ||
				!slices.Equal(r.dev, r.train[want.train-want.aside:]) {
				t.Errorf("%d, %d, %d rows, want %+v, the development part being the end of the training part",
					len(r.train), len(r.dev), len(r.test), want)
			}
			disjoint(t, d.Rows, divided(t, d, "released", "holdout", 1))
			p, err := prepare(d, "released", "overlap", 1)
			if err != nil {
				t.Fatal(err)
			}
			constant, ols := p.trivial()
			for what, v := range map[string][2]float64{
				"constant RMSE": {constant[0], want.constant},
				"OLS RMSE":      {ols[0], want.ols},
				"OLS NLL":       {ols[1], want.nll},
			} {
				if math.Abs(v[0]-v[1]) > 6e-4 { // the printed digits
					t.Errorf("%s %.4f, want %.4f", what, v[0], v[1])
				}
			}
		})
	}
}

func divided(t *testing.T, d *dataset.Data, how, dev string, seed uint64) rows {
	t.Helper()
	r, err := divide(d, how, dev, seed)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// disjoint checks that the parts share no row and leave none out.
func disjoint(t *testing.T, n int, r rows) {
	t.Helper()
	all := slices.Concat(r.train, r.dev, r.test)
	slices.Sort(all)
	if len(all) != n || len(slices.Compact(all)) != n {
		t.Errorf("the parts have %d rows, want each of %d once", len(all), n)
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
	random := func(seed uint64) rows { return divided(t, d, "random", "holdout", seed) }
	one, two, again := random(1), random(2), random(1)
	disjoint(t, 100, one)
	if len(one.test) != 10 || len(one.dev) != 9 || !slices.Equal(again.train, one.train) ||
		slices.Equal(two.train, one.train) {
		t.Errorf("%d test and %d development rows, want 10 and 9; or the split does not follow the seed",
			len(one.test), len(one.dev))
	}
}

func TestPrepare(t *testing.T) {
	r, err := prepare(rowsOf(200), "random", "holdout", 3)
	if err != nil {
		t.Fatal(err)
	}
	for j, want := range []float64{1, 1, 0} { // the third is constant
		mean, sd := meanSD(mat.Col(nil, j, r.train.x))
		if math.Abs(mean) > 1e-12 || math.Abs(sd-want) > 1e-12 {
			t.Errorf("feature %d has mean %g and standard deviation %g", j, mean, sd)
		}
	}
	constant, ols := r.trivial() // the target is linear in the features, so least squares is exact but for rounding
	if _, d := r.train.x.Dims(); d != 3 || ols[0] > 1e-10 || constant[0] < 1 {
		t.Errorf("%d features; RMSE of least squares %g, of a constant %g", d, ols[0], constant[0])
	}
}

// TestRefusals: data that cannot be used, and wrong options.
func TestRefusals(t *testing.T) {
	flat, none, tiny := rowsOf(100), rowsOf(100), rowsOf(100)
	for i := range flat.Rows {
		flat.X[i*4+3] = 2
		tiny.X[i*4] *= 1e-170
	}
	none.Target = -1
	prepared := func(d *dataset.Data, how string) error { _, err := prepare(d, how, "holdout", 1); return err }
	checked := func(key string, value any) error { return check(small(1, map[string]any{key: value}, rowsOf(100))) }
	for _, c := range []struct {
		err  error
		want string
	}{
		{prepared(flat, "random"), "is constant"},
		{prepared(tiny, "random"), "is beyond float64: change its unit"},
		{prepared(none, "random"), "no target"},
		{prepared(rowsOf(12), "random"), "too few"},
		{prepared(rowsOf(99), "released"), "no permutation"},
		{checked("split", "rand"), "options.split: \"rand\""},
		{checked("repeats", -1), "options.repeats"},
		{checked("hidden", 0), "options.hidden"},
		{checked("hiden", 1), "\"hiden\""},
		{checked("split", "released"), "take the protocol tuned"},
	} {
		if c.err == nil || !strings.Contains(c.err.Error(), c.want) {
			t.Errorf("%v; want %q", c.err, c.want)
		}
	}
}

func small(seed uint64, options map[string]any, d *dataset.Data) *harness.Trial {
	return &harness.Trial{
		Seed: seed, Config: &settings.Config{Data: d.Name, Particles: 6, Iterations: 4, Options: options},
		Data: func() (*dataset.Data, error) { return d, nil },
	}
}

// TestTrial: fewer rows than a mini-batch make a mini-batch; the start follows Options.Lambda; the last checkpoint has
// every metric.
func TestTrial(t *testing.T) {
	for lambda, distinct := range map[string]int{"shared": 1, "prior": 6} {
		p, err := build(small(1, map[string]any{"lambda": lambda, "hidden": 3, "repeats": 2, "clamp": 0}, rowsOf(60)))
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
		last := map[float32]bool{}
		for i := range c.Z.Rows {
			last[c.Z.Data[(i+1)*c.Z.Cols-1]] = true
		}
		if len(last) != distinct {
			t.Errorf("lambda %s: %d different values of log λ, want %d", lambda, len(last), distinct)
		}
		for range 4 {
			if _, err := flow.Step(c); err != nil {
				t.Fatal(err)
			}
		}
		seen := map[string]int{}
		p.Measure(c, c.Z, func(name string, _ int, v float64) {
			if seen[name]++; math.IsNaN(v) || math.IsInf(v, 0) {
				t.Errorf("%s is %g", name, v)
			}
		})
		for _, m := range Experiment.Metrics {
			if want := 1 + count(m.Name == "repeat-rmse") + 2*count(m.Name == "gamma"); seen[m.Name] != want {
				t.Errorf("%s was put %d times, want %d", m.Name, seen[m.Name], want)
			}
		}
	}
}
