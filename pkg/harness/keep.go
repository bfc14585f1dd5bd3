package harness

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/harness/store"
)

// kept is what the report of an earlier run holds of one experiment under one protocol. A nil one holds nothing.
type kept struct {
	folder
	rows    map[string]record.Trial
	traces  map[string][]record.Trace
	timings map[string]record.Timing
}

// readKept reads results/EXPERIMENT/PROTOCOL; nil if there is no report.
func readKept(results, experiment, protocol string, s *store.Store) (*kept, error) {
	f, err := readFolder(filepath.Join(results, experiment, protocol), s)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	k := &kept{folder: *f, rows: map[string]record.Trial{}, traces: map[string][]record.Trace{}}
	for _, t := range f.set.Trials {
		k.rows[t.Key] = t
	}
	for _, t := range f.set.Traces {
		k.traces[t.Key] = append(k.traces[t.Key], t)
	}
	k.timings, err = readTimings(filepath.Join(results, experiment))
	return k, err
}

// readTimings returns the times of an experiment's trials by key, none if their file is lost or damaged: a report
// does not depend on them.
func readTimings(dir string) (map[string]record.Timing, error) {
	timings, err := record.ReadTimings(filepath.Join(dir, "timings.parquet"), "")
	if err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, record.ErrDamaged) {
		return nil, err
	}
	out := map[string]record.Timing{}
	for _, t := range timings {
		out[t.Key] = t
	}
	return out, nil
}

// meta returns what the store would say of a trial and its traces; nil if the report has no such trial.
func (k *kept) meta(key string) (*store.Meta, []record.Trace) {
	if k == nil {
		return nil, nil
	}
	row, ok := k.rows[key]
	if !ok {
		return nil, nil
	}
	return &store.Meta{Trial: row, Timing: k.timings[key]}, k.traces[key]
}

// figure returns a figure of the earlier report, its files copied into dir, if it was drawn from the trials of set; false if not. So one
// that needs the particles, which a report does not hold, is kept as it was drawn.
func (k *kept) figure(dir, name string, set *record.Set) (Artifact, bool, error) {
	if k == nil || len(set.Trials) != len(k.rows) {
		return Artifact{}, false, nil
	}
	for _, t := range set.Trials {
		if old, ok := k.rows[t.Key]; !ok || old != t {
			return Artifact{}, false, nil
		}
	}
	all := k.info.Figures
	i := slices.IndexFunc(all, func(a Artifact) bool { return a.Name == name && a.Problem == "" })
	if i < 0 {
		return Artifact{}, false, nil
	}
	for _, file := range all[i].Files {
		file = filepath.FromSlash(file)
		b, err := record.ReadFile(filepath.Join(k.dir, file), k.info.Files[filepath.ToSlash(file)])
		if err != nil {
			return Artifact{}, false, err
		}
		if err := os.WriteFile(filepath.Join(dir, file), b, 0o666); err != nil {
			return Artifact{}, false, err
		}
	}
	return all[i], true, nil
}

// Keep returns a survey in which trials that the store lacks, or that failed there, have the status of their record in the report.
func Keep(results string, survey Survey) (Survey, error) {
	type part struct{ experiment, protocol string }
	reports := map[part]*kept{}
	out := slices.Clone(survey)
	for i, f := range out {
		if f.Status != Missing && !slices.Contains(Retryable, f.Status) {
			continue
		}
		p := part{f.Trial.Experiment, f.Trial.Protocol}
		k, ok := reports[p]
		if !ok {
			var err error
			if k, err = readKept(results, p.experiment, p.protocol, nil); err != nil {
				return nil, err
			}
			reports[p] = k
		}
		if m, _ := k.meta(f.Trial.Key); m != nil && (f.Status == Missing || Final(m.Trial.Status)) {
			out[i].Status, out[i].Reason, out[i].Seconds = m.Trial.Status, m.Trial.Reason, m.Timing.Seconds
		}
	}
	return out, nil
}

// Reported is a trial that a report has.
type Reported struct {
	store.Meta        // but for files and origin
	Report     string // folder of the report
}

// FindReported returns the trials whose keys begin with prefix from all reports in results, each key once.
func FindReported(results, prefix string) ([]Reported, error) {
	runs, err := Runs(results)
	if err != nil {
		return nil, err
	}
	var out []Reported
	seen := map[string]bool{}
	for _, run := range runs {
		dir := filepath.Dir(filepath.Join(results, filepath.FromSlash(run)))
		var info RunInfo
		if err := readJSON(filepath.Join(dir, "run.json"), "", &info); err != nil {
			return nil, err
		}
		trials, err := record.ReadTrials(filepath.Join(dir, "trials.parquet"), info.Files["trials.parquet"])
		if err != nil {
			return nil, damagedIfAbsent(err)
		}
		var timings map[string]record.Timing
		for _, t := range trials {
			if !strings.HasPrefix(t.Key, prefix) || seen[t.Key] {
				continue
			}
			if timings == nil {
				if timings, err = readTimings(filepath.Dir(dir)); err != nil {
					return nil, err
				}
			}
			seen[t.Key] = true
			out = append(out, Reported{store.Meta{Trial: t, Config: json.RawMessage(t.Config), Timing: timings[t.Key]}, dir})
		}
	}
	return out, nil
}
