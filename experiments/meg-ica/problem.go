package megica

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/dataset"
	"github.com/semi-implicit/sifg/pkg/harness/settings"
	"github.com/semi-implicit/sifg/pkg/harness/stats"
	"github.com/semi-implicit/sifg/pkg/harness/usage"
	"github.com/semi-implicit/sifg/pkg/sifg"
	"github.com/semi-implicit/sifg/pkg/sifg/metric"
	"github.com/semi-implicit/sifg/pkg/sifg/rng"
	"github.com/semi-implicit/sifg/pkg/sifg/target"
)

// posterior is the density of a problem and its data.
type posterior struct {
	*target.ICA
	o        Options
	digest   string    // of the unscaled channels
	unmixing []float64 // p×p, of the scaled channels; nil: not known
}

// posteriorOf reads a trial's options and data.
func posteriorOf(t *harness.Trial) (*posterior, error) {
	o, err := options(t)
	if err != nil {
		return nil, err
	}
	w, mixing, err := recordings(t, o)
	if err != nil {
		return nil, err
	}
	d := &posterior{o: o, digest: digestOf(w.RawMatrix().Data)}
	x, whitening, err := scale(w, o.Scaling)
	if err != nil {
		return nil, usage.Errorf("data set %s: %v", t.Config.Data, err)
	}
	exponent := 1.0
	if o.Average {
		exponent /= float64(x.Cols)
	}
	if mixing != nil {
		if d.unmixing, err = unmixing(mixing, whitening); err != nil {
			return nil, err
		}
	}
	d.ICA, err = target.NewICA(x, target.ICAOptions{PriorSD: o.PriorSD, Exponent: exponent})
	return d, err
}

// recordings returns a trial's channels, a row a channel, and the matrix that mixed them, nil where it is not known.
func recordings(t *harness.Trial, o Options) (channel, mixing *mat.Dense, err error) {
	if o.Simulated > 0 {
		channel, mixing = simulate(o.Simulated)
		return channel, mixing, nil
	}
	data, err := t.Data()
	if err != nil {
		return nil, nil, err
	}
	channel, err = channels(data, o.Channels)
	return channel, nil, err
}

// channels returns a copy of the first p channels of the data, a row a channel.
func channels(d *dataset.Data, p int) (*mat.Dense, error) {
	switch {
	case p > d.Rows:
		return nil, usage.Errorf("options.channels: %d are asked for, data set %s has %d", p, d.Name, d.Rows)
	case d.Cols < d.Rows:
		return nil, usage.Errorf("data set %s has %d channels of %d samples, fewer than channels: a row must be a "+
			"channel, a column a sample", d.Name, d.Rows, d.Cols)
	}
	return mat.NewDense(p, d.Cols, slices.Clone(d.X[:p*d.Cols])), nil
}

// scale returns the channels (p×n), scaled, and the matrix that whitens them, nil of raw ones. It changes w.
func scale(w *mat.Dense, scaling string) (x blas32.General, whitening *mat.Dense, err error) {
	p, n := w.Dims()
	if scaling == "whitened" {
		for a := range p {
			floats.AddConst(-stats.Mean(w.RawRowView(a)), w.RawRowView(a))
		}
		if whitening, err = target.Whitening(w); err != nil {
			return x, nil, err
		}
		var white mat.Dense
		white.Mul(whitening, w)
		w = &white
	}
	return metric.Points{N: p, D: n, Data: w.RawMatrix().Data}.Batch(), whitening, nil
}

// problem is one trial's problem.
type problem struct {
	o    Options
	p    int
	seed uint64
	last int
	pi   *posterior
	ref  *reference

	truth  []float64      // W₀
	energy *metric.Energy // to the reference draws, standardised
}

// build implements harness.Experiment.Problem.
func build(t *harness.Trial) (*harness.Problem, error) {
	pi, err := posteriorOf(t)
	if err != nil {
		return nil, err
	}
	ref, err := readReference(t.Reference)
	if err != nil {
		return nil, err
	}
	p := &problem{
		o: pi.o, p: pi.o.Channels, seed: t.Seed, last: t.Config.Iterations, pi: pi, ref: ref,
		truth: ref.truth(pi.o.Truth), energy: metric.NewEnergy(ref.standard(ref.draws)),
	}
	return &harness.Problem{Target: pi.ICA, Init: p.init, Measure: p.measure}, nil
}

// init draws the start, N(0, InitSD² I).
func (p *problem) init(dst sifg.Batch, r *rng.Stream) {
	r.Normal(dst.Data)
	for i := range dst.Data {
		dst.Data[i] *= float32(p.o.InitSD)
	}
}

// Options are the keys of problems.<name>.options.
type Options struct {
	Channels int `mapstructure:"channels"` // p: the first of the data's channels
	// Simulated is the seed of recordings that are made, with a known mixing matrix, in place of a data set; 0: the
	// data set.
	Simulated uint64 `mapstructure:"simulated"`
	Scaling   string `mapstructure:"scaling"` // one of scalings
	// the log-likelihood over the number of observations, as in the released scripts
	Average bool    `mapstructure:"average"`
	PriorSD float64 `mapstructure:"prior_sd"` // of every entry of W

	InitSD float64 `mapstructure:"init_sd"` // of the particles' start, N(0, InitSD² I)

	Reference ReferenceOptions `mapstructure:"reference"`
	Truth     string           `mapstructure:"truth"` // W₀ of the Amari distance, one of truths

	Metrics []string `mapstructure:"metrics"` // measured at every checkpoint
	// SettledFrom: the Amari distance of every particle is kept at this iteration too, beside the last.
	SettledFrom int `mapstructure:"settled_from"`
}

var (
	// The data as they are (the released scripts), or centred and multiplied by the inverse square root of their
	// covariance.
	scalings = []string{"raw", "whitened"}
	// The mean of the kept draws of the first chain (the released scripts), the mean of all kept draws after each was
	// turned by the signed permutation that brings it nearest to the mode.
	truths = []string{"mean", "aligned-mean"}
)

// measuring is what trials measure.
var measuring = harness.Measuring{Options: []string{"metrics", "truth", "settled_from"}}

// options decodes and checks a trial's options, as far as that needs no data.
func options(t *harness.Trial) (Options, error) {
	o := Options{Channels: 5, Scaling: "raw", PriorSD: 10, InitSD: 1, Truth: "mean"}
	if err := settings.Decode(t.Config.Options, &o); err != nil {
		return o, err
	}
	for _, name := range o.Metrics {
		if measures[name] == nil {
			return o, fmt.Errorf("options.metrics: %q is unknown: want some of %s",
				name, strings.Join(slices.Sorted(maps.Keys(measures)), ", "))
		}
	}
	switch {
	case o.Channels < 2:
		return o, fmt.Errorf("options.channels: must be 2 or more, got %d", o.Channels)
	case !slices.Contains(scalings, o.Scaling):
		return o, fmt.Errorf("options.scaling: %q is unknown: want one of %s", o.Scaling, strings.Join(scalings, ", "))
	case !(o.PriorSD > 0):
		return o, fmt.Errorf("options.prior_sd: must be above 0, got %v", o.PriorSD)
	case !(o.InitSD > 0):
		return o, fmt.Errorf("options.init_sd: must be above 0, for W = 0 is singular and has no density; got %v",
			o.InitSD)
	case !slices.Contains(truths, o.Truth):
		return o, fmt.Errorf("options.truth: %q is unknown: want one of %s", o.Truth, strings.Join(truths, ", "))
	case (o.Simulated > 0) == (t.Config.Data != ""):
		return o, fmt.Errorf("data: want the name of a data set, such as meg, or \"\" where options.simulated has " +
			"the seed of recordings that are made")
	case o.Simulated > 0 && o.Channels != len(kurtoses):
		return o, fmt.Errorf("options.channels: %d simulated sources need as many channels, got %d",
			len(kurtoses), o.Channels)
	case o.Simulated == 0 && slices.Contains(o.Metrics, truthMetric):
		return o, fmt.Errorf("options.metrics: %s needs options.simulated: of recordings the mixing matrix is not "+
			"known", truthMetric)
	}
	return o, o.Reference.check()
}

// check refuses wrong options, and more channels than the data have.
func check(t *harness.Trial) error {
	o, err := options(t)
	if err != nil || o.Simulated > 0 {
		return err
	}
	d, err := t.Data()
	if err == nil {
		_, err = channels(d, o.Channels)
	}
	return err
}
