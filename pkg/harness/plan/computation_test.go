package plan

import (
	"strings"
	"testing"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/usage"
	"github.com/semi-implicit/sifg/pkg/sifg"
)

const sumSettings = `
base:
  seeds: [1, 2]
  methods: {"*": {sampler: none}, plain: {}, squared: {}, cubed: {}}
  problems:
    sum: {particles: 2, iterations: 0, include: [plain, squared], options: {to: 4}}
protocols: {text: {}}
scales: {quick: {problems: {sum: {include: [plain], options: {to: 2}}}}}
`

// sums is an experiment of one computation.
func sums() *harness.Experiment {
	return &harness.Experiment{
		Name:     "sums",
		Version:  "1",
		Settings: []byte(sumSettings),
		Problem: func(t *harness.Trial) (*harness.Problem, error) {
			if t.Method == "cubed" {
				return nil, usage.Errorf("sum has no method %s", t.Method)
			}
			return nil, nil
		},
		Samplers: []sifg.Sampler{harness.None},
	}
}

// TestComputations: a computation has a trial for each of its methods and seeds, which has no iteration and whose key
// depends on its options.
func TestComputations(t *testing.T) {
	planned := func(change func(r *Request)) (*Plan, error) {
		e := sums()
		harness.Register(e)
		r := Request{Experiments: []*harness.Experiment{e}, Scale: "full"}
		change(&r)
		return New(r)
	}
	p, err := planned(func(*Request) {})
	if err != nil || len(p.Trials) != 4 || p.Trials[2].Method != "squared" || p.Trials[0].Config.Iterations != 0 {
		t.Fatalf("%+v, %v", p, err)
	}
	keys := map[string]bool{}
	for _, scale := range []string{"full", "quick"} {
		p, err := planned(func(r *Request) { r.Scale = scale })
		if err != nil {
			t.Fatal(err)
		}
		for _, x := range p.Trials {
			keys[x.Key] = true
		}
	}
	if len(keys) != 6 {
		t.Errorf("%d keys of 6 trials", len(keys))
	}
	for want, change := range map[string]func(r *Request){
		"has no method cubed":         sets("problems.sum.include=[cubed]"),
		`unknown method "fourth"`:     func(r *Request) { r.Methods = []string{"fourth"} },
		"step=1 changes nothing":      sets("step=1"),
		"iterations: must be 1 to":    sets("methods.plain.sampler=svgd"),
		"iterations: must be 1 to 10": sets("problems.sum.iterations=-1"),
		"base.methods and protocols must name at least one each": func(r *Request) {
			r.Experiments[0].Settings = []byte("base: {seeds: [1], problems: {sum: {}}}\nprotocols: {text: {}}")
		},
	} {
		if _, err := planned(change); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}
