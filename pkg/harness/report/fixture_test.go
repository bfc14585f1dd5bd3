package report

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/claim"
	"github.com/semi-implicit/sifg/pkg/harness/figure"
	"github.com/semi-implicit/sifg/pkg/harness/internal/safe"
	"github.com/semi-implicit/sifg/pkg/harness/plan"
	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/harness/store"
	"github.com/semi-implicit/sifg/pkg/harness/table"
)

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

const toySettings = `
base:
  problems: {p: {particles: 4, iterations: 2}}
  methods: {sgld: {sampler: sgld}, svgd: {sampler: svgd}}
  seeds: [1, 2]
protocols:
  paper: {claims: true}
  released: {claims: true, incomparable: other data, methods: {svgd: {step: 0.3}}}
`

// toy is an experiment with a figure of curves, one of particles, one that panics, a table, claims and data.
func toy() *harness.Experiment {
	draw := func(id string, of func(s *record.Set) (*figure.Figure, error)) harness.Section {
		return harness.Section{ID: id, Title: id, Draw: of}
	}
	return &harness.Experiment{
		Name: "toy", Title: "The toy", Settings: []byte(toySettings), Version: "1",
		Problem: func(*harness.Trial) (*harness.Problem, error) { return nil, nil },
		Sections: slices.Concat([]harness.Section{
			draw("cloud", func(s *record.Set) (*figure.Figure, error) {
				first, _ := record.First(s, "p", "sgld")
				a, err := s.Load(first.Key, "particles")
				if err != nil {
					return nil, err
				}
				var x []float64
				for _, v := range a.Data {
					x = append(x, float64(v))
				}
				return &figure.Figure{Panels: []figure.Panel{{Layers: []figure.Layer{figure.Line{X: x, Y: x}}}}}, nil
			}),
			draw("broken", func(*record.Set) (*figure.Figure, error) { panic("no such figure") }),
			draw("nothing", func(*record.Set) (*figure.Figure, error) { return nil, harness.ErrNoTrials }),
			{ID: "ends", Title: "Ends", Table: func(s *record.Set) (*table.Table, error) {
				return &table.Table{
					Columns: []table.Column{{Header: "trials"}},
					Rows:    [][]table.Cell{{table.Int(len(s.Trials))}},
				}, nil
			}},
			{ID: "draws", Files: func(s *record.Set) (map[string][]byte, error) {
				first, _ := record.First(s, "p", "svgd")
				a, err := s.Load(first.Key, "particles")
				if err != nil {
					return nil, err
				}
				return map[string][]byte{"draws.npy": fmt.Appendln(nil, a.Data)}, nil
			}},
			{ID: "one", Title: "One", Table: func(s *record.Set) (*table.Table, error) {
				if s.Protocol != "released" {
					return nil, harness.ErrNoTrials
				}
				return &table.Table{}, nil
			}},
		}, harness.Claims([]claim.Claim{
			{ID: "toy-1", Statement: "It is low.", Rule: "low", Check: func(s *record.Set) claim.Outcome {
				return claim.Outcome{Verdict: claim.Reproduced, Evidence: fmt.Sprintf("%d trials", len(s.Trials))}
			}},
			{ID: "toy-2", Check: func(*record.Set) claim.Outcome { panic("a hole") }},
		})),
	}
}

// fixture is a plan of the toy with a store that has all of it, and a results folder that is not there yet.
type fixture struct {
	e     *harness.Experiment
	plan  *plan.Plan
	store *store.Store
	dir   string
}

func planned(t *testing.T, e *harness.Experiment, change ...func(r *plan.Request)) *plan.Plan {
	t.Helper()
	r := plan.Request{Experiments: []*harness.Experiment{e}, Protocols: []string{plan.All}, Scale: "full"}
	for _, c := range change {
		c(&r)
	}
	return must(plan.New(r))
}

func newFixture(t *testing.T) *fixture {
	t.Helper()
	e := toy()
	f := &fixture{e: e, plan: planned(t, e), dir: filepath.Join(t.TempDir(), "results")}
	f.store = must(store.Open(filepath.Join(f.dir, "store")))
	t.Cleanup(func() { f.store.Close() })
	for i, x := range f.plan.Unique() {
		f.put(t, x, record.StatusOK, float64(i))
	}
	return f
}

// put stores a trial that ended with this status and value.
func (f *fixture) put(t *testing.T, x harness.Trial, status string, value float64) {
	t.Helper()
	row := x.Row()
	row.Status, row.Dim, row.Iterations = status, 1, 2
	if status != record.StatusOK {
		row.Reason = "because"
	}
	r := &record.Result{
		Trial:  row,
		Timing: record.Timing{Key: x.Key, Seconds: 1 + value, CPU: "cpu", Kernel: "avx2"},
		Traces: []record.Trace{
			{Key: x.Key, Metric: "kl", Value: 9},
			{Key: x.Key, Iteration: 2, Metric: "kl", Value: value},
		},
		Arrays: map[string]*record.Array{"particles": {Shape: []int{4, 1}, Data: []float32{1, 2, float32(value), 4}}},
	}
	must(f.store.Put(context.Background(), r))
}

// write collects the plan's records, writes everything and returns the results and the notes.
func (f *fixture) write(t *testing.T, p *plan.Plan) (*Results, []string) {
	t.Helper()
	all := []*harness.Experiment{f.e}
	r, notes, err := must(Read(f.dir, all)).Collect(p, f.store, all)
	if err != nil {
		t.Fatal(err)
	}
	must(0, must(r.Files()).Write(f.dir))
	return r, notes
}

// folder returns the files of a folder by name, without the store.
func folder(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	root := os.DirFS(dir)
	must(0, fs.WalkDir(root, ".", func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && !strings.HasPrefix(name, "store") {
			out[name] = string(must(fs.ReadFile(root, name)))
		}
		return err
	}))
	return out
}

// again makes everything again of what is in the folder alone, and returns what differs.
func (f *fixture) again(t *testing.T) []safe.Damage {
	t.Helper()
	r, err := Read(f.dir, []*harness.Experiment{f.e})
	if err != nil {
		t.Fatal(err)
	}
	return must(must(r.Files()).Check(f.dir))
}
