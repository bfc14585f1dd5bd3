package ucibnn

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"sync"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/claim"
	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/harness/stats"
	"github.com/semi-implicit/sifg/pkg/harness/table"
	"github.com/semi-implicit/sifg/pkg/sifg"
)

// The rows and columns of Table 1, in its order.
var (
	problems = []string{"boston", "concrete", "diabetes", "power", "protein", "wine"}
	metrics  = []string{"test-rmse", "test-nll"}
	columns  = []string{"sgld", "svgd", "l2-gf", "ada-gwg", "ada-sifg"}
)

var (
	problemNames = map[string]string{
		"boston": "Boston", "concrete": "Concrete", "diabetes": "Diabetes", "power": "Power", "protein": "Protein", "wine": "Wine",
	}
	metricNames = map[string]string{"test-rmse": "RMSE", "test-nll": "NLL"}
)

// printed are the cells of the paper's Table 1.
var printed = claim.MustReadPublished(publishedCSV)

// inPrint returns the printed cell of Table 1.
func inPrint(problem, metric, method string) (claim.Published, bool) {
	i := slices.IndexFunc(printed, func(p claim.Published) bool {
		return p.Problem == problem && p.Metric == metric && p.Method == method
	})
	if i < 0 {
		return claim.Published{}, false
	}
	return printed[i], true
}

// series names the values of one metric of one method on one problem.
type series struct{ problem, metric, method string }

// results are the records of a Set, read once: what was measured at one checkpoint only, by seed.
type results struct {
	set     *record.Set
	values  map[series]map[uint64]float64   // index 0 of metrics at their last checkpoint
	repeats map[series]map[uint64][]float64 // all indices of repeat-rmse
	ended   map[[2]string][2]int            // by problem and method: trials that ended well, all trials
}

// read reads a Set.
func read(s *record.Set) *results {
	r := &results{
		set: s, values: map[series]map[uint64]float64{}, repeats: map[series]map[uint64][]float64{}, ended: map[[2]string][2]int{},
	}
	for _, t := range s.Trials {
		n := r.ended[[2]string{t.Problem, t.Method}]
		n[1]++
		if t.Status == record.StatusOK {
			n[0]++
			r.add(t, s.Traces[t.Key])
		}
		r.ended[[2]string{t.Problem, t.Method}] = n
	}
	return r
}

// add reads the traces of a trial that ended well.
func (r *results) add(t record.Trial, traces []record.Trace) {
	for _, v := range traces {
		k := series{t.Problem, v.Metric, t.Method}
		switch {
		case v.Metric == "repeat-rmse":
			if r.repeats[k] == nil {
				r.repeats[k] = map[uint64][]float64{}
			}
			r.repeats[k][t.Seed] = append(r.repeats[k][t.Seed], v.Value)
		case v.Index == 0:
			if r.values[k] == nil {
				r.values[k] = map[uint64]float64{}
			}
			r.values[k][t.Seed] = v.Value // the last checkpoint stays
		}
	}
}

func sortedKeys(v map[uint64]float64) []uint64 { return slices.Sorted(maps.Keys(v)) }

// of returns a metric of a method at the last checkpoint, one value a seed, in order of seed.
func (r *results) of(problem, metric, method string) []float64 {
	v := r.values[series{problem, metric, method}]
	var out []float64
	for _, seed := range sortedKeys(v) {
		out = append(out, v[seed])
	}
	return out
}

// part returns those of the methods that have at least four fifths of the trials that the one with most has. The others take no part where
// methods are compared: a seed may be a split, and an easy one.
func (r *results) part(problem, metric string, methods []string) []string {
	most := 0
	for _, m := range methods {
		most = max(most, len(r.values[series{problem, metric, m}]))
	}
	return slices.DeleteFunc(slices.Clone(methods), func(m string) bool {
		n := len(r.values[series{problem, metric, m}])
		return n == 0 || 5*n < 4*most
	})
}

// seeds returns the seeds with which all of the methods have a metric, in order; none of no method.
func (r *results) seeds(problem, metric string, methods []string) []uint64 {
	if len(methods) == 0 {
		return nil
	}
	return slices.DeleteFunc(sortedKeys(r.values[series{problem, metric, methods[0]}]), func(seed uint64) bool {
		return slices.ContainsFunc(methods, func(m string) bool { _, ok := r.values[series{problem, metric, m}][seed]; return !ok })
	})
}

// curves returns a method's curves on a problem, of these seeds.
func (r *results) curves(problem, method, metric string, seeds []uint64) []record.Curve {
	return slices.DeleteFunc(r.set.Curves(problem, method, metric, 0), func(c record.Curve) bool { return !slices.Contains(seeds, c.Seed) })
}

// pairs returns the values of two methods for the seeds that both have.
func (r *results) pairs(problem, metric, a, b string) (x, y []float64) {
	of, other := r.values[series{problem, metric, a}], r.values[series{problem, metric, b}]
	for _, seed := range sortedKeys(of) {
		if v, ok := other[seed]; ok {
			x, y = append(x, of[seed]), append(y, v)
		}
	}
	return x, y
}

// differences returns a − b for the seeds that both have.
func (r *results) differences(problem, metric, a, b string) []float64 {
	x, y := r.pairs(problem, metric, a, b)
	for i := range x {
		x[i] -= y[i]
	}
	return x
}

// trivial returns what a trivial predictor (constant, ols) scores in a metric, one value a seed: all methods of a seed have the same.
func (r *results) trivial(problem, predictor, metric string) []float64 {
	all := map[uint64]float64{}
	for _, m := range r.set.Methods(problem) {
		maps.Copy(all, r.values[series{problem, predictor + strings.TrimPrefix(metric, "test"), m}])
	}
	var out []float64
	for _, seed := range sortedKeys(all) {
		out = append(out, all[seed])
	}
	return out
}

// keys returns the keys of the methods' trials on the problems.
func (r *results) keys(problems []string, methods ...string) []string {
	var out []string
	for _, p := range problems {
		out = append(out, claim.Series{Set: r.set, Problem: p}.Keys(methods...)...)
	}
	return out
}

// expected are the problems that a protocol has: Diabetes is not among the data sets with standard splits.
func (r *results) expected() []string {
	if r.set.Protocol == "standard" {
		return slices.DeleteFunc(slices.Clone(problems), func(p string) bool { return p == "diabetes" })
	}
	return problems
}

// missing says which methods have no or not all results on the problems, "" if nothing is missing; whole tells that one has none.
func (r *results) missing(problems []string, methods ...string) (text string, whole bool) {
	var none, some []string
	for _, p := range problems {
		var without []string
		for _, m := range methods {
			switch n := r.ended[[2]string{p, m}]; {
			case n[0] == 0:
				without = append(without, claim.Label(m))
			case n[0] < n[1]:
				some = append(some, fmt.Sprintf("%s on %s (%d of %d trials ended well)", claim.Label(m), problemNames[p], n[0], n[1]))
			}
		}
		switch {
		case len(without) == len(methods):
			none = append(none, problemNames[p])
		case without != nil:
			none = append(none, strings.Join(without, ", ")+" on "+problemNames[p])
		}
	}
	var parts []string
	if none != nil {
		parts = append(parts, "no results of "+strings.Join(none, "; "))
	}
	if some != nil {
		parts = append(parts, "not all of "+strings.Join(some, "; "))
	}
	return strings.Join(parts, "; "), none != nil
}

// all tells whether all of the methods have results of a metric on a problem.
func (r *results) all(problem, metric string, methods ...string) bool {
	return !slices.ContainsFunc(methods, func(m string) bool { return len(r.values[series{problem, metric, m}]) == 0 })
}

// config returns the configuration of a method's first trial on a problem that ended well.
func config(s *record.Set, problem, method string) (settings.Config, bool) {
	t, ok := claim.First(s, problem, method)
	if !ok {
		return settings.Config{}, false
	}
	c, err := claim.Config(t)
	return c, err == nil
}

// named returns the names of methods in words: of those that run with two settings the second tells it.
func named(s *record.Set) func(method string) string {
	return func(method string) string {
		switch method {
		case "sifg-wide", "ada-sifg-wide":
			return withSigma(s)(method)
		case "svgd-slow":
			if step, ok := setting(s, method, stepSize); ok {
				return "SVGD (step " + step + ")"
			}
			return method
		}
		return claim.Label(method)
	}
}

// withSigma returns the names of SIFG and Ada-SIFG with the σ that they start with.
func withSigma(s *record.Set) func(method string) string {
	return func(method string) string {
		sigma, ok := setting(s, method, startSigma)
		base := strings.TrimSuffix(method, "-wide")
		switch {
		case !ok:
			return method
		case base == "ada-sifg":
			return claim.Label(base) + " (from σ = " + sigma + ")"
		}
		return claim.Label(base) + " (σ = " + sigma + ")"
	}
}

func stepSize(c sifg.Config) float64   { return c.Step }
func startSigma(c sifg.Config) float64 { return c.Sigma }

// setting prints a method's setting, as the first of its trials has it; false without trials.
func setting(s *record.Set, method string, value func(sifg.Config) float64) (string, bool) {
	i := slices.IndexFunc(s.Trials, func(t record.Trial) bool { return t.Method == method })
	if i < 0 {
		return "", false
	}
	c, err := claim.Config(s.Trials[i])
	return num(value(c.Sampler)), err == nil
}

// step prints the particle step of a method that has results.
func (r *results) step(method string) string {
	text, _ := setting(r.set, method, stepSize)
	return text
}

// num prints a number with four significant digits at most.
func num(v float64) string {
	if math.IsInf(v, 0) || math.IsNaN(v) {
		return table.Number(v, 4).Text
	}
	return strings.NewReplacer("e-0", "e−", "e+0", "e", "e+", "e", "-", "−").Replace(fmt.Sprintf("%.4g", v))
}

// spread prints mean ± standard deviation.
func spread(v []float64) string { return average(v).Text }

// average is the cell of mean ± standard deviation.
func average(v []float64) table.Cell {
	if len(v) == 0 {
		return table.Text("–")
	}
	return table.PlusMinus(stats.Mean(v), stats.SD(v))
}
