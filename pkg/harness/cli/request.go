package cli

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/semi-implicit/sifg/pkg/harness"
)

// options are the flags that choose trials and folders.
type options struct {
	protocol, scale string
	config, set     []string
	results, store  string
	jobs, threads   int
	failFast        bool
	timeout, grace  time.Duration
	isolate         bool
	memory          int64
	retry           []string
	trial           string
	json            bool
	datasets        []string
}

// choosing adds the flags that choose trials and folders.
func (a *app) choosing(cmd *cobra.Command) {
	f := cmd.Flags()
	a.protocolFlag(cmd)
	a.scaleFlag(cmd)
	f.StringArrayVar(&a.opt.config, "config", nil, "`FILE` of settings over the configuration, in the shape of one of its protocols; repeatable")
	f.StringArrayVar(&a.opt.set, "set", nil, "`KEY=VALUE` over the configuration; * stands for every problem or method; repeatable")
	a.folders(cmd, chosen)
}

func (a *app) protocolFlag(cmd *cobra.Command) {
	cmd.Flags().StringVar(&a.opt.protocol, "protocol", "released", "protocol, by `NAME`: "+strings.Join(harness.Protocols, ", ")+"; several with commas, or all")
}

func (a *app) scaleFlag(cmd *cobra.Command) {
	cmd.Flags().StringVar(&a.opt.scale, "scale", "full", "scale, by `NAME`: full, quick or smoke")
}

// What the folder of the report is, where --results does not say it.
const (
	chosen = "results; results/quick, results/smoke for\nthese scales, results/custom where --config or --set is given"
	scaled = "results; results/quick, results/smoke for\nthese scales"
	alone  = "results"
)

func (a *app) folders(cmd *cobra.Command, standard string) {
	f := cmd.Flags()
	f.StringVar(&a.opt.results, "results", "", "folder of the report, `DIR` (default "+standard+")")
	f.StringVar(&a.opt.store, "store", "", "folder of the trials, `DIR` (default results/store; DIR/store with --results DIR)")
}

func (a *app) jsonFlag(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&a.opt.json, "json", false, "print JSON")
}

// request turns flags and arguments into what the plan is made from. No names of experiments means all.
func (a *app) request(names []string) (harness.Request, error) {
	r := harness.Request{Scale: a.opt.scale, Experiments: a.experiments, Some: true, Data: a.sets}
	if len(names) > 1 && slices.Contains(names, "all") {
		return r, harness.Usagef("all is every experiment, and stands alone: got %s", strings.Join(names, " "))
	}
	if len(names) > 0 && names[0] != "all" {
		r.Experiments, r.Some = nil, false
		for _, name := range names {
			e, err := a.experiment(name)
			if err != nil {
				return r, err
			}
			if !slices.Contains(r.Experiments, e) {
				r.Experiments = append(r.Experiments, e)
			}
		}
	}
	if a.opt.protocol != "all" {
		for p := range strings.SplitSeq(a.opt.protocol, ",") {
			switch p = strings.TrimSpace(p); {
			case p == "all":
				return r, harness.Usagef("--protocol %s: all is every protocol, and stands alone", a.opt.protocol)
			case !slices.Contains(harness.Protocols, p):
				return r, harness.Unknown("protocol", p, "--protocol", append(slices.Clone(harness.Protocols), "all"))
			case !slices.Contains(r.Protocols, p):
				r.Protocols = append(r.Protocols, p)
			}
		}
	}
	for _, path := range a.opt.config {
		set, err := harness.ReadConfig(path)
		if err != nil {
			return r, err
		}
		r.Set = append(r.Set, set...)
	}
	for pair := range strings.SplitSeq(os.Getenv("SIFG_SET"), ";") {
		if pair = strings.TrimSpace(pair); pair != "" {
			r.Set = append(r.Set, harness.Override{Text: pair, From: "SIFG_SET"})
		}
	}
	for _, s := range a.opt.set {
		r.Set = append(r.Set, harness.Override{Text: s, From: "--set"})
	}
	return r, nil
}

func (a *app) experiment(name string) (*harness.Experiment, error) {
	var names []string
	for _, e := range a.experiments {
		if e.Name == name {
			return e, nil
		}
		names = append(names, e.Name)
	}
	return nil, harness.Unknown("experiment", name, "", append(names, "all"))
}

// resultsDir returns the folder of the report. Only the configuration as it is written, at full scale, goes to results
// itself: a smaller scale or changed settings never overwrite a full run.
func (a *app) resultsDir() string {
	switch {
	case a.opt.results != "":
		return a.opt.results
	case len(a.opt.config) > 0 || len(a.opt.set) > 0 || strings.TrimSpace(os.Getenv("SIFG_SET")) != "":
		return filepath.Join("results", "custom")
	case a.opt.scale != "full":
		return filepath.Join("results", a.opt.scale)
	}
	return "results"
}

func (a *app) storeDir() string {
	switch {
	case a.opt.store != "":
		return a.opt.store
	case a.opt.results != "":
		return filepath.Join(a.opt.results, "store")
	}
	return filepath.Join("results", "store")
}

// writable refuses a folder that cannot be written, before anything is computed.
func writable(dir, flag string) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return harness.Usagef("%s %s cannot be made: %v", flag, dir, cause(err))
	}
	f, err := os.CreateTemp(dir, ".probe-")
	if err != nil {
		return harness.Usagef("%s %s cannot be written: %v", flag, dir, cause(err))
	}
	f.Close()
	if err := os.Remove(f.Name()); !errors.Is(err, fs.ErrNotExist) { // another process may have tidied up
		return err
	}
	return nil
}

// cause returns what the system said, without the path that the caller names already.
func cause(err error) error {
	if p, ok := err.(*os.PathError); ok {
		return p.Err
	}
	return err
}

// defaultJobs is the number of cores that this process may use, which a container limits.
func defaultJobs() int { return runtime.GOMAXPROCS(0) }
