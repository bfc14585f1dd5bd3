package grid

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"

	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/harness/report"
	"github.com/semi-implicit/sifg/pkg/harness/store"
)

// Result is a grid with what became of its cells: what a grid's folder holds. Nothing in it depends on when or in how many pieces
// the trials were run, but Timings.
type Result struct {
	Name       string          `json:"grid"`
	Experiment string          `json:"experiment"`
	Protocol   string          `json:"protocol"`
	Scale      string          `json:"scale"`
	Objective  Objective       `json:"select"`
	Set        []string        `json:"set,omitempty"` // overrides and selections, as they were given
	Command    string          `json:"command"`       // that makes it again
	Groups     []Group         `json:"groups"`
	Figures    []report.Figure `json:"figures"`

	Judged  []Judged                 `json:"-"`
	Records *record.Set              `json:"-"` // of traces the last checkpoint alone
	Timings map[string]record.Timing `json:"-"` // by key
}

// Judge reads the records of the grid's trials from the store and ranks its cells. Trials that the store lacks, or whose record is
// damaged, are missing: their cells cannot be chosen.
func (g *Grid) Judge(s *store.Store, command string) (*Result, error) {
	first := g.Trials[0]
	records := &record.Set{Experiment: first.Experiment, Protocol: first.Protocol, Scale: first.Scale, Traces: map[string][]record.Trace{}}
	times := map[string]record.Timing{}
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
		records.Trials, times[t.Key] = append(records.Trials, row), e.Timing
		if last := lastRows(rows); len(last) > 0 {
			records.Traces[t.Key] = last
		}
	}
	return g.Rank(records, times, command)
}

// Rank ranks the cells by the records of their trials, of whose traces the last checkpoint counts.
func (g *Grid) Rank(records *record.Set, times map[string]record.Timing, command string) (*Result, error) {
	r := &Result{
		Name: g.Name, Experiment: records.Experiment, Protocol: records.Protocol, Scale: records.Scale, Objective: g.Objective, Set: g.Set,
		Command: command, Groups: g.Groups, Records: records, Timings: times,
	}
	var err error
	if r.Judged, err = judge(r.Groups, r.Objective, records); err != nil {
		return nil, err
	}
	r.Figures = r.figures()
	return r, nil
}

// Missing counts the trials without a record.
func (r *Result) Missing() int {
	n := -len(r.Records.Trials)
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

// The files of a grid's folder; besides there are figures and tables.
const (
	chosenName  = "chosen.yaml"
	trialsName  = "trials.parquet"
	tracesName  = "trace.parquet"
	timingsName = "timings.parquet"
)

// Write makes dir, a folder of grids of one protocol each, hold the result in the sealed folder of its protocol. An earlier result
// that has all its trials is not replaced by one that lacks some: kept is then true. Files that it did not write stay, and are
// named in foreign.
func (r *Result) Write(dir string) (foreign []string, kept bool, err error) {
	files, err := r.files()
	if err != nil {
		return nil, false, err
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
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
		if r.Missing() > 0 {
			if old, err := read(root, r.Protocol); err == nil && old.Missing() == 0 {
				kept = true
				return nil
			}
		}
		foreign, err = record.ReplaceFolder(root, r.Protocol, report.GridIndex, r, files)
		return err
	})
	return foreign, kept, err
}

func (r *Result) files() (map[string][]byte, error) {
	out := map[string][]byte{}
	var traces []record.Trace
	var timings []record.Timing
	for _, t := range r.Records.Trials {
		traces, timings = append(traces, r.Records.Traces[t.Key]...), append(timings, r.Timings[t.Key])
	}
	var errs [3]error
	out[trialsName], errs[0] = record.EncodeTrials(r.Records.Trials)
	out[tracesName], errs[1] = record.EncodeTraces(traces)
	out[timingsName], errs[2] = record.EncodeTimings(timings)
	for _, f := range r.Figures {
		if f.Problem == "" {
			out["figures/"+f.Name+".svg"] = f.SVG
		}
	}
	best, all := r.Best(), r.All()
	out["tables/best.md"], out["tables/best.csv"], out["tables/cells.csv"] = []byte(best.Markdown()), []byte(best.CSV()), []byte(all.CSV())
	out[chosenName], _ = r.Chosen()
	return out, errors.Join(errs[:]...)
}

// Read reads the grids below dir, the folder results/grid, in order of name and protocol. Where one is damaged the error says so, and
// the others are returned; a dir that does not exist has none.
func Read(dir string) ([]*Result, error) {
	var out []*Result
	var damage []error
	names, err := fs.Glob(os.DirFS(dir), "*/*/"+report.GridIndex)
	for _, name := range names {
		root, err := os.OpenRoot(filepath.Join(dir, path.Dir(path.Dir(name))))
		if err != nil {
			return nil, err
		}
		r, err := read(root, path.Base(path.Dir(name)))
		root.Close()
		if err != nil {
			damage = append(damage, err)
		} else {
			out = append(out, r)
		}
	}
	return out, errors.Join(append(damage, err)...)
}

func read(root *os.Root, protocol string) (*Result, error) {
	r := &Result{}
	f, err := record.OpenFolder(root, protocol, report.GridIndex, r)
	if err != nil {
		return nil, err
	}
	r.Records = &record.Set{Experiment: r.Experiment, Protocol: r.Protocol, Scale: r.Scale, Traces: map[string][]record.Trace{}}
	r.Timings = map[string]record.Timing{}
	if r.Records.Trials, err = rows(f, trialsName, record.DecodeTrials); err != nil {
		return nil, err
	}
	traces, err := rows(f, tracesName, record.DecodeTraces)
	if err != nil {
		return nil, err
	}
	for _, t := range traces {
		r.Records.Traces[t.Key] = append(r.Records.Traces[t.Key], t)
	}
	timings, err := rows(f, timingsName, record.DecodeTimings)
	if err != nil {
		return nil, err
	}
	for _, t := range timings {
		r.Timings[t.Key] = t
	}
	for i := range r.Figures {
		if x := &r.Figures[i]; x.Problem == "" {
			if x.SVG, err = f.Read("figures/" + x.Name + ".svg"); err != nil {
				return nil, err
			}
		}
	}
	if r.Protocol != protocol || slices.ContainsFunc(r.Groups, func(g Group) bool { return !g.sound() }) {
		return nil, &record.Damage{Path: f.Path(report.GridIndex), Reason: "it contradicts itself"}
	}
	if r.Judged, err = judge(r.Groups, r.Objective, r.Records); err != nil {
		return nil, &record.Damage{Path: f.Path(report.GridIndex), Reason: err.Error()}
	}
	return r, nil
}

// sound reports whether a group that was read can be judged: anybody can make a seal.
func (g *Group) sound() bool {
	return slices.ContainsFunc(g.Cells, func(c Cell) bool { return c.Current }) && !slices.ContainsFunc(g.Cells, func(c Cell) bool {
		return len(c.Values) != len(g.Keys) || len(c.Seeds) != len(c.Trials) || len(c.Trials) == 0
	})
}

func rows[T any](f *record.Folder, name string, decode func([]byte) ([]T, error)) ([]T, error) {
	b, err := f.Read(name)
	if err != nil {
		return nil, err
	}
	out, err := decode(b)
	if err != nil {
		return nil, &record.Damage{Path: f.Path(name), Reason: err.Error()}
	}
	return out, nil
}
