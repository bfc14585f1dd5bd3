package settings

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
)

const toy = `
base:
  seeds: [1, 2]
  methods:
    svgd: {step: 0.1}
    drift: {sampler: sgld, step: 0.01}
    sifg: {step: 0.05, hidden: 4, redraw: true}
  problems:
    small:
      particles: 6
      iterations: 8
      judge: {every: 4, snapshots: [8, 4, 4], track: 200}
      options: {shift: 1, nested: {a: 1, b: [1, 2]}}
    wide:
      particles: 5
      iterations: 4
      methods: {drift: {iterations: 9}}
      data: table
      options: {dim: 3}
      include: [drift, svgd]
protocols:
  paper:
    problems: {small: {methods: {svgd: {step: 0.2}, sifg: {step: 0.01, redraw: false}}}}
  released:
    problems: {small: {judge: {sample: perturbed}}}
    scales: {smoke: {seeds: [7]}}
scales:
  quick: {problems: {small: {iterations: 6}, wide: {iterations: 3}}}
  smoke: {seeds: [1], problems: {small: {iterations: 2}, wide: {iterations: 2}}}
`

func sets(texts ...string) []Override {
	var out []Override
	for _, s := range texts {
		out = append(out, Override{Text: s, From: "--set"})
	}
	return out
}

func resolve(t *testing.T, protocol, scale string, over ...Override) *Settings {
	t.Helper()
	f := must(Read("toy", []byte(toy)))
	s := must(f.Resolve(protocol, scale, over))
	return s
}

func config(t *testing.T, s *Settings, problem, method string) Config {
	t.Helper()
	for _, p := range s.Problems {
		for _, m := range p.Methods {
			if p.Name == problem && m.Name == method {
				return m.Config
			}
		}
	}
	t.Fatalf("no %s on %s", method, problem)
	return Config{}
}

func TestResolve(t *testing.T) {
	s := resolve(t, "paper", "full")
	var order []string
	for _, p := range s.Problems {
		for _, m := range p.Methods {
			order = append(order, p.Name+"/"+m.Name)
		}
	}
	if got, want := strings.Join(order, " "), "small/svgd small/drift small/sifg wide/drift wide/svgd"; got != want {
		t.Errorf("order %s, want %s", got, want)
	}
	for _, c := range []struct {
		scale, problem, method, want string
	}{
		{"full", "small", "svgd", `{"particles":6,"iterations":8,"options":{"nested":{"a":1,"b":[1,2]},"shift":1},` +
			`"sampler":{"sampler":"svgd","mover":"euler","step":0.2},` +
			`"judge":{"every":4,"sample":"particles","snapshots":[4,8],"track":6}}`},
		{"full", "small", "sifg", `{"particles":6,"iterations":8,"options":{"nested":{"a":1,"b":[1,2]},"shift":1},` +
			`"sampler":{"sampler":"sifg","mover":"euler","step":0.01,"sigma":0.1,"hidden":4,` +
			`"activation":"tanh","inner":5,"optimizer":"nesterov",` +
			`"lr":0.001},"judge":{"every":4,"sample":"particles","snapshots":[4,8],"track":6}}`},
		{"full", "wide", "drift", `{"particles":5,"iterations":9,"data":"table","options":{"dim":3},` +
			`"sampler":{"sampler":"sgld","mover":"langevin","step":0.01},` +
			`"judge":{"every":0,"sample":"particles","snapshots":null,"track":0}}`},
		// The later layer wins over the iterations of one method in an earlier one; snapshots after the end are cut.
		{"quick", "wide", "drift", `{"particles":5,"iterations":3,"data":"table","options":{"dim":3},` +
			`"sampler":{"sampler":"sgld","mover":"langevin","step":0.01},` +
			`"judge":{"every":0,"sample":"particles","snapshots":null,"track":0}}`},
		{"quick", "small", "drift", `{"particles":6,"iterations":6,"options":{"nested":{"a":1,"b":[1,2]},"shift":1},` +
			`"sampler":{"sampler":"sgld","mover":"langevin","step":0.01},` +
			`"judge":{"every":4,"sample":"particles","snapshots":[4],"track":6}}`},
	} {
		got, err := json.Marshal(config(t, resolve(t, "paper", c.scale), c.problem, c.method))
		if err != nil || string(got) != c.want {
			t.Errorf("%s %s %s:\n%s\nwant\n%s", c.scale, c.problem, c.method, got, c.want)
		}
	}
	smoke := resolve(t, "released", "smoke")
	if c := config(t, smoke, "small", "svgd"); fmt.Sprint(smoke.Problems[0].Seeds) != "[7]" ||
		c.Judge.Sample != "perturbed" ||
		c.Iterations != 2 {
		t.Errorf("the protocol's own scale gave seeds %v, %+v", smoke.Problems[0].Seeds, c)
	}
}

func TestOverrides(t *testing.T) {
	for _, c := range []struct {
		set string // several with spaces between, or one mapping
		// step of svgd, drift, sifg on small, of svgd on wide; iterations of small and of drift on wide; seeds of wide
		want string
	}{
		{"", "0.2 0.01 0.01 0.1 8 9 [1 2]"},
		{"methods.svgd.step=0.3", "0.3 0.01 0.01 0.3 8 9 [1 2]"},
		{"problems.small.methods.svgd.step=0.3", "0.3 0.01 0.01 0.1 8 9 [1 2]"},
		{"problems.small.methods.svgd.step=0.3 methods.svgd.step=0.4", "0.4 0.01 0.01 0.4 8 9 [1 2]"},
		{"methods.svgd={step: 0.3, mover: adam}", "0.3 0.01 0.01 0.3 8 9 [1 2]"},
		{"step=0.3", "0.3 0.3 0.3 0.3 8 9 [1 2]"},
		{"methods.svgd.step=", "0.1 0.01 0.01 0.1 8 9 [1 2]"}, // the sampler's default
		{"methods.*.step=0.3", "0.3 0.3 0.3 0.3 8 9 [1 2]"},
		{"problems.small.methods.*.step=0.3", "0.3 0.3 0.3 0.1 8 9 [1 2]"},
		{"sigma=0.3", "0.2 0.01 0.01 0.1 8 9 [1 2]"}, // not of those that have no sigma
		{"iterations=3", "0.2 0.01 0.01 0.1 3 3 [1 2]"},
		{"methods.drift.iterations=3", "0.2 0.01 0.01 0.1 8 3 [1 2]"},
		{"problems.wide.methods.drift.iterations=3", "0.2 0.01 0.01 0.1 8 3 [1 2]"},
		{"seeds=[5]", "0.2 0.01 0.01 0.1 8 9 [5]"},
		{"problems.wide.seeds=[5] seeds=[6]", "0.2 0.01 0.01 0.1 8 9 [6]"},
		{`problems={small: {iterations: 1}, "*": {iterations: 2}}`, "0.2 0.01 0.01 0.1 1 2 [1 2]"},
		{"problems={small: {iterations: 1}, wide: {seeds: [3]}}", "0.2 0.01 0.01 0.1 1 9 [3]"},
	} {
		texts := strings.Fields(c.set)
		if strings.Contains(c.set, "{") {
			texts = []string{c.set}
		}
		s := resolve(t, "paper", "full", sets(texts...)...)
		step := func(problem, method string) float64 { return config(t, s, problem, method).Sampler.Step }
		got := fmt.Sprint(step("small", "svgd"), step("small", "drift"), step("small", "sifg"), step("wide", "svgd"),
			config(t, s, "small", "svgd").Iterations, config(t, s, "wide", "drift").Iterations, s.Problems[1].Seeds)
		if got != c.want {
			t.Errorf("%s: %s, want %s", c.set, got, c.want)
		}
	}
	s := resolve(
		t,
		"paper",
		"full",
		sets("sigma=0.3", "options.reference.draws=5", "options.shift=", "judge.every=1")...)
	if c := config(t, s, "small", "sifg"); c.Sampler.Sigma != 0.3 ||
		fmt.Sprint(c.Options) != "map[nested:map[a:1 b:[1 2]] reference:map[draws:5]]" ||
		c.Judge.Every != 1 ||
		len(c.Judge.Snapshots) != 2 {
		t.Errorf("short keys gave %+v", c)
	}
	m, err := s.Method("small", "sifg", sets("sigma=0.5")...)
	if err != nil || m.Config.Sampler.Sigma != 0.5 || config(t, s, "small", "sifg").Sampler.Sigma != 0.3 {
		t.Errorf("one method with an override: %+v, %v", m, err)
	}
}

// TestConcerns: an override concerns a method that has its setting, and the problem that it names. A file's setting of
// one problem wins over its setting of all.
func TestConcerns(t *testing.T) {
	file := written(t, "problems:\n  small: {methods: {sifg: {lr: 0.1}}}\nmethods: {sifg: {lr: 0.2, inner: 3}}\n")
	over := must(ReadOverrides(file))
	s := resolve(t, "released", "smoke", over...)
	if c := config(t, s, "small", "sifg"); c.Sampler.LR != 0.1 || c.Sampler.Inner != 3 {
		t.Errorf("a file's setting of one problem does not win over its setting of all: %+v", c.Sampler)
	}
	for key, want := range map[string]bool{
		"step=1": true, "hidden=2": false, "particles=3": true, "methods.svgd.iterations=3": true,
		"methods.svgd.options.shift=3": true, "methods.drift.options.shift=3": false,
		"problems.wide.particles=3": false, "methods.svgd={step: 1, mover: adam}": true,
	} {
		if got, err := s.Concerns("small", "svgd", Override{Text: key}); err != nil || got != want {
			t.Errorf("%s: %v, want %v, %v", key, got, want, err)
		}
	}
}

func TestDecode(t *testing.T) {
	type options struct {
		Dim    int            `mapstructure:"dim"`
		Shift  float64        `mapstructure:"shift"`
		Names  []string       `mapstructure:"names"`
		Free   map[string]any `mapstructure:"free"`
		Nested struct {
			On bool `mapstructure:"on"`
		} `mapstructure:"nested"`
	}
	o := options{Dim: 2, Shift: 5}
	in := map[string]any{
		"shift":  1,
		"names":  []any{"a"},
		"nested": map[string]any{"on": true},
		"free":   map[string]any{"x": 1.5},
	}
	if err := Decode(in, &o); err != nil ||
		fmt.Sprintf("%+v", o) != "{Dim:2 Shift:1 Names:[a] Free:map[x:1.5] Nested:{On:true}}" {
		t.Errorf("%+v, %v", o, err)
	}
	if err := Decode(map[string]any{"dim": 3.0}, &o); err != nil || o.Dim != 3 { // as JSON has it
		t.Errorf("dim %d, %v", o.Dim, err)
	}
	for want, in := range map[string]map[string]any{
		`unknown key "dmi" in options: did you mean "dim"?`:          {"dmi": 1},
		`unknown key "onn" in nested of options: did you mean "on"?`: {"nested": map[string]any{"onn": 1}},
		`options: dim: want a whole number, got 1.5`:                 {"dim": 1.5},
		`options: shift: want a number, got "1"`:                     {"shift": "1"},
	} {
		if err := Decode(in, &o); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%v: %v, want %s", in, err, want)
		}
	}
}

// TestPatterns: a layer's settings of a pattern are those of the problems and methods that it matches; a longer pattern
// wins over a shorter one, and a name over all.
func TestPatterns(t *testing.T) {
	const text = `
base:
  seeds: 3..5
  methods: {sifg: {}, sifg-a: {}, svgd: {}}
  problems:
    "*": {particles: 10, iterations: 5, options: {draws: 1, Law: exact}}
    "*-1000": {particles: 1000, options: {draws: 2}, methods: {"sifg*": {sigma: 0.3}, sifg-a: {sigma: 0.4}}}
    ark-100: {}
    ark-1000: {}
    garch-1000: {particles: 900, seeds: [1, 7..8]}
protocols: {text: {methods: {"*": {step: 0.5}}}}
`
	f := must(Read("toy", []byte(text)))
	if want := []string{"ark-100", "ark-1000", "garch-1000"}; !slices.Equal(f.Problems, want) {
		t.Errorf("problems %v, want %v", f.Problems, want)
	}
	s := must(f.Resolve("text", "full", sets("options.Law=smoothed")))
	for _, c := range []struct {
		problem, method string
		want            string // particles, options, step, σ
	}{
		{"ark-100", "sifg", "10 map[Law:smoothed draws:1] 0.5 0.1"},
		{"ark-1000", "sifg", "1000 map[Law:smoothed draws:2] 0.5 0.3"},
		{"ark-1000", "sifg-a", "1000 map[Law:smoothed draws:2] 0.5 0.4"},
		{"garch-1000", "svgd", "900 map[Law:smoothed draws:2] 0.5 0"},
	} {
		x := config(t, s, c.problem, c.method)
		if got := fmt.Sprint(x.Particles, x.Options, x.Sampler.Step, x.Sampler.Sigma); got != c.want {
			t.Errorf("%s %s: %s, want %s", c.problem, c.method, got, c.want)
		}
	}
	if got := fmt.Sprint(s.Problems[0].Seeds, s.Problems[2].Seeds); got != "[3 4 5] [1 7 8]" {
		t.Errorf("seeds %s", got)
	}
}

// TestZero: an explicit 0 that would stand for a sampler's default is refused; where 0 is the default it is taken.
func TestZero(t *testing.T) {
	f := must(Read("toy", []byte(toy)))
	for _, key := range []string{"sigma=0", "methods.sifg.sigma=0.0", "methods.svgd.step=0", "hidden=0"} {
		_, err := f.Resolve("paper", "full", sets(key))
		if err == nil || !strings.Contains(err.Error(), "would stand for the default") {
			t.Errorf("%s: %v", key, err)
		}
	}
	// what is wrong is said of a method that runs
	drift := f.For(func(_, method string) bool { return method == "drift" }, nil)
	for key, want := range map[string]string{"step=0": "of method drift", "step=-1": "method drift on problem small"} {
		if _, err := drift.Resolve("paper", "full", sets(key)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", key, err, want)
		}
	}
	f = f.For(func(string, string) bool { return true }, []string{"ascent"})
	for _, key := range []string{"methods.ascent.sigma=0", "methods.svgd.bandwidth=0"} {
		if _, err := f.Resolve("paper", "full", sets(key)); err != nil {
			t.Errorf("%s: %v", key, err)
		}
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
