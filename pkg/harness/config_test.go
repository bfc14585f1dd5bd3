package harness

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/semi-implicit/sifg/pkg/sifg"
	"github.com/semi-implicit/sifg/pkg/sifg/rng"
)

// normal is N(0, I) in d dimensions.
type normal int

func (d normal) Dim() int { return int(d) }

func (d normal) Score(dst, x sifg.Batch, _ int) {
	for i, v := range x.Data {
		dst.Data[i] = -v
	}
}

const toyConfig = `
base:
  seeds: [1, 2]
  methods:
    svgd: {step: 0.1}
    drift: {sampler: sgld, step: 0.01}
    sifg: {step: 0.05, hidden: 4}
  problems:
    small:
      particles: 6
      iterations: 8
      judge: {every: 4, snapshots: [4, 8], track: 2}
      options: {shift: 1}
    wide:
      particles: 5
      iterations: 4
      options: {dim: 3}
      include: [drift, svgd]
protocols:
  paper:
    problems: {small: {methods: {svgd: {step: 0.2}}}}
  released:
    problems: {small: {judge: {sample: perturbed}}}
    scales: {smoke: {seeds: [7]}}
scales:
  quick: {problems: {small: {iterations: 6}}}
  smoke: {seeds: [1], problems: {small: {iterations: 2}, wide: {iterations: 2}}}
`

// toy is an experiment of a few milliseconds.
func toy(config string) *Experiment {
	type options struct {
		Dim   int     `mapstructure:"dim"`
		Shift float64 `mapstructure:"shift"`
	}
	return &Experiment{
		Name: "toy", Title: "Toy", Config: []byte(config),
		Setup: func(t *Trial) (*Problem, error) {
			o := options{Dim: 2}
			if err := Decode(t.Config.Options, &o); err != nil {
				return nil, err
			}
			return &Problem{
				Target: normal(o.Dim),
				Init: func(dst sifg.Batch, r *rng.Stream) {
					r.Normal(dst.Data)
					for i := range dst.Data {
						dst.Data[i] += float32(o.Shift)
					}
				},
				Measure: func(c *sifg.Cloud, sample sifg.Batch, put func(string, int, float64)) {
					sum := 0.0
					for _, v := range sample.Data {
						sum += float64(v)
					}
					put("mean", 0, sum/float64(len(sample.Data)))
				},
			}, nil
		},
	}
}

func plan(t *testing.T, e *Experiment, protocol, scale string, set ...string) *Plan {
	t.Helper()
	r := Request{Experiments: []*Experiment{e}, Protocols: []string{protocol}, Scale: scale}
	for _, s := range set {
		r.Set = append(r.Set, Override{Text: s, From: "--set"})
	}
	p, err := NewPlan(r)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// Of all experiments, those without a protocol are left out of it; one that was asked for by its name is refused.
func TestProtocolOfSome(t *testing.T) {
	a, b := toy(toyConfig), toy(strings.Replace(toyConfig, "protocols:\n", "protocols:\n  standard: {}\n", 1))
	b.Name = "b"
	for _, c := range []struct {
		protocols []string
		some      bool
		want      string // experiment/protocol of the trials, or what an error says
	}{
		{[]string{"standard"}, true, "b/standard"},
		{[]string{"paper", "standard"}, true, "toy/paper b/paper b/standard"},
		{nil, true, "toy/paper toy/released b/paper b/released b/standard"},
		{[]string{"standard"}, false, `experiment toy has no protocol "standard"`},
		{[]string{"matched"}, true, `experiment toy has no protocol "matched"`},
	} {
		p, err := NewPlan(Request{Experiments: []*Experiment{a, b}, Protocols: c.protocols, Some: c.some, Scale: "full"})
		var got []string
		if err != nil {
			got = []string{err.Error()}
		} else {
			for _, x := range p.Trials {
				got = append(got, x.Experiment+"/"+x.Protocol)
			}
			for _, e := range p.Experiments {
				if !slices.ContainsFunc(p.Trials, func(x Trial) bool { return x.Experiment == e.Name }) {
					t.Errorf("%v: %s has no trial and is in the plan", c.protocols, e.Name)
				}
			}
		}
		if got := strings.Join(slices.Compact(got), " "); !strings.HasPrefix(got, c.want) || c.want == "" {
			t.Errorf("%v, some %v: %s, want %s", c.protocols, c.some, got, c.want)
		}
	}
}

func TestLayers(t *testing.T) {
	e := toy(toyConfig)
	p := plan(t, e, "paper", "full")
	var order []string
	for _, x := range p.Trials {
		order = append(order, x.Problem+"/"+x.Method)
	}
	// Problems and methods as the file has them, include in its own order, two seeds each.
	want := "small/svgd small/svgd small/drift small/drift small/sifg small/sifg wide/drift wide/drift wide/svgd wide/svgd"
	if got := strings.Join(order, " "); got != want {
		t.Errorf("order\n%s\nwant\n%s", got, want)
	}
	if s := p.Trials[0].Config.Sampler; s.Step != 0.2 || s.Sampler != "svgd" || s.Mover != "euler" {
		t.Errorf("svgd under paper: %+v, want the protocol's step 0.2 and the library's default mover", s)
	}
	if s := plan(t, e, "released", "full").Trials[0].Config; s.Sampler.Step != 0.1 || s.Judge.Sample != "perturbed" {
		t.Errorf("svgd under released: %+v", s)
	}
	smoke := plan(t, e, "released", "smoke").Trials
	if len(smoke) != 5 || smoke[0].Seed != 7 || smoke[0].Config.Iterations != 2 {
		t.Errorf("the protocol's own smoke scale gave %d trials, first %+v", len(smoke), smoke[0])
	}
	if s := smoke[0].Config.Judge.Snapshots; len(s) != 0 {
		t.Errorf("snapshots after the last iteration were kept: %v", s)
	}
	over := plan(t, e, "paper", "full", "problems.*.iterations=3", "methods.svgd.mover=adagrad", "toy.seeds=[5]",
		"problems.small.methods.svgd.step=1e-1", "problems.small.judge.snapshots=[0,3]").Trials
	if c := over[0].Config; len(over) != 5 || c.Iterations != 3 || c.Sampler.Mover != "adagrad" || c.Sampler.Step != 0.1 ||
		len(c.Judge.Snapshots) != 2 || over[4].Config.Iterations != 3 || over[0].Seed != 5 {
		t.Errorf("overrides gave %+v", over[0])
	}
	later := plan(t, e, "paper", "full", "problems.small.methods.svgd.step=1e-1", "methods.svgd.step=0.3").Trials[0].Config.Sampler
	if later.Step != 0.3 || later.Mover != "euler" {
		t.Errorf("a later setting for all problems gave %+v, want step 0.3", later)
	}
	same := plan(t, e, "paper", "full", "methods.svgd.step=0.3", "problems.small.methods.svgd.step=1e-1").Trials[0].Config.Sampler
	if same.Step != 0.1 {
		t.Errorf("a later setting for one problem gave %+v, want step 0.1", same)
	}
}

func TestKeys(t *testing.T) {
	e := toy(toyConfig)
	paper, quick := plan(t, e, "paper", "full"), plan(t, e, "paper", "quick")
	seen := map[string]string{}
	for _, x := range paper.Trials {
		if old, ok := seen[x.Key]; ok {
			t.Errorf("%s and %s have the same key", old, x.Name())
		}
		seen[x.Key] = x.Name()
	}
	// quick changes "small" only, so that "wide" is shared with full: the name of the scale is no part of a key.
	for i, x := range paper.Trials {
		if same := x.Key == quick.Trials[i].Key; same != (x.Problem == "wide") {
			t.Errorf("%s: same key at scale quick: %v", x.Name(), same)
		}
	}
	again := plan(t, toy("# a comment\n"+strings.Replace(toyConfig, "step: 0.1}", "step: 1.0e-1}", 1)), "paper", "full")
	for i, x := range paper.Trials {
		if x.Key != again.Trials[i].Key {
			t.Errorf("%s: the key depends on how the configuration is written", x.Name())
		}
	}
}

func TestRefusals(t *testing.T) {
	edit := func(old, new string) string {
		if !strings.Contains(toyConfig, old) {
			t.Fatalf("no %q in the configuration", old)
		}
		return strings.Replace(toyConfig, old, new, 1)
	}
	for name, c := range map[string]struct {
		config string
		set    string
		want   []string
	}{
		"misspelt key":       {config: edit("particles: 6", "partcles: 6"), want: []string{"partcles", `"particles"`, "line 10"}},
		"misspelt judge key": {config: edit("every: 4", "evry: 4"), want: []string{"evry", `"every"`, "line 12"}},
		"misspelt sampler key": {config: edit("{step: 0.05, hidden: 4}", "{step: 0.05, hiden: 4}"),
			want: []string{"hiden", `"hidden"`, "line 7"}},
		"misspelt layer":      {config: edit("scales:\n  quick", "scale:\n  quick"), want: []string{"scale", `"scales"`}},
		"unknown protocol":    {config: edit("  paper:", "  papper:"), want: []string{"papper", `"paper"`}},
		"unknown scale":       {config: edit("  quick:", "  quik:"), want: []string{"quik", `"quick"`}},
		"problem not in base": {config: edit("paper:\n    problems: {small", "paper:\n    problems: {smal"), want: []string{"smal", `"small"`}},
		"method not in base":  {config: edit("include: [drift, svgd]", "include: [drift, svdg]"), want: []string{"svdg", `"svgd"`}},
		"text for a number":   {config: edit("iterations: 8", "iterations: eight"), want: []string{"iterations", "whole number", "eight"}},
		"more than 64 bits":   {config: edit("iterations: 8", "iterations: 18446744073709551615"), want: []string{"iterations", "whole number", "18446744073709551615"}},
		"fraction":            {config: edit("iterations: 8", "iterations: 8.5"), want: []string{"iterations", "whole number", "8.5"}},
		"not a number":        {config: edit("step: 0.01", "step: .nan"), want: []string{"step", "finite"}},
		"scalar for mapping":  {config: edit("judge: {sample: perturbed}", "judge: 3"), want: []string{"judge", "mapping"}},
		"unknown sampler":     {config: edit("sampler: sgld", "sampler: sgdl"), want: []string{"sampler", "sgdl", "sgld"}},
		"foreign setting":     {config: edit("svgd: {step: 0.1}", "svgd: {step: 0.1, hidden: 3}"), want: []string{"hidden", "svgd"}},
		"negative step":       {set: "methods.drift.step=-1", want: []string{"step", "drift", "-1"}},
		"one particle":        {set: "problems.wide.particles=1", want: []string{"problems.wide.particles", "2 or more"}},
		"negative iterations": {set: "problems.*.iterations=-1", want: []string{"iterations", "negative"}},
		"unknown sample":      {set: "problems.small.judge.sample=particle", want: []string{"judge.sample", "particles"}},
		"negative seed":       {set: "seeds=[-1]", want: []string{"seeds", "zero or more"}},
		"seed twice":          {set: "seeds=[1,1]", want: []string{"seeds", "twice"}},
		"no seed":             {set: "seeds=[]", want: []string{"seeds", "one at least"}},
		"misspelt set":        {set: "problems.small.iteration=3", want: []string{"--set problems.small.iteration=3", `"iterations"`}},
		"set without value":   {set: "seeds", want: []string{"key=value"}},
		"nothing":             {set: "methods=", want: []string{"--set methods=", "no value"}},
		"too many":            {set: "problems.small.particles=1000000000000", want: []string{"particles", "1000000000 or fewer"}},
		"option":              {set: "problems.small.options.shft=2", want: []string{"shft", `"shift"`}},
		"option type":         {set: "problems.small.options.shift=far", want: []string{"shift", "number", "far"}},
		"duplicate key":       {config: edit("iterations: 8", "particles: 8"), want: []string{"line", "already defined"}},
	} {
		config := toyConfig
		if c.config != "" {
			config = c.config
		}
		r := Request{Experiments: []*Experiment{toy(config)}, Scale: "full"}
		if c.set != "" {
			r.Set = []Override{{Text: c.set, From: "--set"}}
		}
		_, err := NewPlan(r)
		var u *UsageError
		if err == nil {
			t.Errorf("%s was accepted", name)
			continue
		}
		if !errors.As(err, &u) {
			t.Errorf("%s: %v is not a UsageError", name, err)
		}
		for _, w := range c.want {
			if !strings.Contains(err.Error(), w) {
				t.Errorf("%s: %q does not name %s", name, err, w)
			}
		}
	}
}
