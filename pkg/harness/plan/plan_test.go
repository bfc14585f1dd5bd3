package plan

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/dataset"
	"github.com/semi-implicit/sifg/pkg/harness/settings"
	"github.com/semi-implicit/sifg/pkg/harness/usage"
)

const toySettings = `
base:
  seeds: [1, 2]
  methods:
    svgd: {step: 0.1}
    sgld: {step: 0.01}
    sifg: {step: 0.05, hidden: 4}
  problems:
    small: {particles: 6, iterations: 8, options: {dim: 2}}
    wide: {particles: 5, iterations: 4, data: table, options: {dim: 3}, include: [sgld, svgd]}
protocols:
  paper: {problems: {small: {methods: {svgd: {step: 0.2}}}}}
  released: {}
scales:
  quick: {problems: {small: {iterations: 6}}}
`

// toy is an experiment whose trials may have three dimensions and the seeds 1 to 9.
func toy() *harness.Experiment {
	return &harness.Experiment{
		Name:     "toy",
		Version:  "1",
		Settings: []byte(toySettings),
		Check: func(t *harness.Trial) error {
			o := struct {
				Dim int `mapstructure:"dim"`
			}{}
			if err := settings.Decode(t.Config.Options, &o); err != nil {
				return err
			}
			if t.Seed > 9 {
				return fmt.Errorf("seed %d: there are 9 splits", t.Seed)
			}
			return nil
		},
	}
}

// tables are data sets; their digests are their values.
type tables map[string]string

func (d tables) Digest(name string) (string, error) {
	if d[name] == "" {
		return "", usage.Errorf("unknown data set %q", name)
	}
	return d[name], nil
}

func (d tables) Load(name string) (*dataset.Data, error) { return &dataset.Data{}, nil }

func request(change ...func(r *Request)) Request {
	r := Request{
		Experiments: []*harness.Experiment{toy()}, Protocols: []string{"paper"}, Scale: "full",
		Data: tables{"table": "1", "other": "2"},
	}
	for _, f := range change {
		f(&r)
	}
	return r
}

func sets(texts ...string) func(r *Request) {
	return func(r *Request) {
		for _, s := range texts {
			r.Overrides = append(r.Overrides, settings.Override{Text: s, From: "--set"})
		}
	}
}

func mustPlan(t *testing.T, change ...func(r *Request)) *Plan {
	t.Helper()
	p, err := New(request(change...))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// names says which trials a plan has: problem/method/seeds.
func names(p *Plan) string {
	var out []string
	for _, t := range p.Trials {
		id := t.Problem + "/" + t.Method + "/"
		if n := len(out); n > 0 && strings.HasPrefix(out[n-1], id) {
			out[n-1] += "," + fmt.Sprint(t.Seed)
		} else {
			out = append(out, id+fmt.Sprint(t.Seed))
		}
	}
	return strings.Join(out, " ")
}

func TestSelections(t *testing.T) {
	for _, c := range []struct {
		problems, methods []string
		seeds             []uint64
		want, set         string
	}{
		{nil, nil, nil, "small/svgd/1,2 small/sgld/1,2 small/sifg/1,2 wide/sgld/1,2 wide/svgd/1,2", ""},
		{[]string{"wide"}, nil, nil, "wide/sgld/1,2 wide/svgd/1,2", "--problems wide"},
		{
			nil, []string{"sifg", "svgd"}, []uint64{3},
			"small/svgd/3 small/sifg/3 wide/svgd/3", "--methods sifg,svgd --seeds 3",
		},
		{
			[]string{"small"}, []string{"sifg"}, []uint64{5, 4},
			"small/sifg/5,4", "--problems small --methods sifg --seeds 5,4",
		},
	} {
		p := mustPlan(t, func(r *Request) { r.Problems, r.Methods, r.Seeds = c.problems, c.methods, c.seeds })
		if got := names(p); got != c.want {
			t.Errorf("%v %v %v: %s, want %s", c.problems, c.methods, c.seeds, got, c.want)
		}
		if got := strings.Join(p.Set, " "); got != c.set {
			t.Errorf("recorded as %q, want %q", got, c.set)
		}
	}
	p := mustPlan(t, sets("step=0.3", "seeds=[4]"))
	if names(p) != "small/svgd/4 small/sgld/4 small/sifg/4 wide/sgld/4 wide/svgd/4" ||
		p.Trials[0].Config.Sampler.Step != 0.3 ||
		strings.Join(p.Set, " ") != "step=0.3 seeds=[4]" {
		t.Errorf("overrides gave %s, %v", names(p), p.Set)
	}
}

// TestExperiments: selections concern the experiments that have what they name.
func TestExperiments(t *testing.T) {
	a, b := toy(), toy()
	b.Name = "b"
	standard := strings.NewReplacer("protocols:\n", "default: released\nprotocols:\n  standard: {}\n", "wide", "tall")
	b.Settings = []byte(standard.Replace(toySettings))
	for _, c := range []struct {
		protocols, problems []string
		want                string // experiment/protocol of the trials, or what an error says
	}{
		{[]string{"standard"}, nil, "b/standard"},
		{[]string{"paper", "standard"}, nil, "toy/paper b/standard b/paper"},
		{[]string{All}, nil, "toy/paper toy/released b/standard b/paper b/released"},
		{[]string{All}, []string{"wide"}, "toy/paper toy/released"},
		{nil, nil, "toy/paper b/released"},
		{[]string{"matched"}, nil, `unknown protocol "matched"`},
		{[]string{"standard"}, []string{"wide"}, "there are no such trials"},
	} {
		p, err := New(request(func(r *Request) {
			r.Experiments, r.Protocols, r.Problems = []*harness.Experiment{a, b}, c.protocols, c.problems
		}))
		var got []string
		if err != nil {
			got = []string{err.Error()}
		} else {
			for _, x := range p.Trials {
				got = append(got, x.Experiment+"/"+x.Protocol)
			}
			for _, e := range p.Experiments {
				if !strings.Contains(strings.Join(got, " "), e.Name+"/") {
					t.Errorf("%v: %s has no trial and is in the plan", c.protocols, e.Name)
				}
			}
		}
		if got := strings.Join(slices.Compact(got), " "); !strings.HasPrefix(got, c.want) {
			t.Errorf("%v %v: %s, want %s", c.protocols, c.problems, got, c.want)
		}
	}
}

// The experiment checks the trials of the smallest and the largest seed of each method on a problem, however many seeds
// there are.
func TestChecksOnce(t *testing.T) {
	var seeds []uint64
	p := mustPlan(t, func(r *Request) {
		r.Problems, r.Methods, r.Seeds = []string{"small"}, []string{"svgd", "sifg"}, []uint64{4, 2, 9, 3}
		r.Experiments[0].Check = func(x *harness.Trial) error {
			seeds = append(seeds, x.Seed)
			return nil
		}
	})
	if want := []uint64{2, 9, 2, 9}; !slices.Equal(seeds, want) || len(p.Trials) != 8 {
		t.Errorf("checked %v of %d trials, want %v of 8", seeds, len(p.Trials), want)
	}
	if p.Trials[0].Config != p.Trials[3].Config || p.Trials[3].Config == p.Trials[4].Config {
		t.Error("trials of a method on a problem, and no others, share their configuration")
	}
}

func TestRefusals(t *testing.T) {
	problem := func(r *Request) { // an experiment without Check
		r.Experiments[0].Check = nil
		r.Experiments[0].Problem = func(t *harness.Trial) (*harness.Problem, error) {
			return nil, fmt.Errorf("%s seed %d", t.Problem, t.Seed)
		}
	}
	const where = "problems.small (experiment toy, protocol paper, scale full): "
	for want, change := range map[string]func(r *Request){
		`unknown scale "ful": did you mean "full"?`:        func(r *Request) { r.Scale = "ful" },
		`unknown protocol "papper": did you mean "paper"?`: func(r *Request) { r.Protocols = []string{"papper"} },
		`unknown problem "smal": did you mean "small"?`:    func(r *Request) { r.Problems = []string{"smal"} },
		`unknown method "sgdl": did you mean "sgld" or`:    func(r *Request) { r.Methods = []string{"sgdl"} },
		`method svgd is there twice`:                       func(r *Request) { r.Methods = []string{"svgd", "svgd"} },
		`data set rent is there twice`:                     func(r *Request) { r.Custom = []string{"rent", "rent"} },
		`seed 10: there are 9 splits`:                      func(r *Request) { r.Seeds = []uint64{9, 10} },
		where + `unknown key "dmi"`:                        sets("options.dmi=3"),
		where + `small seed 1`:                             problem,
		`unknown data set "tabel"`:                         sets("problems.wide.data=tabel"),
		`there are no such trials: --problems wide --methods sifg`: func(r *Request) {
			r.Problems, r.Methods = []string{"wide"}, []string{"sifg"}
		},
	} {
		_, err := New(request(change))
		if u := (*usage.Error)(nil); !errors.As(err, &u) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v\nwant %s", err, want)
		}
	}
	absent := func(r *Request) {
		r.Experiments[0].Check = func(*harness.Trial) error { return fmt.Errorf("table: %w", dataset.ErrAbsent) }
	}
	if _, err := New(request(absent)); err != nil {
		t.Errorf("a plan without a data set's file: %v", err)
	}
}

// TestNamedMethod: a method of the file that no problem names runs where the request names it, as one of a sampler's
// name alone does.
func TestNamedMethod(t *testing.T) {
	lists := func(r *Request) {
		text := strings.Replace(toySettings, "options: {dim: 2}", "options: {dim: 2}, include: [svgd]", 1)
		r.Experiments[0].Settings = []byte(text)
	}
	named := func(name string) func(*Request) { return func(r *Request) { r.Methods = []string{name} } }
	for name, want := range map[string]int{"sifg": 4, "l2-gf": 4, "svgd": 4, "sgld": 2} {
		if n := len(mustPlan(t, lists, named(name)).Trials); n != want {
			t.Errorf("--methods %s: %d trials, want %d", name, n, want)
		}
	}
	if n := len(mustPlan(t, lists).Trials); n != 6 {
		t.Errorf("%d trials where no method is named, want 6", n)
	}
}

// TestSettingOfNoTrial: a setting of trials that are not selected changes nothing, and is refused.
func TestSettingOfNoTrial(t *testing.T) {
	only := func(r *Request) { r.Problems, r.Methods = []string{"small"}, []string{"svgd"} }
	for _, text := range []string{
		"problems.wide.iterations=3", "methods.sgld.step=1", "problems.small.methods.sgld.step=1",
		"problems.wide.include=[svgd]",
	} {
		_, err := New(request(only, sets(text)))
		if err == nil || !strings.Contains(err.Error(), text+" changes nothing") {
			t.Errorf("%s: error %v", text, err)
		}
	}
	for _, text := range []string{
		"problems.small.iterations=3", "step=1", "seeds=[4]", "problems.small.include=[svgd]",
	} {
		if _, err := New(request(only, sets(text))); err != nil {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// TestSamplerOfAll: a sampler that an override gives to all methods decides which of their settings count.
func TestSamplerOfAll(t *testing.T) {
	p := mustPlan(t, sets("sampler=sifg", "hidden=7"), func(r *Request) { r.Problems = []string{"small"} })
	for _, x := range p.Trials {
		if c := x.Config.Sampler; c.Sampler != "sifg" || c.Hidden != 7 {
			t.Errorf("%s: %+v", x.Name(), c)
		}
	}
}

// TestComputations: a method that draws nothing has no iteration, and a sampler has some.
func TestComputations(t *testing.T) {
	sums := func(r *Request) {
		e := r.Experiments[0]
		e.Settings = []byte(`
base:
  seeds: [1, 2]
  methods: {"*": {sampler: none}, plain: {}, squared: {}}
  problems: {sum: {particles: 2, iterations: 0, options: {dim: 4}}}
protocols: {paper: {}}
`)
	}
	all := mustPlan(t, sums).Trials
	if len(all) != 4 || all[2].Method != "squared" || all[0].Config.Iterations != 0 {
		t.Errorf("%+v", all)
	}
	for text, want := range map[string]string{
		"step=1":                       "step=1 changes nothing",
		"methods.plain.sampler=svgd":   "iterations: must be 1 to",
		"problems.sum.iterations=-1":   "iterations: must be 1 to 10",
		"problems.sum.options.dmi=[2]": `unknown key "dmi"`,
	} {
		if _, err := New(request(sums, sets(text))); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}
