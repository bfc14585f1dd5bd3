package trust

import (
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/figure"
	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/harness/stats"
	"github.com/semi-implicit/sifg/pkg/harness/table"
	"github.com/semi-implicit/sifg/pkg/sifg"
	"github.com/semi-implicit/sifg/pkg/sifg/rng"
)

var scale = flag.Int("scale", 0, "how many trials TestScale has; the goals are those of 100000")

// TestScale computes many tiny trials, then runs plan and report as processes of their own. It logs the time
// and the peak memory of each beside its goal, and fails where a trial takes more of the disk than its goal.
func TestScale(t *testing.T) {
	if *scale == 0 {
		t.Skip("-args -scale 100000 measures; make scale does so")
	}
	t.Setenv("TRUST_TEST_TINY", "1")
	results := filepath.Join(folder(t), "results")
	seeds := max(1, *scale/(len(tinyProblems)*len(tinyMethods)))
	for _, x := range []struct{ command, goal string }{
		{"run", "none"}, {"plan", "10 s, 150 MB"}, {"report", "60 s, 1000 MB"},
	} {
		cmd, output := command(x.command, "-q", "--results", results, "--set", fmt.Sprintf("seeds=1..%d", seeds))
		if err := cmd.Run(); err != nil {
			t.Fatalf("%s: %v: %s", x.command, err, output)
		}
		cpu := cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
		peak := cmd.ProcessState.SysUsage().(*syscall.Rusage).Maxrss * 1024 // in KiB
		t.Logf("%s: %.1f s of CPU, %d MB; goal: %s", x.command, cpu.Seconds(), peak/1e6, x.goal)
	}
	blocks, all, trials := onTheDisk(t, filepath.Join(results, "store"))
	const block = 512 // bytes, whatever the file system's own
	size, each := float64(blocks*block)/float64(trials)/1024, float64(all)/float64(trials)
	t.Logf("%d trials of %.1f KB in %.1f files; goals: 16 KB, 3 files", trials, size, each)
	if size > 16 || each > 3 {
		t.Error("a trial takes more than its goal")
	}
}

// onTheDisk counts the blocks of a store, its files, and its trials.
func onTheDisk(t *testing.T, store string) (blocks, all, trials int64) {
	t.Helper()
	err := filepath.WalkDir(store, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		blocks += info.Sys().(*syscall.Stat_t).Blocks
		if !d.IsDir() {
			all++
		}
		if d.Name() == "trial.json" {
			trials++
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return blocks, all, trials
}

func init() {
	if os.Getenv("TRUST_TEST_TINY") != "" {
		experiment = tiny
	}
}

var (
	tinyProblems = []string{"a", "b", "c", "d", "e"}
	tinyMethods  = []string{"svgd", "sgld", "svgd-slow", "sgld-slow"}
)

const tinyIterations, tinyEvery = 8, 2

// tinySettings are those of every method on every problem.
func tinySettings() []byte {
	var b strings.Builder
	b.WriteString("base:\n  seeds: [1]\n  methods:\n")
	for i, m := range tinyMethods {
		sampler, _, _ := strings.Cut(m, "-")
		fmt.Fprintf(&b, "    %s: {sampler: %s, step: %g}\n", m, sampler, 0.1/float64(i+1))
	}
	b.WriteString("  problems:\n")
	for _, p := range tinyProblems {
		fmt.Fprintf(&b, "    %s: {particles: 20, iterations: %d, judge: {every: %d, snapshots: [%[2]d]}}\n",
			p, tinyIterations, tinyEvery)
	}
	b.WriteString("protocols:\n  own: {claims: true}\n")
	return []byte(b.String())
}

// tiny is an experiment whose trials take far less than a millisecond, with a figure, a table and a claim over all of
// them.
func tiny() *harness.Experiment {
	return &harness.Experiment{
		Name:     "tiny",
		Title:    "Tiny",
		Summary:  "Many small trials.",
		Settings: tinySettings(),
		Version:  "1",
		Problem: func(*harness.Trial) (*harness.Problem, error) {
			return &harness.Problem{
				Target:  normal{},
				Init:    func(dst sifg.Batch, r *rng.Stream) { r.Normal(dst.Data) },
				Measure: moments,
			}, nil
		},
		Sections: append([]harness.Section{
			{ID: "curves", Title: "Curves", Draw: curves},
			{ID: "last", Title: "Last values", Table: last},
		}, toy().Sections...),
	}
}

// moments measures the means of both coordinates and of the squared norm.
func moments(_ *sifg.Cloud, sample sifg.Batch, put func(metric string, index int, value float64)) {
	var mean [2]float64
	square := 0.0
	for i, v := range sample.Data {
		mean[i%2] += float64(v) / float64(sample.Rows)
		square += float64(v) * float64(v) / float64(sample.Rows)
	}
	put("mean", 0, mean[0])
	put("mean", 1, mean[1])
	put("square", 0, square)
}

// curves draws the median over the seeds of the mean squared norm, of every method on the first problem.
func curves(s *record.Set) (*figure.Figure, error) {
	p := figure.Panel{X: figure.Axis{Label: "iteration"}, Y: figure.Axis{Label: "mean squared norm"}}
	series := record.View{Set: s, Problem: tinyProblems[0]}
	for _, m := range tinyMethods {
		line := figure.Line{Style: figure.Method(m)}
		for it := 0; it <= tinyIterations; it += tinyEvery {
			line.X = append(line.X, float64(it))
			at := series.Sample(m, "square", 0, func(c record.Curve) float64 { return c.At(it) })
			line.Y = append(line.Y, stats.Median(at.Numbers()))
		}
		p.Layers = append(p.Layers, line)
	}
	return &figure.Figure{Panels: []figure.Panel{p}}, nil
}

// last is the median over the seeds of the last mean squared norm.
func last(s *record.Set) (*table.Table, error) {
	t := table.Of(tinyProblems)
	t.Words("problem", func(p string) string { return p })
	for _, m := range tinyMethods {
		t.Column(m, func(p string) table.Cell {
			return table.Number(stats.Median(record.View{Set: s, Problem: p}.Final(m, "square", 0)), 3)
		})
	}
	return &t.Table, nil
}
