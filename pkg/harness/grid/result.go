package grid

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"os"
	"slices"
	"strings"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/internal/safe"
	"github.com/semi-implicit/sifg/pkg/harness/internal/sealed"
	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/harness/report"
	"github.com/semi-implicit/sifg/pkg/harness/stats"
	"github.com/semi-implicit/sifg/pkg/harness/store"
	"github.com/semi-implicit/sifg/pkg/harness/table"
)

// Result is a grid with what became of its cells. Nothing in it depends on when or in how many pieces the trials were
// run, but the times.
type Result struct {
	Name       string    `json:"grid"`
	Experiment string    `json:"experiment"`
	Protocol   string    `json:"protocol"`
	Scale      string    `json:"scale"`
	Objective  Objective `json:"select"`
	Set        []string  `json:"set,omitempty"` // overrides and selections, as they were given
	Command    string    `json:"command"`       // that makes it again
	Groups     []*Group  `json:"groups"`
	Missing    int       `json:"missing"` // trials without a record

	Best *table.Table `json:"best"` // the chosen cell of each group
	sealed.Index

	Damage error `json:"-"` // of a trial that is missing for it; nil: none

	trials  []record.Trial
	timings []record.Timing
	traces  []record.Trace // the last checkpoint alone
}

// Choose reads the records of the grid's trials from the store and ranks its cells. Trials that the store lacks, or
// whose record is damaged, are missing: their cells cannot be chosen.
func (g *Grid) Choose(s *store.Store, command string) (*Result, error) {
	first := g.Trials[0]
	r := &Result{
		Name: g.Name, Experiment: first.Experiment, Protocol: first.Protocol, Scale: first.Scale,
		Objective: g.Objective, Set: g.Set,
		Command: command,
	}
	for _, group := range g.Groups {
		group.Cells = slices.Clone(group.Cells)
		for i := range group.Cells {
			if err := r.read(s, &group, &group.Cells[i]); err != nil {
				return nil, err
			}
		}
		group.rank(r.Objective)
		r.Groups = append(r.Groups, &group)
	}
	r.Missing = len(g.Trials) - len(r.trials)
	if r.Best = r.best(); r.Objective.Published {
		r.Best = r.nearest()
	}
	return r, nil
}

// read gives a cell the values of its trials. Reason is that of the first seed that has none.
func (r *Result) read(s *store.Store, g *Group, c *Cell) error {
	metrics := g.metrics(r.Objective)
	c.Status, c.Mean, c.Samples = record.StatusOK, math.NaN(), make([]record.Sample, len(metrics))
	for i := range c.planned {
		t := &c.planned[i]
		got, err := s.Result(store.ID{Experiment: t.Experiment, Key: t.Key, Earlier: t.Earlier})
		if err != nil && !errors.Is(err, safe.ErrDamaged) {
			return err
		}
		if err != nil {
			got, r.Damage = nil, err
		}
		var last record.Series
		if got != nil {
			last = r.take(t, got)
		}
		for k, metric := range metrics {
			value := record.Value{Seed: t.Seed, Why: record.NotComputed}
			status, reason := store.Missing, string(value.Why)
			if got != nil {
				name, index := component(metric)
				value = last.Last(t.Method, name, index)[0]
				status, reason = got.Trial.Status, got.Trial.Reason
			}
			if status == record.StatusOK {
				reason = fmt.Sprintf("%s is %s", metric, value.Why)
			}
			c.Samples[k] = append(c.Samples[k], value)
			if c.Reason == "" && value.Why != "" {
				c.Status, c.Reason = status, fmt.Sprintf("seed %d: %s", t.Seed, reason)
			}
		}
	}
	switch {
	case c.Reason != "":
	case g.Published == nil:
		c.Mean = stats.Mean(c.Samples[0].Numbers())
	default:
		c.Mean = c.far(g.Published)
	}
	return nil
}

// take takes over the record of a trial and returns its last checkpoint.
func (r *Result) take(t *harness.Trial, got *record.Result) record.Series {
	rows := got.Traces
	if n := len(rows); n > 0 { // they are in order of iteration
		last := rows[n-1].Iteration
		rows = slices.DeleteFunc(rows, func(x record.Trace) bool { return x.Iteration != last })
	}
	row := got.Trial
	// may be stored under others
	row.Protocol, row.Scale, row.Problem, row.Method = t.Protocol, t.Scale, t.Problem, t.Method
	r.trials, r.timings, r.traces = append(r.trials, row), append(r.timings, got.Timing), append(r.traces, rows...)
	set := record.Set{Trials: []record.Trial{row}, Traces: map[string][]record.Trace{row.Key: rows}}
	return record.Series{Set: &set, Problem: row.Problem}
}

// Write writes the result into a results folder: see report.PutGrid. An earlier result that has all its trials is not
// replaced by one that lacks some.
func (r *Result) Write(results string) (foreign []string, kept bool, err error) {
	files, err := r.files()
	if err != nil {
		return nil, false, err
	}
	return report.PutGrid(results, r.Experiment+"-"+r.Name, r.Protocol, r, files, func(root *os.Root, dir string) bool {
		var old Result
		_, err := sealed.Open(root, dir, report.GridIndex, &old)
		return err == nil && old.Missing == 0 && r.Missing > 0
	})
}

func (r *Result) files() (map[string][]byte, error) {
	chosen, _ := r.Chosen()
	out := map[string][]byte{
		"tables/best.md":   []byte(r.Best.Markdown()),
		"tables/best.csv":  []byte(r.Best.CSV()),
		"tables/cells.csv": []byte(r.all().CSV()),
		"chosen.yaml":      chosen,
	}
	var errs [3]error
	out["trials.parquet"], errs[0] = record.Encode(r.trials)
	out["trace.parquet"], errs[1] = record.Encode(r.traces)
	out["timings.parquet"], errs[2] = record.Encode(r.timings)
	err := errors.Join(errs[:]...)
	for _, g := range r.Groups {
		if f := r.figure(g); f != nil {
			svg, _, bad := f.SVG()
			at := "figures/" + g.Problem + "-" + g.Method
			out[at+".svg"], out[at+".csv"], err = svg, f.CSV(), errors.Join(err, bad)
		}
	}
	return out, err
}

// Chosen returns the settings of the chosen cells as a layer that --config takes. A setting of the problem, such as
// particles, is shared by its methods: where their choices differ in it, it is left out, and said in notes.
func (r *Result) Chosen() (layer []byte, notes []string) {
	values := map[string]string{}
	head := fmt.Sprintf("# Chosen by %s: %s.\n", r.title(), r.Objective)
	for _, g := range r.Groups {
		if len(g.Rank) == 0 {
			notes = append(notes, fmt.Sprintf("%s on %s: no cell can be chosen", g.Method, g.Problem))
			continue
		}
		if found := r.against(g); strings.HasPrefix(found, "not") {
			head += fmt.Sprintf("# %s on %s, against the settings as they were: %s.\n", g.Method, g.Problem, found)
		}
		for k, key := range g.Keys {
			own, sampler := strings.CutPrefix(key, "sampler.")
			if sampler || key == "iterations" || strings.HasPrefix(key, "options.") {
				key = "methods." + g.Method + "." + own
			}
			key = "problems." + g.Problem + "." + key
			value := string(g.ranked(0).Settings[k])
			if other, there := values[key]; there && other != value {
				value = ""
			}
			values[key] = value
		}
	}
	var lines strings.Builder
	for _, key := range slices.Sorted(maps.Keys(values)) {
		if values[key] == "" {
			notes = append(notes, key+": the methods share it, and their best values differ")
		} else {
			fmt.Fprintf(&lines, "%s: %s\n", key, values[key]) // JSON is YAML
		}
	}
	for _, n := range notes {
		head += "# Left out: " + n + ".\n"
	}
	return []byte(head + lines.String()), notes
}
