package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/harness/store"
	"github.com/semi-implicit/sifg/pkg/harness/table"
)

func (a *app) mergeStores() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "merge DIR...",
		Short: "Copies the trials of other stores into this one, each file checked against its digest",
		Long: `Copies the trials of other stores into this one, each file checked against its digest. DIR is a store, or the folder of a report with
the store in it. Trials with other results here are named and left as they are.`,
		Example: `  sifg merge laptop desk/results/store`,
		Args:    cobra.ArbitraryArgs,
		RunE: func(_ *cobra.Command, dirs []string) error {
			if len(dirs) == 0 {
				return harness.Usagef("merge needs the folders of the stores to take from, or of the results that they are in")
			}
			var from []*store.Store
			for _, dir := range dirs {
				if info, err := os.Stat(filepath.Join(dir, "store")); err == nil && info.IsDir() {
					dir = filepath.Join(dir, "store")
				}
				if err := isStore(dir); err != nil {
					return err
				}
				s, err := store.OpenReadOnly(dir)
				if err != nil {
					return harness.Usagef("%v", err)
				}
				from = append(from, s)
			}
			to, err := a.open(true)
			if err != nil {
				return err
			}
			conflicts, damaged := 0, 0
			for _, s := range from {
				n, c, d, err := a.mergeStore(to, s)
				conflicts, damaged = conflicts+c, damaged+d
				if err != nil {
					return err
				}
				fmt.Fprintf(a.out, "%s: %s copied, %d there already\n", s.Dir(), table.Count(n.copied, "trial"), n.there)
			}
			switch {
			case conflicts > 0:
				return exitf(exitDamaged, "%s with other results in another store, named above: those here stay as they are", table.Count(conflicts, "trial"))
			case damaged > 0:
				return exitf(exitDamaged, "%s left out: named above", table.Count(damaged, "damaged trial"))
			}
			return nil
		},
	}
	a.folders(cmd, alone)
	return cmd
}

// merged counts what became of a store's trials.
type merged struct{ copied, there int }

// mergeStore copies what to lacks of from, and names conflicts and damages on the way.
func (a *app) mergeStore(to, from *store.Store) (n merged, conflicts, damaged int, err error) {
	experiments, err := from.Experiments()
	if err != nil {
		return n, 0, 0, err
	}
	for _, e := range experiments {
		keys, err := from.Keys(e)
		if err != nil {
			return n, conflicts, damaged, err
		}
		for _, key := range keys {
			entry, state, err := from.Lookup(e, key)
			if state == store.Absent && errors.Is(err, fs.ErrNotExist) || entry == nil && err == nil {
				continue
			}
			var copied bool
			if err == nil {
				copied, err = to.Import(entry)
			}
			var conflict *store.Conflict
			switch {
			case errors.As(err, &conflict):
				conflicts++
				fmt.Fprintln(a.out, err)
			case errors.Is(err, record.ErrDamaged):
				damaged++
				fmt.Fprintln(a.out, err)
			case err != nil:
				return n, conflicts, damaged, err
			case copied:
				n.copied++
			default:
				n.there++
			}
		}
	}
	return n, conflicts, damaged, nil
}
