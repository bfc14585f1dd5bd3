package cli

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/semi-implicit/sifg/pkg/harness/dataset"
)

func dataCommand(e *env) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "data",
		Short: "Lists and fetches data sets",
		Example: `  sifg data list
  sifg data fetch boston`,
		Args: cobra.ArbitraryArgs,
		RunE: subcommand,
	}
	cmd.AddCommand(
		&cobra.Command{Use: "list", Short: "Lists the data sets and checks those that are here",
			Example: `  sifg data list`, Args: arguments("no arguments", 0),
			RunE: func(*cobra.Command, []string) error { return listData(e) }},
		&cobra.Command{
			Use:     "fetch [NAME...]",
			Short:   "Fetches data sets, or all, into datasets/cache",
			Example: `  sifg data fetch boston wine`,
			RunE:    func(_ *cobra.Command, names []string) error { return fetchData(e, names) },
		},
	)
	return cmd
}

// listData reads every data set that is here, and says of each whether it is as its manifest says.
func listData(e *env) error {
	var rows [][]string
	var wrong error
	for _, name := range e.data.Names() {
		entry, _ := e.data.Entry(name) // of a name that there is
		_, err := e.data.Load(name)
		said := "here"
		switch {
		case errors.Is(err, dataset.ErrAbsent):
			said = "not here"
		case errors.Is(err, dataset.ErrDamaged):
			said, wrong = "wrong", errors.Join(wrong, err)
		case err != nil:
			return err
		}
		rows = append(rows, []string{name, said, entry.Title})
	}
	columns(e.out, rows)
	return wrong
}

func fetchData(e *env, names []string) error {
	soft, _, release := signals()
	defer release()
	err := e.data.Fetch(soft, names, func(line string) { fmt.Fprintln(e.err, line) })
	if stop := interrupted(soft, ": the same command continues"); stop != nil {
		return stop
	}
	if err == nil {
		fmt.Fprintln(e.out, "all files are there")
	}
	return err
}
