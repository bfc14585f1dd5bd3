package sifg

import (
	"cmp"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"

	"github.com/semi-implicit/sifg/pkg/sifg/nn"
)

// Config names a sampler and holds the settings of its three parts; a setting that the sampler does not have is refused
// by New if it is not zero. The zero value of a field means the default of the sampler, which follows here after "0:"
// where all that have the setting share it.
type Config struct {
	Sampler string `mapstructure:"sampler" json:"sampler"` // a name in Samplers

	// Mover.

	// euler (default), adam, rmsprop or adagrad; sgld, psgld and baoab have their own
	Mover string `mapstructure:"mover" json:"mover,omitempty"`
	// particle step size h > 0, in time of the flow; 0: 0.01 (svgd 0.1, sgld 0.001)
	Step float64 `mapstructure:"step" json:"step,omitempty"`
	// friction γ > 0 of baoab, a rate in time of the flow; 0: 1
	Friction float64 `mapstructure:"friction" json:"friction,omitempty"`
	// velocity divided by n, as in the released toy baselines; for euler and adam
	DivideByN bool `mapstructure:"divide_by_n" json:"divide_by_n,omitempty"`

	// Noise. σ is in the unit of the coordinates.

	// initial smoothing σ₀ > 0; 0: 0.1
	Sigma float64 `mapstructure:"sigma" json:"sigma,omitempty"`
	// how σ adapts, a SigmaRule; "": kl-w
	SigmaRule string `mapstructure:"sigma_rule" json:"sigma_rule,omitempty"`
	// learning rate η̃ of σ; 0: 0.001
	SigmaRate float64 `mapstructure:"sigma_rate" json:"sigma_rate,omitempty"`
	// bounds of σ, heeded from the first adaptation on; 0: 0.001, and none
	SigmaMin float64 `mapstructure:"sigma_min" json:"sigma_min,omitempty"`
	SigmaMax float64 `mapstructure:"sigma_max" json:"sigma_max,omitempty"`

	// Field: score network and its training.

	Hidden     int    `mapstructure:"hidden" json:"hidden,omitempty"`         // width of both hidden layers; 0: 32
	Activation string `mapstructure:"activation" json:"activation,omitempty"` // tanh (default) or leaky-relu
	Inner      int    `mapstructure:"inner" json:"inner,omitempty"`           // network steps an iteration; 0: 5
	Warmup     int    `mapstructure:"warmup" json:"warmup,omitempty"`         // network steps before the first move
	// of the network: sgd, nesterov (default) or adam
	Optimizer string `mapstructure:"optimizer" json:"optimizer,omitempty"`
	// learning rate of the network; 0: 0.001
	LR float64 `mapstructure:"lr" json:"lr,omitempty"`
	// network steps between decays, 0: never; and the factor of one decay, in (0, 1]
	LRDecayEvery int     `mapstructure:"lr_decay_every" json:"lr_decay_every,omitempty"`
	LRDecay      float64 `mapstructure:"lr_decay" json:"lr_decay,omitempty"`
	Redraw       bool    `mapstructure:"redraw" json:"redraw,omitempty"` // noise anew at every network step
	// f and s judged at two further independent draws for the move
	Independent bool `mapstructure:"independent" json:"independent,omitempty"`
	// draws of Hutchinson's estimate: rademacher (default) or gaussian
	Probe string `mapstructure:"probe" json:"probe,omitempty"`
	// initial exponent p of the Stein loss, above 1 and below 100; 0: 2
	P float64 `mapstructure:"p" json:"p,omitempty"`
	// how p adapts, a PRule; "": toy. With the learning rate η̃; 0: 5e-7
	PRule string  `mapstructure:"p_rule" json:"p_rule,omitempty"`
	PRate float64 `mapstructure:"p_rate" json:"p_rate,omitempty"`
	PClip float64 `mapstructure:"p_clip" json:"p_clip,omitempty"` // rule text: bound of p's gradient; 0: none
	// p adapts in outer iterations whose index, from 0, exceeds this; -1: in all
	PStart int `mapstructure:"p_start" json:"p_start,omitempty"`
	// SVGD: kernel exp(−‖x−y‖²/(2·Bandwidth)); 0: median heuristic
	Bandwidth float64 `mapstructure:"bandwidth" json:"bandwidth,omitempty"`
}

// keys are the settings' names.
var keys = func() (all []string) {
	for f := range reflect.TypeFor[Config]().Fields() {
		all = append(all, f.Tag.Get("mapstructure"))
	}
	return all
}()

// ConfigError says which field of a Config is wrong and what would be right.
type ConfigError struct{ Field, Problem string }

func (e *ConfigError) Error() string { return e.Field + ": " + e.Problem }

// wrong is the error of the setting with a key.
func wrong(key, format string, args ...any) error {
	return &ConfigError{fieldNames([]string{key}), fmt.Sprintf(format, args...)}
}

// fieldNames lists the fields of Config that have these keys.
func fieldNames(all []string) string {
	var out []string
	for f := range reflect.TypeFor[Config]().Fields() {
		if slices.Contains(all, f.Tag.Get("mapstructure")) {
			out = append(out, f.Name)
		}
	}
	return strings.Join(out, ", ")
}

// Resolve checks cfg and returns it with the sampler's defaults in place of zero settings. Its errors are *ConfigError.
func (cfg Config) Resolve() (Config, error) {
	cfg, _, err := cfg.build()
	return cfg, err
}

// build is Resolve and New in one.
func (cfg Config) build() (Config, *Flow, error) {
	s, err := ByName(cfg.Sampler)
	if err != nil {
		return cfg, nil, err
	}
	v, def := reflect.ValueOf(&cfg).Elem(), reflect.ValueOf(s.Defaults)
	for i, key := range keys {
		switch {
		case key == "sampler":
		case v.Field(i).IsZero():
			v.Field(i).Set(def.Field(i))
		case !slices.Contains(s.Uses, key) && !v.Field(i).Equal(def.Field(i)): // so that Resolve takes what it returned
			return cfg, nil, wrong(key, "%s has no such setting; it has %s", s.Name, fieldNames(s.Uses))
		}
	}
	if err := cfg.check(s.Uses); err != nil {
		return cfg, nil, err
	}
	f, err := s.Build(cfg)
	if err != nil {
		return cfg, nil, err
	}
	return cfg, f, f.check()
}

// Ranges. σ² must be a float32 above 0, and smoothing by more than a million leaves nothing of the particles; a network
// of the widest kind has a gigabyte of weights.
const (
	least, most           = 1e-20, 1e20
	leastSigma, mostSigma = 1e-18, 1e6
	mostHidden, mostSteps = 1 << 14, 1e9
)

// inRange returns an error unless v is in [low, high].
func inRange(key string, v, low, high float64) error {
	if v >= low && v <= high {
		return nil
	}
	return wrong(key, "must be at least %v and at most %v, got %v", low, high, v)
}

// zeroOr is inRange, for settings of which 0 has a meaning of its own.
func zeroOr(key string, v, low, high float64) error {
	if v == 0 {
		return nil
	}
	return inRange(key, v, low, high)
}

// check refuses values out of range. Defaults are in place. What only one part has is checked with it: Flow.check.
func (cfg *Config) check(uses []string) error {
	within := func(key string, v, low, high float64) error {
		if !slices.Contains(uses, key) {
			return nil
		}
		return inRange(key, v, low, high)
	}
	oneOf := func(key, v string, names []string) error {
		if slices.Contains(uses, key) && !slices.Contains(names, v) {
			return wrong(key, "%q is unknown: want one of %s", v, strings.Join(names, ", "))
		}
		return nil
	}
	if err := cmp.Or(
		within("step", cfg.Step, least, most), oneOf("mover", cfg.Mover, movers),
		zeroOr("sigma", cfg.Sigma, leastSigma, mostSigma), zeroOr("sigma_rate", cfg.SigmaRate, least, most),
		zeroOr("sigma_min", cfg.SigmaMin, leastSigma, mostSigma),
		zeroOr("sigma_max", cfg.SigmaMax, leastSigma, mostSigma),
		oneOf("sigma_rule", cfg.SigmaRule, sigmaRules),
		within("hidden", float64(cfg.Hidden), 1, mostHidden), within("inner", float64(cfg.Inner), 1, mostSteps),
		within("warmup", float64(cfg.Warmup), 0, mostSteps), within("lr", cfg.LR, least, most),
		within("lr_decay_every", float64(cfg.LRDecayEvery), 0, mostSteps),
		oneOf("activation", cfg.Activation, []string{"tanh", "leaky-relu"}),
		oneOf("optimizer", cfg.Optimizer, nn.Optimizers),
		oneOf("probe", cfg.Probe, []string{"rademacher", "gaussian"}),
		oneOf("p_rule", cfg.PRule, pRules), zeroOr("p_rate", cfg.PRate, least, most),
		zeroOr("p_clip", cfg.PClip, least, most), within("p_start", float64(cfg.PStart), -1, mostSteps),
	); err != nil {
		return err
	}
	switch uses := func(key string) bool { return slices.Contains(uses, key) }; {
	case uses("sigma_max") && cfg.SigmaMax > 0 && cfg.SigmaMax < cfg.SigmaMin:
		return wrong("sigma_max", "%v is below SigmaMin %v", cfg.SigmaMax, cfg.SigmaMin)
	case uses("p") && !(cfg.P > 1 && cfg.P < 100):
		return wrong("p", "must be above 1 and below 100, got %v", cfg.P)
	case cfg.LRDecay != cfg.LRDecay, cfg.LRDecayEvery > 0 && !(cfg.LRDecay > 0 && cfg.LRDecay <= 1):
		return wrong("lr_decay", "must be in (0, 1] where LRDecayEvery is set, got %v", cfg.LRDecay)
	}
	return nil
}

// Default returns settings of a sampler for a target of your own on R^d whose coordinates are about 1 wide, with n
// particles that start from N(0, I) and 2,000 iterations. They hold from 2 to 50 dimensions; docs/library.md has what
// they reach. Settings that it leaves at 0 are those of the sampler's row in Samplers. The rows' own values are the
// paper's for densities on the plane, whose small network lets clouds collapse in ten dimensions or more.
//
// σ grows with √d and falls with n^¼, from 0.1 to 0.3: fewer particles in more dimensions are farther apart, and the
// network has to see the space between them. A leaky ReLU with fresh noise at every network step overfits the particles
// least. d and n that cannot be are those of Start to refuse.
func Default(sampler string, d, n int) Config {
	cfg := Config{Sampler: sampler}
	s, err := ByName(sampler)
	if err != nil {
		return cfg // New names the mistake
	}
	d, n = max(d, 1), max(n, 2) // Start refuses fewer
	sigma := min(max(0.3*math.Sqrt(float64(d)/50)*math.Pow(500/float64(n), 0.25), 0.1), 0.3)
	sigma = math.Round(sigma*100) / 100
	for _, key := range s.Uses {
		switch key {
		case "sigma":
			cfg.Sigma = sigma
		case "sigma_rate":
			cfg.SigmaRate = 1e-5
		case "sigma_min":
			cfg.SigmaMin = sigma / 2 // a σ that shrinks without bound takes the cloud with it
		case "hidden":
			cfg.Hidden = max(64, 64*int(math.Ceil(float64(d)/64)))
		case "activation":
			cfg.Activation = "leaky-relu"
		case "optimizer":
			cfg.Optimizer = "adam"
		case "redraw":
			cfg.Redraw = true
		}
	}
	switch sampler {
	case "svgd":
		cfg.Step = 0.5 // its velocity is an average over particles, smaller than a score
	case "sgld":
		cfg.Step = 0.02 // its drift is half the score
	case "kde-flow":
		cfg.Sigma = 0 // no network sees the space between the particles: a larger σ only blurs
	}
	return cfg
}
