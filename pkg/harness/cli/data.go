package cli

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"syscall"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/semi-implicit/sifg/pkg/harness/dataset"
)

func dataCommand(e *env) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "data",
		Short: "Lists, fetches, verifies and shows data sets",
		Example: `  sifg data list
  sifg data info boston --json`,
		Args: cobra.ArbitraryArgs,
		RunE: subcommand,
	}
	list := &cobra.Command{Use: "list", Short: "Lists the data sets and says which are here", Example: `  sifg data list --json`, Args: arguments("", 0, 0),
		RunE: func(*cobra.Command, []string) error { return listData(e, asJSON) }}
	fetch := &cobra.Command{Use: "fetch [NAME...]", Short: "Gets data sets, or all, into datasets/cache", Example: `  sifg data fetch boston wine`,
		RunE: func(_ *cobra.Command, names []string) error { return fetchData(e, names) }}
	verify := &cobra.Command{Use: "verify [NAME...]", Short: "Compares data sets, or all that are here, with digests and rules", Example: `  sifg data verify boston`,
		RunE: func(_ *cobra.Command, names []string) error { return verifyData(e, names) }}
	info := &cobra.Command{Use: "info NAME", Short: "Shows what a data set is, its licence and its columns", Example: `  sifg data info boston --json`,
		Args: arguments("name", 1, 1), RunE: func(_ *cobra.Command, names []string) error { return showData(e, names[0], asJSON) }}
	for _, c := range []*cobra.Command{list, info} {
		c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	}
	cmd.AddCommand(list, fetch, verify, info)
	return cmd
}

func listData(e *env, asJSON bool) error {
	type row struct {
		Name  string `json:"name"`
		Title string `json:"title"`
		Task  string `json:"task"`
		Here  bool   `json:"here"`
	}
	var all []row
	for _, name := range e.data.Names() {
		entry, err := e.data.Entry(name)
		if err != nil {
			return err
		}
		all = append(all, row{name, entry.Title, entry.Task, e.data.Absent(name) == nil})
	}
	if asJSON {
		return writeJSON(e.out, all)
	}
	w := tabwriter.NewWriter(e.out, 0, 0, 2, ' ', 0)
	for _, d := range all {
		fmt.Fprintf(w, "%s\t%s\t%s\n", d.Name, map[bool]string{true: "here", false: "not here"}[d.Here], d.Title)
	}
	return w.Flush()
}

func fetchData(e *env, names []string) error {
	soft, _, caught, release := signals()
	defer release()
	err := e.data.Fetch(soft, names, func(line string) { fmt.Fprintln(e.err, line) })
	switch caught() {
	case os.Interrupt:
		return exitf(exitInterrupted, "interrupted: the same command continues")
	case syscall.SIGTERM:
		return exitf(exitTerminated, "terminated: the same command continues")
	}
	if err != nil {
		return err
	}
	fmt.Fprintln(e.out, "all files are there")
	return nil
}

func verifyData(e *env, names []string) error {
	all := names
	if len(all) == 0 {
		all = e.data.Names()
	}
	var bad, absent []string
	var first error
	for _, name := range all {
		_, err := e.data.Load(name)
		switch {
		case err == nil:
			fmt.Fprintf(e.out, "%s: as it should be\n", name)
		case errors.Is(err, dataset.ErrAbsent):
			absent = append(absent, name)
			fmt.Fprintf(e.out, "%s: not here\n", name)
		case errors.Is(err, dataset.ErrDamaged):
			bad = append(bad, name)
			first = errors.Join(first, err)
			fmt.Fprintf(e.out, "%s: %v\n", name, err)
		default:
			return err
		}
	}
	switch {
	case len(bad) > 0:
		return exitf(exitDamaged, "wrong data: %v", first)
	case len(names) > 0 && len(absent) > 0:
		return e.data.Absent(absent[0])
	}
	return nil
}

// shownData is what sifg data info prints.
type shownData struct {
	Name     string   `json:"name"`
	Title    string   `json:"title"`
	Task     string   `json:"task"`
	Note     string   `json:"note,omitempty"`
	Licence  string   `json:"licence,omitempty"`
	Citation string   `json:"citation,omitempty"`
	Source   string   `json:"source,omitempty"`
	Digest   string   `json:"digest,omitempty"`
	Rows     int      `json:"rows,omitempty"`
	Columns  []string `json:"columns,omitempty"`
	Target   string   `json:"target,omitempty"`
	Splits   int      `json:"splits,omitempty"`
}

func showData(e *env, name string, asJSON bool) error {
	entry, err := e.data.Entry(name)
	if err != nil {
		return err
	}
	s := shownData{Name: name, Title: entry.Title, Task: entry.Task, Note: entry.Note, Licence: entry.Licence, Citation: entry.Citation, Source: entry.Source}
	absent := e.data.Absent(name)
	if absent == nil {
		d, err := e.data.Load(name)
		if err != nil {
			return err
		}
		if s.Digest, err = e.data.Digest(name); err != nil {
			return err
		}
		s.Rows, s.Splits, s.Columns = d.Rows, len(d.Splits), d.Columns
		if d.Target >= 0 {
			s.Target = d.Columns[d.Target]
		}
	}
	if asJSON {
		return writeJSON(e.out, s)
	}
	fmt.Fprintf(e.out, "%s: %s\n", s.Name, s.Title)
	rows, splits := fmt.Sprint(s.Rows), fmt.Sprint(s.Splits)
	if absent != nil {
		rows, splits = "", ""
		fmt.Fprintf(e.out, "not here: %v\n", absent)
	}
	for _, line := range [][2]string{{"note", s.Note}, {"licence", s.Licence}, {"citation", s.Citation}, {"source", s.Source}, {"digest", s.Digest},
		{"task", s.Task}, {"rows", rows}, {"columns", strings.Join(s.Columns[:min(len(s.Columns), 50)], ", ")}, {"target", s.Target}, {"splits", splits}} {
		if line[1] != "" {
			fmt.Fprintf(e.out, "%s: %s\n", line[0], strings.TrimSpace(line[1]))
		}
	}
	return nil
}
