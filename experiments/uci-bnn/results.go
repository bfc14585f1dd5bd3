package ucibnn

import (
	_ "embed"
	"slices"
	"strings"

	"github.com/semi-implicit/sifg/pkg/harness/claim"
	"github.com/semi-implicit/sifg/pkg/harness/compare"
	"github.com/semi-implicit/sifg/pkg/harness/figure"
	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/harness/settings"
	"github.com/semi-implicit/sifg/pkg/harness/table"
)

// The rows and columns of Table 1, in its order.
var (
	problems = []string{"boston", "concrete", "diabetes", "power", "protein", "wine"}
	metrics  = []string{"test-rmse", "test-nll"}
	columns  = []string{"sgld", "svgd", "l2-gf", "ada-gwg", "ada-sifg"}
)

//go:embed published.csv
var publishedCSV []byte

// printed are the cells of Table 1.
var printed = claim.MustPublished(publishedCSV)

// inPrint returns a printed cell; that of no method is zero.
func inPrint(problem, metric, method string) claim.Published {
	for _, p := range printed {
		if p.Problem == problem && p.Metric == metric && p.Method == method {
			return p
		}
	}
	return claim.Published{}
}

// besideOurs returns what stands beside a printed cell. Claim 28, the table and the figure of Table 1, and the command
// compare ask the same.
func besideOurs(s *record.Set) func(p claim.Published) compare.Row {
	rows := compare.Published(printed, s)
	return func(p claim.Published) compare.Row {
		return rows[slices.IndexFunc(rows, func(r compare.Row) bool {
			return r.Problem == p.Problem && r.Metric == p.Metric && r.Method == p.Method
		})]
	}
}

// tenth is the test part of a table, here over the rest: random splits overlap.
const tenth = 1.0 / 9

// results are the last values of a set.
type results struct {
	set     *record.Set
	names   func(name string) string // of problems, metrics and methods in words
	overlap float64                  // that of record.Difference, of two trials
}

func read(s *record.Set) results {
	r := results{s, named(s), tenth}
	if c, ok := config(s, "", ""); ok && c.Options["split"] == "released" {
		r.overlap = 0 // all trials share one split
	}
	return r
}

// on returns the records of a problem.
func (r results) on(problem string) record.View {
	return record.View{Set: r.set, Problem: problem, Names: r.names, Overlap: r.overlap}
}

// last returns the last values of a metric.
func (r results) last(problem, metric, method string) record.Sample {
	return r.on(problem).Last(method, metric, 0)
}

// values returns the numbers of last.
func (r results) values(problem, metric, method string) []float64 {
	return r.last(problem, metric, method).Numbers()
}

// pair compares two methods. Every comparison of this experiment is made of it.
func (r results) pair(problem, metric, a, b string) record.Difference {
	return record.Pair(r.last(problem, metric, a), r.last(problem, metric, b), r.overlap)
}

// trivial returns what a trivial predictor (constant, ols) scores in a metric, one value a seed: all methods of a seed
// have the same.
func (r results) trivial(problem, predictor, metric string) []float64 {
	return r.on(problem).Shared(predictor + strings.TrimPrefix(metric, "test"))
}

// cells are the rows of Table 1, as pairs of problem and metric.
func cells(yield func(problem, metric string) bool) {
	for _, problem := range problems {
		for _, metric := range metrics {
			if !yield(problem, metric) {
				return
			}
		}
	}
}

// config returns the configuration of the first trial on a problem by a method, each "" for any.
func config(s *record.Set, problem, method string) (settings.Config, bool) {
	for _, t := range s.Trials {
		if (problem == "" || t.Problem == problem) && (method == "" || t.Method == method) {
			c, err := settings.Of(t)
			return c, err == nil
		}
	}
	return settings.Config{}, false
}

// named returns the names of problems, metrics and methods in words: methods that run with two settings are told apart
// by them.
func named(s *record.Set) func(name string) string {
	return func(name string) string {
		switch {
		case slices.Contains(problems, name):
			return strings.ToUpper(name[:1]) + name[1:]
		case slices.Contains(metrics, name):
			return strings.ToUpper(strings.TrimPrefix(name, "test-"))
		case strings.HasSuffix(name, "-wide"):
			return withSigma(s)(name)
		}
		return figure.Label(name)
	}
}

// withSigma returns the names of SIFG and Ada-SIFG with the σ that they start with.
func withSigma(s *record.Set) func(method string) string {
	return func(method string) string {
		base, from := strings.TrimSuffix(method, "-wide"), ""
		if base == "ada-sifg" {
			from = "from "
		}
		if c, ran := config(s, "", method); ran {
			return figure.Label(base) + " (" + from + "σ = " + table.Num(c.Sampler.Sigma) + ")"
		}
		return method // as the settings name it
	}
}

// four prints a number with four significant digits.
func four(v float64) string { return table.Significant(v, 4) }

func count(b bool) int {
	if b {
		return 1
	}
	return 0
}
