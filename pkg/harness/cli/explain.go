package cli

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/plan"
	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/harness/report"
	"github.com/semi-implicit/sifg/pkg/harness/settings"
	"github.com/semi-implicit/sifg/pkg/harness/store"
	"github.com/semi-implicit/sifg/pkg/harness/usage"
)

// explained is what is known of a trial.
type explained struct {
	Trial    record.Trial       `json:"trial"`
	Final    map[string]float64 `json:"final"` // metrics at the last checkpoint; index 0
	Settings []setting          `json:"settings"`
	Repeat   string             `json:"repeat"` // the shortest command that computes it again, or why there is none
	From     string             `json:"from"`   // the store or the report that has it
	Timing   record.Timing      `json:"timing"`
	Origin   *store.Origin      `json:"origin,omitempty"` // of the store's trials
	Files    []record.File      `json:"files,omitempty"`
}

// setting is one key of a trial's configuration and the layer that it comes from.
type setting struct{ Key, Value, Layer string }

func explainCommand(e *env) *cobra.Command {
	var s selection
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "explain KEY",
		Short: "Says what came out of a trial and why: final metrics, settings and where they come from, the command that repeats it",
		Long: "Says what came out of a trial and why. KEY may be the beginning of a key. The page, sifg plan --json and trials.parquet have the keys. " +
			"With --verbose it also shows files and build.",
		Example: "  sifg explain KEY",
		Args:    arguments("key", 1),
		RunE: func(_ *cobra.Command, args []string) error {
			if _, err := s.request(e, nil); err != nil {
				return err
			}
			x, err := findTrial(e, s.storeDir(), s.resultsDir(nil), args[0])
			if err != nil {
				return err
			}
			if err := x.origin(e); err != nil {
				return err
			}
			if asJSON {
				return writeJSON(e.out, x)
			}
			return x.print(e)
		},
	}
	s.reportFlags(cmd.Flags())
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

// findTrial returns the trial whose key begins with prefix, from the store or else from the report.
func findTrial(e *env, dir, results, prefix string) (*explained, error) {
	found := map[string]*explained{}
	st, err := openStore(dir, results, false)
	if err != nil {
		return nil, err
	}
	for _, x := range e.experiments {
		if st == nil {
			break
		}
		ids, err := st.Find(x.Name, prefix)
		if err != nil {
			return nil, err
		}
		for _, id := range ids {
			entry, err := st.Get(id)
			if err != nil {
				return nil, err
			}
			traces, err := entry.Traces()
			if err != nil {
				return nil, err
			}
			found[id.Key] = &explained{Trial: entry.Trial, Final: finals(traces), Timing: entry.Timing, From: st.Dir(), Origin: &entry.Origin, Files: entry.Files()}
		}
	}
	if len(found) == 0 {
		rep, err := readReport(e, "--results", results)
		if err != nil {
			return nil, err
		}
		for _, x := range rep.Experiments {
			for _, p := range x.Protocols {
				for _, t := range p.Records.Trials {
					if strings.HasPrefix(t.Key, prefix) {
						found[t.Key] = &explained{Trial: t, Final: finals(p.Records.Traces[t.Key]), Timing: p.Timings[t.Key], From: results}
					}
				}
			}
		}
	}
	if len(found) == 0 {
		return nil, usage.Errorf("no trial in %s, nor in the report in %s, has a key that begins with %q", dir, results, prefix)
	}
	if len(found) > 1 {
		return nil, usage.Errorf("key prefix %q is ambiguous: %d trials have it", prefix, len(found))
	}
	return found[slices.Collect(maps.Keys(found))[0]], nil
}

// finals returns the last value of each metric's first component.
func finals(traces []record.Trace) map[string]float64 {
	out := map[string]float64{}
	for _, r := range traces { // in order of iteration
		if r.Index == 0 {
			out[r.Metric] = r.Value
		}
	}
	return out
}

// origin finds the layers of the trial's settings and the shortest command that leads to it: what is not as in the settings files
// was changed by --set, or is an axis of a grid.
func (x *explained) origin(e *env) error {
	t := x.Trial
	exp, err := e.experiment(t.Experiment)
	if err != nil {
		return err
	}
	r := plan.Request{Experiments: []*harness.Experiment{exp}, Protocols: []string{t.Protocol}, Scale: t.Scale, Data: e.data}
	args := []string{"sifg", "run", t.Experiment, "--protocol", t.Protocol}
	if t.Scale != "full" {
		args = append(args, "--scale", t.Scale)
	}
	x.Repeat = "none: the settings or the versions of this program lead to other keys"
	l, err := plan.NewLayout(r)
	if err != nil {
		return err
	}
	layers, values, written := l.Settings.Origins(t.Problem, t.Method), flatten("", t.Config), map[string]string{}
	p, err := plan.New(r)
	if err != nil {
		return err
	}
	for _, planned := range p.Trials {
		if planned.Problem == t.Problem && planned.Method == t.Method {
			config, err := json.Marshal(planned.Config)
			if err != nil {
				return err
			}
			written = flatten("", string(config))
		}
	}
	for _, key := range slices.Sorted(maps.Keys(values)) {
		layer := layers[key]
		if layer == "" {
			layer = "default"
		}
		if values[key] != written[key] {
			layer = "--set"
			at := "problems." + t.Problem + "." + key
			if name, ok := strings.CutPrefix(key, "sampler."); ok {
				at = "problems." + t.Problem + ".methods." + t.Method + "." + name
			}
			args = append(args, "--set", at+"="+values[key])
			r.Overrides = append(r.Overrides, settings.Override{Text: at + "=" + values[key], From: "--set"})
		}
		x.Settings = append(x.Settings, setting{key, values[key], layer})
	}
	for range 2 { // with the seeds of the settings, else with this one
		if p, err = plan.New(r); err == nil && p.Only(t.Key) == nil {
			x.Repeat = report.Quote(append(args, "--trial", t.Key[:min(len(t.Key), 8)]))
			break
		}
		r.Seeds, args = []uint64{t.Seed}, append(args, "--seeds", fmt.Sprint(t.Seed))
	}
	return nil
}

// flatten turns nested JSON objects into one of keys with dots, and values as JSON.
func flatten(prefix, text string) map[string]string {
	out, tree := map[string]string{}, map[string]json.RawMessage{}
	if json.Unmarshal([]byte(text), &tree) != nil {
		out[strings.TrimSuffix(prefix, ".")] = text
	}
	for key, value := range tree {
		maps.Copy(out, flatten(prefix+key+".", string(value)))
	}
	return out
}

func (x *explained) print(e *env) error {
	t := x.Trial
	rows := [][]string{
		{t.Key, fmt.Sprintf("%s/%s, %s, %s, seed %d, scale %s", t.Experiment, t.Protocol, t.Problem, t.Method, t.Seed, t.Scale)},
		{"status", t.Status + " " + t.Reason},
		{"size", fmt.Sprintf("%d particles in %d dimensions, %d iterations, %s", t.Particles, t.Dim, t.Iterations, span(x.Timing.Seconds))},
		{"repeat", x.Repeat}, {"from", x.From}, {}, {"final metrics"},
	}
	for _, name := range slices.Sorted(maps.Keys(x.Final)) {
		rows = append(rows, []string{"  " + name, fmt.Sprintf("%.6g", x.Final[name])})
	}
	rows = append(rows, []string{}, []string{"settings"})
	for _, s := range x.Settings {
		rows = append(rows, []string{"  " + s.Key, s.Value, s.Layer})
	}
	if e.verbose {
		rows = append(rows, []string{}, []string{"build"}, []string{"  processor", x.Timing.CPU}, []string{"  kernels", x.Timing.Kernel},
			[]string{"  commit", x.Timing.Commit})
		if x.Origin != nil {
			rows = append(rows, []string{"  compiler", x.Origin.Go + " " + x.Origin.Platform}, []string{}, []string{"files"})
		}
		for _, f := range x.Files {
			rows = append(rows, []string{"  " + f.Name, fmt.Sprintf("%d bytes", f.Bytes), f.SHA256})
		}
	}
	return columns(e.out, rows)
}
