package ucibnn

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/harness/settings"
	"github.com/semi-implicit/sifg/pkg/harness/stats"
	"github.com/semi-implicit/sifg/pkg/sifg"
	"github.com/semi-implicit/sifg/pkg/sifg/metric"
	"github.com/semi-implicit/sifg/pkg/sifg/rng"
	"github.com/semi-implicit/sifg/pkg/sifg/target"
)

// Options are the keys of problems.<name>.options.
type Options struct {
	Hidden int    `mapstructure:"hidden"` // ReLU units of the network whose posterior is sampled; paper: 50
	Split  string `mapstructure:"split"`  // released or random: see split
	Dev    string `mapstructure:"dev"`    // holdout, overlap: see divide

	// Precision says how the particles' noise precisions are chosen on the development part before they are judged.
	// released: a particle's precision is replaced if the likelihood gains, and counts as Clamp at most; fitted: it is
	// one over the particle's mean squared residual.
	Precision string `mapstructure:"precision"`

	// Clamp is the scripts': a precision above it counts as it in the target, and where precision is released. Then the
	// target is no density: it has no bound as log γ grows. 0: none, and the quantiles of γ are measured.
	Clamp float64 `mapstructure:"clamp"`

	// Lambda says how the prior precision λ of a start is drawn. shared: once for all particles with mean 0.1, as the
	// scripts do; prior: for each from the prior, whose mean is 10.
	Lambda string `mapstructure:"lambda"`

	// Repeats is how often the last particles of a smoothed flow are perturbed anew, to see how much that moves the
	// RMSE.
	Repeats int `mapstructure:"repeats"`

	// Curve judges the development part at every checkpoint, not only at the last.
	Curve bool `mapstructure:"curve"`
}

// measuring is what trials measure.
var measuring = harness.Measuring{Options: []string{"precision", "repeats", "curve"}}

// options reads the options and refuses those that are wrong.
func options(t *harness.Trial) (*Options, error) {
	o := &Options{
		Hidden: 50, Split: "random", Dev: "holdout", Precision: "fitted", Lambda: "prior",
		Clamp: target.DefaultBNN().Clamp,
	}
	if err := settings.Decode(t.Config.Options, o); err != nil {
		return nil, err
	}
	for _, c := range []struct {
		key, value string
		choices    []string
	}{
		{"split", o.Split, []string{"released", "random"}}, {"dev", o.Dev, []string{"holdout", "overlap"}},
		{"precision", o.Precision, []string{"released", "fitted"}}, {"lambda", o.Lambda, []string{"shared", "prior"}},
	} {
		if !slices.Contains(c.choices, c.value) {
			return nil, fmt.Errorf("options.%s: %q is unknown: want one of %s", c.key, c.value,
				strings.Join(c.choices, ", "))
		}
	}
	switch {
	case t.Config.Data == "":
		return nil, fmt.Errorf("data: the name of a data set is needed (sifg data list)")
	case o.Hidden < 1:
		return nil, fmt.Errorf("options.hidden: must be 1 or more, got %d", o.Hidden)
	case !(o.Clamp >= 0):
		return nil, fmt.Errorf("options.clamp: must be positive, or 0 for none, got %g", o.Clamp)
	case o.Repeats < 0:
		return nil, fmt.Errorf("options.repeats: must not be negative, got %d", o.Repeats)
	}
	return o, nil
}

// check refuses wrong options, data that are not the paper's under the name of a problem that is, and a division of the
// rows that the data set does not have. The paper's data have every random one.
func check(t *harness.Trial) error {
	o, err := options(t)
	paper := slices.Contains(problems, t.Problem)
	switch {
	case err != nil:
		return err
	case paper && t.Config.Data != t.Problem:
		return fmt.Errorf("data: %s has its own data: --data %s takes yours, as a problem of its own",
			t.Problem, t.Config.Data)
	case paper && o.Split == "random":
		return nil
	}
	d, err := t.Data()
	if err == nil {
		_, err = prepare(d, o.Split, o.Dev, t.Seed)
	}
	return err
}

// clamp is Options.Clamp as the target has it.
func (o *Options) clamp() float64 {
	if o.Clamp == 0 {
		return math.Inf(1)
	}
	return o.Clamp
}

// problem is one trial's problem.
type problem struct {
	o         *Options
	seed      uint64
	last      int
	r         *regression
	posterior *target.BNN
}

// build implements harness.Experiment.Problem.
func build(t *harness.Trial) (*harness.Problem, error) {
	o, err := options(t)
	if err != nil {
		return nil, err
	}
	d, err := t.Data()
	if err != nil {
		return nil, err
	}
	p := &problem{o: o, seed: t.Seed, last: t.Config.Iterations}
	if p.r, err = prepare(d, o.Split, o.Dev, t.Seed); err != nil {
		return nil, err
	}
	y := make([]float32, len(p.r.train.y))
	for i, v := range p.r.train.y {
		y[i] = float32((v - p.r.mean) / p.r.sd)
	}
	model := target.DefaultBNN()
	model.Hidden, model.Batch, model.Clamp = o.Hidden, min(model.Batch, len(y)), o.clamp()
	if p.posterior, err = target.NewBNN(p.r.train.x32, y, model); err != nil {
		return nil, err
	}
	out := &harness.Problem{Target: p.posterior, Init: p.init, Measure: p.measure}
	if !slices.Contains(problems, t.Problem) {
		out.Keep = func(sample sifg.Batch) map[string]*record.Array { return p.keep(sample, d.Lines) }
	}
	return out, nil
}

// init draws the start; Options.Lambda says what of it is not as in the scripts.
func (p *problem) init(dst sifg.Batch, r *rng.Stream) {
	p.posterior.InitParticles(dst, r)
	if p.o.Lambda == "shared" {
		return
	}
	mean := 1 / target.DefaultBNN().Rate
	for i := range dst.Rows { // a Gamma law of shape 1 is exponential
		dst.Data[(i+1)*dst.Cols-1] = float32(math.Log(-mean * math.Log(r.Float64())))
	}
}

// measure implements harness.Problem.Measure. Experiment.Metrics says what the metrics are; at iteration 0 there are
// also those of the predictors that know nothing of networks, constant-… and ols-….
func (p *problem) measure(c *sifg.Cloud, sample sifg.Batch, put func(string, int, float64)) {
	test := p.predict(sample, &p.r.test)
	put("rmse", 0, test.RMSE(p.r.test.y))
	put("m5", 0, metric.NormMoment(metric.FromBatch(c.Z), 5))
	if c.Iter == 0 {
		constant, ols := p.r.trivial()
		for i, name := range []string{"rmse", "nll"} {
			put("constant-"+name, 0, constant[i])
			put("ols-"+name, 0, ols[i])
		}
	}
	if c.Iter != p.last && !p.o.Curve {
		return
	}
	dev := p.predict(sample, &p.r.dev)
	devNLL := -dev.CrossFitted(p.r.dev.y, p.precisions)
	if c.Iter != p.last {
		put("dev-nll", 0, devNLL)
		return
	}
	test.LogPrec = p.precisions(dev, p.r.dev.y)
	put("test-rmse", 0, test.RMSE(p.r.test.y))
	put("test-nll", 0, -test.LogLikelihood(p.r.test.y))
	put("dev-rmse", 0, dev.RMSE(p.r.dev.y))
	put("dev-nll", 0, devNLL)
	if p.o.Clamp == 0 {
		for _, percent := range []int{5, 50, 95} {
			put("gamma", percent, math.Exp(stats.Quantile(logPrecisions(sample), float64(percent)/100)))
		}
	}
	if c.Sigma == 0 {
		return
	}
	again := sifg.NewBatch(c.Z.Rows, c.Z.Cols)
	for k := range p.o.Repeats {
		rng.New(p.seed, "repeat", uint64(k)).Normal(again.Data)
		for i, z := range c.Z.Data {
			again.Data[i] = z + float32(c.Sigma*again.Data[i])
		}
		put("repeat-rmse", k, p.predict(again, &p.r.test).RMSE(p.r.test.y))
	}
}

// predict returns the particles' predictions of a part in the target's units.
func (p *problem) predict(particles sifg.Batch, s *part) metric.Prediction {
	y := sifg.NewBatch(particles.Rows, len(s.y))
	p.posterior.Predict(y, particles, s.x32)
	clamp := math.Inf(1)
	if p.o.Precision == "released" {
		clamp = p.o.clamp()
	}
	return metric.NewPrediction(metric.FromBatch(y), logPrecisions(particles), p.r.mean, p.r.sd, clamp)
}

// logPrecisions returns the particles' log γ.
func logPrecisions(particles sifg.Batch) []float64 {
	out := make([]float64, particles.Rows)
	for i := range out {
		out[i] = float64(particles.Data[(i+1)*particles.Cols-2])
	}
	return out
}

// precisions chooses the precisions by outcomes y.
func (p *problem) precisions(q metric.Prediction, y []float64) []float64 {
	if p.o.Precision == "released" {
		return q.ReleasedPrecisions(y)
	}
	return q.FitPrecisions(y)
}

// Prediction is what a method predicts of a test row of a person's own table.
type Prediction struct {
	Problem string  `parquet:"problem,dict"` // the table
	Method  string  `parquet:"method,dict"`
	Split   uint64  `parquet:"split"` // the seed of the trial, which decides its test rows
	Line    int     `parquet:"line"`  // of the file, the first is 1
	Truth   float64 `parquet:"truth"`
	Mean    float64 `parquet:"mean"`
	SD      float64 `parquet:"sd"`
}

// keep implements harness.Problem.Keep: a row for each test row with line, truth, mean and standard deviation. The
// table has its rows in these lines.
func (p *problem) keep(sample sifg.Batch, lines []int) map[string]*record.Array {
	q := p.predict(sample, &p.r.test)
	q.LogPrec = p.precisions(p.predict(sample, &p.r.dev), p.r.dev.y)
	out := &record.Array{Shape: []int{len(p.r.test.y), 4}}
	for t, y := range p.r.test.y {
		mean, sd := mixture(q, t)
		out.Double = append(out.Double, float64(lines[p.r.rows.test[t]]), y, mean, sd)
	}
	return map[string]*record.Array{"predictions": out}
}

// mixture returns the mean and the standard deviation of outcome t under the particles' mixture of normal laws.
func mixture(q metric.Prediction, t int) (mean, sd float64) {
	var variance float64
	means := make([]float64, q.Mean.N)
	for i := range means {
		means[i] = q.Mean.Row(i)[t]
		variance += 1 / (min(math.Exp(q.LogPrec[i]), q.Clamp) * float64(len(means)))
	}
	mean, sd = meanSD(means)
	return mean, math.Sqrt(variance + float64(sd*sd))
}

// predictions are the files of a person's own tables: one with the predictions of all test rows.
func predictions(s *record.Set) (map[string][]byte, error) {
	var rows []Prediction
	for _, t := range s.Trials {
		if t.Status != record.StatusOK {
			continue
		}
		a, err := s.Load(t.Key, "predictions")
		if err != nil {
			return nil, err
		}
		for v := range slices.Chunk(a.Double, 4) {
			rows = append(rows, Prediction{t.Problem, t.Method, t.Seed, int(v[0]), v[1], v[2], v[3]})
		}
	}
	b, err := record.Encode(rows)
	return map[string][]byte{"predictions.parquet": b}, err
}
