package cli

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"

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
	Trial   record.Trial       `json:"trial"`
	Final   map[string]float64 `json:"final"`    // metrics at the last checkpoint; index 0
	Set     map[string]string  `json:"settings"` // value and the layer that it comes from
	Repeat  string             `json:"repeat"`   // the shortest command that computes it again, or why there is none
	From    string             `json:"from"`     // the store or the report that has it
	Timing  record.Timing      `json:"timing"`
	Origin  *store.Origin      `json:"origin,omitempty"` // of the store's trials
	Files   []record.File      `json:"files,omitempty"`
	changed []string
}

func explainCommand(e *env) *cobra.Command {
	var s selection
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "explain KEY",
		Short: "Says what came out of a trial and why: final metrics, settings and where they come from, the command that repeats it",
		Long: "Says what came out of a trial and why. KEY may be the beginning of a key. The page, sifg plan --json and trials.parquet have the keys. " +
			"With --verbose it also shows files and build.",
		Example: "  sifg explain KEY",
		Args:    arguments("key", 1, 1),
		RunE: func(_ *cobra.Command, args []string) error {
			x, err := findTrial(e, &s, args[0])
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
	s.scaleFlag(cmd.Flags())
	s.folderFlags(cmd.Flags())
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

// findTrial returns the trial whose key begins with prefix, from the store or else from the report.
func findTrial(e *env, s *selection, prefix string) (*explained, error) {
	found := map[string]*explained{}
	rep, err := report.Read(s.resultsDir(), e.experiments)
	if err != nil {
		return nil, err
	}
	for _, x := range rep.Experiments {
		for _, p := range x.Protocols {
			for _, t := range p.Records.Trials {
				if strings.HasPrefix(t.Key, prefix) && found[t.Key] == nil {
					found[t.Key] = &explained{Trial: t, Final: finals(p.Records.Traces[t.Key]), Timing: p.Timings[t.Key], From: s.resultsDir(), changed: p.Set}
				}
			}
		}
	}
	st, err := openStore(e, s.storeDir(), s.resultsDir(), false)
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
	switch len(found) {
	case 0:
		return nil, usage.Errorf("no trial in %s, nor in the report in %s, has a key that begins with %q", s.storeDir(), s.resultsDir(), prefix)
	case 1:
		for _, x := range found {
			return x, nil
		}
	}
	return nil, usage.Errorf("key prefix %q is ambiguous: %d trials have it", prefix, len(found))
}

// finals returns the last value of each metric's first component.
func finals(traces []record.Trace) map[string]float64 {
	out, last := map[string]float64{}, 0
	for _, r := range traces {
		last = max(last, r.Iteration)
	}
	for _, r := range traces {
		if r.Iteration == last && r.Index == 0 {
			out[r.Metric] = r.Value
		}
	}
	return out
}

// origin finds the layers of the trial's settings and the shortest command that leads to it.
func (x *explained) origin(e *env) error {
	t := x.Trial
	exp, err := e.experiment(t.Experiment)
	if err != nil {
		return err
	}
	args := []string{"sifg", "run", t.Experiment, "--protocol", t.Protocol}
	if t.Scale != "full" {
		args = append(args, "--scale", t.Scale)
	}
	r := plan.Request{Experiments: []*harness.Experiment{exp}, Protocols: []string{t.Protocol}, Scale: t.Scale, Data: e.data}
	for _, text := range x.changed {
		if !strings.HasPrefix(text, "--") {
			r.Overrides = append(r.Overrides, settings.Override{Text: text, From: "--set"})
			args = append(args, "--set", text)
		}
	}
	p, err := plan.New(r)
	if err == nil {
		err = p.Only(t.Key)
	}
	x.Repeat = report.Quote(append(args, "--trial", t.Key[:min(len(t.Key), 8)]))
	if err != nil {
		x.Repeat = "none: the settings or the versions of this program lead to other keys"
	}
	l, err := plan.NewLayout(r)
	if err == nil {
		x.Set = l.Settings.Origins(t.Problem, t.Method)
	}
	return err
}

func (x *explained) print(e *env) error {
	t, w := x.Trial, tabwriter.NewWriter(e.out, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "%s\t%s/%s, %s, %s, seed %d, scale %s\n", t.Key, t.Experiment, t.Protocol, t.Problem, t.Method, t.Seed, t.Scale)
	fmt.Fprintf(w, "status\t%s %s\n", t.Status, t.Reason)
	fmt.Fprintf(w, "size\t%d particles in %d dimensions, %d iterations, %s\n", t.Particles, t.Dim, t.Iterations, span(x.Timing.Seconds))
	fmt.Fprintf(w, "repeat\t%s\n", x.Repeat)
	fmt.Fprintf(w, "from\t%s\n\nfinal metrics\n", x.From)
	for _, name := range slices.Sorted(maps.Keys(x.Final)) {
		fmt.Fprintf(w, "  %s\t%.6g\n", name, x.Final[name])
	}
	fmt.Fprint(w, "\nsettings\n")
	for _, key := range slices.Sorted(maps.Keys(x.Set)) {
		fmt.Fprintf(w, "  %s\t%s\n", key, x.Set[key])
	}
	if e.verbose {
		fmt.Fprintf(w, "\nbuild\n  processor\t%s\n  kernels\t%s\n  commit\t%s\n", x.Timing.CPU, x.Timing.Kernel, x.Timing.Commit)
		if x.Origin != nil {
			fmt.Fprintf(w, "  compiler\t%s %s\n\nfiles\n", x.Origin.Go, x.Origin.Platform)
		}
		for _, f := range x.Files {
			fmt.Fprintf(w, "  %s\t%d bytes\t%s\n", f.Name, f.Bytes, f.SHA256)
		}
	}
	return w.Flush()
}
