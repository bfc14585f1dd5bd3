package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/semi-implicit/sifg/pkg/harness/dataset"
	"github.com/semi-implicit/sifg/pkg/harness/grid"
	"github.com/semi-implicit/sifg/pkg/harness/internal/disk"
	"github.com/semi-implicit/sifg/pkg/harness/page"
	"github.com/semi-implicit/sifg/pkg/harness/settings"
	"github.com/semi-implicit/sifg/pkg/harness/usage"
	"github.com/semi-implicit/sifg/pkg/sifg"
	"github.com/semi-implicit/sifg/pkg/sifg/target"
)

func listCommand(e *env) *cobra.Command {
	var metrics bool
	var sampler string
	cmd := &cobra.Command{
		Use:   "list [runs]",
		Short: "Lists experiments, samplers and targets; metrics; the settings of a sampler; your runs",
		Example: `  sifg list
  sifg list runs
  sifg list --settings ada-sifg
  sifg list --metrics`,
		RunE: func(_ *cobra.Command, args []string) error {
			if slices.Equal(args, []string{"runs"}) {
				return listRuns(e)
			}
			if len(args) > 1 || len(args) == 1 && e.paper == "" {
				return usage.Errorf("list takes no arguments, or runs, or the folder of a paper")
			}
			var rows [][]string
			var err error
			switch {
			case sampler != "":
				rows, err = samplerSettings(sampler)
			case metrics:
				for _, x := range e.experiments {
					rows = append(rows, []string{x.Name})
					for _, m := range x.Metrics {
						rows = append(rows, []string{"  " + m.Name, m.Unit, m.Meaning})
					}
				}
			default:
				rows, err = overview(e)
			}
			columns(e.out, rows)
			return err
		},
	}
	f := cmd.Flags()
	f.BoolVar(&metrics, "metrics", false, "the metrics of each experiment, with unit and meaning")
	f.StringVar(&sampler, "settings", "", "the settings of a `SAMPLER` with default and meaning")
	return cmd
}

// overview lists experiments, samplers and targets.
func overview(e *env) ([][]string, error) {
	rows := [][]string{{"Experiments"}}
	for _, x := range e.experiments {
		f, err := x.File()
		if err != nil {
			return nil, err
		}
		rows = append(rows, []string{"  " + x.Name, x.Title})
		for _, l := range []struct {
			what  string
			names []string
		}{{"problems", f.Problems}, {"methods", f.Methods}, {"protocols", f.Protocols}, {"grids", grid.Shipped(x)}} {
			if len(l.names) > 0 {
				rows = append(rows, []string{"", l.what + " " + strings.Join(l.names, ", ")})
			}
		}
	}
	rows = append(rows, []string{}, []string{"Samplers"})
	for _, s := range sifg.Samplers() {
		rows = append(rows, []string{"  " + s.Name, s.Title + ": " + s.Doc})
	}
	rows = append(rows, []string{}, []string{"Targets"})
	for _, t := range target.Table {
		rows = append(rows, []string{"  " + t.Name, t.Doc})
	}
	return rows, nil
}

// samplerSettings lists the settings that a sampler has, with their defaults.
func samplerSettings(name string) ([][]string, error) {
	s, err := sifg.ByName(name)
	if err != nil {
		return nil, usage.Errorf("--settings: %v", err)
	}
	rows := [][]string{{s.Title + ": " + s.Doc}}
	v := reflect.ValueOf(s.Defaults)
	for i := range v.NumField() {
		key := v.Type().Field(i).Tag.Get("mapstructure")
		if !slices.Contains(s.Uses, key) {
			continue
		}
		text := fmt.Sprintf("default %v", v.Field(i).Interface())
		if v.Field(i).IsZero() {
			text = "default off"
		}
		rows = append(rows, []string{"  " + key, text, settings.Docs[key]})
	}
	return rows, nil
}

func dataCommand(e *env) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "data",
		Short: "Lists and fetches data sets",
		Example: `  sifg data list
  sifg data fetch boston`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(
		&cobra.Command{Use: "list", Short: "Lists the data sets and checks those that are here",
			Example: `  sifg data list`, Args: cobra.NoArgs,
			RunE: func(*cobra.Command, []string) error { return listData(e) }},
		&cobra.Command{
			Use:     "fetch [NAME...]",
			Short:   "Fetches data sets, or all, into datasets/cache",
			Example: `  sifg data fetch boston wine`,
			RunE: func(_ *cobra.Command, names []string) error {
				return e.data.Fetch(names, func(line string) { fmt.Fprintln(e.err, line) })
			},
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

// customDir is the folder of the reports of what is a person's own, and of changed settings.
var customDir = filepath.Join("results", "custom")

// runsIn lists the reports in the folders of a folder, in order of their names.
func runsIn(dir string) (runs []page.Run, err error) {
	pages, err := filepath.Glob(filepath.Join(dir, "*", "*.html"))
	for _, at := range pages {
		name, first := filepath.Base(filepath.Dir(at)), filepath.Base(at)
		if first == "index.html" || first == page.Grids && !slices.Contains(pages, filepath.Join(dir, name,
			"index.html")) {
			runs = append(runs, page.Run{Name: name, Page: name + "/" + first})
		}
	}
	return runs, err
}

// listRuns prints the reports in results/custom.
func listRuns(e *env) error {
	all, err := runsIn(customDir)
	if err != nil {
		return err
	}
	if all == nil {
		return exitf(exitStopped, "no runs in %s: sifg run with --data, --program, --sampler or --set makes one",
			customDir)
	}
	for _, r := range all {
		fmt.Fprintln(e.out, filepath.Join(customDir, r.Page))
	}
	fmt.Fprintf(e.out, "page of all: %s\n", filepath.Join(customDir, "index.html"))
	return nil
}

// indexRuns writes the page of all runs where one of them was written.
func indexRuns(e *env, results string) error {
	dir, ok := page.OfRuns(results)
	if !ok {
		return nil
	}
	all, err1 := runsIn(dir)
	_, absent := os.Stat(filepath.Join(dir, "..", "index.html"))
	text, err2 := page.Runs(all, !errors.Is(absent, fs.ErrNotExist))
	if err := errors.Join(err1, err2); err != nil {
		return err
	}
	file := filepath.Join(dir, "index.html")
	if old, err := os.ReadFile(file); err == nil && !bytes.Contains(old, []byte("<title>My runs</title>")) {
		fmt.Fprintf(e.err, "%s is not this program's page of runs: it stays\n", file)
		return nil
	}
	return disk.WriteFileAtomic(file, text)
}
