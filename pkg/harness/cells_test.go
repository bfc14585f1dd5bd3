package harness

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestCellsAreOrdinaryTrials lays random overrides over the configuration, in both ways, and compares the trials.
func TestCellsAreOrdinaryTrials(t *testing.T) {
	e := toy(toyConfig)
	pool := []string{
		"methods.svgd.step=0.3", "methods.sifg={step: 0.04, hidden: 5}", "problems.small.methods.sifg.hidden=6",
		"problems.*.methods.drift.step=0.02", "problems.small.iterations=5", "problems.wide.options.dim=2",
		"problems.wide.options={dim: 4, shift: 2}", "problems.*.judge={every: 1, snapshots: [2, 1]}", "problems.small.judge.track=1",
		"problems.small={particles: 7, methods: {svgd: {bandwidth: 2}}}", "problems.small.iterations_of.svgd=3",
		"problems.small.options.shift=", "problems.wide.seeds=[4, 5]",
	}
	r := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		set := make([]Override, 0, len(pool))
		for _, k := range r.Perm(len(pool))[:1+r.IntN(6)] {
			set = append(set, Override{Text: pool[k], From: "--set"})
		}
		request := Request{Experiments: []*Experiment{e}, Protocols: []string{[]string{"paper", "released"}[r.IntN(2)]}, Scale: Scales[r.IntN(3)]}
		cells, err := NewCells(request)
		if err != nil {
			t.Fatal(err)
		}
		var overlays []*Overlay
		for _, o := range set {
			overlay, err := cells.Overlay(o)
			if err != nil {
				t.Fatal(err)
			}
			overlays = append(overlays, overlay)
		}
		var got, want []string
		for _, problem := range cells.Problems() {
			methods, err := cells.Methods(problem)
			if err != nil {
				t.Fatal(err)
			}
			for _, method := range methods {
				c, err := cells.Config(problem, method, overlays...)
				if err != nil {
					t.Fatal(err)
				}
				trials, err := cells.Trials(problem, method, c, overlays...)
				if err != nil {
					t.Fatal(err)
				}
				for _, x := range trials {
					got = append(got, x.Name()+" "+x.Key)
				}
			}
		}
		request.Set = set
		p, err := NewPlan(request)
		if err != nil {
			t.Fatal(err)
		}
		for _, x := range p.Trials {
			want = append(want, x.Name()+" "+x.Key)
		}
		if !slices.Equal(got, want) {
			t.Fatalf("%v under %s:\n%s\nwant\n%s", set, request.Protocols[0], strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
}

func TestOverlaySettings(t *testing.T) {
	cells, err := NewCells(Request{Experiments: []*Experiment{toy(toyConfig)}, Protocols: []string{"paper"}, Scale: "full"})
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		"methods.sifg={step: 0.1, hidden: 3}":  "[sampler.hidden sampler.step]",
		"methods.svgd.step=0.1":                "[]",
		"problems.small.options={dim: 3}":      "[options.dim]",
		"problems.wide.particles=9":            "[]",
		"problems.small.iterations_of.sifg=9":  "[iterations_of.sifg]",
		"problems.small.iterations_of.svgd=9":  "[]",
		"problems.*={judge: {every: 3}}":       "[judge.every]",
		"problems.*.methods.*.step=2":          "[sampler.step]",
		"problems.small.judge.snapshots=[3,4]": "[judge.snapshots]",
	} {
		o, err := cells.Overlay(Override{Text: text, From: "axis"})
		if err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprint(o.Settings("small", "sifg")); got != want {
			t.Errorf("%s sets %s, want %s", text, got, want)
		}
	}
	for key, want := range map[string]string{
		"step": "methods.*.step", "particles": "problems.*.particles", "options.dim": "problems.*.options.dim",
		"judge.every": "problems.*.judge.every", "methods.sifg.lr": "methods.sifg.lr", "data": "problems.*.data",
	} {
		if got, err := Qualify(key, "--axis"); err != nil || got != want {
			t.Errorf("%s is %s (%v), want %s", key, got, err, want)
		}
	}
	for key, words := range map[string]string{"stpe": `"step"`, "seeds": "--seeds", "problems.*.seeds": "--seeds", "zzzzzzzz": "particles"} {
		if _, err := Qualify(key, "--axis"); err == nil || !strings.Contains(err.Error(), words) {
			t.Errorf("%s: %v, want words %s", key, err, words)
		}
	}
}

func TestConfigFile(t *testing.T) {
	e, path := toy(toyConfig), filepath.Join(t.TempDir(), "chosen.yaml")
	read := func(text string) (*Plan, error) {
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		set, err := ReadConfig(path)
		if err != nil {
			return nil, err
		}
		return NewPlan(Request{Experiments: []*Experiment{e}, Protocols: []string{"paper"}, Scale: "smoke", Set: set})
	}
	p, err := read("# chosen by hand\nmethods:\n  svgd: {step: 1.0e-5}\nproblems:\n  small:\n    iterations: 3\n    methods: {sifg: {hidden: 9}}\n")
	if err != nil {
		t.Fatal(err)
	}
	want := plan(t, e, "paper", "smoke", "methods.svgd.step=1e-5", "problems.small.iterations=3", "problems.small.methods.sifg.hidden=9")
	for i := range want.Trials {
		if p.Trials[i].Key != want.Trials[i].Key {
			t.Errorf("%s differs from the trial with the same --set", p.Trials[i].Name())
		}
	}
	// What it is recorded as gives the same trials.
	again := plan(t, e, "paper", "smoke", p.Set...)
	if again.Trials[0].Key != p.Trials[0].Key {
		t.Errorf("the recorded settings %q are not those of the file", p.Set)
	}
	for text, words := range map[string][]string{
		"methods:\n  sifg:\n    stpe: 1\n":       {path + ", line 3", `"step"`},
		"problems:\n  smal: {iterations: 1}\n":   {path + ", line 2", `"small"`},
		"problems:\n  small: {iterations: many}": {path + ", line 2", "whole number"},
		"method: {}":                             {path + ", line 1", `"methods"`},
		"":                                       {path, "no settings"},
		"[1]":                                    {path},
		"a: {":                                   {path},
	} {
		if _, err := read(text); err == nil {
			t.Errorf("%q was taken", text)
		} else {
			for _, w := range words {
				if !strings.Contains(err.Error(), w) {
					t.Errorf("%q: %q does not say %q", text, err, w)
				}
			}
		}
	}
}
