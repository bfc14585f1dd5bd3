// Package authors sets the numbers of the scripts that the authors released, run by us, beside ours (docs/authors.md).
package authors

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"

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

// Read returns the numbers in a results folder as the records of trials, one a run of a script, in order of figure,
// problem, method and seed; nil if it has none. Times are processor seconds; those of ICA are of all methods of a try
// together. The file's digest stands beside it, in numbers.sha256; where it differs the error is a safe.Damage.
func Read(results string) (*record.Set, error) {
	file := filepath.Join(results, "authors", "numbers.parquet")
	b, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	digest := filepath.Join(results, "authors", "numbers.sha256")
	if want, err := os.ReadFile(digest); err != nil {
		return nil, err
	} else if string(want) != fmt.Sprintf("%x  numbers.parquet\n", sha256.Sum256(b)) {
		return nil, &safe.Damage{Path: file, Reason: "its digest is not that in " + digest}
	}
	numbers, err := record.Decode[Number](b)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return set(numbers), nil
}

// set returns numbers as records.
func set(numbers []Number) *record.Set {
	s := &record.Set{Traces: map[string][]record.Trace{}, Timings: map[string]record.Timing{}}
	for _, n := range numbers {
		key := fmt.Sprintf("%s of %s, seed %d", n.Method, n.Problem, n.Seed)
		if s.Traces[key] == nil {
			s.Trials = append(s.Trials, record.Trial{
				Key: key, Problem: n.Problem, Method: n.Method, Seed: n.Seed, Status: record.StatusOK,
			})
			s.Timings[key] = record.Timing{Key: key, Seconds: n.Seconds, CPU: n.Processor}
		}
		s.Traces[key] = append(s.Traces[key], record.Trace{
			Key: key, Iteration: int(n.Iteration), Metric: n.Metric, Index: int(n.Index), Value: n.Value,
		})
	}
	return s
}

// finite leaves out curves with a number that is not finite, and counts them.
func finite(curves []record.Curve) (kept []record.Curve, lost int) {
	unusual := func(v float64) bool { return math.IsNaN(v) || math.IsInf(v, 0) }
	kept = slices.DeleteFunc(curves, func(c record.Curve) bool { return slices.ContainsFunc(c.Value, unusual) })
	return kept, len(curves) - len(kept)
}

// part is a figure or table of the paper that scripts make: what stands for it, and whether it shows curves.
type part struct {
	name     string
	problems []string // in order
	methods  []string // nil: all
	metrics  []string
	curve    bool
}

var parts = []part{
	{"Figures 1 and 2", []string{"gmm-2d"}, nil, []string{"knn-kl"}, true},
	{"Figure 3 left", []string{"gmm-10d"}, nil, []string{"knn-kl"}, true},
	// L2-GF and Ada-GWG are judged by fewer draws.
	{"Figure 3 right", []string{"monomial-gamma"}, nil, []string{"knn-kl", "knn-kl-small"}, true},
	{"Figure 4 left", []string{"meg-10"}, nil, []string{"amari-median"}, false},
	{"Figure 4 middle", []string{"meg-100"}, nil, []string{"amari-median"}, false},
	{
		"Figure 4 right", []string{"boston"}, []string{"sifg", "sifg-wide", "ada-sifg", "ada-sifg-wide"},
		[]string{"rmse"}, true,
	},
	{
		"Table 1", []string{"boston", "concrete", "diabetes", "power", "protein", "wine"},
		[]string{"sgld", "svgd", "l2-gf", "ada-gwg", "ada-sifg"}, []string{"test-rmse", "test-nll"}, false,
	},
}
