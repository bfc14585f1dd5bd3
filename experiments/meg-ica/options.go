package megica

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/settings"
)

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

	// Unit u > 0: particles θ stand for W = mode + u·θ, so that they start in one mode and have a posterior of order 1;
	// 0: particles are W. InitSD is the standard deviation of their start, N(0, InitSD² I).
	Unit   float64 `mapstructure:"unit"`
	InitSD float64 `mapstructure:"init_sd"`

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
	// turned by the signed permutation that brings it nearest to the mode, the mode.
	truths = []string{"mean", "aligned-mean", "mode"}
)

// decode returns options with defaults in place.
func decode(options map[string]any) (Options, error) {
	o := Options{Channels: 5, Scaling: "raw", PriorSD: 10, InitSD: 1, Truth: "mean"}
	return o, settings.Decode(options, &o)
}

// options decodes and checks a trial's options, as far as that needs no data.
func options(t *harness.Trial) (Options, error) {
	o, err := decode(t.Config.Options)
	if err != nil {
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
	case !(o.Unit >= 0):
		return o, fmt.Errorf("options.unit: must not be negative, got %v", o.Unit)
	case !(o.InitSD > 0):
		return o, fmt.Errorf("options.init_sd: must be above 0, for W = 0 is singular and has no density; got %v",
			o.InitSD)
	case !slices.Contains(truths, o.Truth):
		return o, fmt.Errorf("options.truth: %q is unknown: want one of %s", o.Truth, strings.Join(truths, ", "))
	case o.SettledFrom < 0:
		return o, fmt.Errorf("options.settled_from: must not be negative, got %d", o.SettledFrom)
	case o.Simulated == 0 && t.Config.Data == "":
		return o, fmt.Errorf("data: the name of a data set is needed, such as meg")
	case o.Simulated > 0 && t.Config.Data != "":
		return o, fmt.Errorf("options.simulated: recordings are made in place of the data set %s, want data: \"\"",
			t.Config.Data)
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
