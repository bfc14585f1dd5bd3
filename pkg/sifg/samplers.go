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
	Uses     []string // keys of Config that it has, besides "sampler" and "temper", which all have; others must be zero
	// Build makes the flow. Every setting of c is in its range, defaults in place; Build refuses, with a *ConfigError,
	// what the sampler cannot do beyond that.
	Build func(c Config) (*Flow, error)
	// Work is about how many floating-point operations n particles in d dimensions take over so many iterations,
	// besides the score and the move, for forecasts; nil: not known.
	Work func(c Config, n, d, iterations int) float64
	Look Look
}

// Look is how figures draw a method.
type Look struct {
	Color uint32    // 0xrrggbb; 0: one that depends on the method's name
	Dash  []float64 // points on, off, …; nil: solid
	Mark  string    // one of Marks
}

// Marks are the values of Look.Mark; "" is a circle.
var Marks = []string{"", "circle", "ring", "square", "open-square", "triangle", "open-triangle", "plus", "cross"}

var (
	networkKeys = []string{"hidden", "activation", "inner", "warmup", "optimizer", "lr", "lr_decay_every", "lr_decay"}
	moverKeys   = []string{"mover", "step", "divide_by_n"}
	sigmaKeys   = []string{"sigma_rule", "sigma_rate", "sigma_min", "sigma_max"}

	network = Config{Mover: "euler", Hidden: 32, Activation: "tanh", Inner: 5, Optimizer: "nesterov", LR: 1e-3}
)

// Samplers is the table of samplers, in the order of every legend, which starts as in the paper. The conformance test
// ranges over it. Register adds to it.
//
// The first seven colours of the paper's figures are those of Okabe and Ito, with grey for their yellow, which is too
// light for lines. The others are the farthest from all before them in CIELAB space, for full, protan and deutan
// vision, among those with a contrast of at least 2.2 to both white and black. Dashes and marks differ too, for print
// without colour.
var Samplers = []Sampler{
	{
		Name:     "l2-gf",
		Title:    "L2-GF",
		Doc:      "L₂ functional gradient flow: velocity network, Stein loss with p = 2",
		Version:  1,
		Defaults: over(network, Config{Step: 0.01, Probe: "rademacher", P: 2}),
		Uses:     slices.Concat(networkKeys, moverKeys, []string{"probe"}),
		Look:     Look{Color: 0x009e73, Dash: []float64{4, 2}, Mark: "triangle"},
		Build:    with(stein),
		Work:     trains(2),
	},
	{
		Name:     "ada-gwg",
		Title:    "Ada-GWG",
		Doc:      "generalised Wasserstein gradient flow: Stein loss with adaptive exponent p",
		Version:  1,
		Defaults: over(network, Config{Step: 0.01, Probe: "rademacher", P: 2, PRule: string(PToy), PRate: 5e-7}),
		Uses:     slices.Concat(networkKeys, moverKeys, []string{"probe", "p", "p_rule", "p_rate", "p_start"}),
		Look:     Look{Color: 0xcc79a7, Dash: []float64{6, 1.6, 1.4, 1.6}, Mark: "open-triangle"},
		Build:    with(stein),
		Work:     trains(2),
	},
	{
		Name:     "sifg",
		Title:    "SIFG",
		Doc:      "semi-implicit functional gradient flow, fixed σ (Algorithm 1)",
		Version:  1,
		Defaults: over(network, Config{Step: 0.01, Sigma: 0.1}),
		Uses:     slices.Concat(networkKeys, moverKeys, []string{"sigma", "redraw", "independent"}),
		Look:     Look{Color: 0x0072b2, Mark: "circle"},
		Build:    with(denoise),
		Work:     trains(1),
	},
	{
		Name:    "ada-sifg",
		Title:   "Ada-SIFG",
		Doc:     "SIFG with adaptive σ (Algorithm 2)",
		Version: 1,
		Defaults: over(network,
			Config{Step: 0.01, Sigma: 0.1, SigmaRule: string(SigmaKLw), SigmaRate: 1e-3, SigmaMin: 1e-3}),
		Uses:  slices.Concat(networkKeys, moverKeys, sigmaKeys, []string{"sigma", "redraw", "independent"}),
		Look:  Look{Color: 0xd55e00, Dash: []float64{6, 1.6}, Mark: "square"},
		Build: with(denoise),
		Work:  trains(1),
	},
	{
		Name:     "sifg-a",
		Title:    "SIFG-A",
		Doc:      "SIFG with antithetic denoising",
		Version:  1,
		Defaults: over(network, Config{Step: 0.01, Sigma: 0.1}),
		Uses:     slices.Concat(networkKeys, moverKeys, []string{"sigma", "redraw"}),
		Look:     Look{Color: 0x5014dc, Dash: []float64{9, 1.6}, Mark: "ring"},
		Build:    with(antithetic),
		Work:     trains(2),
	},
	{
		Name:    "ada-sifg-a",
		Title:   "Ada-SIFG-A",
		Doc:     "SIFG with antithetic denoising and adaptive σ, by one of the KL rules",
		Version: 1,
		Defaults: over(network,
			Config{Step: 0.01, Sigma: 0.1, SigmaRule: string(SigmaKLw), SigmaRate: 1e-3, SigmaMin: 1e-3}),
		Uses:  slices.Concat(networkKeys, moverKeys, sigmaKeys, []string{"sigma", "redraw"}),
		Look:  Look{Color: 0x783c14, Dash: []float64{9, 1.6, 1.4, 1.6}, Mark: "plus"},
		Build: adaptiveAntithetic,
		Work:  trains(2),
	},
	{
		Name:     "interpolated",
		Title:    "Interpolated",
		Doc:      "from SIFG-A (θ = 0) to Langevin dynamics (θ = 1)",
		Version:  1,
		Defaults: over(network, Config{Step: 0.01, Sigma: 0.1}),
		Uses:     slices.Concat(networkKeys, []string{"mover", "step", "sigma", "redraw"}),
		Look:     Look{Color: 0xc00000, Mark: "cross"},
		Build:    interpolated,
		Work:     trains(2),
	},
	{
		Name:     "svgd",
		Title:    "SVGD",
		Doc:      "Stein variational gradient descent, RBF kernel (bandwidth 0: median heuristic)",
		Version:  1,
		Defaults: Config{Mover: "euler", Step: 0.1},
		Uses:     slices.Concat(moverKeys, []string{"bandwidth"}),
		Look:     Look{Color: 0xe69f00, Dash: []float64{1.6, 1.4}, Mark: "open-square"},
		Build:    with(func(c Config) Field { return &Kernel{Bandwidth: c.Bandwidth} }),
		Work:     pairs,
	},
	{
		Name:     "sgld",
		Title:    "SGLD",
		Doc:      "stochastic gradient Langevin dynamics, one chain a particle",
		Version:  1,
		Defaults: Config{Mover: "langevin", Step: 1e-3},
		Uses:     []string{"step"},
		Look:     Look{Color: 0x56b4e9, Dash: []float64{3, 1.4, 1.2, 1.4, 1.2, 1.4}, Mark: "cross"},
		Build:    with(func(Config) Field { return &Drift{} }),
		Work:     none,
	},
	{
		Name:     "psgld",
		Title:    "pSGLD",
		Doc:      "preconditioned SGLD (RMSprop), one chain a particle",
		Version:  1,
		Defaults: Config{Mover: "rmsprop", Step: 1e-3},
		Uses:     []string{"step"},
		Look:     Look{Color: 0x8c1478, Dash: []float64{3, 1.4, 1.2, 1.4}, Mark: "ring"},
		Build:    psgld,
		Work:     none,
	},
	{
		Name:     "baoab",
		Title:    "BAOAB",
		Doc:      "underdamped Langevin dynamics, one chain a particle",
		Version:  1,
		Defaults: Config{Step: 0.01, Friction: 1},
		Uses:     []string{"step", "friction"},
		Look:     Look{Color: 0x7a7a00, Dash: []float64{5, 1, 1, 1}, Mark: "square"},
		Build:    baoab,
		Work:     none,
	},
	{
		Name:     "ascent",
		Title:    "Ascent",
		Doc:      "independent particles, each up the density; with σ, SIFG whose f is 0",
		Version:  1,
		Defaults: Config{Mover: "euler", Step: 0.01},
		Uses:     slices.Concat(moverKeys, []string{"sigma"}),
		Look:     Look{Color: 0x9f6fdf, Dash: []float64{2, 4}, Mark: "triangle"},
		Build:    with(func(Config) Field { return &Drift{} }),
		Work:     none,
	},
	{
		Name:     "kde-flow",
		Title:    "KDE flow",
		Doc:      "SIFG with the closed-form score of the perturbed cloud in place of a network",
		Version:  1,
		Defaults: Config{Mover: "euler", Step: 0.01, Sigma: 0.1},
		Uses:     slices.Concat(moverKeys, []string{"sigma"}),
		Look:     Look{Color: 0x777777, Dash: []float64{2.6, 2.6}, Mark: "plus"},
		Build:    with(func(Config) Field { return &KDE{} }),
		Work:     pairs,
	},
}

// Movers lists the names of particle movers: "rmsprop" is AdaGrad with Decay 0.9 (not nn.RMSProp, which the optimizer
// of that name is), langevin comes with sgld only.
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
	Samplers = append(Samplers, s)
	if _, err := New(Config{Sampler: s.Name}); err != nil {
		Samplers = Samplers[:len(Samplers)-1]
		fail(err.Error())
	}
}

// New builds the sampler that cfg names; zero settings take the sampler's defaults. Its errors are *ConfigError.
func New(cfg Config) (*Flow, error) {
	c, err := cfg.Resolve()
	if err != nil {
		return nil, err
	}
	s, _ := ByName(c.Sampler)
	f, err := s.Build(c)
	if err != nil {
		return nil, err
	}
	f.Temper = c.Temper
	return f, nil
}

// with returns a Build of the given field, with the noise and the mover that the settings say.
func with(field func(Config) Field) func(Config) (*Flow, error) {
	return func(c Config) (*Flow, error) {
		return &Flow{Noise: c.noise(), Field: field(c), Mover: c.mover()}, nil
	}
}

func (cfg *Config) noise() Noise {
	return Noise{
		Sigma: float32(cfg.Sigma), Rule: SigmaRule(cfg.SigmaRule), Rate: cfg.SigmaRate,
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
		Network: c.network(), P: c.P, Rule: PRule(c.PRule), Rate: c.PRate, After: c.PStart,
		Gaussian: c.Probe == "gaussian",
	}
}

// trains is the Work of a sampler whose network is trained on so many points a particle: two operations a weight for
// the way forward, four for the way back, and some for the optimizer. An activation costs about as much as 32 weights.
func trains(points int) func(c Config, n, d, iterations int) float64 {
	return func(c Config, n, d, iterations int) float64 {
		weights, rows := float64(c.Hidden*(2*d+c.Hidden+32)), float64(points*n)
		steps := float64(iterations)*float64(c.Inner) + float64(c.Warmup)
		return weights * (rows*(6*steps+2*float64(iterations)) + 80*steps)
	}
}

// pairs is the Work of a sampler with a kernel between all particles.
func pairs(_ Config, n, d, iterations int) float64 {
	return float64(iterations) * float64(n) * float64(n) * float64(9*d+45)
}

// none is the Work of a sampler that does nothing besides.
func none(Config, int, int, int) float64 { return 0 }

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
