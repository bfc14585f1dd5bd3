package cli

import (
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/store"
)

// explained is all that is known of one trial.
type explained struct {
	store.Meta
	Dir    string `json:"dir,omitempty"`    // of its files
	Report string `json:"report,omitempty"` // folder of the report that has it, where the store does not
	Repeat string `json:"repeat"`           // the command that computes this trial again, or why there is none
}

func (a *app) explain() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "explain KEY",
		Short: "Shows a trial's configuration, files, origin and the command that repeats it",
		Long: `Shows a trial's configuration, files, origin and the command that repeats it. KEY may be the beginning of a key. Of a
trial that the store lacks and the report has, it shows what the report says.`,
		Example: "  sifg explain KEY",
		Args:    one("key"),
		RunE: func(_ *cobra.Command, args []string) error {
			x, err := a.find(args[0])
			if err != nil {
				return err
			}
			experiment, err := a.experiment(x.Trial.Experiment)
			if err != nil {
				return err
			}
			args, err = harness.Repeat(experiment, a.sets, x.Trial)
			if err != nil {
				return err
			}
			switch {
			case args != nil && x.Dir != "":
				x.Repeat = "sifg " + harness.Quote(append(args, "--store", "again")) + " # into a store of its own"
			case args != nil:
				x.Repeat = "sifg " + harness.Quote(args)
			default:
				x.Repeat = "none: this program's code is not the code that computed it"
				if c := x.Timing.Commit; c != "" {
					x.Repeat += ", commit " + c
				}
			}
			return writeJSON(a.out, x)
		},
	}
	a.folders(cmd, alone)
	return cmd
}

// find returns the trial whose key begins with prefix: the store's, or, if it has none, the report's.
func (a *app) find(prefix string) (*explained, error) {
	entries, err := a.inStore(prefix)
	if err != nil {
		return nil, err
	}
	if len(entries) == 1 {
		e := entries[0]
		return &explained{Meta: e.Meta, Dir: e.Dir}, e.Check()
	}
	n := len(entries)
	if n == 0 {
		reported, err := harness.FindReported(a.resultsDir(), prefix)
		if err != nil {
			return nil, err
		}
		if len(reported) == 1 {
			return &explained{Meta: reported[0].Meta, Report: reported[0].Report}, nil
		}
		n = len(reported)
	}
	if n == 0 {
		return nil, harness.Usagef("no trial in %s, nor in the reports in %s, has a key that begins with %q", a.storeDir(), a.resultsDir(), prefix)
	}
	return nil, harness.Usagef("the keys of %d trials begin with %q: give more of it", n, prefix)
}

// inStore returns the trials of the store, if there is one, whose keys begin with prefix.
func (a *app) inStore(prefix string) ([]*store.Entry, error) {
	s, err := a.open(false)
	if s == nil || err != nil {
		return nil, err
	}
	experiments, err := s.Experiments()
	if err != nil {
		return nil, err
	}
	var found []*store.Entry
	for _, name := range experiments {
		entries, damages, err := s.List(name)
		if err != nil {
			return nil, err
		}
		for _, d := range damages {
			if rel, err := filepath.Rel(filepath.Join(s.Dir(), name), d.Path); err == nil && strings.HasPrefix(rel, prefix) {
				return nil, exitf(exitDamaged, "%v: sifg verify --repair moves the trial aside and the next run computes it again", &d)
			}
		}
		for _, e := range entries {
			if strings.HasPrefix(e.Meta.Trial.Key, prefix) {
				found = append(found, e)
			}
		}
	}
	return found, nil
}
