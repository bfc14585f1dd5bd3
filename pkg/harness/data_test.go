package harness

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/semi-implicit/sifg/pkg/harness/dataset"
)

// shelf has a digest and data for each name.
type shelf map[string]string

func (s shelf) Digest(name string) (string, error) {
	if s[name] == "" {
		return "", errors.New("no such data set")
	}
	return s[name], nil
}

func (s shelf) Load(name string) (*dataset.Data, error) {
	return &dataset.Data{Name: name + " " + s[name]}, nil
}

// withData is the toy whose first problem needs data, has seeds of its own and a method that runs for longer.
var withData = strings.Replace(toyConfig, "particles: 6",
	"particles: 6\n      data: heights\n      seeds: [5, 6, 7]\n      iterations_of: {drift: 12}", 1)

func planWith(t *testing.T, data Datasets, config string, set ...string) (*Plan, error) {
	t.Helper()
	r := Request{Experiments: []*Experiment{toy(config)}, Protocols: []string{"paper"}, Scale: "full", Data: data}
	for _, s := range set {
		r.Set = append(r.Set, Override{Text: s, From: "--set"})
	}
	return NewPlan(r)
}

func TestDataInPlan(t *testing.T) {
	a, err := planWith(t, shelf{"heights": "a"}, withData)
	if err != nil {
		t.Fatal(err)
	}
	b, err := planWith(t, shelf{"heights": "b"}, withData)
	if err != nil {
		t.Fatal(err)
	}
	if got := Data(a.Trials); !slices.Equal(got, []string{"heights"}) {
		t.Errorf("data sets %v", got)
	}
	if len(a.Trials) != 3*3+2*2 {
		t.Errorf("%d trials, want 3 methods × 3 seeds and 2 methods × 2 seeds", len(a.Trials))
	}
	for i, x := range a.Trials {
		y := b.Trials[i]
		switch x.Problem {
		case "small":
			if x.Key == y.Key {
				t.Errorf("%s: the key does not depend on the data", x.Name())
			}
			want := 8
			if x.Method == "drift" {
				want = 12
			}
			if x.Config.Iterations != want || !slices.Equal(x.Config.Judge.Snapshots, []int{4, 8}) {
				t.Errorf("%s: %d iterations, snapshots %v", x.Name(), x.Config.Iterations, x.Config.Judge.Snapshots)
			}
			if d, err := x.Load(); err != nil || d.Name != "heights a" {
				t.Errorf("%s loads %v, %v", x.Name(), d, err)
			}
			if !slices.Contains([]uint64{5, 6, 7}, x.Seed) {
				t.Errorf("%s: seed of all problems", x.Name())
			}
		case "wide":
			if x.Key != y.Key || x.Load != nil || x.Seed > 2 {
				t.Errorf("%s: data or seeds of the other problem", x.Name())
			}
		}
	}
}

func TestDataRefusals(t *testing.T) {
	for want, run := range map[string]func() (*Plan, error){
		"toy reads no data": func() (*Plan, error) {
			return planWith(t, shelf{"heights": "1"}, toyConfig, "problems.small.data=heights")
		},
		"no such data set":           func() (*Plan, error) { return planWith(t, shelf{}, withData) },
		"no data sets were given":    func() (*Plan, error) { return planWith(t, nil, withData) },
		"small.seeds: 3 is there":    func() (*Plan, error) { return planWith(t, nil, toyConfig, "problems.small.seeds=[3,3]") },
		"iterations_of.svgd: must":   func() (*Plan, error) { return planWith(t, nil, toyConfig, "problems.small.iterations_of.svgd=-1") },
		"method \"svdg\" in --set":   func() (*Plan, error) { return planWith(t, nil, toyConfig, "problems.small.iterations_of.svdg=1") },
		"small.seeds: one at least":  func() (*Plan, error) { return planWith(t, nil, toyConfig, "problems.small.seeds=[]") },
		"did you mean \"iterations_": func() (*Plan, error) { return planWith(t, nil, toyConfig, "problems.small.iteration_of={}") },
	} {
		var usage *UsageError
		if _, err := run(); !errors.As(err, &usage) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v; want a usage error with %q", err, want)
		}
	}
}
