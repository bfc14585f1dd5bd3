package report

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/figure"
	"github.com/semi-implicit/sifg/pkg/harness/internal/disk"
	"github.com/semi-implicit/sifg/pkg/harness/internal/safe"
	"github.com/semi-implicit/sifg/pkg/harness/internal/sealed"
	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/harness/settings"
	"github.com/semi-implicit/sifg/pkg/harness/table"
)

// Read reads the report in a results folder; an empty one where there is none. Where an experiment is damaged the error
// says so, and the report has the others.
func Read(dir string, all []*harness.Experiment) (r *Report, err error) {
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		return &Report{}, nil
	}
	err = disk.Alone(context.Background(), dir, func(root *os.Root) error { r, err = read(root, all); return err })
	if r != nil {
		r.Experiments = slices.DeleteFunc(r.Experiments, func(x *Experiment) bool { return x.damage != nil })
	}
	return r, err
}

// read is Read for who has the folder alone.
func read(root *os.Root, all []*harness.Experiment) (*Report, error) {
	r := &Report{Grids: readGrids(root)}
	var damage []error
	for _, e := range all {
		if err := sealed.Restore(root, e.Name, indexName); err != nil {
			return nil, err
		}
		if _, err := root.Lstat(e.Name); errors.Is(err, fs.ErrNotExist) ||
			err == nil && !ours(root, e.Name, indexName) {
			continue
		}
		x, err := readExperiment(root, e)
		if x.damage = err; err != nil {
			damage = append(damage, err)
		}
		r.Experiments = append(r.Experiments, x)
	}
	return r, errors.Join(damage...)
}

// Timed calls f for the trials that ended well in the report of an experiment, with their dimensions, processors
// (record.Timing.Processor) and seconds; for none where there is no report that can be read.
func Timed(dir, experiment string, f func(t *harness.Trial, dim int, processor string, seconds float64)) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return
	}
	defer root.Close()
	folder, err := sealed.Open(root, experiment, indexName, &sealed.Index{})
	if err != nil {
		return
	}
	trials, _ := rows[record.Trial](folder, trialsName) // none of a damaged file
	timings, _ := rows[record.Timing](folder, timingsName)
	times := map[string]record.Timing{}
	for _, x := range timings {
		times[x.Key] = x
	}
	for i := range trials {
		t := &trials[i]
		x, timed := times[t.Key]
		config, err := settings.Of(*t)
		if timed && err == nil && t.Status == record.StatusOK {
			own := harness.Trial{Experiment: t.Experiment, Problem: t.Problem, Method: t.Method, Config: &config}
			f(&own, t.Dim, x.Processor(), x.Seconds)
		}
	}
}

func readGrids(root *os.Root) []Grid {
	var out []Grid
	for _, name := range glob(root, Grids+"/[^.]*/[^.]*") {
		g := Grid{Dir: name}
		f, err := sealed.Open(root, name, GridIndex, &g)
		if of := g.folder(); err == nil && of != name {
			err = fmt.Errorf("%s is the grid of %s", name, of)
		}
		if err == nil && (g.Best == nil || ragged(g.Best)) {
			err = fmt.Errorf("%s has no table that can be shown", name)
		}
		for _, at := range glob(root, name+"/figures/*.svg") {
			drawn := Item{Name: strings.TrimSuffix(path.Base(at), ".svg")}
			if err == nil {
				drawn.Title = cellTitle(g.Best, drawn.Name)
				drawn.SVG, err = f.Read(path.Join("figures", path.Base(at)))
				drawn.CSV, _ = f.Read("figures/" + drawn.Name + ".csv") // an earlier program wrote none
				g.Figures = append(g.Figures, drawn)
			}
		}
		if err != nil {
			g = Grid{Name: name, Problem: err.Error()}
		}
		out = append(out, g)
	}
	return out
}

// cellTitle is the problem and the method of a drawing in words, by the rows of a grid's table: their names are in
// its name, which does not say where one ends.
func cellTitle(best *table.Table, name string) string {
	for _, row := range best.Rows {
		if len(row) > 1 && row[0].Text+"-"+row[1].Text == name {
			return row[0].Text + ", " + figure.Label(row[1].Text)
		}
	}
	return name
}

// glob returns the paths that match a pattern, which is no bad one.
func glob(root *os.Root, pattern string) []string {
	names, _ := fs.Glob(root.FS(), pattern)
	return names
}

// ragged reports whether some row is not as long as the columns.
func ragged(t *table.Table) bool {
	return slices.ContainsFunc(t.Rows, func(r []table.Cell) bool { return len(r) != len(t.Columns) })
}

// ours reports whether a folder is one of this program's, perhaps damaged.
func ours(root *os.Root, dir, index string) bool {
	_, err1 := root.Lstat(path.Join(dir, index))
	_, err2 := root.Lstat(path.Join(dir, trialsName))
	return err1 == nil || err2 == nil
}

// readExperiment reads the report of an experiment as far as it can be read.
func readExperiment(root *os.Root, e *harness.Experiment) (*Experiment, error) {
	x := &Experiment{}
	err := x.read(root, e)
	if err != nil {
		x.lost, x.Name = true, e.Name
		if len(x.Protocols) == 0 {
			for _, name := range protocolsOf(root, e.Name) {
				x.Protocols = append(x.Protocols, &Protocol{Name: name})
			}
		}
		return x, err
	}
	for _, p := range x.Protocols {
		err = errors.Join(err, p.damage)
		for i := range p.Figures {
			if f := &p.Figures[i]; f.damage != nil {
				err = errors.Join(err, f.damage)
			}
		}
	}
	return x, err
}

// read reads the records and figures. Damage of a figure is noted there.
func (x *Experiment) read(root *os.Root, e *harness.Experiment) error {
	f, err := sealed.Open(root, e.Name, indexName, x)
	if err != nil {
		return err
	}
	if slices.Contains(x.Protocols, nil) {
		x.Protocols = nil
		return &safe.Damage{Path: f.Path(indexName), Reason: "it has a protocol that is null"}
	}
	if x.digest, err = digestOf(root, path.Join(e.Name, indexName)); err != nil {
		return err
	}
	trials, err1 := rows[record.Trial](f, trialsName)
	traces, err2 := rows[record.Trace](f, tracesName)
	timings, err3 := rows[record.Timing](f, timingsName)
	if err := errors.Join(err1, err2, err3); err != nil {
		return err
	}
	if err := x.fill(e, trials, traces, timings); err != nil {
		x.Protocols = nil // anybody can have written them
		return &safe.Damage{Path: f.Path(indexName), Reason: err.Error()}
	}
	for _, p := range x.Protocols {
		for i := range p.Figures {
			if drawn := &p.Figures[i]; drawn.Problem == "" {
				drawn.read(f, path.Join(p.Name, "figures", drawn.Name))
			}
		}
		p.readFiles(f)
	}
	return nil
}

// readFiles reads the files of Experiment.Files: those of the protocol that are no figures and tables.
func (p *Protocol) readFiles(f *sealed.Folder) {
	for _, file := range f.Files {
		name, own := strings.CutPrefix(file.Name, p.Name+"/")
		if first, _, _ := strings.Cut(name, "/"); !own || first == "figures" || first == "tables" {
			continue
		}
		b, err := f.Read(file.Name)
		if p.damage = errors.Join(p.damage, err); err != nil {
			continue
		}
		if p.Files == nil {
			p.Files = map[string][]byte{}
		}
		p.Files[name] = b
	}
}

// read reads the files of a figure.
func (it *Item) read(f *sealed.Folder, at string) {
	it.SVG, it.damage = content(f, at+".svg")
	// A figure of particles that an earlier program drew has no data.
	csv, err := f.Read(at + ".csv")
	if it.CSV = csv; err != nil && !errors.Is(err, fs.ErrNotExist) {
		it.damage = errors.Join(it.damage, err)
	}
	if it.damage != nil {
		it.Problem = it.damage.Error()
	}
}

// content reads one of a folder's files. One that the index does not list is damage of the index.
func content(f *sealed.Folder, name string) ([]byte, error) {
	b, err := f.Read(name)
	if errors.Is(err, fs.ErrNotExist) {
		err = &safe.Damage{Path: f.Path(indexName), Reason: "it does not list " + name}
	}
	return b, err
}

// rows reads one of a folder's Parquet files.
func rows[T any](f *sealed.Folder, name string) ([]T, error) {
	b, err := content(f, name)
	if err != nil {
		return nil, err
	}
	out, err := record.Decode[T](b)
	if err != nil {
		return nil, &safe.Damage{Path: f.Path(name), Reason: err.Error()}
	}
	return out, nil
}

// fill distributes the rows over the protocols. Since anybody can make a seal, it refuses rows that contradict
// report.json, and tables that cannot be shown.
func (x *Experiment) fill(e *harness.Experiment, trials []record.Trial, traces []record.Trace,
	timings []record.Timing) error {
	if x.Name != e.Name {
		return fmt.Errorf("it is of experiment %q", x.Name)
	}
	file, err := e.File()
	if err != nil {
		return err
	}
	byKey, times := map[string][]record.Trace{}, map[string]record.Timing{}
	for rest := traces; len(rest) > 0; { // the rows of a trial are next to each other, and are not copied
		n := 1
		for n < len(rest) && rest[n].Key == rest[0].Key {
			n++
		}
		byKey[rest[0].Key], rest = rest[:n:n], rest[n:]
	}
	for _, t := range timings {
		times[t.Key] = t
	}
	for _, p := range x.Protocols {
		if slices.ContainsFunc(p.Tables, func(t Item) bool { return t.Table != nil && ragged(t.Table) }) {
			return errors.New("it has a table with a row that is not as long as its columns")
		}
		p.Records = &record.Set{Experiment: x.Name, Traces: byKey, Timings: times, Load: noArrays}
		p.describe(file)
	}
	seen := map[[2]string]bool{}
	for _, t := range trials {
		p, at := x.Protocol(t.Protocol), [2]string{t.Protocol, t.Key}
		if p == nil || t.Experiment != x.Name || t.Scale != p.Scale || seen[at] || len(p.Records.Trials) == p.Planned {
			return fmt.Errorf("the trial %s of %s, protocol %s, scale %s is not of this report, or in it twice",
				t.Key, t.Experiment, t.Protocol, t.Scale)
		}
		seen[at] = true
		p.Records.Trials = append(p.Records.Trials, t)
		if !slices.Contains(p.Records.Problems, t.Problem) {
			p.Records.Problems = append(p.Records.Problems, t.Problem)
		}
	}
	return nil
}

func noArrays(key, name string) (*record.Array, error) {
	return nil, fmt.Errorf("a report has no arrays: %s of trial %s: %w", name, key, fs.ErrNotExist)
}
