package cli

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/grid"
	"github.com/semi-implicit/sifg/pkg/harness/internal/safe"
	"github.com/semi-implicit/sifg/pkg/harness/page"
	"github.com/semi-implicit/sifg/pkg/harness/report"
	"github.com/semi-implicit/sifg/pkg/harness/store"
)

func reportCommand(e *env) *cobra.Command {
	var s selection
	var check bool
	cmd := &cobra.Command{
		Use:   "report [EXPERIMENT...|all]",
		Short: "Makes tables, figures, claims and pages again from the records of trials",
		Long: "Records are those of the results folder, and of trials in the store that it lacks.\n" +
			"With --check nothing is written: it makes everything again in memory and lists what differs.",
		Example: `  sifg report gmm --scale smoke
  sifg report gmm --scale smoke --check`,
		RunE: func(_ *cobra.Command, names []string) error {
			if check {
				return s.check(e, names)
			}
			w, err := s.open(e, names, false)
			if err == nil {
				err = w.damage()
			}
			if err != nil {
				return err
			}
			if _, absent := os.Stat(w.results); absent != nil && w.count(store.Missing) == len(w.found) {
				return w.outcome(e) // there is nothing to write
			}
			return w.report(e)
		},
	}
	s.flags(cmd)
	cmd.Flags().BoolVar(&check, "check", false, "write nothing, and exit with 5 where a file is not what would be made")
	return cmd
}

// check makes all files of a results folder again and lists those that are others there.
func (s *selection) check(e *env, names []string) error {
	if err := s.request(e, names); err != nil {
		return err
	}
	dir := s.resultsDir()
	r, grids, err := readAll(e, dir)
	if err != nil {
		return err
	}
	files, err := siteOf(e, r, grids)
	if err != nil {
		return err
	}
	if len(files.Data) == 0 {
		return exitf(exitStopped, "no results in %s: sifg run makes some", dir)
	}
	found, err := files.Check(dir)
	for _, d := range found {
		fmt.Fprintln(e.out, d.Error())
	}
	if found != nil {
		return errors.Join(exitf(exitDamaged, "%d files in %s are not what sifg report makes of its records",
			len(found), dir), err)
	}
	if err == nil {
		fmt.Fprintf(e.out, "%s is what sifg report makes of its records\n", dir)
	}
	return err
}

// readAll reads the results in a folder and those of grids below it. The error names all records that are damaged.
func readAll(e *env, dir string) (r *report.Results, grids map[string]*report.Results, err error) {
	r, err1 := report.Read(dir, e.experiments)
	grids, err2 := grid.Read(dir, e.experiments)
	return r, grids, errors.Join(err1, err2)
}

// siteOf makes the files of results, with those of grids beside them and the pages about all.
func siteOf(e *env, r *report.Results, grids map[string]*report.Results) (report.Files, error) {
	files, err := r.Files()
	if err != nil {
		return files, err
	}
	shown, err := grid.Shown(grids, files)
	if err != nil {
		return files, err
	}
	pages, err := page.Render(r, shown, e.experiments)
	maps.Copy(files.Made, pages)
	return files, err
}

// report writes the results of the plan and shows what came out.
func (w *work) report(e *env) error {
	return report.Alone(w.results, func() error {
		before, grids, err := readAll(e, w.results)
		if err != nil {
			return err
		}
		r, err := w.merge(e, before)
		switch {
		case err != nil:
			return err
		case len(r.Experiments) == 0:
			return w.outcome(e)
		}
		if err := w.write(e, r, grids); err != nil {
			return err
		}
		w.show(e, r)
		fmt.Fprintf(e.out, "page: %s\n", filepath.Join(w.results, "index.html"))
		return nil
	})
}

// merge returns results with the trials of the plan, and says what stays as it was before.
func (w *work) merge(e *env, before *report.Results) (*report.Results, error) {
	r, notes, err := before.Collect(w.Plan, w.store, e.experiments)
	for _, n := range notes {
		fmt.Fprintln(e.out, safe.Text(n)) // where the tables are, which then are those from before
	}
	return r, err
}

// write writes results, those of grids, and all pages.
func (w *work) write(e *env, r *report.Results, grids map[string]*report.Results) error {
	files, err := siteOf(e, r, grids)
	if err != nil {
		return err
	}
	return files.Write(w.results)
}

// show prints the tables of what is a person's own, and else the last values under each protocol of the plan. Of
// several experiments these are hundreds, which the page shows better.
func (w *work) show(e *env, r *report.Results) {
	first := w.Experiments[0]
	x := r.Experiment(first.Name)
	if x == nil || len(w.Experiments) > 1 {
		return
	}
	for _, set := range x.Sets {
		planned := slices.ContainsFunc(w.Trials, func(t harness.Trial) bool {
			return t.Protocol == set.Protocol && slices.Contains(set.Problems, t.Problem) // else it stays as it was
		})
		switch {
		case !planned:
		case first.OnCustom(): // as the page has it
			for _, part := range x.Parts(set.Protocol) {
				if part.Made != nil {
					fmt.Fprintln(e.out, part.Made.Plain())
				}
			}
		default:
			fmt.Fprintln(e.out, report.Summary(first, set).Plain())
		}
	}
}
