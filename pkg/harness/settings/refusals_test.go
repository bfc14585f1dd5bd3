package settings

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// refusals replace old by new in the settings of toy, or lay set over them, and must give an error that names all of want.
var refusals = []struct {
	old, new, set string
	want          []string
}{
	{old: "particles: 6", new: "partcles: 6", want: []string{"partcles", `"particles"`, "line 10"}},
	{old: "every: 4", new: "evry: 4", want: []string{"evry", `"every"`, "line 12"}},
	{old: "hidden: 4", new: "hiden: 4", want: []string{"hiden", `"hidden"`, "line 7"}},
	{old: "scales:\n  quick", new: "scale:\n  quick", want: []string{`"scale"`, `"scales"`}},
	{old: "  paper:", new: "  papper:", want: []string{"protocol", "papper", `"paper"`}},
	{old: "  quick:", new: "  quik:", want: []string{"scale", "quik", `"quick"`}},
	{old: "paper:\n    problems: {small", new: "paper:\n    problems: {smal", want: []string{"problem", "smal", `"small"`, "line 23"}},
	{old: "iterations_of: {drift", new: "iterations_of: {drit", want: []string{"drit", `"drift"`}},
	{old: "include: [drift, svgd]", new: "include: [drift, svdg]", want: []string{"method", "svdg", `"svgd"`}},
	{old: "include: [drift, svgd]", new: "include: [drift, drift]", want: []string{"drift", "twice"}},
	{old: "iterations: 8", new: "iterations: eight", want: []string{"iterations", "whole number", "eight"}},
	{old: "iterations: 8", new: "iterations: 18446744073709551615", want: []string{"iterations", "below 2^53"}},
	{old: "iterations: 8", new: "iterations: 8.5", want: []string{"iterations", "whole number", "8.5"}},
	{old: "iterations: 8", new: "particles: 8", want: []string{"line", "already defined"}},
	{old: "step: 0.01", new: "step: .nan", want: []string{"step", "finite"}},
	{old: "judge: {sample: perturbed}", new: "judge: 3", want: []string{"judge", "mapping"}},
	{old: "sampler: sgld", new: "sampler: sgdl", want: []string{"sampler", "sgdl", "sgld"}},
	{old: "{step: 0.1}", new: "{step: 0.1, hidden: 3}", want: []string{"hidden", "svgd"}},
	{old: "    svgd: {step", new: "    SVGD: {step", want: []string{"SVGD", "lower-case"}},
	{old: "{dim: 3}", new: "{3: dim}", want: []string{"line 19", "the key 3"}},
	{set: "methods.drift.step=-1", want: []string{"step", "drift", "-1"}},
	{set: "problems.wide.particles=1", want: []string{"problems.wide.particles", "must be 2 to"}},
	{set: "problems.wide.particles=1000000000000", want: []string{"particles", "to 1000000000"}},
	{set: "problems.*.iterations=-1", want: []string{"iterations", "-1"}},
	{set: "problems.small.judge.sample=particle", want: []string{"judge.sample", "particles"}},
	{set: "judge.snapshots=[-1]", want: []string{"judge.snapshots", "negative"}},
	{set: "seeds=[-1]", want: []string{"seeds", "zero or more"}},
	{set: "seeds=[1,1]", want: []string{"seeds", "1 is there twice"}},
	{set: "seeds=[]", want: []string{"seeds", "at least one"}},
	{set: "seeds=3", want: []string{"seeds", "a list, not 3"}},
	{set: "problems.small.iteration=3", want: []string{"--set problems.small.iteration=3", `"iterations"`}},
	{set: "setp=3", want: []string{"--set setp=3", `"step"`}},
	{set: "problems.smal.iterations=3", want: []string{"--set problems.smal.iterations=3", `"small"`}},
	{set: "seeds", want: []string{"key=value"}},
	{set: "methods=", want: []string{"--set methods=", "no value"}},
	{set: "step=[1", want: []string{"--set step=[1", "line 1"}},
	{set: "particles=1\n---\n2", want: []string{"second document"}},
	{set: "options.shift=.inf", want: []string{"--set options.shift=.inf", "must be finite"}},
	{set: "options.n=9007199254740993", want: []string{"--set options.n=", "below 2^53"}},
	{set: "options={1: 2}", want: []string{"the key 1", "not text"}},
	{set: "p_rate=1", want: []string{"--set p_rate=1 changes nothing", "no method"}},
}

func TestReadOverrides(t *testing.T) {
	for text, want := range map[string]string{
		"":                                    ": want a mapping",
		"[1]":                                 ": want a mapping",
		"step: 0.1\nsetp: 1\n":                `, line 2: did you mean "step"?`,
		"methods:\n  svgd:\n    setp: 1\n":    `, line 3: did you mean "step"?`,
		"problems: {small: {particles: x}}\n": ", line 1 must be a whole number",
		"seeds: .nan\n":                       ", line 1 must be finite, not .nan",
		"seeds: [1]\n---\nseeds: [2]\n":       ", line 2: a second document",
		"seeds: [1]\nseeds: [2]\n":            "already defined",
	} {
		file := filepath.Join(t.TempDir(), "mine.yaml")
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		over, err := ReadOverrides(file)
		if err == nil {
			f, _ := Read("toy", []byte(toy))
			_, err = f.Resolve("paper", "full", over)
		}
		if !strings.Contains(fmt.Sprint(err), want) || !strings.Contains(fmt.Sprint(err), "mine.yaml") {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
	for _, path := range []string{"none.yaml", "/dev/zero"} {
		if _, err := ReadOverrides(path); err == nil || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: %v", path, err)
		}
	}
}
