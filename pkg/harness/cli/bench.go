package cli

import (
	"bytes"
	"context"
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/harness/table"
	"github.com/semi-implicit/sifg/pkg/sifg/bench"
	"github.com/semi-implicit/sifg/pkg/sifg/kernel"
)

// The part of a document that --doc replaces.
const (
	docBegin = "<!-- begin: sifg bench --doc -->\n"
	docEnd   = "<!-- end: sifg bench --doc -->\n"
)

func (a *app) bench() *cobra.Command {
	var scale, results, doc string
	var kernels bool
	cmd := &cobra.Command{
		Use:   "bench",
		Short: "Measures the speed of kernels, iterations and trials on this machine, in about two minutes",
		Example: `  sifg bench
  sifg bench --scale smoke     # does it work at all?`,
		Args: noArgs,
		RunE: func(*cobra.Command, []string) error {
			o := bench.Options{Small: scale == "smoke"}
			if err := kernelWanted(); err != nil {
				return err
			}
			switch {
			case scale != "full" && scale != "smoke":
				return harness.Usagef("--scale must be full or smoke for bench, got %q", scale)
			case kernels:
				return a.benchKernels(o)
			case results == "" && o.Small:
				results = filepath.Join("results", "smoke", "bench")
			case results == "":
				results = filepath.Join("results", "bench")
			}
			if err := writable(results, "--results"); err != nil {
				return err
			}
			if doc != "" {
				if err := replaceBlock(doc, nil); err != nil {
					return err
				}
			}
			return a.runBench(o, filepath.Join(results, "bench.parquet"), doc)
		},
	}
	f := cmd.Flags()
	f.StringVar(&scale, "scale", "full", "scale, by `NAME`: full, or smoke: tiny sizes that try the command out; their figures mean nothing")
	f.StringVar(&results, "results", "", "folder of bench.parquet, `DIR` (default results/bench; results/smoke/bench at that scale)")
	f.StringVar(&doc, "doc", "", "also write the tables into this Markdown `FILE`, between its two markers")
	f.BoolVar(&kernels, "kernels", false, "write the rows of the kernels to stdout for the process that measures all paths")
	f.Lookup("kernels").Hidden = true
	return cmd
}

// runBench measures, prints and writes. Rows come in a fixed order: the kernels of each path, fastest first, then the rest
// on the path in use.
func (a *app) runBench(o bench.Options, path, doc string) error {
	ctx, _, caught, release := signals()
	defer release()
	started := time.Now()
	var rows []bench.Row
	emit := func(r bench.Row) { rows = append(rows, r) }
	measure := func(what string, f func() error) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		fmt.Fprintf(a.err, "%3.0f s  %s\n", time.Since(started).Seconds(), what)
		return f()
	}
	var err error
	for _, p := range kernel.Supported() {
		err = errors.Join(err, measure("kernels, "+p, func() error {
			if p == kernel.Path() {
				return bench.Kernels(ctx, o, emit)
			}
			return otherPath(ctx, o, p, emit)
		}))
	}
	err = errors.Join(err, measure("iterations and trials, "+kernel.Path(), func() error { return bench.Flows(ctx, o, emit) }))
	switch sig := caught(); {
	case sig == syscall.SIGTERM:
		return exitf(exitTerminated, "terminated: nothing was written")
	case sig != nil:
		return exitf(exitInterrupted, "interrupted: nothing was written")
	case err != nil:
		return err
	}
	machine := harness.ThisMachine()
	out := make([]record.Bench, len(rows))
	for i, r := range rows {
		out[i] = record.Bench{
			Group: r.Group, Name: r.Name, Shape: r.Shape, Path: r.Path, Threads: r.Threads,
			Value: r.Value, Unit: r.Unit, Lo: r.Lo, Hi: r.Hi,
			PercentOfPeak: r.PercentOfPeak, Ratio: r.Ratio, ULP: r.MaxULP, Allocs: r.Allocs, Target: r.Target, Met: r.Met,
			CPU: machine.CPU, Commit: machine.Commit, Started: started.UTC().Format(time.RFC3339),
		}
	}
	if err := record.WriteBench(path, out); err != nil {
		return err
	}
	if doc != "" {
		if err := replaceBlock(doc, markdownBench(rows, machine, started)); err != nil {
			return err
		}
	}
	if err := printBench(a.out, rows); err != nil {
		return err
	}
	lines := verdicts(rows)
	if o.Small {
		lines = []string{"tiny sizes: the figures mean nothing"}
	}
	for _, line := range lines {
		fmt.Fprintln(a.out, line)
	}
	fmt.Fprintf(a.out, "%.0f s on %s; %s\n", time.Since(started).Seconds(), machine.CPU, path)
	return nil
}

// benchKernels is what the process of another path does.
func (a *app) benchKernels(o bench.Options) error {
	ctx, _, _, release := signals()
	defer release()
	e := gob.NewEncoder(a.out)
	var failed error
	err := bench.Kernels(ctx, o, func(r bench.Row) {
		if err := e.Encode(r); err != nil && failed == nil {
			failed = err
		}
	})
	return errors.Join(err, failed)
}

// otherPath measures the kernels of a path that this process does not run, in a process of this program that does.
func otherPath(ctx context.Context, o bench.Options, path string, emit func(bench.Row)) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	scale := "full"
	if o.Small {
		scale = "smoke"
	}
	var out, errs bytes.Buffer
	cmd := exec.CommandContext(ctx, self, "bench", "--kernels", "--scale", scale)
	cmd.Env = append(os.Environ(), kernel.Env+"="+path)
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("measuring the kernels of %s in a process of its own: %w: %s", path, err, strings.TrimSpace(errs.String()))
	}
	for d := gob.NewDecoder(&out); ; {
		var r bench.Row
		if err := d.Decode(&r); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		emit(r)
	}
}

var benchHeader = []string{"name", "shape", "path", "threads", "median", "unit", "min–max", "% of peak", "× other", "ulp", "allocs", "target", "met"}

// cells are what a row shows, under benchHeader. A blank is what it does not have.
func cells(r bench.Row) []string {
	number := func(v float64, digits int) string {
		if math.IsNaN(v) {
			return ""
		}
		return table.Significant(v, digits)
	}
	return []string{
		r.Name, r.Shape, r.Path, fmt.Sprint(r.Threads), number(r.Value, 3), r.Unit, number(r.Lo, 3) + "–" + number(r.Hi, 3),
		number(r.PercentOfPeak, 2), number(r.Ratio, 2), number(r.MaxULP, 2), number(r.Allocs, 3), r.Target, r.Met,
	}
}

func printBench(out io.Writer, rows []bench.Row) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "group\t"+strings.Join(benchHeader, "\t"))
	for _, r := range rows {
		fmt.Fprintln(w, r.Group+"\t"+strings.Join(cells(r), "\t"))
	}
	return w.Flush()
}

// verdicts counts the targets and says of each that was missed by how much, and what the processor's peak alone would allow.
func verdicts(rows []bench.Row) []string {
	met, all := 0, 0
	var missed []string
	for _, r := range rows {
		if r.Target == "" {
			continue
		}
		all++
		if r.Met == "yes" {
			met++
			continue
		}
		line := fmt.Sprintf("missed on %s: %s %s: %s %s, target %s", r.Path, r.Group, r.Name, table.Significant(r.Value, 3), r.Unit, r.Target)
		switch percent := table.Significant(r.PercentOfPeak, 2); {
		case math.IsNaN(r.PercentOfPeak):
		case r.Unit == "×":
			line += fmt.Sprintf("; %s %% of what bare multiply-adds gained beside it", percent)
		default:
			line += fmt.Sprintf("; at %s %% of the peak", percent)
			if r.Unit == "ms" {
				line += fmt.Sprintf(", which alone needs %s ms", table.Significant(r.Value*r.PercentOfPeak/100, 3))
			}
		}
		missed = append(missed, line)
	}
	return append([]string{fmt.Sprintf("%d of %d targets met", met, all)}, missed...)
}

// markdownBench is the block of a document: the same rows, one table a group and path.
func markdownBench(rows []bench.Row, m harness.Machine, started time.Time) []byte {
	var b bytes.Buffer
	revision, dirty, _ := strings.Cut(m.Commit, "+")
	if dirty != "" {
		dirty = ", changed since"
	}
	fmt.Fprintf(&b, "Measured on %s: %s, %d cores, %s, program %.12s%s.\n", started.UTC().Format("2 January 2006"), m.CPU,
		runtime.NumCPU(), runtime.Version(), revision, dirty)
	for rest := rows; len(rest) > 0; {
		n := slices.IndexFunc(rest, func(r bench.Row) bool { return r.Group != rest[0].Group || r.Path != rest[0].Path })
		if n < 0 {
			n = len(rest)
		}
		t := &table.Table{Title: rest[0].Group + ", " + rest[0].Path}
		var show []int // columns with anything in them
		for j, h := range benchHeader {
			if j != 2 && slices.ContainsFunc(rest[:n], func(r bench.Row) bool { return cells(r)[j] != "" }) {
				show = append(show, j)
				align := table.Left
				if j == 3 || j == 4 || j >= 6 && j <= 10 {
					align = table.Right
				}
				t.Columns = append(t.Columns, table.Column{Header: h, Align: align})
			}
		}
		for _, r := range rest[:n] {
			var line []table.Cell
			for _, j := range show {
				line = append(line, table.Text(cells(r)[j]))
			}
			t.Rows = append(t.Rows, line)
		}
		fmt.Fprintf(&b, "\n%s", t.Markdown())
		rest = rest[n:]
	}
	b.WriteByte('\n')
	for _, line := range verdicts(rows) {
		fmt.Fprintf(&b, "- %s\n", line)
	}
	return b.Bytes()
}

// replaceBlock puts text between the markers of a document; with nil it only looks whether it could.
func replaceBlock(path string, text []byte) error {
	doc, err := os.ReadFile(path)
	if err != nil {
		return harness.Usagef("--doc %s cannot be read: %v", path, cause(err))
	}
	begin, end := bytes.Index(doc, []byte(docBegin)), bytes.Index(doc, []byte(docEnd))
	if begin < 0 || end < begin {
		return harness.Usagef("--doc %s: it needs the two lines %q and %q", path, strings.TrimSpace(docBegin), strings.TrimSpace(docEnd))
	}
	if text == nil {
		return nil
	}
	begin += len(docBegin)
	return record.WriteFileAtomic(path, func(w io.Writer) error {
		_, err := w.Write(slices.Concat(doc[:begin], text, doc[end:]))
		return err
	})
}
