package harness

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"

	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/harness/store"
	"github.com/semi-implicit/sifg/pkg/harness/table"
)

// Merge writes the report of a plan: for each experiment and protocol the folder results/EXPERIMENT/PROTOCOL, for each
// experiment the Parquet files over all protocols, and the page. Protocols that are on disk from an earlier run and not
// in the plan are read back and shown as they are, those of the other experiments in all too. With keep, trials that the
// store lacks are taken from the report that is there, by their keys. It returns sentences on what was left as it was.
// Processes that merge into one folder do so one after another.
func Merge(results string, s *store.Store, plan *Plan, all []*Experiment, keep bool) (notes []string, err error) {
	err = record.Alone(results, func() (err error) {
		notes, err = merge(results, s, plan, all, keep)
		return err
	})
	return notes, err
}

// left are the names of what killed programs leave of the report's files: see record.WriteFileAtomic and os.CreateTemp.
var left = regexp.MustCompile(`^(\.(index\.html|findings\.json|(trials|trace|timings)\.parquet)\.tmp-[A-Z2-7]{26}|\.probe-[0-9]+)$`)

// tidy removes what killed programs left of the report's files. Nobody else writes them, see record.Alone.
func tidy(results string, all []*Experiment) error {
	dirs := []string{results}
	for _, e := range all {
		dirs = append(dirs, filepath.Join(results, e.Name))
	}
	for _, dir := range dirs {
		entries, err := os.ReadDir(dir)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		for _, e := range entries {
			if !e.Type().IsRegular() || !left.MatchString(e.Name()) {
				continue
			}
			if err := os.Remove(filepath.Join(dir, e.Name())); err != nil {
				return err
			}
		}
	}
	return nil
}

func merge(results string, s *store.Store, plan *Plan, all []*Experiment, keep bool) (notes []string, err error) {
	if err := tidy(results, all); err != nil {
		return nil, err
	}
	timings := map[string]record.Timing{}
	for _, part := range parts(plan.Trials) {
		e := byName(plan.Experiments, part[0].Experiment)
		note, err := mergePart(results, s, e, plan, part, timings, keep)
		if err != nil {
			return notes, err
		}
		if note != "" {
			notes = append(notes, note)
		}
	}
	onDisk := map[*Experiment][]*folder{}
	for _, e := range all {
		if onDisk[e], err = folders(results, e.Name, s); err != nil {
			return notes, err
		}
		if len(onDisk[e]) == 0 || !slices.Contains(plan.Experiments, e) {
			continue
		}
		if err := union(results, e.Name, onDisk[e], timings); err != nil {
			return notes, err
		}
		if err := writeJSON(filepath.Join(results, e.Name, "findings.json"), findings(e, onDisk[e])); err != nil {
			return notes, err
		}
	}
	return notes, writePage(results, onDisk, all)
}

// parts cuts trials into runs of one experiment and protocol.
func parts(trials []Trial) [][]Trial {
	var out [][]Trial
	for i, t := range trials {
		if i == 0 || t.Experiment != trials[i-1].Experiment || t.Protocol != trials[i-1].Protocol {
			out = append(out, nil)
		}
		out[len(out)-1] = append(out[len(out)-1], t)
	}
	return out
}

// mergePart writes the folder of one experiment and protocol. The folder of a complete run is never replaced by that of
// an incomplete one, nor by one in which a trial failed that had ended well.
func mergePart(results string, s *store.Store, e *Experiment, plan *Plan, part []Trial, timings map[string]record.Timing, keep bool) (string, error) {
	first := part[0]
	dir := filepath.Join(results, first.Experiment, first.Protocol)
	if err := record.RestoreFolder(dir); err != nil {
		return "", err
	}
	var earlier *kept
	if keep {
		var err error
		if earlier, err = readKept(results, first.Experiment, first.Protocol, s); err != nil {
			return "", err
		}
	}
	own := map[string]record.Timing{} // of the trials that this report is made of
	set, info, err := assemble(s, earlier, plan, part, own)
	if err != nil {
		return "", err
	}
	if why, err := inferior(dir, set, info); why != "" || err != nil {
		return fmt.Sprintf("%s/%s: %s", first.Experiment, first.Protocol, why), err
	}
	maps.Copy(timings, own)
	return "", record.ReplaceFolder(dir, func(aside string) error { return fill(aside, e, set, info, earlier) })
}

// inferior says why a report is not to take the place of what is in dir; "" if it may.
func inferior(dir string, set *record.Set, info *RunInfo) (why string, err error) {
	missing := fmt.Sprintf("%d of %d trials are missing", info.Counts[Missing], info.Planned)
	switch {
	case len(set.Trials) == 0:
		return missing, nil
	case info.Complete() && !slices.ContainsFunc(set.Trials, func(t record.Trial) bool { return !Final(t.Status) }):
		return "", nil
	}
	old, err := readFolder(dir, nil)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", nil
	case err != nil:
		return "", fmt.Errorf("%w; a report of a part of the trials does not take its place: remove the folder if it should", err)
	case !old.info.Complete():
		return "", nil
	}
	const kept = "; the report of a complete run was left as it is"
	if !info.Complete() {
		return missing + kept, nil
	}
	well := map[string]bool{}
	for _, t := range old.set.Trials {
		well[t.Key] = Final(t.Status)
	}
	failed := 0
	for _, t := range set.Trials {
		if well[t.Key] && !Final(t.Status) {
			failed++
		}
	}
	if failed > 0 {
		return fmt.Sprintf("%s did not end well that had done so before", table.Count(failed, "trial")) + kept, nil
	}
	return "", nil
}

// fill writes the files of one experiment and protocol into a new folder.
func fill(dir string, e *Experiment, set *record.Set, info *RunInfo, earlier *kept) error {
	for _, sub := range []string{"figures", "tables"} {
		if err := os.MkdirAll(filepath.Join(dir, sub), 0o777); err != nil {
			return err
		}
	}
	if err := record.WriteTrials(filepath.Join(dir, "trials.parquet"), set.Trials); err != nil {
		return err
	}
	if err := record.WriteTraces(filepath.Join(dir, "trace.parquet"), set.Traces); err != nil {
		return err
	}
	if err := draw(dir, e, set, info, earlier); err != nil {
		return err
	}
	if err := writeJSON(filepath.Join(dir, "claims.json"), verdicts(e, set)); err != nil {
		return err
	}
	var err error
	if info.Files, err = digests(dir); err != nil {
		return err
	}
	return writeJSON(filepath.Join(dir, "run.json"), info)
}

// tableFormats are the files a table is written to; the page takes the last.
var tableFormats = []struct {
	ext    string
	render func(*table.Table) string
}{
	{"md", (*table.Table).Markdown}, {"tex", (*table.Table).LaTeX}, {"csv", (*table.Table).CSV}, {"html", (*table.Table).HTML},
}

// verdicts checks every claim of the experiment.
func verdicts(e *Experiment, set *record.Set) []Verdict {
	out := []Verdict{}
	for _, c := range e.Claims {
		var o Outcome
		if err := attempt(func() error { o = c.Check(set); return nil }); err != nil {
			o = Outcome{Verdict: NotDecided, Evidence: "The check failed: " + err.Error() + "."}
		}
		out = append(out, Verdict{c.ID, c.Statement, c.Rule, o.Verdict, o.Evidence, o.Keys})
	}
	return out
}

// Statement is a finding in words.
type Statement struct {
	Title string `json:"title"`
	Text  string `json:"text"`
}

// findings compares the protocols that are on disk.
func findings(e *Experiment, all []*folder) []Statement {
	sets := map[string]*record.Set{}
	for _, f := range all {
		sets[f.info.Protocol] = f.set
	}
	out := []Statement{}
	for _, f := range e.Findings {
		text := ""
		if err := attempt(func() error { text = f.Text(sets); return nil }); err != nil {
			text = "This finding could not be computed: " + err.Error() + "."
		}
		if text != "" {
			out = append(out, Statement{f.Title, text})
		}
	}
	return out
}
