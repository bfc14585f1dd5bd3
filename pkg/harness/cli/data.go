package cli

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/semi-implicit/sifg/pkg/harness/dataset"
)

func dataCommand(e *env) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "data",
		Short: "Lists, fetches and shows data sets",
		Example: `  sifg data list
  sifg data info boston`,
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
		&cobra.Command{
			Use:     "info NAME",
			Short:   "Shows what a data set is, its licence and its columns",
			Example: `  sifg data info boston`,
			Args:    arguments("one name", 1),
			RunE:    func(_ *cobra.Command, names []string) error { return showData(e, names[0]) },
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

func showData(e *env, name string) error {
	entry, err := e.data.Entry(name)
	if err != nil {
		return err
	}
	rows := [][]string{
		{name, entry.Title},
		{"note", entry.Note},
		{"licence", entry.Licence},
		{"citation", entry.Citation},
		{"source", entry.Source},
		{"task", entry.Task},
	}
	if absent := e.data.Absent(name); absent != nil {
		rows = append(rows, []string{"not here", absent.Error()})
	} else {
		d, err := e.data.Load(name)
		if err != nil {
			return err
		}
		digest, _ := e.data.Digest(name) // of what was just loaded
		rows = append(rows,
			[]string{"digest", digest},
			[]string{"files", strings.Join(slices.Sorted(maps.Keys(d.Raw)), ", ")},
			[]string{"read", d.Read},
			[]string{"columns", strings.Join(d.Columns, ", ")},
		)
	}
	columns(e.out, slices.DeleteFunc(rows, func(row []string) bool { return row[1] == "" }))
	return nil
}
