package cli

import (
	"fmt"
	"io/fs"
	"path"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/harness/settings"
	"github.com/semi-implicit/sifg/pkg/sifg"
	"github.com/semi-implicit/sifg/pkg/sifg/kernel"
	"github.com/semi-implicit/sifg/pkg/sifg/target"
)

// listed is one list: rows of a name and a text.
type listed struct {
	Title string     `json:"title"`
	Rows  [][]string `json:"rows"`
}

func listCommand(e *env) *cobra.Command {
	var metrics, system, asJSON bool
	var sampler string
	cmd := &cobra.Command{
		Use:   "list",
		Short: "Lists experiments, samplers and targets; metrics; the settings of a sampler",
		Example: `  sifg list
  sifg list --settings ada-sifg
  sifg list --metrics`,
		Args: arguments("", 0, 0),
		RunE: func(*cobra.Command, []string) (err error) {
			var lists []listed
			switch {
			case sampler != "":
				lists, err = samplerSettings(sampler)
			case metrics:
				lists = metricList(e)
			default:
				lists, err = overview(e)
			}
			if err != nil {
				return err
			}
			if system {
				lists = append(lists, machine())
			}
			if asJSON {
				return writeJSON(e.out, lists)
			}
			t := tabwriter.NewWriter(e.out, 0, 0, 2, ' ', 0)
			for i, l := range lists {
				if i > 0 {
					fmt.Fprintln(t)
				}
				fmt.Fprintln(t, l.Title)
				for _, row := range l.Rows {
					fmt.Fprintf(t, "  %s\n", strings.Join(row, "\t"))
				}
			}
			return t.Flush()
		},
	}
	f := cmd.Flags()
	f.BoolVar(&metrics, "metrics", false, "the metrics of each experiment, with unit and meaning")
	f.StringVar(&sampler, "settings", "", "the settings of a `SAMPLER` with their defaults")
	f.BoolVar(&system, "system", false, "also say what this machine and program are")
	f.BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

// overview lists experiments, samplers and targets.
func overview(e *env) ([]listed, error) {
	experiments, samplers, targets := listed{Title: "Experiments"}, listed{Title: "Samplers"}, listed{Title: "Targets"}
	for _, x := range e.experiments {
		f, err := settings.Read(x.Name, x.Settings)
		if err != nil {
			return nil, err
		}
		experiments.Rows = append(experiments.Rows, []string{x.Name, x.Title}, []string{"", "problems " + strings.Join(f.Problems, ", ")},
			[]string{"", "methods " + strings.Join(f.Methods, ", ")}, []string{"", "protocols " + strings.Join(f.Protocols, ", ")})
		if grids := gridNames(x); len(grids) > 0 {
			experiments.Rows = append(experiments.Rows, []string{"", "grids " + strings.Join(grids, ", ")})
		}
	}
	for _, s := range sifg.Samplers {
		samplers.Rows = append(samplers.Rows, []string{s.Name, s.Title + ": " + s.Doc})
	}
	for _, t := range target.Table {
		targets.Rows = append(targets.Rows, []string{t.Name, t.Doc})
	}
	return []listed{experiments, samplers, targets}, nil
}

// gridNames returns the names of the grids that come with an experiment.
func gridNames(x *harness.Experiment) []string {
	if x.Grids == nil {
		return nil
	}
	files, _ := fs.Glob(x.Grids, "grids/*.yaml")
	for i, f := range files {
		files[i] = strings.TrimSuffix(path.Base(f), ".yaml")
	}
	return files
}

func metricList(e *env) []listed {
	var out []listed
	for _, x := range e.experiments {
		l := listed{Title: x.Name}
		for _, m := range x.Metrics {
			l.Rows = append(l.Rows, []string{m.Name, m.Unit, m.Meaning})
		}
		out = append(out, l)
	}
	return out
}

// samplerSettings lists the settings that a sampler has, with their defaults.
func samplerSettings(name string) ([]listed, error) {
	s, err := sifg.ByName(name)
	if err != nil {
		return nil, err
	}
	l := listed{Title: s.Title + ": " + s.Doc}
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
		l.Rows = append(l.Rows, []string{key, text})
	}
	return []listed{l}, nil
}

func machine() listed {
	m := record.ThisMachine()
	return listed{Title: "System", Rows: [][]string{
		{"processor", m.CPU}, {"kernels", m.Kernel + " of " + strings.Join(kernel.Supported(), ", ")}, {"cores", fmt.Sprint(runtime.NumCPU())},
		{"go", runtime.Version() + " " + runtime.GOOS + "/" + runtime.GOARCH}, {"program", m.Commit},
	}}
}
