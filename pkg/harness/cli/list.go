package cli

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/semi-implicit/sifg/pkg/harness/dataset"
	"github.com/semi-implicit/sifg/pkg/harness/grid"
	"github.com/semi-implicit/sifg/pkg/harness/settings"
	"github.com/semi-implicit/sifg/pkg/harness/usage"
	"github.com/semi-implicit/sifg/pkg/sifg"
	"github.com/semi-implicit/sifg/pkg/sifg/target"
)

func listCommand(e *env) *cobra.Command {
	var metrics bool
	var sampler string
	cmd := &cobra.Command{
		Use:   "list",
		Short: "Lists experiments, samplers and targets; metrics; the settings of a sampler",
		Example: `  sifg list
  sifg list --settings ada-sifg
  sifg list --metrics`,
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) > 1 || len(args) == 1 && e.paper == "" {
				return usage.Errorf("list takes no arguments, or the folder of a paper")
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
