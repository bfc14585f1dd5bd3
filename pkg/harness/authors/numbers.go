// Package authors sets the numbers of the scripts that the paper's authors released, run by us, beside ours, by the
// rule of docs/authors.md.
package authors

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"

	"github.com/semi-implicit/sifg/pkg/harness/figure"
	"github.com/semi-implicit/sifg/pkg/harness/internal/safe"
	"github.com/semi-implicit/sifg/pkg/harness/record"
)

// Number is a row of numbers.parquet, which scripts/authors writes: one number of one run of a script.
type Number struct {
	Figure    string  `parquet:"figure,dict"`
	Problem   string  `parquet:"problem,dict"` // this, method and metric as in the records
	Method    string  `parquet:"method,dict"`
	Seed      uint64  `parquet:"seed"`
	Iteration uint64  `parquet:"iteration"`
	Metric    string  `parquet:"metric,dict"`
	Index     uint64  `parquet:"index"`
	Value     float64 `parquet:"value"`
	Seconds   float64 `parquet:"seconds"` // of a processor, the whole run of the script
	Processor string  `parquet:"processor,dict"`
}

// Check refuses a row that the program cannot have written: it may come from a file that someone sent.
func (n *Number) Check() error {
	for _, s := range []string{n.Figure, n.Problem, n.Method, n.Metric, n.Processor} {
		if safe.Text(s) != s || len(s) > 1000 {
			return fmt.Errorf("the label %.100q is not a printable name", s)
		}
	}
	if n.Iteration > math.MaxInt32 {
		return fmt.Errorf("iteration %d", n.Iteration)
	}
	return nil
}

// Numbers are those of all runs, in order of figure, problem, method, seed, metric, iteration, index.
type Numbers []Number

// Read returns the numbers in a results folder, none if it has none.
func Read(results string) (Numbers, error) {
	file := filepath.Join(results, "authors", "numbers.parquet")
	b, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	out, err := record.Decode[Number](b)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return out, nil
}

// Curves returns the curves of one method on one problem, one a seed. Those with a number that is not finite are left
// out and counted.
func (all Numbers) Curves(problem, method, metric string) (curves []record.Curve, lost int) {
	for _, n := range all {
		if n.Problem != problem || n.Method != method || n.Metric != metric || n.Index != 0 {
			continue
		}
		if last := len(curves) - 1; last < 0 || curves[last].Seed != n.Seed {
			curves = append(curves, record.Curve{Seed: n.Seed})
		}
		c := &curves[len(curves)-1]
		c.Iteration, c.Value = append(c.Iteration, int(n.Iteration)), append(c.Value, n.Value)
	}
	return finite(curves)
}

// Last returns the last values of one method on one problem, one a seed, without those that are not finite: the third
// number in a cell of Table 1.
func (all Numbers) Last(problem, method, metric string) []float64 {
	curves, _ := all.Curves(problem, method, metric)
	var out []float64
	for _, c := range curves {
		out = append(out, c.Last())
	}
	return out
}

// Seconds returns the processor seconds of a script, one a seed. Those of ICA are of all methods of a try together.
func (all Numbers) Seconds(problem, method string) (out []float64) {
	seen := map[uint64]bool{}
	for _, n := range all {
		if n.Problem == problem && n.Method == method && !seen[n.Seed] {
			out, seen[n.Seed] = append(out, n.Seconds), true
		}
	}
	return out
}

// Layers draws the curves of one method on one problem over ours, in the same colour, dashed.
func (all Numbers) Layers(problem, method, metric string, style figure.Style) []figure.Layer {
	curves, _ := all.Curves(problem, method, metric)
	style.Label, style.Dash = "", []float64{4, 3}
	return figure.Curves(curves, style, nil)
}

// finite leaves out curves with a number that is not finite, and counts them.
func finite(curves []record.Curve) (kept []record.Curve, lost int) {
	unusual := func(v float64) bool { return math.IsNaN(v) || math.IsInf(v, 0) }
	kept = slices.DeleteFunc(curves, func(c record.Curve) bool { return slices.ContainsFunc(c.Value, unusual) })
	return kept, len(curves) - len(kept)
}

// part is a figure or table of the paper that scripts make: the metrics that stand for it, and whether it shows their
// curves or their last values.
type part struct {
	name    string
	metrics []string
	curve   bool
}

var parts = []part{
	{"Figures 1 and 2", []string{"knn-kl"}, true},
	{"Figure 3 left", []string{"knn-kl"}, true},
	{"Figure 3 right", []string{"knn-kl", "knn-kl-small"}, true}, // L2-GF and Ada-GWG are judged by fewer draws
	{"Figure 4 left", []string{"amari-median"}, false},
	{"Figure 4 middle", []string{"amari-median"}, false},
	{"Figure 4 right", []string{"rmse"}, true},
	{"Table 1", []string{"test-rmse", "test-nll"}, false},
}

// series is a metric of a method on a problem, of which a figure shows the curve or the last value.
type series struct {
	part, metric    int // places in parts and in its metrics
	problem, method string
}

// series returns those of which there are numbers, in order of figure, problem, metric, method.
func (all Numbers) series() (out []series) {
	for _, n := range all {
		for i, f := range parts {
			s := series{i, slices.Index(f.metrics, n.Metric), n.Problem, n.Method}
			if f.name == n.Figure && s.metric >= 0 && !slices.Contains(out, s) {
				out = append(out, s)
			}
		}
	}
	slices.SortFunc(out, func(a, b series) int {
		return cmp.Or(cmp.Compare(a.part, b.part), cmp.Compare(a.problem, b.problem),
			cmp.Compare(a.metric, b.metric), cmp.Compare(a.method, b.method))
	})
	return out
}
