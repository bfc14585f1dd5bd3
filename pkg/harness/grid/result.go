package grid

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/harness/report"
	"github.com/semi-implicit/sifg/pkg/harness/store"
	"github.com/semi-implicit/sifg/pkg/harness/table"
)

// Result is a grid with what became of its cells. Nothing in it depends on when or in how many pieces the trials were run, but the
// times.
type Result struct {
	Name       string    `json:"grid"`
	Experiment string    `json:"experiment"`
	Protocol   string    `json:"protocol"`
	Scale      string    `json:"scale"`
	Objective  Objective `json:"select"`
	Set        []string  `json:"set,omitempty"` // overrides and selections, as they were given
	Command    string    `json:"command"`       // that makes it again
	Groups     []Group   `json:"groups"`

	trials  []record.Trial
	timings []record.Timing           // in order of the trials
	traces  map[string][]record.Trace // by key, the last checkpoint alone
}

// Judge reads the records of the grid's trials from the store and ranks its cells. Trials that the store lacks, or whose record is
// damaged, are missing: their cells cannot be chosen.
func (g *Grid) Judge(s *store.Store, command string) (*Result, error) {
	first := g.Trials[0]
	r := &Result{
		Name: g.Name, Experiment: first.Experiment, Protocol: first.Protocol, Scale: first.Scale, Objective: g.Objective, Set: g.Set,
		Command: command, traces: map[string][]record.Trace{},
	}
	for _, t := range g.Trials {
		e, err := s.Get(store.ID{Experiment: t.Experiment, Key: t.Key})
		var rows []record.Trace
		if err == nil && e != nil {
			rows, err = e.Traces()
		}
		if err != nil && !errors.Is(err, record.ErrDamaged) {
			return nil, err
		}
		if e == nil || err != nil {
			continue
		}
		row := e.Trial // may be stored under other labels
		row.Protocol, row.Scale, row.Problem, row.Method = t.Protocol, t.Scale, t.Problem, t.Method
		r.trials, r.timings = append(r.trials, row), append(r.timings, e.Timing)
		r.traces[t.Key] = lastRows(rows)
	}
	r.rank(g)
	return r, nil
}

// rank judges the cells of a grid by the records.
func (r *Result) rank(g *Grid) {
	trials := map[string]*record.Trial{}
	for i := range r.trials {
		trials[r.trials[i].Key] = &r.trials[i]
	}
	for _, group := range g.Groups {
		group.Cells = slices.Clone(group.Cells)
		group.rank(r.Objective, trials, r.traces)
		r.Groups = append(r.Groups, group)
	}
}

// Missing counts the trials without a record.
func (r *Result) Missing() int {
	n := -len(r.trials)
	for _, g := range r.Groups {
		for _, c := range g.Cells {
			n += len(c.Trials)
		}
	}
	return n
}

// lastRows returns the rows of the last checkpoint.
func lastRows(rows []record.Trace) []record.Trace {
	last := 0
	for _, r := range rows {
		last = max(last, r.Iteration)
	}
	return slices.DeleteFunc(rows, func(r record.Trace) bool { return r.Iteration != last })
}

// index is the head of grid.json.
type index struct {
	*Result
	Missing int          `json:"missing"`
	Best    *table.Table `json:"best"` // for the page
}

// Write makes the folder of the protocol in dir a sealed folder of the result. An earlier result that has all its trials is not
// replaced by one that lacks some: kept is then true. Files that it did not write stay, and are named in foreign.
func (r *Result) Write(dir string) (foreign []string, kept bool, err error) {
	files, err := r.files()
	if err != nil {
		return nil, false, err
	}
	err = record.Alone(dir, func() error {
		root, err := os.OpenRoot(dir)
		if err != nil {
			return err
		}
		defer root.Close()
		if err := record.RestoreFolder(root, r.Protocol, report.GridIndex); err != nil {
			return err
		}
		old := index{Result: &Result{}}
		if _, err := record.OpenFolder(root, r.Protocol, report.GridIndex, &old); err == nil && old.Missing == 0 && r.Missing() > 0 {
			kept = true
			return nil
		}
		foreign, err = record.ReplaceFolder(root, r.Protocol, report.GridIndex, index{r, r.Missing(), r.Best()}, files)
		return err
	})
	return foreign, kept, err
}

func (r *Result) files() (map[string][]byte, error) {
	var traces []record.Trace
	for _, t := range r.trials {
		traces = append(traces, r.traces[t.Key]...)
	}
	best, all := r.Best(), r.All()
	chosen, _ := r.Chosen()
	out := map[string][]byte{
		"tables/best.md": []byte(best.Markdown()), "tables/best.csv": []byte(best.CSV()), "tables/cells.csv": []byte(all.CSV()),
		"chosen.yaml": chosen,
	}
	var errs [3]error
	out["trials.parquet"], errs[0] = record.EncodeTrials(r.trials)
	out["trace.parquet"], errs[1] = record.EncodeTraces(traces)
	out["timings.parquet"], errs[2] = record.EncodeTimings(r.timings)
	for i := range r.Groups {
		g := &r.Groups[i]
		name := "figures/" + g.Problem + "-" + g.Method
		if f := r.figure(g); f != nil {
			svg, _, err := f.Encode("svg")
			if out[name+".svg"] = svg; err != nil { // a value with a character that the font lacks
				delete(out, name+".svg")
				out[name+".txt"] = []byte(err.Error() + "\n")
			}
		}
	}
	return out, errors.Join(errs[:]...)
}

// Chosen returns the settings of the chosen cells as a layer that --config takes. A setting of the problem, such as particles, is
// shared by its methods: where their choices differ in it, it is left out, and said in notes.
func (r *Result) Chosen() (layer []byte, notes []string) {
	values := map[string]string{}
	for _, g := range r.Groups {
		if len(g.Rank) == 0 {
			notes = append(notes, fmt.Sprintf("%s on %s: no cell can be chosen", g.Method, g.Problem))
			continue
		}
		for k, key := range g.Keys {
			if own, ok := strings.CutPrefix(key, "sampler."); ok {
				key = "methods." + g.Method + "." + own
			} else if key == "iterations" {
				key = "iterations_of." + g.Method
			}
			key = "problems." + g.Problem + "." + key
			value := string(g.Cells[g.Rank[0]].Settings[k])
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
	head := fmt.Sprintf("# Chosen by %s: %s.\n", r.title(), r.Objective)
	for _, n := range notes {
		head += "# Left out: " + n + ".\n"
	}
	return []byte(head + lines.String()), notes
}
