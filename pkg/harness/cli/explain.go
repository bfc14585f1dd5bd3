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
	Dir    string `json:"dir"`
	Repeat string `json:"repeat"` // the command that computes this trial again, or why there is none
}

func (a *app) explain() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "explain KEY",
		Short:   "Shows a trial's configuration, files, origin and the command that repeats it",
		Long:    "Shows a trial's configuration, files, origin and the command that repeats it. KEY may be the beginning of a key.",
		Example: "  sifg explain KEY",
		Args:    one("key"),
		RunE: func(_ *cobra.Command, args []string) error {
			e, err := a.find(args[0])
			if err != nil {
				return err
			}
			if err := e.Check(); err != nil {
				return err
			}
			x := explained{e.Meta, e.Dir, "none: this program's code is not the code that computed it"}
			experiment, err := a.experiment(e.Meta.Trial.Experiment)
			if err != nil {
				return err
			}
			args, err = harness.Repeat(experiment, a.sets, e.Meta.Trial)
			if err != nil {
				return err
			}
			if args != nil {
				x.Repeat = "sifg " + harness.Quote(append(args, "--store", "again")) + " # into a store of its own"
			}
			return writeJSON(a.out, x)
		},
	}
	a.folders(cmd, alone)
	return cmd
}

// find returns the trial whose key begins with prefix.
func (a *app) find(prefix string) (*store.Entry, error) {
	s, err := a.open(false)
	if err != nil {
		return nil, err
	}
	if s == nil {
		return nil, harness.Usagef("there is no store in %s", a.storeDir())
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
	switch len(found) {
	case 0:
		return nil, harness.Usagef("no trial in %s has a key that begins with %q", a.storeDir(), prefix)
	case 1:
		return found[0], nil
	}
	return nil, harness.Usagef("the keys of %d trials begin with %q: give more of it", len(found), prefix)
}
