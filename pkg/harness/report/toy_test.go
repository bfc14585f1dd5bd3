package report

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/claim"
	"github.com/semi-implicit/sifg/pkg/harness/figure"
	"github.com/semi-implicit/sifg/pkg/harness/plan"
	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/harness/settings"
	"github.com/semi-implicit/sifg/pkg/harness/store"
	"github.com/semi-implicit/sifg/pkg/harness/table"
	"github.com/semi-implicit/sifg/pkg/sifg"
)

// toy is an experiment with a figure of curves, one of particles, and one that panics, tables with values that are no
// numbers, claims and findings.
func toy(name string) *harness.Experiment {
	return &harness.Experiment{
		Name: name, Title: "The toy " + name,
		Settings: []byte(
			"base:\n  problems: {p: {particles: 4, iterations: 2}}\n  methods: {sgld: {sampler: sgld}, svgd: " +
				"{sampler: svgd}}\n" +
				"  seeds: [1, 2]\nprotocols: {paper: {claims: true}, released: {claims: true, incomparable: other " +
				"data}}\n",
		),
		Files: func(s *record.Set) (map[string][]byte, error) {
			out := []byte("draws\n")
			for _, t := range s.Trials {
				if a, err := s.Load(t.Key, "particles"); err == nil {
					out = fmt.Appendln(out, t.Key, a.Data)
				}
			}
			return map[string][]byte{"draws/all.txt": out}, nil
		},
		Figures: []harness.Figure{
			{Name: "curve", Title: "Curve", Draw: func(s *record.Set) (*figure.Figure, error) {
				var layers []figure.Layer
				for _, c := range s.Curves("p", "sgld", "kl", 0) {
					layers = append(
						layers,
						figure.Line{X: []float64{0, 1, 2}, Y: c.Value, Style: figure.Method("sgld")},
					)
				}
				return &figure.Figure{Panels: []figure.Panel{{Layers: layers}}}, nil
			}},
			{Name: "cloud", Title: "Cloud", Draw: func(s *record.Set) (*figure.Figure, error) {
				a, err := s.Load(s.Trials[0].Key, "particles")
				if err != nil {
					return nil, err
				}
				x := figure.Column(a.Data, 1, 0)
				return &figure.Figure{Panels: []figure.Panel{{Layers: []figure.Layer{figure.Line{X: x, Y: x}}}}}, nil
			}},
			{Name: "broken", Draw: func(*record.Set) (*figure.Figure, error) { panic("no such figure") }},
		},
		Tables: []harness.Table{
			{Name: "summary", Title: "Summary", Caption: "<b>", Make: func(s *record.Set) (*table.Table, error) {
				return &table.Table{
					Columns: []table.Column{{Header: "method"}, {Header: "kl"}},
					Notes:   []string{s.Incomparable},
					Rows: [][]table.Cell{
						{table.Text("a"), table.Number(math.Inf(-1), 2)},
						{table.Text("b"), table.PlusMinus(math.Inf(1), 1)},
					},
				}, nil
			}},
			{Name: "broken", Make: func(*record.Set) (*table.Table, error) { return nil, errors.New("too few seeds") }},
		},
		Claims: []claim.Claim{
			{ID: name + "-1", Statement: "It is low.", Rule: "low", Check: func(s *record.Set) claim.Outcome {
				return claim.Outcome{
					Verdict:  claim.Reproduced,
					Evidence: fmt.Sprintf("%d trials", len(s.Trials)),
					Keys:     []string{s.Trials[0].Key},
				}
			}},
			{ID: name + "-3", Check: func(s *record.Set) claim.Outcome { // as checks do that need particles
				if _, err := s.Load(s.Trials[0].Key, "particles"); err != nil {
					return claim.Outcome{Verdict: claim.NotTestable, Evidence: err.Error()}
				}
				return claim.Outcome{Verdict: claim.Reproduced}
			}},
			{ID: name + "-2", Check: func(*record.Set) claim.Outcome { panic("a hole") }},
		},
		Findings: []harness.Find{
			func(by map[string]*record.Set) *harness.Finding {
				return &harness.Finding{
					Title: fmt.Sprintf("%d protocols", len(by)),
					Text:  "As it should be.",
					Lead:  true,
					Table: &table.Table{
						Columns: []table.Column{{Header: "n"}},
						Rows:    [][]table.Cell{{table.Int(len(by))}},
					},
				}
			},
			func(map[string]*record.Set) *harness.Finding { return nil },
			func(map[string]*record.Set) *harness.Finding { panic("another hole") },
		},
	}
}

// trials are those of an experiment under protocols: two methods, two seeds; those of sgld are shared by the protocols.
func trials(experiment string, protocols ...string) []harness.Trial {
	var out []harness.Trial
	for _, p := range protocols {
		for _, m := range []string{"sgld", "svgd"} {
			for seed := range uint64(2) {
				t := harness.Trial{
					Experiment: experiment,
					Protocol:   p,
					Scale:      "full",
					Problem:    "p",
					Method:     m,
					Seed:       seed + 1,
					Config: &settings.Config{
						Particles:  4,
						Iterations: 2,
						Options:    map[string]any{},
						Sampler:    sifg.Config{Sampler: m},
					},
				}
				own := "" // of a method whose settings differ between the protocols
				if m == "svgd" {
					own = p
				}
				t.Key = fmt.Sprintf("%x", sha256.Sum256(fmt.Appendf(nil, "%s %s %s %d", experiment, own, m, seed)))[:20]
				out = append(out, t)
			}
		}
	}
	return out
}

// house is a store, a results folder and the experiments of a test.
type house struct {
	t     *testing.T
	store *store.Store
	dir   string
	all   []*harness.Experiment
}

// must returns the value of a call that cannot fail in a test that passes.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func newHouse(t *testing.T, names ...string) *house {
	dir := t.TempDir()
	h := &house{t: t, store: must(store.Open(filepath.Join(dir, "store"))), dir: filepath.Join(dir, "results")}
	for _, n := range names {
		h.all = append(h.all, toy(n))
	}
	return h
}

// put stores trials, with a status for those of svgd.
func (h *house) put(status string, all ...harness.Trial) {
	for _, t := range all {
		r := &record.Result{
			Trial: record.Trial{
				Key:        t.Key,
				Experiment: t.Experiment,
				Protocol:   "stored",
				Scale:      "quick",
				Problem:    t.Problem,
				Method:     t.Method,
				Seed:       t.Seed,
				Status:     record.StatusOK,
				Particles:  4,
				Dim:        1,
				Iterations: 2,
			},
			Timing: record.Timing{
				Seconds: 1.5,
				CPU:     "toy",
				Kernel:  "portable",
				Started: "2026-01-02T03:04:05Z",
				Commit:  "abc",
			},
			Arrays: map[string]*record.Array{"particles": {Shape: []int{4, 1}, Data: []float32{1, 2, 3, 4}}},
		}
		if t.Method == "svgd" && status != record.StatusOK {
			r.Trial.Status, r.Trial.Reason, r.Arrays = status, "it did not work", nil
		} else {
			for i := range 3 {
				value := []float64{math.Inf(1), 2, float64(t.Seed)}[i]
				r.Traces = append(r.Traces, record.Trace{Key: t.Key, Iteration: i, Metric: "kl", Value: value})
			}
		}
		r.Trial.Config = string(must(json.Marshal(t.Config)))
		must(h.store.Put(context.Background(), r))
	}
}

// plan plans trials of the experiments that they are of.
func (h *house) plan(all []harness.Trial, set ...string) *plan.Plan {
	p := &plan.Plan{Scale: "full", Set: set, Trials: all}
	for _, e := range h.all {
		if slices.ContainsFunc(all, func(t harness.Trial) bool { return t.Experiment == e.Name }) {
			p.Experiments = append(p.Experiments, e)
		}
	}
	return p
}

// update updates the report with a page that names the digests of its experiments.
func (h *house) update(p *plan.Plan, keep bool) (*Report, []string, error) {
	return Update(
		h.dir,
		p,
		h.store,
		h.all,
		keep,
		func(r *Report, _ []*harness.Experiment) (map[string][]byte, error) {
			text := "<p>\n"
			for _, x := range r.Experiments {
				text += x.digest + "\n"
			}
			return map[string][]byte{"index.html": []byte(text)}, nil
		},
	)
}

func (h *house) must(p *plan.Plan, keep bool) (*Report, []string) {
	h.t.Helper()
	r, notes, err := h.update(p, keep)
	if err != nil {
		h.t.Fatal(err)
	}
	return r, notes
}

func (h *house) read() *Report { return must(Read(h.dir, h.all)) }

// files returns the contents of all files below a folder by path.
func files(dir string) map[string]string {
	out := map[string]string{}
	must(0, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			out[must(filepath.Rel(dir, path))] = string(must(os.ReadFile(path)))
		}
		return err
	}))
	return out
}

func write(path, text string) {
	must(0, errors.Join(os.MkdirAll(filepath.Dir(path), 0o777), os.WriteFile(path, []byte(text), 0o666)))
}
