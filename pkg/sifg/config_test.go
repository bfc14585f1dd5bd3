package sifg

import (
	"math"
	"strings"
	"testing"
)

func TestConfigErrors(t *testing.T) {
	for _, tc := range []struct {
		cfg Config
		key string
	}{
		{Config{}, "sampler"},
		{Config{Sampler: "sfig"}, "sampler"},
		{Config{Sampler: "sifg", Step: -1}, "step"},
		{Config{Sampler: "sifg", Step: math.NaN()}, "step"},
		{Config{Sampler: "sifg", SigmaRate: 1}, "sigma_rate"},
		{Config{Sampler: "svgd", Hidden: 3}, "hidden"},
		{Config{Sampler: "ada-sifg", SigmaRule: "kl"}, "sigma_rule"},
		{Config{Sampler: "ada-sifg", SigmaMin: 0.5, SigmaMax: 0.1}, "sigma_max"},
		{Config{Sampler: "ada-gwg", P: 1}, "p"},
		{Config{Sampler: "ada-gwg", PRule: "best"}, "p_rule"},
		{Config{Sampler: "l2-gf", Mover: "langevin"}, "mover"},
		{Config{Sampler: "l2-gf", Optimizer: "lbfgs"}, "optimizer"},
		{Config{Sampler: "l2-gf", LRDecayEvery: 10}, "lr_decay"},
		{Config{Sampler: "sgld", Mover: "adam"}, "mover"},
		{Config{Sampler: "psgld", Mover: "euler"}, "mover"},
		{Config{Sampler: "baoab", Friction: -1}, "friction"},
		{Config{Sampler: "interpolated", Mover: "adam"}, "mover"},
	} {
		_, err := New(tc.cfg)
		var ce *ConfigError
		if err == nil {
			t.Errorf("%+v is accepted", tc.cfg)
		} else if ce, _ = err.(*ConfigError); ce == nil || ce.Field != fieldNames([]string{tc.key}) {
			t.Errorf("%+v: error %q, want one about %s", tc.cfg, err, tc.key)
		}
	}
}

// TestRanges: values that a float32 cannot hold and networks that no memory can are refused, with the range.
func TestRanges(t *testing.T) {
	for want, cfg := range map[string]Config{
		"Sigma: must be at least 1e-18 and at most 1e+06, got 1e-300":     {Sampler: "sifg", Sigma: 1e-300},
		"Sigma: must be at least 1e-18 and at most 1e+06, got 1e-19":      {Sampler: "sifg", Sigma: 1e-19},
		"SigmaMin: must be at least 1e-18 and at most 1e+06, got 1e-300":  {Sampler: "ada-sifg", SigmaMin: 1e-300},
		"SigmaMax: must be at least 1e-18 and at most 1e+06, got 1e+60":   {Sampler: "ada-sifg", SigmaMax: 1e60},
		"Sigma: must be at least 1e-18 and at most 1e+06, got 1e+09":      {Sampler: "kde-flow", Sigma: 1e9},
		"Step: must be at least 1e-20 and at most 1e+20, got 1e+30":       {Sampler: "svgd", Step: 1e30},
		"Step: must be at least 1e-20 and at most 1e+20, got 1e-50":       {Sampler: "svgd", Step: 1e-50},
		"Bandwidth: must be at least 1e-20 and at most 1e+20, got 1e-300": {Sampler: "svgd", Bandwidth: 1e-300},
		"Hidden: must be at least 1 and at most 16384, got 1e+09":         {Sampler: "sifg", Hidden: 1000000000},
		"Inner: must be at least 1 and at most 1e+09, got -1":             {Sampler: "sifg", Inner: -1},
	} {
		if _, err := New(cfg); err == nil || err.Error() != want {
			t.Errorf("%+v: error %q, want %q", cfg, err, want)
		}
	}
}

// TestRegister: a row from outside works by name; one that would not work is refused when it is registered.
func TestRegister(t *testing.T) {
	defer func(old []Sampler) { samplers = old }(samplers)
	build := func(c Config) (*Flow, error) {
		if c.Step > 1 {
			return nil, &ConfigError{"Step", "must be at most 1"}
		}
		return &Flow{Field: &Drift{}, Mover: &Euler{Step: c.Step}}, nil
	}
	good := Sampler{Name: "climb", Version: 1, Defaults: Config{Step: 0.5}, Uses: []string{"step"}, Build: build}
	for words, change := range map[string]func(*Sampler){
		"name is empty":         func(s *Sampler) { s.Name = "" },
		"taken":                 func(s *Sampler) { s.Name = "sifg" },
		"Version":               func(s *Sampler) { s.Version = 0 },
		"Build is nil":          func(s *Sampler) { s.Build = nil },
		"no key of Config":      func(s *Sampler) { s.Uses = []string{"stride"} },
		"Step: must be at most": func(s *Sampler) { s.Defaults.Step = 2 },
	} {
		bad := good
		change(&bad)
		func() {
			defer func() {
				if r, _ := recover().(string); !strings.Contains(r, words) {
					t.Errorf("registering panics with %q, want %q", r, words)
				}
			}()
			Register(bad)
		}()
	}
	Register(good)
	f, err := New(Config{Sampler: "climb"})
	if err != nil {
		t.Fatal(err)
	}
	if f.Mover.(*Euler).Step != 0.5 {
		t.Error("the default step is not used")
	}
	if _, err := New(Config{Sampler: "climb", Step: 3}); err == nil || err.Error() != "Step: must be at most 1" {
		t.Errorf("its own check says %v", err)
	}
}

// TestDefaults: every sampler takes its settings of Default, and a name that none has is refused.
func TestDefaults(t *testing.T) {
	if _, err := New(Default("sfig", 2, 100)); err == nil {
		t.Error("a sampler of no such name has defaults")
	}
	for _, s := range samplers {
		if _, err := New(Default(s.Name, 3, 100)); err != nil {
			t.Errorf("%s: %v", s.Name, err)
		}
	}
}
