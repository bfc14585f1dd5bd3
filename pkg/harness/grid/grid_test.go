package grid

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/sifg"
	"github.com/semi-implicit/sifg/pkg/sifg/rng"
)

// normal is N(0, I) in d dimensions, or has no score.
type normal struct {
	d    int
	none bool
}

func (n normal) Dim() int { return n.d }

func (n normal) Score(dst, x sifg.Batch, _ int) {
	for i, v := range x.Data {
		dst.Data[i] = -v
	}
	if n.none {
		dst.Data[0] = float32(math.NaN())
	}
}

const toyConfig = `
base:
  seeds: [1, 2]
  methods:
    svgd: {step: 0.1}
    sgld: {step: 0.01}
    sifg: {step: 0.05, hidden: 4}
    ada-sifg: {step: 0.05, hidden: 4}
  problems:
    small: {particles: 6, iterations: 8, judge: {every: 4}, options: {dim: 2}}
    wide: {particles: 5, iterations: 4, options: {dim: 3}, include: [svgd, sifg]}
protocols:
  paper:
  released: {problems: {small: {methods: {sifg: {sigma: 0.2}}}}}
scales:
  smoke: {seeds: [1]}
`

// toy is an experiment of a few milliseconds. Its metric "gap" is |log(step/0.02)| + seed/1000 + 1/hidden, so that what
// wins is known; for a step of 0.4 or more it diverges.
func toy() *harness.Experiment {
	type options struct {
		Dim int `mapstructure:"dim"`
	}
	return &harness.Experiment{
		Name: "toy", Title: "Toy", Config: []byte(toyConfig), Metrics: []string{"gap"},
		Setup: func(t *harness.Trial) (*harness.Problem, error) {
			o := options{Dim: 2}
			if err := harness.Decode(t.Config.Options, &o); err != nil {
				return nil, err
			}
			if o.Dim > 9 {
				return nil, fmt.Errorf("options.dim: at most 9, got %d", o.Dim)
			}
			s := t.Config.Sampler
			return &harness.Problem{
				Target: normal{o.Dim, s.Step >= 0.4},
				Init:   func(dst sifg.Batch, r *rng.Stream) { r.Normal(dst.Data) },
				Measure: func(c *sifg.Cloud, _ sifg.Batch, put func(string, int, float64)) {
					gap := math.Abs(math.Log(s.Step/0.02)) + float64(t.Seed)/1000
					if s.Hidden > 0 {
						gap += 1 / float64(s.Hidden)
					}
					put("gap", 0, gap+1/float64(1+c.Iter))
					put("gap", 1, -gap)
					put("step", 0, s.Step)
				},
			}, nil
		},
	}
}

func cells(t testing.TB, e *harness.Experiment, protocol string, set ...string) *harness.Cells {
	t.Helper()
	r := harness.Request{Experiments: []*harness.Experiment{e}, Protocols: []string{protocol}, Scale: "full"}
	for _, s := range set {
		r.Set = append(r.Set, harness.Override{Text: s, From: "--set"})
	}
	c, err := harness.NewCells(r)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func layOut(t testing.TB, text string) (*Plan, error) {
	t.Helper()
	s, err := Read("grids/toy.yaml", []byte(text))
	if err != nil {
		return nil, err
	}
	return New(cells(t, toy(), "paper"), s)
}

// shown writes the cells of a plan as "problem/method: label; label".
func shown(p *Plan) string {
	var out []string
	for _, g := range p.Groups {
		var labels []string
		for _, c := range g.Cells {
			labels = append(labels, c.Label)
		}
		out = append(out, fmt.Sprintf("%s/%s: %s", g.Problem, g.Method, strings.Join(labels, "; ")))
	}
	return strings.Join(out, "\n")
}

func TestLayout(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"product in the order of the file, of one method", "product: {methods.sifg.step: [0.1, 0.2], methods.sifg.hidden: [4, 8]}", `
small/sifg: step 0.1, hidden 4; step 0.1, hidden 8; step 0.2, hidden 4; step 0.2, hidden 8
wide/sifg: step 0.1, hidden 4; step 0.1, hidden 8; step 0.2, hidden 4; step 0.2, hidden 8`},
		{"a short key is that of every method that has the setting; zero means the default", "problems: small\nproduct: {step: [0.1, 0.2], hidden: [4], sigma_rate: [0, 1]}", `
small/svgd: step 0.1; step 0.2
small/sgld: step 0.1; step 0.2
small/sifg: step 0.1; step 0.2
small/ada-sifg: step 0.1, sigma_rate 0.001; step 0.1, sigma_rate 1; step 0.2, sigma_rate 0.001; step 0.2, sigma_rate 1`},
		{"axes of different methods do not multiply", "problems: [small]\nproduct: {methods.sifg.step: [0.1, 0.2], methods.svgd.step: [0.3, 0.4, 0.5]}", `
small/svgd: step 0.3; step 0.4; step 0.5
small/sifg: step 0.1; step 0.2`},
		{"zip", "methods: [svgd, sifg]\nproblems: [small]\nzip: {step: [0.1, 0.2, 0.3], hidden: [4, 6, 8]}", `
small/svgd: step 0.1; step 0.2; step 0.3
small/sifg: step 0.1, hidden 4; step 0.2, hidden 6; step 0.3, hidden 8`},
		{"zip times product", "methods: sifg\nproblems: small\nzip: {step: [0.1, 0.2], hidden: [4, 6]}\nproduct: {sigma: [1, 2]}", `
small/sifg: sigma 1, step 0.1, hidden 4; sigma 1, step 0.2, hidden 6; sigma 2, step 0.1, hidden 4; sigma 2, step 0.2, hidden 6`},
		{"ablation around the configuration, whose own values are no cells of their own", "methods: sifg\nproblems: small\nablate: {step: [0.05, 0.1], hidden: [2, 4, 8]}", `
small/sifg: step 0.05, hidden 4; step 0.1, hidden 4; step 0.05, hidden 2; step 0.05, hidden 8`},
		{"ablation around a base", "methods: sifg\nproblems: small\nbase: {step: 0.1, hidden: 8}\nablate: {step: [0.05, 0.1], hidden: [4]}", `
small/sifg: step 0.1, hidden 8; step 0.05, hidden 8; step 0.1, hidden 4`},
		{"union, duplicates once", "union:\n- {problems: small, methods: sifg, product: {step: [0.1, 0.2]}}\n- {problems: small, product: {methods.sifg.step: [0.2, 0.3], methods.sifg.hidden: [4, 6]}}", `
small/sifg: step 0.1, hidden 4; step 0.2, hidden 4; step 0.2, hidden 6; step 0.3, hidden 4; step 0.3, hidden 6`},
		{"a list is a union; base within it", "- {problems: small, methods: sifg, base: {mover: rmsprop}, product: {step: [0.1, 0.2]}}\n- {problems: small, methods: [sifg, svgd], product: {step: [0.3]}}", `
small/svgd: step 0.3
small/sifg: mover rmsprop, step 0.1; mover rmsprop, step 0.2; mover euler, step 0.3`},
		{"a method that is named runs as it is", "problems: small\nmethods: [svgd, sifg]\nproduct: {methods.sifg.step: [0.1, 0.2]}", `
small/svgd: 
small/sifg: step 0.1; step 0.2`},
		{"settings of problems", "methods: svgd\nproduct: {particles: [4, 5], problems.wide.options.dim: [1, 2]}", `
small/svgd: particles 4; particles 5
wide/svgd: particles 4, options.dim 1; particles 4, options.dim 2; particles 5, options.dim 1; particles 5, options.dim 2`},
		{"mappings as values", "problems: small\nproduct: {methods.sifg: [{step: 0.1, hidden: 2}, {step: 0.2}]}", `
small/sifg: hidden 2, step 0.1; hidden 4, step 0.2`},
		{"conditions see defaults", "problems: small\nmethods: [sifg, ada-sifg]\nproduct: {step: [0.1, 0.2, 0.3], hidden: [2, 4]}\ninclude: step * hidden < 0.7\nexclude: ['method == \"sifg\" and hidden == 2', step > 0.25 and sigma_min > 0]", `
small/sifg: step 0.1, hidden 4
small/ada-sifg: step 0.1, hidden 2; step 0.1, hidden 4; step 0.2, hidden 2`},
		{"conditions of one part of a union", "union:\n- {problems: small, methods: sifg, product: {step: [0.1, 0.2]}, exclude: step > 0.15}\n- {problems: small, methods: sifg, product: {step: [0.2, 0.3]}}", `
small/sifg: step 0.1; step 0.2; step 0.3`},
		{"an excluded cell need not be valid", "problems: small\nmethods: ada-sifg\nproduct: {sigma_min: [0.01, 0.1], sigma_max: [0.05, 1]}\nexclude: sigma_max < sigma_min", `
small/ada-sifg: sigma_min 0.01, sigma_max 0.05; sigma_min 0.01, sigma_max 1; sigma_min 0.1, sigma_max 1`},
		{"generators", "problems: small\nmethods: sifg\nproduct: {step: 'logspace(1e-4, 1e-2, 3)', hidden: [2, 'range(4, 8, 2)']}\ninclude: hidden < 5", `
small/sifg: step 0.0001, hidden 2; step 0.0001, hidden 4; step 0.001, hidden 2; step 0.001, hidden 4; step 0.01, hidden 2; step 0.01, hidden 4`},
		{"union within a product", "problems: small\nproduct: {step: [0.1, 0.2]}\nunion: [{methods: sifg, product: {hidden: [2, 3]}}, {methods: sgld}]", `
small/svgd: step 0.1; step 0.2
small/sgld: step 0.1; step 0.2
small/sifg: step 0.1, hidden 2; step 0.1, hidden 3; step 0.2, hidden 2; step 0.2, hidden 3
small/ada-sifg: step 0.1; step 0.2`},
	} {
		p, err := layOut(t, c.text)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if got := "\n" + shown(p); got != c.want {
			t.Errorf("%s:%s\nwant%s", c.name, got, c.want)
		}
	}
}

// TestSameTrialAsPlain: a cell's trials have the keys of a plain run with its settings.
func TestSameTrialAsPlain(t *testing.T) {
	e := toy()
	s, err := Read("x.yaml", []byte("product: {step: 'logspace(1e-3, 1e-1, 5)', problems.small.options.dim: [1, 2], problems.*.methods.sifg.hidden: [3, 4]}"))
	if err != nil {
		t.Fatal(err)
	}
	for _, protocol := range []string{"paper", "released"} {
		p, err := New(cells(t, e, protocol), s)
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		for _, g := range p.Groups {
			for _, c := range g.Cells {
				r := harness.Request{Experiments: []*harness.Experiment{e}, Protocols: []string{protocol}, Scale: "full"}
				for k, setting := range g.Settings {
					key := "problems." + g.Problem + "."
					if setting.Method {
						key += "methods." + g.Method + "."
					}
					r.Set = append(r.Set, harness.Override{Text: key + setting.Name + "=" + format(c.Values[k]), From: "--set"})
				}
				plain, err := harness.NewPlan(r)
				if err != nil {
					t.Fatal(err)
				}
				for _, x := range c.Trials {
					n++
					if !slices.ContainsFunc(plain.Trials, func(y harness.Trial) bool { return y.Key == x.Key }) {
						t.Fatalf("%s: a plain run with %v has no such trial", x.Name(), r.Set)
					}
				}
			}
		}
		// small: svgd, sgld, ada-sifg 5×2, sifg 5×2×2; wide: svgd 5, sifg 5×2; two seeds each
		if n != 2*(3*10+20+5+10) {
			t.Errorf("%d trials", n)
		}
	}
}

func TestSeedsAreNoAxis(t *testing.T) {
	s, err := Read("x.yaml", []byte("seeds: 'range(3, 6)'\nselect: min gap\nprotocol: paper\nproduct: {step: [0.1]}"))
	if err != nil {
		t.Fatal(err)
	}
	if large, err := Seeds("range(20261120000001, 20261120000003)"); err != nil || !slices.Equal(large, []uint64{20261120000001, 20261120000002, 20261120000003}) {
		t.Errorf("seeds of many digits are %d (%v)", large, err)
	}
	if !slices.Equal(s.Seeds, []uint64{3, 4, 5, 6}) || s.Select != "min gap" || s.Protocol != "paper" || s.Name != "x" {
		t.Errorf("%+v", s)
	}
}

func TestCommandLine(t *testing.T) {
	file, err := Read("x.yaml", []byte("product: {methods.sifg.step: [0.1, 0.2]}"))
	if err != nil {
		t.Fatal(err)
	}
	both, err := Read("y.yaml", []byte("product: {step: [0.1, 0.2], hidden: [2, 3]}"))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		spec *Spec
		args Args
		want string
	}{
		// An axis of the file that is about methods left out does not stand in the way.
		{both, Args{Combine: "product", Problems: []string{"small"}, Methods: []string{"svgd"}}, "small/svgd: step 0.1; step 0.2"},
		{nil, Args{Axes: []string{"methods.sifg.step=logspace(1e-4,1e-2,3)"}, Combine: "product", Problems: []string{"small"}},
			"small/sifg: step 0.0001; step 0.001; step 0.01"},
		{nil, Args{Axes: []string{"methods.sifg.step=1e-4, 1e-3", "methods.sifg.mover=[euler, rmsprop]"}, Combine: "zip", Problems: []string{"small"}},
			"small/sifg: step 0.0001, mover euler; step 0.001, mover rmsprop"},
		{nil, Args{Axes: []string{"step=0.1", "hidden=2"}, Combine: "ablate", Problems: []string{"small"}, Methods: []string{"sifg"}},
			"small/sifg: step 0.05, hidden 4; step 0.1, hidden 4; step 0.05, hidden 2"},
		{file, Args{Axes: []string{"hidden=linspace(2, 4, 2)"}, Combine: "product", Exclude: []string{"step > 0.1 and hidden > 3"}, Problems: []string{"small"}, Methods: []string{"sifg"}},
			"small/sifg: hidden 2, step 0.1; hidden 2, step 0.2; hidden 4, step 0.1"},
		{file, Args{Combine: "product", Problems: []string{"wide"}}, "wide/sifg: step 0.1; step 0.2"},
	} {
		s, err := c.spec.With(c.args)
		if err != nil {
			t.Fatalf("%+v: %v", c.args, err)
		}
		p, err := New(cells(t, toy(), "paper"), s)
		if err != nil {
			t.Fatalf("%+v: %v", c.args, err)
		}
		if got := shown(p); got != c.want {
			t.Errorf("%+v:\n%s\nwant\n%s", c.args, got, c.want)
		}
	}
}

func TestRefused(t *testing.T) {
	for text, words := range map[string][]string{
		"":                                   {"grids/toy.yaml", "no grid"},
		"3":                                  {"line 1", "product"},
		"product: {stpe: [1]}":               {"line 1", `"stpe"`, `"step"`},
		"product:\n  methods.sifg.stpe: [1]": {"line 2", "stpe", `"step"`},
		"product:\n  methods.sfig.step: [1]": {"line 2", "sfig", `"sifg"`},
		"product: {problems.smal.particles: [9]}":                    {`"small"`},
		"product: {step: [fast]}":                                    {"step", "number", "fast"},
		"product: {particles: [3.5]}":                                {"whole number"},
		"product: {seeds: [1, 2]}":                                   {"seeds", "beside the axes"},
		"product: {step: []}":                                        {"step", "no values"},
		"product: {step: [0.1, ]}\nzip: {step: [1]}":                 {"methods.*.step", "twice"},
		"base: {step: 0.1}\nproduct: {step: [1]}":                    {"methods.*.step", "base"},
		"base: {step: [1, 2]}":                                       {"base", "one each"},
		"zip: {step: [1, 2], hidden: [1]}":                           {"methods.*.hidden has 1", "methods.*.step has 2"},
		"product: {methods: {sifg: {step: [1]}}}":                    {"methods.sifg", "dots"},
		"product:\n  step: {}":                                       {"line 2", "values of step must be a list"},
		"product: {step: [1]}\nselect: [min, x]":                     {"grids/toy.yaml, line 2", "select", "want a text"},
		"product: {step: [1]}\nselect:":                              {"line 2", "select", "want a text"},
		"protocol: {paper: 1}\nproduct: {step: [1]}":                 {"grids/toy.yaml, line 1", "protocol", "want a text"},
		"prodct: {step: [1]}":                                        {"line 1", `"product"`},
		"product: {step: [1]}\nproduct: {step: [1]}":                 {"twice"},
		"product: {step: 'logspace(0, 1, 3)'}":                       {"above 0"},
		"product: {step: 'logspace(1, 2)'}":                          {"logspace(first, last, count)"},
		"product: {step: 'logspac(1, 2, 3)'}":                        {"logspac", "logspace"},
		"product: {step: 'range(1, 2, 0)'}":                          {"range"},
		"product: {step: [logspace(1, 2, 3)]}":                       {"quotes"},
		"product: {step: 'linspace(1, b, 3)'}":                       {`"b" is not a number`},
		"problems: [smal]\nproduct: {step: [1]}":                     {"line 1", `"small"`},
		"methods: [svgf]\nproduct: {step: [1]}":                      {`"svgd"`},
		"problems: [smal]\nmethods: [svgd]\nproduct: {step: [1]}":    {"line 1", `"small"`},
		"product: {step: [1]}\ninclude: stpe > 1":                    {"line 2", "stpe", `"step"`},
		"product: {step: [1]}\ninclude: step >":                      {"line 2", "step >"},
		"product: {step: [1]}\ninclude: step + 1":                    {"line 2", "bool"},
		"product: {step: [1]}\nexclude: step > 0":                    {"no cells"},
		"methods: svgd\nproduct: {hidden: [1]}":                      {"hidden", "changes no trial"},
		"product: {methods.svgd.hidden: [1]}":                        {"hidden", "svgd", "no such setting"},
		"product: {methods.sifg.step: [0.1, -1]}":                    {"step", "-1", "cell step -1"},
		"product: {options.dim: [3, 12]}":                            {"options.dim", "12"},
		"seeds: [a]\nproduct: {step: [1]}":                           {"seeds", "whole numbers"},
		"union: {step: [1]}":                                         {"union", "list"},
		"product: {step: 'range(1, 2000)', sigma: 'range(1, 2000)'}": {"more than 1000000 cells", "sifg"},
		// One setting by two keys: the later would win, and the earlier axis do nothing.
		"product:\n  methods.sifg.step: [0.1, 0.2]\n  methods.*.step: [0.3]": {"line 2: axis methods.sifg.step", "line 3: axis methods.*.step", "set step of method sifg"},
		"base: {step: 0.1}\nunion:\n- product: {step: [0.2]}":                {"line 1: axis", "line 3: axis"},
		"base: {particles: 4}\nproduct: {problems.small.particles: [5]}":     {"both set particles"},
	} {
		_, err := layOut(t, text)
		if err == nil {
			t.Errorf("%q was taken", text)
			continue
		}
		for _, w := range words {
			if !strings.Contains(err.Error(), w) {
				t.Errorf("%q: %q does not say %q", text, err, w)
			}
		}
	}
	for _, a := range []Args{{Axes: []string{"step"}, Combine: "product"}, {Axes: []string{"stpe=1"}, Combine: "product"},
		{Axes: []string{"step=1"}, Combine: "zipp"}, {Axes: []string{"step="}, Combine: "product"}, {Axes: []string{"step=[1"}, Combine: "product"},
		{Axes: []string{"step=1"}, Combine: "zip", Include: []string{"q >"}}} {
		if _, err := (*Spec)(nil).With(a); err == nil {
			t.Errorf("%+v was taken", a)
		}
	}
	for _, list := range []string{"[0.1, 0.2], 0.3", "0.1, 0.2], 0.3", "[1] [2]"} {
		if _, err := (*Spec)(nil).With(Args{Axes: []string{"step=" + list}, Combine: "product"}); err == nil || !strings.Contains(err.Error(), "--axis step="+list+": there is text behind the list") {
			t.Errorf("--axis step=%s: %v", list, err)
		}
	}
	if _, err := Seeds("[1, 2], 3"); err == nil || !strings.Contains(err.Error(), "--seeds [1, 2], 3: there is text behind the list") {
		t.Errorf("--seeds: %v", err)
	}
	file, err := Read("x.yaml", []byte("product: {step: [0.1, 0.2]}"))
	if err != nil {
		t.Fatal(err)
	}
	for _, combine := range Combinations {
		s, err := file.With(Args{Axes: []string{"step=0.3"}, Combine: combine})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := New(cells(t, toy(), "paper"), s); err == nil || !strings.Contains(err.Error(), "--axis: axis methods.*.step and x.yaml, line 1: axis methods.*.step") {
			t.Errorf("an axis of the command line that the file has, as %s: %v", combine, err)
		}
	}
	s, err := (*Spec)(nil).With(Args{Axes: []string{"step=0.1", "hidden=2"}, Combine: "product", Methods: []string{"svgd"}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := New(cells(t, toy(), "paper"), s); err == nil || !strings.Contains(err.Error(), "hidden changes no trial") {
		t.Errorf("an axis of the command line that changes nothing: %v", err)
	}
}
