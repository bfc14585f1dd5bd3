package report

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"runtime/debug"
	"slices"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/figure"
	"github.com/semi-implicit/sifg/pkg/harness/internal/disk"
	"github.com/semi-implicit/sifg/pkg/harness/internal/safe"
	"github.com/semi-implicit/sifg/pkg/harness/internal/sealed"
	"github.com/semi-implicit/sifg/pkg/harness/plan"
	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/harness/store"
	"github.com/semi-implicit/sifg/pkg/harness/table"
)

// The files of a results folder.
const (
	indexName = "report.json" // of an experiment's sealed folder

	comparisonsName = "comparisons" // of how methods compare, a drawing and its data
	trialsName      = "trials.parquet"
	tracesName      = "trace.parquet"
	timingsName     = "timings.parquet"
	maxPage         = 64 << 20 // bytes
)

// softLimit is the memory from which garbage is collected more often while a report is made: all records of an earlier
// report, of the new one and of its files are in memory. It is no limit of what a report may take.
const softLimit = 800 << 20

// Update makes the report of a plan from the store and writes it with its page, while no other process does so with the
// same folder. Protocols outside of the plan, and all other experiments, stay as they were. With keep, trials that the
// store lacks come from the earlier report. A report of a complete run is never replaced by an incomplete one, nor by
// one in which a trial failed that had ended well; notes say what was left as it was. A damaged report of an experiment
// is made anew if the plan has all of it; otherwise that is an error. A damaged trial of the store is one too, when
// the report has been written without it.
func Update(dir string, p *plan.Plan, s *store.Store, all []*harness.Experiment, keep bool,
	render func(*Report, []*harness.Experiment) (pages map[string][]byte, err error),
) (r *Report, notes []string, err error) {
	var damage error
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(min(softLimit, debug.SetMemoryLimit(-1))))
	err = disk.Alone(context.Background(), dir, func(root *os.Root) error {
		earlier, err := read(root, all)
		if err != nil && !errors.Is(err, safe.ErrDamaged) {
			return err
		}
		r = &Report{Grids: earlier.Grids}
		for _, e := range all {
			m := &maker{
				e:       e,
				plan:    p,
				store:   s,
				keep:    keep,
				ids:     map[string]store.ID{},
				old:     earlier.Experiment(e.Name),
				traces:  map[string][]record.Trace{},
				timings: map[string]record.Timing{},
			}
			x, err := m.make()
			if err != nil {
				return err
			}
			if x != nil {
				r.Experiments = append(r.Experiments, x)
			}
			notes, damage = append(notes, m.notes...), cmp.Or(damage, m.damage)
		}
		earlier = nil // it may be as large as the new one
		foreign, err := r.write(root)
		for _, name := range foreign {
			notes = append(notes, filepath.Join(dir, name)+" is not part of the report and was kept")
		}
		if err != nil || len(r.Experiments)+len(r.Grids) == 0 {
			return err
		}
		pages, err := render(r, all)
		if err != nil {
			return err
		}
		maps.Copy(pages, r.drawings())
		moved, err := writePages(root, pages)
		if err != nil {
			return err
		}
		gone, err := r.list(root, pages)
		for _, name := range moved {
			notes = append(notes, filepath.Join(dir, name)+" is not part of the report and was kept")
		}
		for _, name := range gone {
			notes = append(notes, filepath.Join(dir, name)+" is gone, and is not listed any more")
		}
		return err
	})
	return r, notes, cmp.Or(err, damage)
}

// leftovers are the files that a killed program leaves in a results folder: see disk.WriteFileAtomic.
const leftovers = ".*.tmp-*"

// writePages writes pages and drawings by name, where need be over what is in their place.
func writePages(root *os.Root, pages map[string][]byte) (moved []string, err error) {
	for _, name := range slices.Sorted(maps.Keys(pages)) {
		aside, err := makeRoom(root, name, fs.FileMode.IsRegular)
		if moved = append(moved, aside...); err != nil {
			return moved, err
		}
		if err := disk.WriteFileAtomic(filepath.Join(root.Name(), name), pages[name]); err != nil {
			return moved, err
		}
	}
	return moved, nil
}

// write writes the experiments into a results folder. An experiment that was read from there and not made anew is left
// alone. Files that the program did not write stay, and are named in foreign.
func (r *Report) write(root *os.Root) (foreign []string, err error) {
	for _, name := range glob(root, leftovers) {
		if err := disk.RemoveAll(root, name); err != nil {
			return nil, err
		}
	}
	if foreign, err = makeRoom(root, manifestName, fs.FileMode.IsRegular); err != nil {
		return nil, err
	}
	listed := readListing(root)
	for _, x := range r.Experiments {
		index := path.Join(x.Name, indexName)
		if now, err := digestOf(root, index); err == nil && now == x.digest {
			continue
		}
		moved, err := makeRoom(root, x.Name, fs.FileMode.IsDir)
		foreign = append(foreign, moved...)
		if err != nil {
			return foreign, err
		}
		files, err := x.files()
		if err != nil {
			return foreign, err
		}
		kept, err := sealed.Replace(root, x.Name, indexName, x, files)
		for _, name := range kept {
			if _, ours := listed[path.Join(x.Name, name)]; !ours {
				foreign = append(foreign, path.Join(x.Name, name))
			}
		}
		if err == nil {
			x.digest, err = digestOf(root, index)
		}
		if err != nil {
			return foreign, err
		}
	}
	return foreign, nil
}

// makeRoom moves aside what is in the place of one of our files or folders and is none.
func makeRoom(root *os.Root, name string, is func(fs.FileMode) bool) (moved []string, err error) {
	info, err := root.Lstat(name)
	if errors.Is(err, fs.ErrNotExist) || err == nil && is(info.Mode()) {
		return nil, nil
	}
	to := name + ".kept-" + rand.Text()[:8]
	return []string{to}, disk.Rename(root, name, to)
}

func digestOf(root *os.Root, name string) (string, error) {
	b, err := safe.ReadIn(root, name, maxPage)
	return sealed.Digest(b), err
}

// files returns the files of an experiment's folder except its index.
func (x *Experiment) files() (map[string][]byte, error) {
	var trials []record.Trial
	var traces [][]record.Trace // of each trial
	var timings []record.Timing
	seen, out := map[string]bool{}, map[string][]byte{}
	for _, p := range x.Protocols {
		for _, t := range p.Records.Trials {
			trials = append(trials, t)
			if seen[t.Key] {
				continue
			}
			seen[t.Key] = true
			traces = append(traces, p.Records.Traces[t.Key])
			if timing, ok := p.Records.Timings[t.Key]; ok {
				timings = append(timings, timing)
			}
		}
		for name, text := range p.Files {
			out[path.Join(p.Name, name)] = text
		}
		for _, f := range p.Figures {
			if f.Problem == "" {
				at := path.Join(p.Name, "figures", f.Name)
				out[at+".svg"] = f.SVG
				if f.CSV != nil {
					out[at+".csv"] = f.CSV
				}
			}
		}
		for _, t := range p.Tables {
			if t.Problem == "" {
				at := path.Join(p.Name, "tables", t.Name)
				out[at+".md"] = []byte(t.Table.Markdown())
				drawTable(out, at, t.Table)
			}
		}
	}
	for i, f := range x.Findings {
		if f.Table != nil {
			drawTable(out, fmt.Sprintf("findings/%d", i+1), f.Table)
		}
	}
	var errs [3]error
	out[trialsName], errs[0] = record.Encode(trials)
	out[tracesName], errs[1] = record.Encode(slices.Concat(traces...))
	out[timingsName], errs[2] = record.Encode(timings)
	return out, errors.Join(errs[:]...)
}

// drawings returns the drawing of all comparisons, with their data, which are beside the pages.
func (r *Report) drawings() map[string][]byte {
	files := map[string][]byte{}
	if t := r.Comparisons(); t != nil {
		drawTable(files, comparisonsName, t)
	}
	return files
}

// drawTable adds a table's numbers, and its drawing if it has one, to files.
func drawTable(files map[string][]byte, at string, t *table.Table) {
	files[at+".csv"] = []byte(t.CSV())
	if svg := Drawing(t); svg != nil {
		files[at+".svg"] = svg
	}
}

// Drawing returns what figure.Picture draws of a table; nil if it has no drawing, or it cannot be drawn.
func Drawing(t *table.Table) []byte {
	f, err := figure.Picture(t)
	if err != nil {
		return nil
	}
	svg, _, _ := f.SVG()
	return svg
}
