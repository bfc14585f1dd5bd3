package settings

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/semi-implicit/sifg/pkg/harness/usage"
	"github.com/semi-implicit/sifg/pkg/sifg"
)

// refusals replace old by new in the settings of toy, lay set over them, or lay a file over them, and must give an
// error that names all of want.
var refusals = []struct {
	old, new, set, file string
	want                []string
}{
	{
		old:  "particles: 6",
		new:  "partcles: 6",
		want: []string{"settings of toy", "base.problems[small]", "partcles", `"particles"`},
	},
	{old: "  paper:", new: "  papper:", want: []string{"protocol", "papper", `"paper"`}},
	{
		old:  "paper:\n    problems: {small",
		new:  "paper:\n    problems: {smal",
		want: []string{"problem", "smal", `"small"`},
	},
	{old: "include: [drift, svgd]", new: "include: [drift, svdg]", want: []string{"method", "svdg", `"svgd"`}},
	{old: "include: [drift, svgd]", new: "include: [drift, drift]", want: []string{"drift", "twice"}},
	{old: "iterations: 8", new: "iterations: eight", want: []string{"small].iterations: want a whole", `"eight"`}},
	{old: "step: 0.01", new: "step: .nan", want: []string{"step", "finite"}},
	{old: "sampler: sgld", new: "sampler: sgdl", want: []string{"sampler", "sgdl", "sgld"}},
	{old: "{step: 0.1}", new: "{step: 0.1, hidden: 3}", want: []string{"hidden", "svgd"}},
	{old: "    svgd: {step", new: "    SVGD: {step", want: []string{"SVGD", "lower-case"}},
	{set: "methods.drift.step=-1", want: []string{"step", "drift", "-1"}},
	{set: "problems.wide.particles=1000000000000", want: []string{"particles", "to 10000000,"}},
	{set: "problems.small.judge.sample=particle", want: []string{"judge.sample", "particles"}},
	{set: "judge.snapshots=[-1]", want: []string{"judge.snapshots", "negative"}},
	{set: "seeds=[1,1]", want: []string{"seed 1 is there twice"}},
	{set: "seeds=[]", want: []string{"seeds", "at least one"}},
	{set: "problems.small.iteration=3", want: []string{"--set problems.small.iteration=3", `"iterations"`}},
	{set: "problems.small.iterations=0", want: []string{"small.iterations: must be 1 to", "got 0"}},
	{set: "seeds", want: []string{"key=value"}},
	{set: "methods=", want: []string{"--set methods= changes nothing"}},
	{set: "particles=0100", want: []string{"--set particles=0100", "line 1", "0100 begins with 0"}},
	{old: "particles: 6", new: "particles: 08", want: []string{"08 begins with 0"}},
	{
		file: "methods: {svgd: {step: 0.1}}\nmethods.svgd.step: 0.2\n",
		want: []string{"methods.svgd.step is there, and methods"},
	},
	{set: "step=[0.1, 0.2]", want: []string{"step: want a number, got [0.1,0.2]"}},
	{set: "particles=1\n---\n2", want: []string{"one document"}},
	{set: "options.shift=.inf", want: []string{"--set options.shift=.inf", "finite"}},
	{set: "problems=5", want: []string{"--set problems=5: problems: want keys with values, got 5"}},
	{set: "particles={a: 2}", want: []string{`particles: want a whole number, got {"a":2}`}},
	{set: "problems.small.include=7", want: []string{"include: want a list, got 7"}},
	{file: "- a\n- b\n", want: []string{"cannot unmarshal !!seq"}},
	{file: "methods: {svgd: {step: .nan}}\n", want: []string{"methods: want finite numbers"}},
	{file: "methods: {5: {6: 7}}\n", want: []string{"texts as keys"}},
	{set: "p_rate=1", want: []string{"--set p_rate=1 changes nothing", "no method"}},
	{file: "seeds: .nan\n", want: []string{"seeds", "finite"}},
	{file: "seeds: [1]\nseeds: [2]\n", want: []string{"line 2", "already defined"}},
}

func TestRefusals(t *testing.T) {
	for _, c := range refusals {
		if !strings.Contains(toy, c.old) {
			t.Fatalf("no %q in the settings", c.old)
		}
		f, err := Read("toy", []byte(strings.Replace(toy, c.old, c.new, 1)))
		var over []Override
		switch {
		case c.set != "":
			over = sets(c.set)
		case c.file != "":
			c.want = append(c.want, "mine.yaml")
			over, err = ReadOverrides(written(t, c.file))
		}
		if err == nil {
			_, err = f.Resolve("paper", "full", over)
		}
		if u := (*usage.Error)(nil); !errors.As(err, &u) {
			t.Errorf("%s%s%s: %v is not an error of usage", c.new, c.set, c.file, err)
			continue
		}
		for _, w := range c.want {
			if !strings.Contains(err.Error(), w) {
				t.Errorf("%s%s%s: %q does not name %s", c.new, c.set, c.file, err, w)
			}
		}
	}
	f, _ := Read("toy", []byte(toy))
	if _, err := f.Resolve("standard", "full", nil); err == nil {
		t.Error("a protocol that the experiment lacks was accepted")
	}
	for _, path := range []string{"none.yaml", "/dev/zero"} {
		if _, err := ReadOverrides(path); err == nil || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: %v", path, err)
		}
	}
}

// written returns the path of a file with the text.
func written(t *testing.T, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "mine.yaml")
	must(0, os.WriteFile(file, []byte(text), 0o666))
	return file
}

// FuzzSettings: whatever is laid over settings, or written in a file of them, becomes settings or an error of usage of
// fair length.
func FuzzSettings(f *testing.F) {
	for _, c := range refusals {
		f.Add(c.set, c.file)
	}
	f.Add("step=0.2", "seeds: [1]\nmethods: {svgd: {step: 0.3}}\n")
	f.Fuzz(func(t *testing.T, set, file string) {
		fair := func(err error) {
			if u := (*usage.Error)(nil); err != nil && (!errors.As(err, &u) || len(err.Error()) > 4000) {
				t.Errorf("%.300v: %d bytes", err, len(err.Error()))
			}
		}
		s := must(Read("toy", []byte(toy)))
		_, err := s.Resolve("paper", "full", sets(set))
		fair(err)
		over, err := ReadOverrides(written(t, file))
		if fair(err); err == nil {
			_, err = s.Resolve("paper", "full", over)
			fair(err)
		}
	})
}

// TestOn: a data set takes the settings of the problem that is named, in every layer and by every pattern; an option
// that is called problems stays.
func TestOn(t *testing.T) {
	const text = `
base:
  seeds: [1]
  methods: {svgd: {}, sgld: {}}
  problems:
    "*": {iterations: 5, options: {problems: [a, b]}}
    rent: {data: rent, particles: 7, include: [svgd]}
    other: {particles: 9, data: other}
protocols: {text: {problems: {rent: {options: {x: 1}}}}}
scales: {quick: {problems: {"r*": {iterations: 3}, other: {iterations: 4}}}}
`
	f := must(Read("toy", []byte(text)))
	f.On("rent", []string{"mine"}, true, nil)
	s := must(f.Resolve("text", "quick", nil))
	if len(s.Problems) != 1 || len(s.Problems[0].Methods) != 2 || s.Problems[0].Methods[0].Name != "svgd" {
		t.Fatalf("%+v", s.Problems)
	}
	c := config(t, s, "mine", "sgld")
	if got := fmt.Sprintln(c.Data, c.Particles, c.Iterations, c.Options); got != "mine 7 3 map[problems:[a b] x:1]\n" {
		t.Error(got)
	}
}

func TestSeeds(t *testing.T) {
	for text, want := range map[string]string{
		"7": "[7]", "1..3": "[1 2 3]", "1-3": "[1 2 3]", "5, 1..2": "[1 2 5]", "08-010": "[8 9 10]",
		"3,2,1": "[1 2 3]", "0": "[0]",
		"": "", "3..1": "", "a": "", "1..": "", "-1": "", "1..2..3": "", "1..99999999999": "", "1.5": "",
		"1,1": "", "1-3,2": "",
	} {
		got, err := Seeds(text)
		if (err == nil) != (want != "") || err == nil && fmt.Sprint(got) != want {
			t.Errorf("%q: %v, %v, want %s", text, got, err, want)
		}
	}
	if got, err := Seeds([]any{5, "3-4", 1}); err != nil || fmt.Sprint(got) != "[1 3 4 5]" {
		t.Errorf("%v, %v", got, err)
	}
	if _, err := Seeds([]any{5, "3-5"}); err == nil || err.Error() != "seed 5 is there twice" {
		t.Error(err)
	}
}

func TestDocs(t *testing.T) {
	keys := keysOf[sifg.Config]()
	for _, key := range keys {
		if Docs[key] == "" {
			t.Errorf("%s is not explained", key)
		}
	}
	if len(Docs) != len(keys) {
		t.Errorf("%d settings, %d explanations", len(keys), len(Docs))
	}
}
