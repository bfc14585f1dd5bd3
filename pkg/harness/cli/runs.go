package cli

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/internal/disk"
	"github.com/semi-implicit/sifg/pkg/harness/page"
	"github.com/semi-implicit/sifg/pkg/harness/report"
)

// customDir is the folder of the reports of what is a person's own, and of changed settings.
var customDir = filepath.Join("results", "custom")

// runsIn lists the reports in the folders of a folder, in order of their names.
func runsIn(e *env, dir string) (runs []page.Run, err error) {
	pages, err := filepath.Glob(filepath.Join(dir, "*", "*.html"))
	for _, at := range pages {
		name, first := filepath.Base(filepath.Dir(at)), filepath.Base(at)
		if first == "index.html" || first == page.Grids && !slices.Contains(pages, filepath.Join(dir, name,
			"index.html")) {
			runs = append(runs, runIn(e, filepath.Dir(at), page.Run{Name: name, Page: name + "/" + first}))
		}
	}
	return runs, err
}

// runIn completes a run by the records of the experiments in its folder. What is damaged is said to be.
func runIn(e *env, dir string, run page.Run) page.Run {
	trials, _ := filepath.Glob(filepath.Join(dir, "*", "trials.parquet"))
	var what []string
	for _, at := range trials {
		d, err := report.ReadTrials(filepath.Dir(at))
		name := filepath.Base(filepath.Dir(at))
		switch x := harness.ByName(e.experiments, name); {
		case err != nil:
			what = append(what, "damaged: sifg verify --name "+run.Name+" says how")
			continue
		case x != nil:
			name = d.Title(x)
		}
		what, run.Trials = append(what, name), run.Trials+len(d.Trials)
		for _, t := range d.Trials[:min(1, len(d.Trials))] {
			run.Scale = t.Scale
		}
	}
	run.What = cmp.Or(strings.Join(what, "; "), "grids")
	return run
}

// listRuns prints the reports in results/custom.
func listRuns(e *env) error {
	all, err := runsIn(e, customDir)
	if err != nil {
		return err
	}
	if all == nil {
		return exitf(exitStopped, "no runs in %s: sifg run with --data, --program, --sampler or --set makes one",
			customDir)
	}
	rows := [][]string{{"page", "what", "scale", "trials"}}
	for _, r := range all {
		rows = append(rows, []string{filepath.Join(customDir, r.Page), r.What, r.Scale, fmt.Sprint(r.Trials)})
	}
	columns(e.out, rows)
	fmt.Fprintf(e.out, "page of all: %s\n", filepath.Join(customDir, "index.html"))
	return nil
}

// indexRuns writes the page of all runs where one of them was written.
func indexRuns(e *env, results string) error {
	dir, ok := page.OfRuns(results)
	if !ok {
		return nil
	}
	all, err1 := runsIn(e, dir)
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
