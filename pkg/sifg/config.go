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
// by New if it is not zero. The zero value of a field means the default that Docs says; sifg list --settings
// prints them.
type Config struct {
	Sampler string `mapstructure:"sampler" json:"sampler"`

	// Mover.
	Mover     string  `mapstructure:"mover" json:"mover,omitempty"`
	Step      float64 `mapstructure:"step" json:"step,omitempty"`
	Friction  float64 `mapstructure:"friction" json:"friction,omitempty"`
	DivideByN bool    `mapstructure:"divide_by_n" json:"divide_by_n,omitempty"`

	// Target.
	Temper int `mapstructure:"temper" json:"temper,omitempty"`

	// Noise.
	Sigma     float64 `mapstructure:"sigma" json:"sigma,omitempty"`
	SigmaRule string  `mapstructure:"sigma_rule" json:"sigma_rule,omitempty"`
	SigmaRate float64 `mapstructure:"sigma_rate" json:"sigma_rate,omitempty"`
	SigmaMin  float64 `mapstructure:"sigma_min" json:"sigma_min,omitempty"`
	SigmaMax  float64 `mapstructure:"sigma_max" json:"sigma_max,omitempty"`

	// Field: score network and its training.
	Hidden       int     `mapstructure:"hidden" json:"hidden,omitempty"`
	Activation   string  `mapstructure:"activation" json:"activation,omitempty"`
	Inner        int     `mapstructure:"inner" json:"inner,omitempty"`
	Warmup       int     `mapstructure:"warmup" json:"warmup,omitempty"`
	Optimizer    string  `mapstructure:"optimizer" json:"optimizer,omitempty"`
	LR           float64 `mapstructure:"lr" json:"lr,omitempty"`
	LRDecayEvery int     `mapstructure:"lr_decay_every" json:"lr_decay_every,omitempty"`
	LRDecay      float64 `mapstructure:"lr_decay" json:"lr_decay,omitempty"`
	Redraw       bool    `mapstructure:"redraw" json:"redraw,omitempty"`
	Independent  bool    `mapstructure:"independent" json:"independent,omitempty"`
	Probe        string  `mapstructure:"probe" json:"probe,omitempty"`
	P            float64 `mapstructure:"p" json:"p,omitempty"`
	PRule        string  `mapstructure:"p_rule" json:"p_rule,omitempty"`
	PRate        float64 `mapstructure:"p_rate" json:"p_rate,omitempty"`
	PStart       int     `mapstructure:"p_start" json:"p_start,omitempty"`
	Bandwidth    float64 `mapstructure:"bandwidth" json:"bandwidth,omitempty"`
}

// Docs says what each setting is and what its 0 means, by key.
var Docs = map[string]string{
	"sampler": "a name of Samplers",
	"mover": "how particles move: euler (default), adam, rmsprop, adagrad; sgld, psgld and baoab have " +
		"their own",
	"step":           "particle step size h > 0, in time of the flow; 0: 0.01 (svgd 0.1, sgld 0.001)",
	"friction":       "baoab: friction γ > 0, a rate in the time of the flow; 0: 1",
	"divide_by_n":    "velocity divided by n, as the released toy baselines do; euler and adam heed it",
	"temper":         "outer iterations over which the score's factor β rises to 1; 0: none",
	"sigma":          "initial smoothing σ₀ > 0, in the unit of the coordinates; 0: 0.1",
	"sigma_rule":     "how σ adapts: kl-w (default), kl-eps, kl-mean, dsm-in, dsm-out, none",
	"sigma_rate":     "learning rate η̃ of σ; 0: 0.001",
	"sigma_min":      "lower bound of σ, heeded from the first adaptation on; 0: 0.001",
	"sigma_max":      "upper bound of σ, likewise; 0: none",
	"hidden":         "width of both hidden layers; 0: 32",
	"activation":     "of the network: tanh (default), leaky-relu",
	"inner":          "network steps an outer iteration; 0: 5",
	"warmup":         "network steps before the first move; 0: none",
	"optimizer":      "of the network: sgd, momentum, nesterov (default), adam, rmsprop",
	"lr":             "learning rate of the network; 0: 0.001",
	"lr_decay_every": "network steps between decays; 0: never",
	"lr_decay":       "factor of one decay, in (0, 1]; for lr_decay_every, ignored without",
	"redraw":         "noise drawn anew at every network step",
	"independent":    "f and s judged at two further independent draws for the move",
	"probe":          "draws of Hutchinson's estimate: rademacher (default), gaussian",
	"p":              "initial exponent p of the Stein loss, above 1 and below 100; 0: 2",
	"p_rule":         "how p adapts: toy (default), ica, bnn, none",
	"p_rate":         "learning rate η̃ of p; 0: 5e-7",
	"p_start":        "p adapts in outer iterations whose index, from 0, exceeds this; -1: in all",
	"bandwidth":      "SVGD: kernel exp(−‖x−y‖²/(2·bandwidth)); 0: median heuristic",
}

// keys are the settings' names.
var keys = func() (all []string) {
	for f := range reflect.TypeFor[Config]().Fields() {
		all = append(all, f.Tag.Get("mapstructure"))
	}
	return all
}()

// ConfigError says which setting is wrong and what would be right.
type ConfigError struct{ Key, Problem string }

func (e *ConfigError) Error() string { return e.Key + ": " + e.Problem }

// Resolve checks cfg and returns it with the sampler's defaults in place of zero settings. Its errors are *ConfigError.
func (cfg Config) Resolve() (Config, error) {
	s, err := ByName(cfg.Sampler)
	if err != nil {
		return cfg, err
	}
	uses := slices.Concat(s.Uses, []string{"temper"})
	v, def := reflect.ValueOf(&cfg).Elem(), reflect.ValueOf(s.Defaults)
	for i, key := range keys {
		switch {
		case key == "sampler":
		case v.Field(i).IsZero():
			v.Field(i).Set(def.Field(i))
		case !slices.Contains(uses, key) && !v.Field(i).Equal(def.Field(i)): // so that Resolve takes what it returned
			problem := fmt.Sprintf("%s has no such setting; it has %s", s.Name, strings.Join(uses, ", "))
			return cfg, &ConfigError{key, problem}
		}
	}
	if err := cfg.check(uses); err != nil {
		return cfg, err
	}
	_, err = s.Build(cfg)
	return cfg, err
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
	return &ConfigError{key, fmt.Sprintf("must be at least %v and at most %v, got %v", low, high, v)}
}

// check refuses values out of range. Defaults are in place. A setting that only one sampler has is checked by its
// Build.
func (cfg *Config) check(uses []string) error {
	within := func(key string, v, low, high float64) error {
		if !slices.Contains(uses, key) {
			return nil
		}
		return inRange(key, v, low, high)
	}
	zeroOr := func(key string, v, low, high float64) error {
		if v == 0 {
			return nil
		}
		return within(key, v, low, high)
	}
	oneOf := func(key, v string, names []string) error {
		if slices.Contains(uses, key) && !slices.Contains(names, v) {
			return &ConfigError{key, fmt.Sprintf("%q is unknown: want one of %s", v, strings.Join(names, ", "))}
		}
		return nil
	}
	if err := cmp.Or(
		within("step", cfg.Step, least, most), oneOf("mover", cfg.Mover, Movers),
		within("temper", float64(cfg.Temper), 0, mostSteps),
		zeroOr("sigma", cfg.Sigma, leastSigma, mostSigma), zeroOr("sigma_rate", cfg.SigmaRate, least, most),
		zeroOr("sigma_min", cfg.SigmaMin, leastSigma, mostSigma),
		zeroOr("sigma_max", cfg.SigmaMax, leastSigma, mostSigma),
		oneOf("sigma_rule", cfg.SigmaRule, names(SigmaRules)),
		within("hidden", float64(cfg.Hidden), 1, mostHidden), within("inner", float64(cfg.Inner), 1, mostSteps),
		within("warmup", float64(cfg.Warmup), 0, mostSteps), within("lr", cfg.LR, least, most),
		within("lr_decay_every", float64(cfg.LRDecayEvery), 0, mostSteps),
		oneOf("activation", cfg.Activation, []string{"tanh", "leaky-relu"}),
		oneOf("optimizer", cfg.Optimizer, nn.Optimizers),
		oneOf("probe", cfg.Probe, []string{"rademacher", "gaussian"}),
		oneOf("p_rule", cfg.PRule, names(PRules)), zeroOr("p_rate", cfg.PRate, least, most),
		within("p_start", float64(cfg.PStart), -1, mostSteps), zeroOr("bandwidth", cfg.Bandwidth, least, most),
	); err != nil {
		return err
	}
	switch uses := func(key string) bool { return slices.Contains(uses, key) }; {
	case uses("sigma_max") && cfg.SigmaMax > 0 && cfg.SigmaMax < cfg.SigmaMin:
		return &ConfigError{"sigma_max", fmt.Sprintf("%v is below sigma_min %v", cfg.SigmaMax, cfg.SigmaMin)}
	case uses("p") && !(cfg.P > 1 && cfg.P < 100):
		return &ConfigError{"p", fmt.Sprintf("must be above 1 and below 100, got %v", cfg.P)}
	case cfg.LRDecayEvery > 0 && !(cfg.LRDecay > 0 && cfg.LRDecay <= 1):
		problem := fmt.Sprintf("must be in (0, 1] where lr_decay_every is set, got %v", cfg.LRDecay)
		return &ConfigError{"lr_decay", problem}
	}
	return nil
}

func names[T ~string](xs []T) []string {
	out := make([]string, len(xs))
	for i, x := range xs {
		out[i] = string(x)
	}
	return out
}

// Default returns settings of a sampler for a target of your own on R^d whose coordinates are about 1 wide, with n
// particles that start from N(0, I) and 2,000 iterations. They hold from 2 to 50 dimensions; docs/library.md has what
// they reach. Settings that it leaves at 0 are those of the sampler's row in Samplers. The rows' own values are the
// paper's for densities on the plane, whose small network lets clouds collapse in ten dimensions or more.
//
// σ grows with √d and falls with n^¼, from 0.1 to 0.3: fewer particles in more dimensions are farther apart, and the
// network has to see the space between them. A leaky ReLU with fresh noise at every network step overfits the particles
// least.
func Default(sampler string, d, n int) Config {
	cfg := Config{Sampler: sampler}
	s, err := ByName(sampler)
	if err != nil {
		return cfg // New names the mistake
	}
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
