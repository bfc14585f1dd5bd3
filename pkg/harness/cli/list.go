package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/sifg"
	"github.com/semi-implicit/sifg/pkg/sifg/kernel"
	"github.com/semi-implicit/sifg/pkg/sifg/target"
)

// named is one line of a list.
type named struct {
	Name string `json:"name"`
	Text string `json:"text"`
}

// section is one list.
type section struct {
	Title string  `json:"title"`
	Items []named `json:"items"`
}

func (a *app) list() *cobra.Command {
	var system bool
	cmd := &cobra.Command{
		Use:   "list",
		Short: "Lists experiments with their problems, samplers and targets",
		Example: `  sifg list
  sifg list --system --json`,
		Args: noArgs,
		RunE: func(*cobra.Command, []string) error {
			sections, err := a.sections(system)
			if err != nil {
				return err
			}
			if a.opt.json {
				return writeJSON(a.out, sections)
			}
			w := tabwriter.NewWriter(a.out, 0, 0, 2, ' ', 0)
			for i, s := range sections {
				if i > 0 {
					fmt.Fprintln(w)
				}
				fmt.Fprintln(w, s.Title)
				for _, item := range s.Items {
					fmt.Fprintf(w, "  %s\t%s\n", item.Name, item.Text)
				}
			}
			return w.Flush()
		},
	}
	cmd.Flags().BoolVar(&system, "system", false, "also say what this machine and program are")
	a.jsonFlag(cmd)
	return cmd
}

func (a *app) sections(system bool) ([]section, error) {
	var out []section
	experiments := section{Title: "Experiments"}
	for _, e := range a.experiments {
		c, err := harness.Contents(e)
		if err != nil {
			return nil, err
		}
		text := fmt.Sprintf("%s; problems %s; methods %s; protocols %s",
			e.Title, strings.Join(c.Problems, ", "), strings.Join(c.Methods, ", "), strings.Join(c.Protocols, ", "))
		if grids := harness.GridNames(e); len(grids) > 0 {
			text += "; grids " + strings.Join(grids, ", ")
		}
		experiments.Items = append(experiments.Items, named{e.Name, text})
	}
	samplers, targets := section{Title: "Samplers"}, section{Title: "Targets"}
	for _, s := range sifg.Samplers {
		samplers.Items = append(samplers.Items, named{s.Name, s.Title + ": " + s.Doc})
	}
	for _, t := range target.Table {
		targets.Items = append(targets.Items, named{t.Name, t.Doc})
	}
	metrics := section{Title: "Metrics", Items: []named{
		{"sigma", "every experiment, of samplers that smooth"}, {"p", "every experiment, of samplers with a Stein loss"},
		{"loss", "every experiment, of samplers with a network"},
	}}
	for _, e := range a.experiments {
		for _, m := range e.Metrics {
			i := slices.IndexFunc(metrics.Items, func(n named) bool { return n.Name == m })
			if i < 0 {
				metrics.Items = append(metrics.Items, named{m, e.Name})
			} else {
				metrics.Items[i].Text += ", " + e.Name
			}
		}
	}
	out = append(out, experiments, samplers, targets, metrics)
	if system {
		m := harness.ThisMachine()
		kernels := m.Kernel + " of " + strings.Join(kernel.Supported(), ", ")
		if err := kernelWanted(); err != nil {
			kernels += "; " + err.Error()
		}
		out = append(out, section{Title: "System", Items: []named{
			{"processor", m.CPU}, {"kernels", kernels}, {"cores", fmt.Sprint(runtime.NumCPU())},
			{"go", runtime.Version() + " " + runtime.GOOS + "/" + runtime.GOARCH}, {"program", m.Commit},
		}})
	}
	return out, nil
}

func writeJSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(v)
}
