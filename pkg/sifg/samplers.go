package sifg

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/semi-implicit/sifg/pkg/sifg/nn"
)

// Sampler is one row of the table of samplers.
type Sampler struct {
	Name     string
	Title    string // as spelled in the paper
	Doc      string
	Version  int      // of its numbers, from 1: raise it when the same settings give other numbers
	Defaults Config   // what a zero setting means
	Uses     []string // keys of Config that it has, besides "sampler"; others must be zero
	// Build makes the flow. Every setting of c is in its range, defaults in place; Build refuses, with a *ConfigError,
	// what the sampler cannot do beyond that.
	Build func(c Config) (*Flow, error)
}

var (
	networkKeys  = []string{"hidden", "activation", "inner", "warmup", "optimizer", "lr", "lr_decay_every", "lr_decay"}
	moverKeys    = []string{"mover", "step", "divide_by_n"}
	sigmaKeys    = []string{"sigma_rule", "sigma_rate", "sigma_min", "sigma_max"}
	exponentKeys = []string{"probe", "p", "p_rule", "p_rate", "p_clip", "p_start"}

	network = Config{Mover: "euler", Hidden: 32, Activation: "tanh", Inner: 5, Optimizer: "nesterov", LR: 1e-3}
)

// samplers is the table of samplers, in the order of every legend, which starts as in the paper. The conformance test
// ranges over it.
var samplers = []Sampler{
	{
		Name:     "l2-gf",
		Title:    "L2-GF",
		Doc:      "L₂ functional gradient flow: velocity network, Stein loss with p = 2",
		Version:  1,
		Defaults: over(network, Config{Step: 0.01, Probe: "rademacher", P: 2}),
		Uses:     slices.Concat(networkKeys, moverKeys, []string{"probe"}),
		Build:    with(stein),
	},
	{
		Name:     "ada-gwg",
		Title:    "Ada-GWG",
		Doc:      "generalised Wasserstein gradient flow: Stein loss with adaptive exponent p",
		Version:  1,
		Defaults: over(network, Config{Step: 0.01, Probe: "rademacher", P: 2, PRule: PToy, PRate: 5e-7}),
		Uses:     slices.Concat(networkKeys, moverKeys, exponentKeys),
		Build:    with(stein),
	},
	{
		Name:     "sifg",
		Title:    "SIFG",
		Doc:      "semi-implicit functional gradient flow, fixed σ (Algorithm 1)",
		Version:  1,
		Defaults: over(network, Config{Step: 0.01, Sigma: 0.1}),
		Uses:     slices.Concat(networkKeys, moverKeys, []string{"sigma", "redraw", "independent"}),
		Build:    with(denoise),
	},
	{
		Name:    "ada-sifg",
		Title:   "Ada-SIFG",
		Doc:     "SIFG with adaptive σ (Algorithm 2)",
		Version: 1,
		Defaults: over(network,
			Config{Step: 0.01, Sigma: 0.1, SigmaRule: SigmaKLw, SigmaRate: 1e-3, SigmaMin: 1e-3}),
		Uses:  slices.Concat(networkKeys, moverKeys, sigmaKeys, []string{"sigma", "redraw", "independent"}),
		Build: with(denoise),
	},
	{
		Name:     "sifg-a",
		Title:    "SIFG-A",
		Doc:      "SIFG with antithetic denoising",
		Version:  1,
		Defaults: over(network, Config{Step: 0.01, Sigma: 0.1}),
		Uses:     slices.Concat(networkKeys, moverKeys, []string{"sigma", "redraw"}),
		Build:    with(antithetic),
	},
	{
		Name:     "interpolated",
		Title:    "Interpolated",
		Doc:      "from SIFG-A (θ = 0) to Langevin dynamics (θ = 1)",
		Version:  1,
		Defaults: over(network, Config{Step: 0.01, Sigma: 0.1}),
		Uses:     slices.Concat(networkKeys, []string{"mover", "step", "sigma", "redraw"}),
		Build:    interpolated,
	},
	{
		Name:     "svgd",
		Title:    "SVGD",
		Doc:      "Stein variational gradient descent, RBF kernel (bandwidth 0: median heuristic)",
		Version:  1,
		Defaults: Config{Mover: "euler", Step: 0.1},
		Uses:     slices.Concat(moverKeys, []string{"bandwidth"}),
		Build:    with(func(c Config) Field { return &Kernel{Bandwidth: c.Bandwidth} }),
	},
	{
		Name:     "sgld",
		Title:    "SGLD",
		Doc:      "stochastic gradient Langevin dynamics, one chain a particle",
		Version:  1,
		Defaults: Config{Mover: "langevin", Step: 1e-3},
		Uses:     []string{"step"},
		Build:    with(func(Config) Field { return &Drift{} }),
	},
	{
		Name:     "psgld",
		Title:    "pSGLD",
		Doc:      "preconditioned SGLD (RMSprop), one chain a particle",
		Version:  1,
		Defaults: Config{Mover: "rmsprop", Step: 1e-3},
		Uses:     []string{"step"},
		Build:    func(c Config) (*Flow, error) { return &Flow{Field: &Drift{}, Mover: diffuse(c, nil)}, nil },
	},
	{
		Name:     "baoab",
		Title:    "BAOAB",
		Doc:      "underdamped Langevin dynamics, one chain a particle",
		Version:  1,
		Defaults: Config{Step: 0.01, Friction: 1},
		Uses:     []string{"step", "friction"},
		Build: func(c Config) (*Flow, error) {
			return &Flow{Field: &Drift{}, Mover: &BAOAB{Step: c.Step, Friction: c.Friction}}, nil
		},
	},
	{
		Name:     "ascent",
		Title:    "Gradient ascent",
		Doc:      "independent particles, each up the density; with σ, SIFG whose f is 0",
		Version:  1,
		Defaults: Config{Mover: "euler", Step: 0.01},
		Uses:     slices.Concat(moverKeys, []string{"sigma"}),
		Build:    with(func(Config) Field { return &Drift{} }),
	},
	{
		Name:     "kde-flow",
		Title:    "KDE score",
		Doc:      "SIFG with the closed-form score of the perturbed particles in place of a network",
		Version:  1,
		Defaults: Config{Mover: "euler", Step: 0.01, Sigma: 0.1},
		Uses:     slices.Concat(moverKeys, []string{"sigma"}),
		Build:    with(func(Config) Field { return &KDE{} }),
	},
}

// Samplers returns the rows of the table of samplers, those of Register last.
func Samplers() []Sampler { return slices.Clone(samplers) }

// movers are the names of particle movers: "rmsprop" is AdaGrad with Decay 0.9, langevin comes with sgld only.
var movers = []string{"euler", "adam", "adagrad", "rmsprop"}

// ByName returns the table row of a sampler, or an error that lists the names.
func ByName(name string) (*Sampler, error) {
	var names []string
	for i := range samplers {
		if samplers[i].Name == name {
			return &samplers[i], nil
		}
		names = append(names, samplers[i].Name)
	}
	return nil, wrong("sampler", "%q is unknown: want one of %s; HMC and NUTS are in package hmc", name,
		strings.Join(names, ", "))
}

// Register adds a sampler to the table, for programs with samplers of their own. Call it before anything reads the
// table, as in an init function. It panics where the row would not work: no name, a name that is taken, a Version below
// 1, no Build, a key in Uses that Config does not have, or defaults that New refuses.
func Register(s Sampler) {
	fail := func(problem string) { panic(fmt.Sprintf("sifg: Register %q: %s", s.Name, problem)) }
	taken, _ := ByName(s.Name)
	switch {
	case s.Name == "":
		fail("the name is empty")
	case taken != nil:
		fail("the name is taken")
	case s.Version < 1:
		fail("Version must be at least 1")
	case s.Build == nil:
		fail("Build is nil")
	}
	for _, key := range s.Uses {
		if !slices.Contains(keys, key) {
			fail(fmt.Sprintf("Uses has %q, which is no key of Config", key))
		}
	}
	samplers = append(samplers, s)
	if _, err := New(Config{Sampler: s.Name}); err != nil {
		Unregister(s.Name)
		fail(err.Error())
	}
}

// Unregister takes a sampler out of the table.
func Unregister(name string) {
	samplers = slices.DeleteFunc(samplers, func(s Sampler) bool { return s.Name == name })
}

// New builds the sampler that cfg names; zero settings take the sampler's defaults. Its errors are *ConfigError.
func New(cfg Config) (*Flow, error) {
	_, f, err := cfg.build()
	return f, err
}

// with returns a Build of the given field, with the noise and the mover that the settings say.
func with(field func(Config) Field) func(Config) (*Flow, error) {
	return func(c Config) (*Flow, error) {
		return &Flow{Noise: c.noise(), Field: field(c), Mover: c.mover()}, nil
	}
}

func (cfg *Config) noise() Noise {
	return Noise{
		Sigma: float32(cfg.Sigma), Rule: cfg.SigmaRule, Rate: cfg.SigmaRate,
		Min: float32(cfg.SigmaMin), Max: float32(cfg.SigmaMax),
	}
}

func (cfg *Config) mover() Mover {
	switch cfg.Mover {
	case "adam":
		return &Adam{Step: cfg.Step, DivideByN: cfg.DivideByN}
	case "adagrad":
		return &AdaGrad{Step: cfg.Step}
	case "rmsprop":
		return &AdaGrad{Step: cfg.Step, Decay: 0.9}
	case "langevin":
		return &Langevin{Step: cfg.Step}
	}
	return &Euler{Step: cfg.Step, DivideByN: cfg.DivideByN}
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

func denoise(c Config) Field {
	return &Denoise{Network: c.network(), Redraw: c.Redraw, Independent: c.Independent}
}

func stein(c Config) Field {
	return &Stein{
		Network: c.network(), P: c.P, Rule: c.PRule, Rate: c.PRate, Clip: c.PClip, After: c.PStart,
		Gaussian: c.Probe == "gaussian",
	}
}

// over returns base with the non-zero fields of top in place.
func over(base, top Config) Config {
	b, o := reflect.ValueOf(&base).Elem(), reflect.ValueOf(top)
	for i := range b.NumField() {
		if !o.Field(i).IsZero() {
			b.Field(i).Set(o.Field(i))
		}
	}
	return base
}
