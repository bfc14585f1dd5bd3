package cli

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/spf13/cobra"

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
		Use:   "list [runs]",
		Short: "Lists experiments, samplers and targets; metrics; the settings of a sampler; your runs",
		Example: `  sifg list
  sifg list runs
  sifg list --settings ada-sifg
  sifg list --metrics`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if slices.Equal(args, []string{"runs"}) {
				return listRuns(e)
			}
			if e.paper == "" || len(args) > 1 { // the folder of a paper may be named
				const what = "no arguments, or runs, or the folder of a paper"
				if err := arguments(what, 0)(cmd, args); err != nil {
					return err
				}
			}
			rows, err := overview(e)
			switch {
			case sampler != "":
				rows, err = samplerSettings(sampler)
			case metrics:
				rows, err = metricList(e), nil
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

func metricList(e *env) [][]string {
	var rows [][]string
	for _, x := range e.experiments {
		rows = append(rows, []string{x.Name})
		for _, m := range x.Metrics {
			rows = append(rows, []string{"  " + m.Name, m.Unit, m.Meaning})
		}
	}
	return rows
}

// samplerSettings lists the settings that a sampler has, with their defaults.
func samplerSettings(name string) ([][]string, error) {
	s, err := sifg.ByName(name)
	if err != nil {
		var names []string
		for _, x := range sifg.Samplers() {
			names = append(names, x.Name)
		}
		return nil, usage.Unknown("sampler", name, "--settings", names)
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
