package diagnose

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"gonum.org/v1/gonum/mat"

	"github.com/semi-implicit/sifg/pkg/sifg"
	"github.com/semi-implicit/sifg/pkg/sifg/metric"
	"github.com/semi-implicit/sifg/pkg/sifg/rng"
	"github.com/semi-implicit/sifg/pkg/sifg/target"
)

// chainGaussian is N(0, C) in d dimensions with unit variances and correlations 0.8^|i−j|. Its narrowest direction is a
// third wide.
func chainGaussian(d int) *target.Gaussian {
	cov := mat.NewSymDense(d, nil)
	for i := range d {
		for j := i; j < d; j++ {
			cov.SetSym(i, j, math.Pow(0.8, float64(j-i)))
		}
	}
	g, err := target.NewGaussian(make([]float64, d), cov)
	if err != nil {
		panic(err)
	}
	return g
}

// exactDraws is a cloud of n exact draws.
func exactDraws(p target.Density, n int, seed uint64) *sifg.Cloud {
	c := &sifg.Cloud{Z: sifg.NewBatch(n, p.Dim()), Target: p}
	p.Sample(c.Z, rng.New(seed, "draws"))
	return c
}

// By hand: x = 0, 3 and score −x/3, so x̄ = 1.5 and Σ −s·(x − x̄)/n = (0 + 1·1.5)/2; the terms are 0 and 1.5.
func TestSummaryByHand(t *testing.T) {
	g, err := target.NewGaussian([]float64{0}, mat.NewSymDense(1, []float64{3}))
	if err != nil {
		t.Fatal(err)
	}
	c := &sifg.Cloud{X: sifg.Batch{Rows: 2, Cols: 1, Stride: 1, Data: []float32{0, 3}}, Target: g, Iter: 1}
	s := Summarize(c)
	k := s.Coordinates[0]
	if !nearly(s.Stein, 0.75) || !nearly(s.SteinError, 0.75) || !nearly(k.Stein, 0.75) || !nearly(k.Mean, 1.5) ||
		!nearly(k.SD, math.Sqrt(4.5)) || !nearly(k.Low, 0) || !nearly(k.Median, 1.5) || !nearly(k.High, 3) {
		t.Errorf("%+v", s)
	}
	x := metric.Points{N: 2, D: 1, Data: []float64{0, math.Sqrt2}} // x/sd
	v, _ := metric.KSD(x, metric.Points{N: 2, D: 1, Data: []float64{0, -math.Sqrt(4.5)}})
	if !nearly(s.KSD, v) || !nearly(s.ExactKSD, math.Sqrt(2+4.5)/2) {
		t.Errorf("KSD %g, want %g; of exact draws %g", s.KSD, v, s.ExactKSD)
	}
}

func nearly(a, b float64) bool { return math.Abs(a-b) < 1e-6 }

// Exact draws look right: the Stein ratio is within five standard errors of 1 and nothing warns. The root mean square
// of KSD ÷ ExactKSD is 1 on average. It varies most where few directions matter, as in two dimensions: of 20 clouds its
// square is then within a factor of 2.
func TestSummaryOfExactDraws(t *testing.T) {
	if testing.Short() {
		t.Skip("sixty summaries: a second")
	}
	for _, p := range []target.Density{chainGaussian(2), chainGaussian(20), target.GMM2D()} {
		const clouds = 20
		var squares float64
		for seed := range uint64(clouds) {
			s := Summarize(exactDraws(p, 300, seed+1))
			_, mixture := p.(*target.Mixture) // its modes are apart
			s.Warnings = slices.DeleteFunc(s.Warnings, func(w string) bool {
				return mixture && strings.HasPrefix(w, "The sample is separate lumps")
			})
			if math.Abs(s.Stein-1) > 5*s.SteinError || len(s.Warnings) > 0 {
				t.Errorf("%T, %d dimensions: Stein ratio %g ± %g, warnings %q", p, p.Dim(), s.Stein, s.SteinError,
					s.Warnings)
			}
			squares += s.KSD * s.KSD / (s.ExactKSD * s.ExactKSD) / clouds
		}
		if squares < 0.5 || squares > 2 {
			t.Errorf("%T, %d dimensions: mean square of the discrepancy is %.2f times that of exact draws", p, p.Dim(),
				squares)
		}
	}
}

// TestSummaryWarns: what is wrong with a cloud is said, with what to do.
func TestSummaryWarns(t *testing.T) {
	scaled := func(d int, factor, shift float32) *sifg.Cloud {
		c := exactDraws(chainGaussian(d), 500, 3)
		for i := range c.Z.Data {
			c.Z.Data[i] = factor*c.Z.Data[i] + shift
		}
		return c
	}
	units, err := target.NewGaussian([]float64{0, 0}, mat.NewSymDense(2, []float64{1, 0, 0, 1e-16}))
	if err != nil {
		t.Fatal(err)
	}
	smooth := exactDraws(chainGaussian(2), 500, 3)
	smooth.Sigma = 0.8
	broken := exactDraws(chainGaussian(2), 500, 3)
	broken.Z.Data[7] = float32(math.NaN())
	half := exactDraws(chainGaussian(2), 500, 3)
	half.Target = target.NewFunc(2, func([]float64) float64 { return 0 }, func(dst, x []float64) {
		dst[0], dst[1] = math.Log(x[0]), -x[1]
	})
	steep := exactDraws(chainGaussian(2), 500, 3)
	steep.Target = target.NewFunc(2, func(x []float64) float64 { return -(x[0]*x[0] + x[1]*x[1]) / 2 },
		func(dst, x []float64) { dst[0], dst[1] = -x[0], -x[1]/2 })
	one := exactDraws(chainGaussian(20), 500, 3)
	for i := range 500 {
		one.Z.Data[20*i+7] *= 0.4
	}
	for name, c := range map[string]struct {
		cloud *sifg.Cloud
		want  []string
	}{
		"collapsed": {scaled(20, 0.54, 0),
			[]string{"too narrow: its Stein ratio is 0.30", "30 % of the target's", "sifg.Default"}},
		"wide":      {scaled(20, 1.3, 0), []string{"too wide: its Stein ratio is 1.", "σ well below"}},
		"elsewhere": {scaled(20, 1, 0.5), []string{"not where the target is", "Run longer"}},
		"far away": {scaled(2, 1, 5),
			[]string{"not where the target is", "kernel Stein discrepancy", "another seed"}},
		"one": {one, []string{"Coordinate 7 is too narrow", "in units"}},
		"σ":   {smooth, []string{"σ is 0.8 and the sample cannot be narrower", "take σ below 0.3"}},
		"units": {exactDraws(units, 500, 3),
			[]string{"Coordinate 1 has a standard deviation of 1e-08", "divided by its width"}},
		"diverged":       {broken, []string{"1 of 500 particles are not finite", "smaller step", "Options.Init"}},
		"wrong gradient": {steep, []string{"not the gradient of the target's log density: coordinate 1 of the"}},
		"NaN at start":   {half, []string{"score is not finite at 2", "of 500 particles", "diagnose.Check"}},
	} {
		s := Summarize(c.cloud)
		all := strings.Join(s.Warnings, "\n")
		for _, want := range c.want {
			if !strings.Contains(all, want) {
				t.Errorf("%s: %q lacks %q", name, all, want)
			}
		}
		if text := s.String(); !strings.Contains(text, "WARNING: "+s.Warnings[0]) || strings.Contains(text,
			"Nothing looks wrong") {
			t.Errorf("%s: %s", name, text)
		}
	}
}

// TestSummaryOfFew: of few particles it is said that they tell nothing, whether they are draws of the target or of its
// reciprocal, and not that they look right, or like a funnel.
func TestSummaryOfFew(t *testing.T) {
	p := chainGaussian(10)
	wrong := target.NewFunc(10, func([]float64) float64 { return 0 }, func(dst, x []float64) { copy(dst, x) })
	for n := range fewest {
		c := exactDraws(p, n, 1)
		for _, c.Target = range []sifg.Target{p, wrong} {
			s := Summarize(c, c)
			few := Summarize(c)
			want := fmt.Sprintf("%d particles are too few", n)
			if len(few.Warnings) != 1 || !strings.HasPrefix(few.Warnings[0], want) {
				t.Errorf("%d particles: %q", n, few.Warnings)
			}
			if text := few.String(); strings.Contains(text, "Offset NaN") {
				t.Error(text)
			}
			if 2*n < fewest && (len(s.Warnings) != 1 || !strings.Contains(s.Warnings[0], "too few")) {
				t.Errorf("%d particles twice: %q", n, s.Warnings)
			}
		}
	}
}

// TestDefault: with the settings of sifg.Default a cloud has the target's standard deviations, on the correlated
// Gaussians of which docs/library.md tells, from few particles too; and with the rows' own settings it has not, which
// the summary says.
//
// The sd of a coordinate varies by 1/√(2n) for exact draws: five of those, and 5 % for what the flow leaves. Its mean
// over the coordinates, which vary less, may be 5 % off.
func TestDefault(t *testing.T) {
	if testing.Short() {
		t.Skip("five runs of 1000 iterations")
	}
	type run struct {
		cfg  sifg.Config
		d, n int
		ok   bool
	}
	for _, r := range []run{
		{sifg.Config{Sampler: "sifg"}, 20, 200, false},
		{sifg.Default("sifg", 20, 100), 20, 100, true},
		{sifg.Default("sgld", 20, 200), 20, 200, true},
		{sifg.Default("ada-sifg", 20, 200), 20, 200, true},
		{sifg.Default("l2-gf", 20, 200), 20, 200, true},
	} {
		f, err := sifg.New(r.cfg)
		if err != nil {
			t.Fatal(err)
		}
		o := sifg.Options{Particles: r.n, Iterations: 1000, Seed: 1}
		c, err := sifg.Run(context.Background(), f, chainGaussian(r.d), o)
		if err != nil {
			t.Fatal(err)
		}
		s := Summarize(c)
		mean, off := 0.0, 0.0
		for _, k := range s.Coordinates {
			mean += k.SD / float64(r.d)
			off = max(off, math.Abs(k.SD-1))
		}
		ok := math.Abs(mean-1) < 0.05 && off < 0.05+5/math.Sqrt(2*float64(r.n))
		if ok != r.ok || (len(s.Warnings) == 0) != r.ok {
			t.Errorf("%+v in %d dimensions, %d particles: mean sd %.3f, most off by %.3f, warnings %q",
				r.cfg, r.d, r.n, mean, off, s.Warnings)
		}
	}
}

// wide is N(0, I) in any number of dimensions.
type wide int

func (w wide) Dim() int { return int(w) }

func (w wide) Score(dst, x sifg.Batch, _ int) {
	for i, v := range x.Data {
		dst.Data[i] = -v
	}
}

// TestSummaryOfManyDimensions: the weights of a small network are summarised in a second (the limit is for a machine
// that does much besides; an eigendecomposition of all correlations takes a hundred times that), and of a large cloud a
// part is looked at. Draws of the target look right.
func TestSummaryOfManyDimensions(t *testing.T) {
	c := &sifg.Cloud{Z: sifg.NewBatch(100, 2000), Target: wide(2000)}
	rng.New(1, "wide").Normal(c.Z.Data)
	begun := time.Now()
	s := Summarize(c)
	if took := time.Since(begun); took > 15*time.Second {
		t.Errorf("%v of %d dimensions", took, 2000)
	}
	if s.Particles != 100 || s.Given != 100 || len(s.Warnings) > 0 {
		t.Errorf("%d of %d particles, %q", s.Particles, s.Given, s.Warnings)
	}
	if lines := strings.Count(s.String(), "\n"); lines > 45 {
		t.Errorf("a table of %d lines", lines)
	}
	for seed := range uint64(10) {
		rng.New(2+seed, "wide").Normal(c.Z.Data)
		if s := Summarize(c); len(s.Warnings) > 0 {
			t.Errorf("%q of exact draws", s.Warnings)
		}
	}
	few := spread(sifg.Batch{Rows: 10_000, Cols: 2, Stride: 2, Data: c.Z.Data[:20_000]}, 10_000)
	if few.Rows != 10_000 {
		t.Errorf("%d rows of a small cloud", few.Rows)
	}
	many := sifg.NewBatch(600, 20_000)
	if part := spread(many, 1200); part.Rows != 250 || part.Rows*part.Cols*2 > 10_000_000 {
		t.Errorf("%d of %d rows", part.Rows, many.Rows)
	}
}

// noisy is N(0, I), whose score has another shift in each iteration: mini-batches.
type noisy struct{ wide }

func (n noisy) Score(dst, x sifg.Batch, iter int) {
	n.wide.Score(dst, x, iter)
	for i := range dst.Data {
		dst.Data[i] += float32(iter%7) - 3
	}
}

type full struct{ noisy }

func (f full) FullScore(dst, x sifg.Batch) { f.wide.Score(dst, x, 0) }

// TestSummaryOfMiniBatches: exact draws are judged by the full score, or not at all.
func TestSummaryOfMiniBatches(t *testing.T) {
	c := &sifg.Cloud{Z: sifg.NewBatch(500, 3), Target: noisy{3}}
	rng.New(1, "batches").Normal(c.Z.Data)
	if said := Summarize(c).Warnings; len(said) != 1 || !strings.Contains(said[0], "give the target a FullScore") {
		t.Errorf("%q", said)
	}
	c.Target = full{noisy{3}}
	if said := Summarize(c).Warnings; len(said) > 0 {
		t.Errorf("%q", said)
	}
}

// TestSummaryOfNothing: a run that failed leaves no cloud, and is said to.
func TestSummaryOfNothing(t *testing.T) {
	for _, c := range []*sifg.Cloud{nil, {}} {
		if s := Summarize(c); !strings.Contains(s.String(), "without particles or without its target") {
			t.Errorf("%s", s)
		}
	}
}

// TestSummaryOfLostFunnel: a flow on a funnel in five dimensions settles at half the width or less, where each
// coordinate alone looks right.
func TestSummaryOfLostFunnel(t *testing.T) {
	if testing.Short() {
		t.Skip("a run of two seconds")
	}
	o := sifg.Options{Particles: 500, Iterations: 1000, Seed: 2}
	c, err := sifg.Sample(context.Background(), sifg.Default("l2-gf", 5, 500), funnelOf(5), o)
	if err != nil {
		t.Fatal(err)
	}
	s := Summarize(c)
	if said := strings.Join(s.Warnings, " "); !strings.Contains(said, "depends on coordinate 0") {
		t.Errorf("sd %.2g for 3: %q", s.Coordinates[0].SD, said)
	}
}

// TestSummaryOfStrays: one particle far out where a density falls off like an exponential law is in order by the Stein
// ratio, and is named; the farthest of exact draws is not.
func TestSummaryOfStrays(t *testing.T) {
	logistic := target.NewFunc(2, func(x []float64) float64 {
		return x[0] - 2*math.Log1p(math.Exp(x[0])) - x[1]*x[1]/2
	}, func(dst, x []float64) { dst[0], dst[1] = -math.Tanh(x[0]/2), -x[1] })
	c := &sifg.Cloud{Target: logistic, Z: sifg.NewBatch(500, 2), X: sifg.NewBatch(500, 2), Iter: 1}
	r := rng.New(4, "strays")
	for i := range 500 {
		u := r.Float64()
		c.X.Data[2*i], c.X.Data[2*i+1] = float32(math.Log(u/(1-u))), float32(r.NormFloat64())
	}
	if s := Summarize(c); len(s.Warnings) > 0 {
		t.Errorf("exact draws: %q", s.Warnings)
	}
	c.X.Data[0] = 40
	s := Summarize(c)
	if len(s.Warnings) != 1 || !strings.Contains(s.Warnings[0], "1 of the particles strayed") ||
		!strings.Contains(s.Warnings[0], "coordinate 0") {
		t.Errorf("a stray particle, Stein ratio %.2f: %q", s.Coordinates[0].Stein, s.Warnings)
	}
}
