package report

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/internal/disk"
	"github.com/semi-implicit/sifg/pkg/harness/internal/safe"
	"github.com/semi-implicit/sifg/pkg/harness/plan"
	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/harness/settings"
	"github.com/semi-implicit/sifg/pkg/harness/store"
	"github.com/semi-implicit/sifg/pkg/harness/table"
)

// The files of a results folder.
const (
	indexName   = "report.json" // of an experiment's sealed folder
	pageName    = "index.html"
	trialsName  = "trials.parquet"
	tracesName  = "trace.parquet"
	timingsName = "timings.parquet"
	maxPage     = 64 << 20 // bytes
)

// Update makes the report of a plan (see Make) and writes it with its page, while no other process does so with the same folder.
func Update(dir string, p *plan.Plan, s *store.Store, all []*harness.Experiment, keep bool,
	render func(*Report, []*harness.Experiment) ([]byte, error)) (r *Report, notes []string, err error) {
	err = record.Alone(dir, func() error {
		earlier, err := read(dir, all)
		if err != nil && !errors.Is(err, record.ErrDamaged) {
			return err
		}
		if r, notes, err = Make(p, s, all, earlier, keep); err != nil {
			return err
		}
		foreign, err := r.Write(dir)
		if err != nil {
			return err
		}
		for _, name := range foreign {
			notes = append(notes, filepath.Join(dir, name)+" is not part of the report and was kept")
		}
		if len(r.Experiments) == 0 {
			return nil
		}
		page, err := render(r, all)
		if err != nil {
			return err
		}
		return record.WriteFileAtomic(filepath.Join(dir, pageName), func(w io.Writer) error { _, err := w.Write(r.sealPage(page)); return err })
	})
	return r, notes, err
}

// Read reads the report in a results folder; an empty one where there is none. Where an experiment is damaged the error says so, and
// the report has the others.
func Read(dir string, all []*harness.Experiment) (r *Report, err error) {
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		return &Report{}, nil
	}
	alone := record.Alone(dir, func() error { r, err = read(dir, all); return nil })
	return r, errors.Join(alone, err)
}

// read is Read for who has the folder alone.
func read(dir string, all []*harness.Experiment) (*Report, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	r := &Report{}
	var damage []error
	for _, e := range all {
		if err := record.RestoreFolder(root, e.Name, indexName); err != nil {
			return nil, err
		}
		if _, err := root.Lstat(e.Name); errors.Is(err, fs.ErrNotExist) {
			continue
		}
		x, err := readExperiment(root, e)
		if err != nil {
			damage = append(damage, err)
			x = &Experiment{Name: e.Name, damage: err}
		}
		r.Experiments = append(r.Experiments, x)
	}
	return r, errors.Join(damage...)
}

func readExperiment(root *os.Root, e *harness.Experiment) (*Experiment, error) {
	x := &Experiment{}
	f, err := record.OpenFolder(root, e.Name, indexName, x)
	if err != nil {
		return nil, err
	}
	index, err := safe.ReadIn(root, path.Join(e.Name, indexName), maxPage)
	if err != nil {
		return nil, err
	}
	x.digest = digest(index)
	trials, err := rows(f, trialsName, record.DecodeTrials)
	if err != nil {
		return nil, err
	}
	traces, err := rows(f, tracesName, record.DecodeTraces)
	if err != nil {
		return nil, err
	}
	timings, err := rows(f, timingsName, record.DecodeTimings)
	if err != nil {
		return nil, err
	}
	if err := x.fill(e, trials, traces, timings); err != nil {
		return nil, &record.Damage{Path: f.Path(indexName), Reason: err.Error()}
	}
	for _, p := range x.Protocols {
		for i := range p.Figures {
			if p.Figures[i].Problem != "" {
				continue
			}
			if p.Figures[i].SVG, err = f.Read(path.Join(p.Name, "figures", p.Figures[i].Name+".svg")); err != nil {
				return nil, &record.Damage{Path: f.Path(p.Name), Reason: err.Error()}
			}
		}
	}
	return x, nil
}

// rows reads one of a folder's Parquet files.
func rows[T any](f *record.Folder, name string, decode func([]byte) ([]T, error)) ([]T, error) {
	b, err := f.Read(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, &record.Damage{Path: f.Path(name), Reason: "missing"}
	}
	if err != nil {
		return nil, err
	}
	out, err := decode(b)
	if err != nil {
		return nil, &record.Damage{Path: f.Path(name), Reason: err.Error()}
	}
	return out, nil
}

// fill distributes the rows over the protocols. Since anybody can make a seal, it refuses rows that contradict report.json.
func (x *Experiment) fill(e *harness.Experiment, trials []record.Trial, traces []record.Trace, timings []record.Timing) error {
	if x.Name != e.Name {
		return fmt.Errorf("it is of experiment %q", x.Name)
	}
	byKey, times := map[string][]record.Trace{}, map[string]record.Timing{}
	for _, t := range traces {
		byKey[t.Key] = append(byKey[t.Key], t)
	}
	for _, t := range timings {
		times[t.Key] = t
	}
	for _, p := range x.Protocols {
		if err := p.check(); err != nil {
			return err
		}
		p.Records = &record.Set{Experiment: x.Name, Protocol: p.Name, Scale: p.Scale, Traces: map[string][]record.Trace{},
			Incomparable: incomparable(e, p), Load: noArrays}
		p.Timings = map[string]record.Timing{}
	}
	seen := map[[2]string]bool{}
	for _, t := range trials {
		p := x.Protocol(t.Protocol)
		if p == nil || t.Experiment != x.Name || t.Scale != p.Scale {
			return fmt.Errorf("a trial of %s, protocol %s, scale %s is not of this report", t.Experiment, t.Protocol, t.Scale)
		}
		if at := [2]string{p.Name, t.Key}; seen[at] {
			return fmt.Errorf("the trial %s is twice in %s", t.Key, p.Name)
		} else {
			seen[at] = true
		}
		p.Records.Trials = append(p.Records.Trials, t)
		if rows := byKey[t.Key]; rows != nil {
			p.Records.Traces[t.Key] = rows
		}
		if time, ok := times[t.Key]; ok {
			p.Timings[t.Key] = time
		}
	}
	for _, p := range x.Protocols {
		if len(p.Records.Trials) > p.Planned {
			return fmt.Errorf("%s has %d trials and %d were planned", p.Name, len(p.Records.Trials), p.Planned)
		}
	}
	return nil
}

// check refuses names that lead to other files, and tables that cannot be shown.
func (p *Protocol) check() error {
	if !slices.Contains(settings.Protocols, p.Name) {
		return fmt.Errorf("it has the protocol %q", p.Name)
	}
	var names []string
	for _, f := range p.Figures {
		names = append(names, f.Name)
	}
	for _, t := range p.Tables {
		names = append(names, t.Name)
		if t.Table != nil && slices.ContainsFunc(t.Table.Rows, func(r []table.Cell) bool { return len(r) != len(t.Table.Columns) }) {
			return fmt.Errorf("table %q has a row that is not as long as its columns", t.Name)
		}
	}
	for _, name := range names {
		if strings.ContainsRune(name, '/') || safe.Text(name) != name {
			return fmt.Errorf("%q is no plain name", name)
		}
	}
	return nil
}

func noArrays(key, name string) (*record.Array, error) {
	return nil, fmt.Errorf("a report has no arrays: %s of trial %s: %w", name, key, fs.ErrNotExist)
}

// Write writes the report into a results folder. An experiment that was read from there and not made anew is left alone. Files that
// the program did not write stay, and are named in foreign.
func (r *Report) Write(dir string) (foreign []string, err error) {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	if foreign, err = makeRoom(root, pageName, fs.FileMode.IsRegular); err != nil {
		return nil, err
	}
	for _, x := range r.Experiments {
		if x.damage != nil {
			continue
		}
		if x.digest != "" {
			if index, err := safe.ReadIn(root, path.Join(x.Name, indexName), maxPage); err == nil && digest(index) == x.digest {
				continue
			}
		}
		moved, err := makeRoom(root, x.Name, fs.FileMode.IsDir)
		if err != nil {
			return foreign, err
		}
		files, err := x.files()
		if err != nil {
			return foreign, err
		}
		kept, err := record.ReplaceFolder(root, x.Name, indexName, x, files)
		if err != nil {
			return foreign, err
		}
		for _, name := range kept {
			moved = append(moved, path.Join(x.Name, name))
		}
		foreign = append(foreign, moved...)
		index, err := safe.ReadIn(root, path.Join(x.Name, indexName), maxPage)
		if err != nil {
			return foreign, err
		}
		x.digest = digest(index)
	}
	return foreign, nil
}

func digest(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// leftover are the files that a killed program leaves in a results folder: see record.WriteFileAtomic.
var leftover = regexp.MustCompile(`^\.index\.html\.tmp-[A-Z2-7]{26}$`)

// makeRoom moves what is in the place of one of our files or folders and is none away, and removes what killed programs left.
func makeRoom(root *os.Root, name string, is func(fs.FileMode) bool) (moved []string, err error) {
	entries, err := fs.ReadDir(root.FS(), ".")
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		switch {
		case leftover.MatchString(e.Name()) && e.Type().IsRegular():
			err = disk.FS.RemoveAll(root, e.Name())
		case e.Name() == name && !is(e.Type()):
			to := name + ".kept-" + rand.Text()[:8]
			moved, err = append(moved, to), disk.FS.Rename(root, name, to)
		}
		if err != nil {
			return moved, err
		}
	}
	return moved, nil
}

// files returns the files of an experiment's folder but the index.
func (x *Experiment) files() (map[string][]byte, error) {
	var trials []record.Trial
	var traces []record.Trace
	var timings []record.Timing
	seen, out := map[string]bool{}, map[string][]byte{}
	for _, p := range x.Protocols {
		for _, t := range p.Records.Trials {
			trials = append(trials, t)
			if seen[t.Key] {
				continue
			}
			seen[t.Key] = true
			traces = append(traces, p.Records.Traces[t.Key]...)
			if timing, ok := p.Timings[t.Key]; ok {
				timings = append(timings, timing)
			}
		}
		for _, f := range p.Figures {
			if f.Problem == "" {
				out[path.Join(p.Name, "figures", f.Name+".svg")] = f.SVG
			}
		}
		for _, t := range p.Tables {
			if t.Problem != "" {
				continue
			}
			at := path.Join(p.Name, "tables", t.Name)
			out[at+".md"], out[at+".tex"], out[at+".csv"] = []byte(t.Table.Markdown()), []byte(t.Table.LaTeX()), []byte(t.Table.CSV())
		}
	}
	var errs [3]error
	out[trialsName], errs[0] = record.EncodeTrials(trials)
	out[tracesName], errs[1] = record.EncodeTraces(traces)
	out[timingsName], errs[2] = record.EncodeTimings(timings)
	return out, errors.Join(errs[:]...)
}

// sealPage adds the digests of the experiments and, in the last line, of the page itself, to it.
func (r *Report) sealPage(page []byte) []byte {
	var b strings.Builder
	b.Write(page)
	for _, x := range r.Experiments {
		if x.digest != "" {
			fmt.Fprintf(&b, "<!-- %s/%s sha256 %s -->\n", x.Name, indexName, x.digest)
		}
	}
	return fmt.Appendf([]byte(b.String()), "<!-- sha256 %s -->\n", digest([]byte(b.String())))
}
