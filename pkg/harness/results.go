package harness

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/harness/store"
	"github.com/semi-implicit/sifg/pkg/harness/table"
)

// RunInfo is run.json: what made the files beside it. Nothing in it depends on when or in how many pieces the trials
// were run, but Machines, Builds, Started and Seconds, which the trials themselves tell.
type RunInfo struct {
	Experiment string            `json:"experiment"`
	Protocol   string            `json:"protocol"`
	Scale      string            `json:"scale"`
	Set        []string          `json:"set,omitempty"` // overrides of the configuration
	Planned    int               `json:"planned"`
	Counts     map[string]int    `json:"counts"` // trials by status; "missing" are not computed
	Seeds      []uint64          `json:"seeds"`
	Settings   []Setting         `json:"settings"`
	Figures    []Artifact        `json:"figures"`
	Tables     []Artifact        `json:"tables"`
	Machines   []Machine         `json:"machines"` // that ran the trials
	Builds     []Build           `json:"builds,omitempty"`
	Started    string            `json:"started"` // of the first trial; RFC 3339, UTC
	Seconds    float64           `json:"seconds"` // of all trials, one after another
	Files      map[string]string `json:"files"`   // SHA-256 of the files beside this one
}

// Build is what program ran trials, and on how many cores.
type Build struct {
	Go       string `json:"go"`       // version of the compiler
	Platform string `json:"platform"` // operating system/architecture
	Cores    int    `json:"cores"`    // that the program could use
}

// Setting is the resolved configuration of one method on one problem.
type Setting struct {
	Problem string      `json:"problem"`
	Method  string      `json:"method"`
	Config  TrialConfig `json:"config"`
}

// Artifact is a figure or a table that was made, or why it was not.
type Artifact struct {
	Name    string   `json:"name"`
	Title   string   `json:"title"`
	Caption string   `json:"caption"`
	Files   []string `json:"files,omitempty"`   // relative to run.json
	Hidden  int      `json:"hidden,omitempty"`  // values of a figure that are not seen: not finite, or outside its axes
	Problem string   `json:"problem,omitempty"` // why it was not made
}

// Verdict is one entry of claims.json: a claim and what its check found.
type Verdict struct {
	ID        string   `json:"id"`
	Statement string   `json:"statement"`
	Rule      string   `json:"rule"`
	Verdict   string   `json:"verdict"`
	Evidence  string   `json:"evidence"`
	Keys      []string `json:"keys,omitempty"`
}

// Complete reports whether every planned trial has a record.
func (r *RunInfo) Complete() bool { return r.Counts[Missing] == 0 }

// folder is one protocol's results on disk, read back.
type folder struct {
	dir    string
	info   RunInfo
	claims []Verdict
	set    *record.Set
}

// readFolder reads results/EXPERIMENT/PROTOCOL. Files are checked against run.json before they are parsed. An error
// that wraps fs.ErrNotExist says that there are no results.
func readFolder(dir string, s *store.Store) (*folder, error) {
	dir = record.PresentFolder(dir)
	f := &folder{dir: dir}
	if err := readJSON(filepath.Join(dir, "run.json"), "", &f.info); err != nil {
		return nil, err
	}
	if err := readJSON(filepath.Join(dir, "claims.json"), f.info.Files["claims.json"], &f.claims); err != nil {
		return nil, damagedIfAbsent(err)
	}
	f.set = &record.Set{
		Experiment: f.info.Experiment, Protocol: f.info.Protocol, Scale: f.info.Scale, Load: loader(s, f.info.Experiment),
	}
	var err error
	if f.set.Trials, err = record.ReadTrials(filepath.Join(dir, "trials.parquet"), f.info.Files["trials.parquet"]); err != nil {
		return nil, damagedIfAbsent(err)
	}
	if f.set.Traces, err = record.ReadTraces(filepath.Join(dir, "trace.parquet"), f.info.Files["trace.parquet"]); err != nil {
		return nil, damagedIfAbsent(err)
	}
	return f, f.agrees()
}

// agrees returns an error if run.json does not say of the trials what they say themselves.
func (f *folder) agrees() error {
	counts, planned := map[string]int{}, 0
	for _, t := range f.set.Trials {
		counts[t.Status]++
		if t.Experiment != f.info.Experiment || t.Protocol != f.info.Protocol || t.Scale != f.info.Scale {
			return fmt.Errorf("%s: %w: it is of %s, %s, scale %s, and has a trial of %s, %s, scale %s", filepath.Join(f.dir, "run.json"), record.ErrDamaged,
				f.info.Experiment, f.info.Protocol, f.info.Scale, t.Experiment, t.Protocol, t.Scale)
		}
	}
	for status, n := range f.info.Counts {
		planned += n
		if status != Missing && n != counts[status] {
			return fmt.Errorf("%s: %w: it counts %s with status %s, and %d are there", filepath.Join(f.dir, "run.json"), record.ErrDamaged,
				table.Count(n, "trial"), status, counts[status])
		}
	}
	if planned != f.info.Planned || len(f.set.Trials) != planned-f.info.Counts[Missing] {
		return fmt.Errorf("%s: %w: it plans %s and counts %d, of which %d are there", filepath.Join(f.dir, "run.json"), record.ErrDamaged,
			table.Count(f.info.Planned, "trial"), planned, len(f.set.Trials))
	}
	return nil
}

// damagedIfAbsent: a file that run.json names and that is gone is damage.
func damagedIfAbsent(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%w: %v", record.ErrDamaged, err)
	}
	return err
}

func readJSON(path, sha string, v any) error {
	b, err := record.ReadFile(path, sha)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(b, v); err != nil {
		return fmt.Errorf("%s: %w: %v", path, record.ErrDamaged, err)
	}
	return nil
}

func writeJSON(path string, v any) error {
	return record.WriteFileAtomic(path, func(w io.Writer) error {
		e := json.NewEncoder(w)
		e.SetIndent("", "  ")
		e.SetEscapeHTML(false)
		return e.Encode(v)
	})
}

// digests returns the SHA-256 of every file under dir but run.json and dotted ones, by slash-separated relative path.
func digests(dir string) (map[string]string, error) {
	out := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || strings.HasPrefix(d.Name(), ".") {
			return err
		}
		rel, err := filepath.Rel(dir, path)
		if err != nil || rel == "run.json" {
			return err
		}
		b, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		sum := sha256.Sum256(b)
		out[filepath.ToSlash(rel)] = hex.EncodeToString(sum[:])
		return nil
	})
	return out, err
}

// folders returns the protocol folders of an experiment that are on disk, in order of presentation.
func folders(results, experiment string, s *store.Store) ([]*folder, error) {
	var out []*folder
	for _, p := range Protocols {
		f, err := readFolder(filepath.Join(results, experiment, p), s)
		switch {
		case err == nil:
			out = append(out, f)
		case !errors.Is(err, fs.ErrNotExist):
			return nil, err
		}
	}
	return out, nil
}

// union writes the Parquet files of an experiment over all its protocols. Timings of trials that are not in the store
// are kept as they were.
func union(results, experiment string, folders []*folder, timings map[string]record.Timing) error {
	dir := filepath.Join(results, experiment)
	all, err := readTimings(dir)
	if err != nil {
		return err
	}
	maps.Copy(all, timings)
	var trials []record.Trial
	var traces []record.Trace
	var times []record.Timing
	seen := map[string]bool{}
	for _, f := range folders {
		trials, traces = append(trials, f.set.Trials...), append(traces, f.set.Traces...)
		for _, t := range f.set.Trials {
			if timing, ok := all[t.Key]; ok && !seen[t.Key] {
				seen[t.Key], times = true, append(times, timing)
			}
		}
	}
	return errors.Join(
		record.WriteTrials(filepath.Join(dir, "trials.parquet"), trials),
		record.WriteTraces(filepath.Join(dir, "trace.parquet"), traces),
		record.WriteTimings(filepath.Join(dir, "timings.parquet"), times),
	)
}

// Runs returns the paths of run.json of all reports in results, relative to it and with slashes.
func Runs(results string) ([]string, error) {
	var out []string
	experiments, err := visible(results)
	if err != nil {
		return nil, err
	}
	for _, e := range experiments {
		protocols, err := visible(filepath.Join(results, e))
		if err != nil {
			return nil, err
		}
		for _, p := range protocols {
			_, err := os.Lstat(filepath.Join(results, e, p, "run.json"))
			switch {
			case err == nil:
				out = append(out, path.Join(e, p, "run.json"))
			case !errors.Is(err, fs.ErrNotExist):
				return nil, err
			}
		}
	}
	return out, nil
}

// visible returns the names of the folders in dir but the dotted ones, none if there is no dir: those are being made or taken away.
func visible(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var out []string
	for _, e := range entries {
		if e.IsDir() && !strings.HasPrefix(e.Name(), ".") {
			out = append(out, e.Name())
		}
	}
	return out, err
}

// VerifyResults compares every file of every protocol folder with the digest in its run.json, and that with the trials, and returns a
// sentence for each that is not what was written.
func VerifyResults(results string) ([]string, error) {
	runs, err := Runs(results)
	if err != nil {
		return nil, err
	}
	var bad []string
	for _, run := range runs {
		path := filepath.Join(results, filepath.FromSlash(run))
		var info RunInfo
		if err := readJSON(path, "", &info); err != nil {
			bad = append(bad, err.Error())
			continue
		}
		before := len(bad)
		for _, name := range slices.Sorted(maps.Keys(info.Files)) {
			_, err := record.ReadFile(filepath.Join(filepath.Dir(path), filepath.FromSlash(name)), info.Files[name])
			if err != nil {
				bad = append(bad, err.Error())
			}
		}
		if _, err := readFolder(filepath.Dir(path), nil); err != nil && len(bad) == before {
			bad = append(bad, damagedIfAbsent(err).Error())
		}
	}
	return bad, nil
}
