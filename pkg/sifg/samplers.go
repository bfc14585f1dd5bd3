package sifg

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/semi-implicit/sifg/pkg/sifg/nn"
)

// Numerics identifies what all samplers compute with: random streams, networks, movers and the compute core. It is part of the
// identity of every result: raise it when the same settings may give other numbers, and only then.
const Numerics = 1

// Sampler is one row of the table of samplers.
type Sampler struct {
	Name     string
	Version  int    // identifies the sampler's own numerics, as Numerics does those of all
	Title    string // as spelled in the paper
	Doc      string
	Defaults Config   // what a zero setting means
	Uses     []string // keys of Config, beside "sampler", that it has; others must be zero
	field    func(c *Config) Field
}

var (
	networkKeys = []string{"hidden", "activation", "inner", "warmup", "optimizer", "lr", "lr_decay_every", "lr_decay"}
	moverKeys   = []string{"mover", "step", "divide_by_n"}
	sigmaKeys   = []string{"sigma_rule", "sigma_rate", "sigma_min", "sigma_max"}

	network = Config{Mover: "euler", Hidden: 32, Activation: "tanh", Inner: 5, Optimizer: "nesterov", LR: 1e-3}
)

// Samplers is the table of samplers. The conformance test ranges over it.
var Samplers = []Sampler{
	{
		Name: "sifg", Version: 1, Title: "SIFG", Doc: "semi-implicit functional gradient flow, fixed σ (Algorithm 1)",
		Defaults: with(network, Config{Step: 0.01, Sigma: 0.1}),
		Uses:     slices.Concat(networkKeys, moverKeys, []string{"sigma", "redraw", "independent"}),
		field:    denoise,
	},
	{
		Name: "ada-sifg", Version: 1, Title: "Ada-SIFG", Doc: "SIFG with adaptive σ (Algorithm 2)",
		Defaults: with(network, Config{Step: 0.01, Sigma: 0.1, SigmaRule: string(SigmaKLw), SigmaRate: 1e-3, SigmaMin: 1e-3}),
		Uses:     slices.Concat(networkKeys, moverKeys, sigmaKeys, []string{"sigma", "redraw", "independent"}),
		field:    denoise,
	},
	{
		Name: "l2-gf", Version: 1, Title: "L2-GF", Doc: "L₂ functional gradient flow: velocity network, Stein loss with p = 2",
		Defaults: with(network, Config{Step: 0.01, Probe: "rademacher", P: 2}),
		Uses:     slices.Concat(networkKeys, moverKeys, []string{"probe"}),
		field:    stein,
	},
	{
		Name: "ada-gwg", Version: 1, Title: "Ada-GWG", Doc: "generalised Wasserstein gradient flow: Stein loss with adaptive exponent p",
		Defaults: with(network, Config{Step: 0.01, Probe: "rademacher", P: 2, PRule: string(PToy), PRate: 5e-7}),
		Uses:     slices.Concat(networkKeys, moverKeys, []string{"probe", "p", "p_rule", "p_rate", "p_start"}),
		field:    stein,
	},
	{
		Name: "svgd", Version: 1, Title: "SVGD", Doc: "Stein variational gradient descent, RBF kernel (bandwidth 0: median heuristic)",
		Defaults: Config{Mover: "euler", Step: 0.1},
		Uses:     slices.Concat(moverKeys, []string{"bandwidth"}),
		field:    func(c *Config) Field { return &Kernel{Bandwidth: c.Bandwidth} },
	},
	{
		Name: "sgld", Version: 1, Title: "SGLD", Doc: "stochastic gradient Langevin dynamics, one chain a particle",
		Defaults: Config{Mover: "langevin", Step: 1e-3},
		Uses:     []string{"step"},
		field:    func(*Config) Field { return &Drift{} },
	},
	{
		Name: "kde-flow", Version: 1, Title: "KDE flow", Doc: "SIFG with the closed-form score of the perturbed cloud in place of a network",
		Defaults: Config{Mover: "euler", Step: 0.01, Sigma: 0.1},
		Uses:     slices.Concat(moverKeys, []string{"sigma"}),
		field:    func(*Config) Field { return &KDE{} },
	},
}

// Movers lists the names of particle movers: "rmsprop" is AdaGrad with Decay 0.9 (not nn.RMSProp, which the optimizer of that name
// is), langevin comes with sgld only.
var Movers = []string{"euler", "adam", "adagrad", "rmsprop"}

// ByName returns the table row of a sampler, or an error that lists the names.
func ByName(name string) (*Sampler, error) {
	var names []string
	for i := range Samplers {
		if Samplers[i].Name == name {
			return &Samplers[i], nil
		}
		names = append(names, Samplers[i].Name)
	}
	return nil, &ConfigError{"sampler", fmt.Sprintf("%q is unknown: want one of %s", name, strings.Join(names, ", "))}
}

// ConfigError says which setting is wrong and what would be right.
type ConfigError struct{ Key, Problem string }

func (e *ConfigError) Error() string { return e.Key + ": " + e.Problem }

// New builds the sampler that cfg names; zero settings take the sampler's defaults. Its errors are *ConfigError.
func New(cfg Config) (*Flow, error) {
	c, err := cfg.Resolve()
	if err != nil {
		return nil, err
	}
	s, _ := ByName(c.Sampler)
	f := &Flow{
		Noise: Noise{
			Sigma: float32(c.Sigma), Rule: SigmaRule(c.SigmaRule), Rate: c.SigmaRate,
			Min: float32(c.SigmaMin), Max: float32(c.SigmaMax),
		},
		Field: s.field(&c),
	}
	switch c.Mover {
	case "euler":
		f.Mover = &Euler{Step: c.Step, DivideByN: c.DivideByN}
	case "adam":
		f.Mover = &Adam{Step: c.Step, DivideByN: c.DivideByN}
	case "adagrad":
		f.Mover = &AdaGrad{Step: c.Step}
	case "rmsprop":
		f.Mover = &AdaGrad{Step: c.Step, Decay: 0.9}
	case "langevin":
		f.Mover = &Langevin{Step: c.Step}
	}
	return f, nil
}

// Resolve checks cfg and returns it with the sampler's defaults in place of zero settings. Its errors are *ConfigError.
func (cfg Config) Resolve() (Config, error) {
	s, err := ByName(cfg.Sampler)
	if err != nil {
		return cfg, err
	}
	v, def := reflect.ValueOf(&cfg).Elem(), reflect.ValueOf(s.Defaults)
	for i := range v.NumField() {
		key := v.Type().Field(i).Tag.Get("mapstructure")
		switch {
		case key == "sampler":
		case v.Field(i).IsZero():
			v.Field(i).Set(def.Field(i))
		case !slices.Contains(s.Uses, key) && !v.Field(i).Equal(def.Field(i)): // so that Resolve takes what it returned
			return cfg, &ConfigError{key, fmt.Sprintf("%s has no such setting; it has %s", s.Name, strings.Join(s.Uses, ", "))}
		}
	}
	return cfg, cfg.check(s)
}

// check refuses values out of range. Defaults are in place.
func (cfg *Config) check(s *Sampler) error {
	uses := func(key string) bool { return slices.Contains(s.Uses, key) }
	positive := func(key string, v float64) error {
		if uses(key) && !(v > 0 && v < 1e30) {
			return &ConfigError{key, fmt.Sprintf("must be a number above 0, got %v", v)}
		}
		return nil
	}
	notNegative := func(key string, v float64) error {
		if uses(key) && !(v >= 0 && v < 1e30) {
			return &ConfigError{key, fmt.Sprintf("must not be negative, got %v", v)}
		}
		return nil
	}
	oneOf := func(key, v string, names []string) error {
		if uses(key) && !slices.Contains(names, v) {
			return &ConfigError{key, fmt.Sprintf("%q is unknown: want one of %s", v, strings.Join(names, ", "))}
		}
		return nil
	}
	for _, err := range []error{
		positive("step", cfg.Step), oneOf("mover", cfg.Mover, Movers),
		positive("sigma", cfg.Sigma), notNegative("sigma_rate", cfg.SigmaRate),
		notNegative("sigma_min", cfg.SigmaMin), notNegative("sigma_max", cfg.SigmaMax),
		oneOf("sigma_rule", cfg.SigmaRule, names(SigmaRules)),
		positive("hidden", float64(cfg.Hidden)), positive("inner", float64(cfg.Inner)),
		notNegative("warmup", float64(cfg.Warmup)), positive("lr", cfg.LR),
		notNegative("lr_decay_every", float64(cfg.LRDecayEvery)),
		oneOf("activation", cfg.Activation, []string{"tanh", "leaky-relu"}),
		oneOf("optimizer", cfg.Optimizer, nn.Optimizers),
		oneOf("probe", cfg.Probe, []string{"rademacher", "gaussian"}),
		oneOf("p_rule", cfg.PRule, names(PRules)), notNegative("p_rate", cfg.PRate),
		notNegative("p_start", float64(cfg.PStart)), notNegative("bandwidth", cfg.Bandwidth),
	} {
		if err != nil {
			return err
		}
	}
	switch {
	case uses("sigma_max") && cfg.SigmaMax > 0 && cfg.SigmaMax < cfg.SigmaMin:
		return &ConfigError{"sigma_max", fmt.Sprintf("%v is below sigma_min %v", cfg.SigmaMax, cfg.SigmaMin)}
	case uses("p") && !(cfg.P > 1 && cfg.P < 100):
		return &ConfigError{"p", fmt.Sprintf("must be above 1, got %v", cfg.P)}
	case cfg.LRDecayEvery > 0 && !(cfg.LRDecay > 0 && cfg.LRDecay <= 1):
		return &ConfigError{"lr_decay", fmt.Sprintf("must be in (0, 1] where lr_decay_every is set, got %v", cfg.LRDecay)}
	}
	return nil
}

func (cfg *Config) network() Network {
	act := nn.Tanh
	if cfg.Activation == "leaky-relu" {
		act = nn.LeakyReLU
	}
	return Network{
		Hidden: cfg.Hidden, Activation: act, Optimizer: cfg.Optimizer, Inner: cfg.Inner, Warmup: cfg.Warmup,
		Rate: nn.Rate{LR: cfg.LR, Every: cfg.LRDecayEvery, Decay: cfg.LRDecay},
	}
}

func denoise(c *Config) Field {
	return &Denoise{Network: c.network(), Redraw: c.Redraw, Independent: c.Independent}
}

func stein(c *Config) Field {
	return &Stein{
		Network: c.network(), P: c.P, Rule: PRule(c.PRule), Rate: c.PRate, After: c.PStart,
		Gaussian: c.Probe == "gaussian",
	}
}

// with returns base with over's non-zero fields in place.
func with(base, over Config) Config {
	b, o := reflect.ValueOf(&base).Elem(), reflect.ValueOf(over)
	for i := range b.NumField() {
		if !o.Field(i).IsZero() {
			b.Field(i).Set(o.Field(i))
		}
	}
	return base
}

func names[T ~string](xs []T) []string {
	out := make([]string, len(xs))
	for i, x := range xs {
		out[i] = string(x)
	}
	return out
}
