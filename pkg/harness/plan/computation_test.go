package plan

import (
	"context"
	"strings"
	"testing"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/usage"
)

const sumSettings = `
base:
  seeds: [1, 2]
  problems:
    sum: {variants: [plain, squared], options: {to: 4}}
protocols: {text: {}}
scales: {quick: {problems: {sum: {variants: [plain], options: {to: 2}}}}}
`

// sums is an experiment of one computation and no sampler.
func sums() *harness.Experiment {
	check := func(t *harness.Trial) error {
		if t.Method != "plain" && t.Method != "squared" {
			return usage.Errorf("sum has no variant %s", t.Method)
		}
		return nil
	}
	run := func(context.Context, *harness.Trial, func(string, int, float64)) error { return nil }
	return &harness.Experiment{
		Name:         "sums",
		Version:      "1",
		Settings:     []byte(sumSettings),
		Computations: map[string]harness.Computation{"sum": {Check: check, Run: run}},
	}
}

// TestComputations: a computation has a trial for each of its variants and seeds, whose keys depend on its options and
// on no sampler.
func TestComputations(t *testing.T) {
	planned := func(change func(r *Request)) (*Plan, error) {
		r := Request{Experiments: []*harness.Experiment{sums()}, Scale: "full"}
		change(&r)
		return New(r)
	}
	p, err := planned(func(*Request) {})
	if err != nil || len(p.Trials) != 4 || p.Trials[2].Method != "squared" || !p.Trials[0].Config.Computation() {
		t.Fatalf("%+v, %v", p, err)
	}
	if row := p.Trials[0].Row(); row.Config != `{"options":{"to":4}}` || row.Particles != 0 {
		t.Errorf("row %+v", row)
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
		"has no variant cubed":        sets("problems.sum.variants=[cubed]"),
		`unknown method "cubed"`:      func(r *Request) { r.Methods = []string{"cubed"} },
		"step=1 changes nothing":      sets("step=1"),
		"a computation has them, and": func(r *Request) { r.Experiments[0].Computations = nil },
		"problems.sum has no variants": func(r *Request) {
			text := strings.Replace(sumSettings, "variants: [plain, squared], ", "", 1)
			r.Experiments[0].Settings = []byte(text)
		},
	} {
		if _, err := planned(change); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}
