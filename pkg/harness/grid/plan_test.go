package grid

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/plan"
	"github.com/semi-implicit/sifg/pkg/harness/settings"
	"github.com/semi-implicit/sifg/pkg/harness/usage"
	"github.com/semi-implicit/sifg/pkg/sifg"
)

const toySettings = `
base:
  seeds: [1, 2]
  methods:
    svgd: {step: 0.1}
    sifg: {step: 0.05, hidden: 4, sigma: 0.2}
  problems:
    small: {particles: 6, iterations: 8, options: {dim: 2}}
    wide: {particles: 5, iterations: 4, options: {dim: 3}, include: [svgd]}
protocols: {paper: {}}
`

func toy() *harness.Experiment {
	return &harness.Experiment{
		Name: "toy", Version: "1", Settings: []byte(toySettings),
		Metrics: []harness.Metric{{Name: "gap"}, {Name: "gap-median"}, {Name: "cover", Components: 4},
			{Name: "many", Components: harness.Many}},
		Scores: []string{"gap-median"},
		Check: func(t *harness.Trial) error {
			o := struct {
				Dim int `mapstructure:"dim"`
			}{}
			return settings.Decode(t.Config.Options, &o)
		},
	}
}

func request() plan.Request {
	return plan.Request{Experiments: []*harness.Experiment{toy()}, Protocols: []string{"paper"}, Scale: "full"}
}

// layOut lays out a grid with a rule of choice.
func layOut(text, choose string, change ...func(r *plan.Request)) (*plan.Plan, Question, error) {
	s, err := ReadSpec("steps.yaml", []byte(text))
	if err != nil {
		return nil, Question{}, err
	}
	r := request()
	for _, f := range change {
		f(&r)
	}
	q, err := Ask(s.Name, choose, r.Experiments[0])
	if err != nil {
		return nil, q, err
	}
	p, err := New(r, s, q)
	return p, q, err
}

// laidOut is layOut of what is right.
func laidOut(t *testing.T, text, choose string, change ...func(r *plan.Request)) (*plan.Plan, Question) {
	t.Helper()
	p, q, err := layOut(text, choose, change...)
	if err != nil {
		t.Fatal(err)
	}
	return p, q
}

// cells writes the cells of a plan: problem/method: label | label. The settings as they are, which are the first, have
// no label.
func cells(p *plan.Plan) string {
	var out []string
	by := map[string][]string{}
	for _, x := range p.Trials {
		name := x.Problem + "/" + x.Method
		if by[name] == nil {
			out = append(out, name)
		}
		if !slices.Contains(by[name], x.Cell) {
			by[name] = append(by[name], x.Cell)
		}
	}
	for i, name := range out {
		out[i] = name + ": " + strings.TrimPrefix(strings.Join(by[name], " | "), " | ")
	}
	return strings.Join(out, "\n")
}

func TestCells(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"product: {step: [0.1, 0.2], hidden: [4, 8]}", "small/svgd: step=0.1 | step=0.2\n" +
			"small/sifg: hidden=4,step=0.1 | hidden=8,step=0.1 | hidden=4,step=0.2 | hidden=8,step=0.2\n" +
			"wide/svgd: step=0.1 | step=0.2"},
		{"product: {methods.sifg.step: [0.1, 0.05]}", "small/sifg: step=0.1 | step=0.05"},
		{"zip: {methods.sifg.step: [0.1, 0.2], methods.sifg.hidden: [8, 16]}",
			"small/sifg: hidden=8,step=0.1 | hidden=16,step=0.2"},
		{"{ablate: {step: [0.1, 0.2], sigma: 0.3}, methods: [sifg]}",
			"small/sifg: sigma=0.2,step=0.05 | sigma=0.2,step=0.1 | sigma=0.2,step=0.2 | sigma=0.3,step=0.05"},
		{"{product: {step: 0.3}, ablate: {step: [0.1], sigma: [0.3]}, methods: [sifg]}",
			"small/sifg: sigma=0.2,step=0.3 | sigma=0.2,step=0.1 | sigma=0.3,step=0.3"},
		{"parts: [{methods: [svgd], problems: [wide], product: {step: 0.5}}, " +
			"{methods: [svgd], product: {step: [0.5, 0.6]}}]",
			"small/svgd: step=0.5 | step=0.6\nwide/svgd: step=0.5 | step=0.6"},
		{"{zip: {step: [0.1, 0.2], particles: [7, 6]}, problems: [small], methods: [svgd]}",
			"small/svgd: particles=7,step=0.1 | particles=6,step=0.2"},
		{"{product: {step: 0.2}, problems: ['*l*'], methods: [svgd]}", "small/svgd: step=0.2"},
		{"{product: {step: 0.2}, problems: [wi*, small], methods: [svgd]}",
			"small/svgd: step=0.2\nwide/svgd: step=0.2"},
		{"product: {problems.wide.options.dim: [3, 4, 5]}",
			"wide/svgd: options.dim=3 | options.dim=4 | options.dim=5"},
		{"product: {methods.svgd: [{step: 0.2, mover: adam}]}",
			"small/svgd: mover=adam,step=0.2\nwide/svgd: mover=adam,step=0.2"},
		{"{product: {step: [0.1]}, methods: [svgd], problems: [small]}", "small/svgd: current settings"},
	} {
		p, _, err := layOut(c.text, "min gap")
		if err != nil {
			t.Errorf("%s: %v", c.text, err)
			continue
		}
		if got := cells(p); got != c.want {
			t.Errorf("%s\n%s\nwant\n%s", c.text, got, c.want)
		}
		plain := map[string]int{} // trials of the settings as they are, by problem and method
		labels := map[string]string{}
		for _, x := range p.Trials {
			if x.Cell == "" {
				plain[x.Problem+x.Method]++
			}
			label := fmt.Sprint(x.Problem, x.Row().Method, x.Seed)
			if other, there := labels[label]; there {
				t.Errorf("%s: %s stands for %s and %s", c.text, label, other, x.Key)
			}
			labels[label] = x.Key
		}
		for _, x := range p.Trials {
			if n := plain[x.Problem+x.Method]; n != 2 {
				t.Errorf("%s: %d trials of %s with the settings as they are", c.text, n, x.Name())
			}
		}
	}
}

// TestTrials: a cell's trials are those of a run with its settings, and the request selects methods, problems and
// seeds.
func TestTrials(t *testing.T) {
	text := "{product: {step: [0.3], hidden: [7]}, seeds: 8..9}"
	g, _, err := layOut(text, "min gap")
	if err != nil {
		t.Fatal(err)
	}
	r := request()
	r.Seeds = []uint64{8, 9}
	r.Overrides = []settings.Override{{Text: "step=0.3", From: "--set"}, {Text: "hidden=7", From: "--set"}}
	p, err := plan.New(r)
	if err != nil {
		t.Fatal(err)
	}
	grid := map[string]bool{}
	for _, x := range g.Trials {
		grid[x.Key] = true
	}
	for _, x := range p.Trials {
		if !grid[x.Key] {
			t.Errorf("the grid lacks %s, which a run has", x.Name())
		}
	}
	if len(g.Trials) != 2*len(p.Trials) {
		t.Errorf("%d trials, want %d: those of the run and those as it is now", len(g.Trials), 2*len(p.Trials))
	}
	g, _, err = layOut(text, "min gap", func(r *plan.Request) {
		r.Problems, r.Methods, r.Seeds = []string{"small"}, []string{"svgd"}, []uint64{3}
	})
	if err != nil || cells(g) != "small/svgd: step=0.3" || len(g.Trials) != 2 || g.Trials[0].Seed != 3 {
		t.Errorf("%v, %+v", err, g)
	}
	if got := strings.Join(g.Set, " "); got != "--problems small --methods svgd --seeds 3" {
		t.Errorf("the selection is recorded as %s", got)
	}
}

func TestFromAxes(t *testing.T) {
	for _, c := range []struct {
		axes []string
		want string // or what an error says
	}{
		{[]string{"step=0.1,0.2"}, "small/svgd: step=0.1 | step=0.2"},
		{[]string{"step=[0.2]", "bandwidth=[1]"}, "small/svgd: bandwidth=1,step=0.2"},
		{[]string{"step"}, "--axis step: want KEY=VALUES"},
		{[]string{"step=[]"}, "--axis: line 2: step: want values"},
		{[]string{"step=1", "step=2"}, "--axis, line 3: step is there twice"},
	} {
		s, err := FromAxes(c.axes)
		got := fmt.Sprint(err)
		if err == nil {
			r := request()
			r.Problems, r.Methods = []string{"small"}, []string{"svgd"}
			p, err := New(r, s, Question{Metric: "gap"})
			if err != nil {
				t.Errorf("%v: %v", c.axes, err)
				continue
			}
			got = cells(p)
		}
		if !strings.Contains(got, c.want) {
			t.Errorf("%v: %s, want %s", c.axes, got, c.want)
		}
	}
}

func TestRefusals(t *testing.T) {
	long := "[" + strings.Repeat("1, ", 400) + "1]"
	for _, c := range [][2]string{
		{"prodct: {step: 1}", "line 1: field prodct not found"},
		{"select: min gap\nproduct:\n  setp: 1", `steps.yaml, line 3: setp=1: did you mean "step"?`},
		{"product: {step: [-1]}", "in the configuration [steps.yaml, line 1: step=-1]"},
		{"product: {step: [big]}", `step: want a number, got "big"`},
		{"product: {step: []}", "line 1: step: want values"},
		{"product: [step]", "line 1: want settings with values"},
		{"product: {step: 1}\nzip: {step: 1}", "step is there twice"},
		{"ablate: {step: 1, hidden: 1, step: 2}", "step is there twice"},
		{"zip: {step: [1, 2], hidden: [1]}", "step has 2 and hidden has 1"},
		{"product: {seeds: [1, 2]}", "seeds are no axis"},
		{"product: {step: 1}\nmethods: [sfig]", `unknown method "sfig" in steps.yaml: did you mean "sifg"?`},
		{"product: {step: 1}\nproblems: [x*]", `unknown problem "x*" in steps.yaml`},
		{"product: {step: 1}\nseeds: [1..10, 5]", `steps.yaml: seed 5 is there twice`},
		{"product: {step: 1}\n---\nselect: min gap", `steps.yaml: only one document is read`},
		{"product: {step: 1}\nseeds: 3..1", `steps.yaml: the seeds "3..1": want whole numbers`},
		{"select: min gap", "the grid is empty: want axes"},
		{"product: {step: " + long + ", hidden: " + long + "}", "more than 100000 configurations"},
		{"parts: [{product: {step: 1}}]\nmethods: [sifg]", "outside of them"},
		{"product: {options.dmi: [1]}", `"dmi"`},
		{"{product: {step: 1, hidden: 8}, methods: [svgd]}", "line 1: no method of the grid has the setting hidden"},
		{"", "steps.yaml: the grid is empty: want axes"},
		{"{product: {step: 1}, halving: 1}", "halving: 1: want the seeds of the first round, at least 2"},
	} {
		_, _, err := layOut(c[0], "min gap")
		if u := (*usage.Error)(nil); !errors.As(err, &u) || !strings.Contains(err.Error(), c[1]) {
			t.Errorf("%s: %v, want %s", c[0], err, c[1])
		}
	}
	for choose, want := range map[string]string{
		"min gpa":       `unknown metric "gpa" in grid steps: select "min gpa": did you mean "gap"?`,
		"":              "metrics of toy: gap, gap-median, cover",
		"min cover":     `grid steps: select "min cover": cover has 4 components: cover[0] to cover[3]`,
		"max cover[4]":  "cover has 4 components: cover[0]",
		"min gap[1]":    "gap is one number: leave [1] out",
		"min many":      "many has several components: write many[0], many[1], …",
		"gap":           "for a component, or near published",
		"min gap-media": `"gap-median"`, "max gap[x]": "unknown metric",
		"min gap gap": "want min METRIC", "min gap where cover <= 1": "cover has 4 components",
	} {
		if _, _, err := layOut("product: {step: 1}", choose); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("--select %q: %v, want %s", choose, err, want)
		}
	}
	for _, choose := range []string{"min gap-median", "max cover[3]", "min many[9]", "min gap where cover[0] <= 0.1"} {
		if _, q, err := layOut("{product: {step: 1}, select: min gap}", choose); err != nil || q.String() != choose {
			t.Errorf("--select %q: %v", choose, err)
		}
	}
}

// A sampler that the command adds runs beside the methods that it names, as a method of every part.
func TestAddedSampler(t *testing.T) {
	row, err := sifg.ByName("sgld")
	if err != nil {
		t.Fatal(err)
	}
	mine := *row
	mine.Name = "mine"
	sifg.Register(mine)
	p, _, err := layOut("{product: {step: [0.1, 0.2]}, methods: [svgd]}", "min gap",
		func(r *plan.Request) { r.Samplers, r.Methods = []string{"mine=python mine.py"}, []string{"svgd"} })
	if err != nil || !strings.Contains(cells(p), "small/mine: step=0.1 | step=0.2") {
		t.Errorf("%+v, error %v", p, err)
	}
}
