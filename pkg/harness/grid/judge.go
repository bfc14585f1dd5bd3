package grid

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/harness/stats"
	"github.com/semi-implicit/sifg/pkg/harness/store"
	"github.com/semi-implicit/sifg/pkg/harness/table"
)

// Objective is the rule of selection: the cell with the smallest (or largest) mean over seeds of a metric at the last
// checkpoint. The same rule holds for every method on every problem.
type Objective struct {
	Metric string
	Index  int // component of a metric with several
	Max    bool
}

var objective = regexp.MustCompile(`^(min|max)\s+([^\s\[\]]+)(?:\[(\d+)\])?$`)

// ParseObjective reads "min METRIC", "max METRIC", or with an index "max METRIC[3]".
func ParseObjective(text string) (Objective, error) {
	m := objective.FindStringSubmatch(strings.TrimSpace(text))
	if m == nil {
		return Objective{}, harness.Usagef("--select %q: want min METRIC or max METRIC, such as \"min knn-kl\" or \"max coverage[3]\"", text)
	}
	o := Objective{Metric: m[2], Max: m[1] == "max"}
	if m[3] != "" {
		o.Index, _ = strconv.Atoi(m[3])
	}
	return o, nil
}

func (o Objective) String() string {
	way := "min "
	if o.Max {
		way = "max "
	}
	return way + o.name()
}

// name is the metric with its index.
func (o Objective) name() string {
	if o.Index == 0 {
		return o.Metric
	}
	return fmt.Sprintf("%s[%d]", o.Metric, o.Index)
}

// rule says the rule in words.
func (o Objective) rule() string {
	way := "smallest"
	if o.Max {
		way = "largest"
	}
	return fmt.Sprintf("the cell with the %s mean over seeds of %s at the last iteration, each method at its own best; "+
		"a cell of which a trial did not end well, or has no finite value, cannot win", way, o.name())
}

// better reports whether a is better than b.
func (o Objective) better(a, b float64) bool { return a < b != o.Max && a != b }

// Result is a grid with what became of its cells.
type Result struct {
	*Plan
	Objective Objective
	Judged    []Judged // one a group that has cells
	Missing   int      // trials without a record
	trials    []record.Trial
	last      []record.Trace
	timings   []record.Timing
}

// Judged is a group with what became of its cells.
type Judged struct {
	*Group
	Outcomes []Outcome // one a cell
	Rank     []int     // of the cells: the best first, those that cannot win last, in the order of the grid
	Ties     int       // cells with the mean of the best, itself included
	Edges    []string  // settings whose best value is the first or the last tried: "step 0.1 is the largest tried"
}

// Outcome is what became of a cell.
type Outcome struct {
	Values []float64 // of the metric at the last checkpoint, one a seed; NaN where there is none
	Mean   float64   // over seeds; NaN if the cell cannot win
	Status string    // ok, or that of the first trial that is not
	Reason string    // why the cell cannot win, "" if it can
}

// Best returns the cell that wins, nil if none can.
func (j *Judged) Best() (*Cell, *Outcome) {
	if j.Outcomes[j.Rank[0]].Reason != "" {
		return nil, nil
	}
	return &j.Cells[j.Rank[0]], &j.Outcomes[j.Rank[0]]
}

// Next returns the best of the cells with another mean than the winner's, and the p-value of the paired sign-flip test of
// no difference between the two; nil if there is none.
func (j *Judged) Next() (cell *Cell, outcome *Outcome, p float64) {
	_, best := j.Best()
	if best == nil || j.Ties >= len(j.Rank) {
		return nil, nil, math.NaN()
	}
	k := j.Rank[j.Ties]
	if outcome = &j.Outcomes[k]; outcome.Reason != "" {
		return nil, nil, math.NaN()
	}
	d := make([]float64, len(best.Values))
	for i := range d {
		d[i] = outcome.Values[i] - best.Values[i]
	}
	if p = math.NaN(); len(d) > 1 {
		p = stats.Paired(d, stats.TwoSided, 1)
	}
	return &j.Cells[k], outcome, p
}

// Interval returns the 95 % interval of the mean over seeds (stats.MeanInterval), NaN for fewer than two.
func (o *Outcome) Interval() (lo, hi float64) {
	if o.Reason != "" {
		return math.NaN(), math.NaN()
	}
	return stats.MeanInterval(o.Values, 0.95, 1)
}

// Eligible counts the cells that can win.
func (j *Judged) Eligible() int {
	n := 0
	for _, o := range j.Outcomes {
		if o.Reason == "" {
			n++
		}
	}
	return n
}

// Judge reads the records of a plan's trials and ranks its cells. A nil store is empty.
func (p *Plan) Judge(s *store.Store, o Objective) (*Result, error) {
	r := &Result{Plan: p, Objective: o}
	trials := p.Trials()
	records, err := harness.Records(s, trials, lastRows)
	if err != nil {
		return nil, err
	}
	metrics := map[string]bool{}
	measured := false
	for _, x := range records {
		if x == nil {
			r.Missing++
			continue
		}
		r.trials, r.last, r.timings = append(r.trials, x.Trial), append(r.last, x.Traces...), append(r.timings, x.Timing)
		for _, row := range x.Traces {
			metrics[row.Metric] = true
			measured = measured || row.Metric == o.Metric && row.Index == o.Index
		}
	}
	if len(metrics) > 0 && !measured {
		if metrics[o.Metric] {
			return nil, harness.Usagef("--select %q: %s has no component %d", o, o.Metric, o.Index)
		}
		return nil, harness.Unknown("metric", o.Metric, fmt.Sprintf("--select %q (no trial has it at its last checkpoint)", o),
			slices.Sorted(maps.Keys(metrics)))
	}
	at := 0
	for i := range p.Groups {
		if len(p.Groups[i].Cells) == 0 { // the conditions leave none
			continue
		}
		j := Judged{Group: &p.Groups[i]}
		for _, c := range j.Cells {
			j.Outcomes = append(j.Outcomes, o.outcome(&c, records[at:at+len(c.Trials)]))
			at += len(c.Trials)
		}
		j.rank(o)
		r.Judged = append(r.Judged, j)
	}
	return r, nil
}

// lastRows returns the rows of the last checkpoint.
func lastRows(all []record.Trace) []record.Trace {
	last := 0
	for _, r := range all {
		last = max(last, r.Iteration)
	}
	return slices.DeleteFunc(all, func(r record.Trace) bool { return r.Iteration != last })
}

func (o Objective) outcome(c *Cell, records []*harness.Recorded) Outcome {
	out := Outcome{Mean: math.NaN(), Status: record.StatusOK}
	var reasons []string
	for i, t := range c.Trials {
		value, status := math.NaN(), harness.Missing
		reason := fmt.Sprintf("seed %d is missing", t.Seed)
		if x := records[i]; x != nil {
			status = x.Trial.Status
			reason = fmt.Sprintf("seed %d: %s", t.Seed, x.Trial.Reason)
			if status == record.StatusOK {
				reason = fmt.Sprintf("seed %d has no %s", t.Seed, o.name())
				k := slices.IndexFunc(x.Traces, func(r record.Trace) bool { return r.Metric == o.Metric && r.Index == o.Index })
				if k >= 0 {
					value, reason = x.Traces[k].Value, ""
					if math.IsNaN(value) || math.IsInf(value, 0) {
						reason = fmt.Sprintf("seed %d has %s = %s", t.Seed, o.name(), table.Significant(value, 3))
					}
				}
			}
		}
		if status != record.StatusOK && out.Status == record.StatusOK {
			out.Status = status
		}
		if reason != "" {
			reasons = append(reasons, reason)
		}
		out.Values = append(out.Values, value)
	}
	switch n := len(reasons); {
	case n == 0:
		out.Mean = stats.Mean(out.Values)
	case n == 1:
		out.Reason = reasons[0]
	default:
		out.Reason = fmt.Sprintf("%s; and %d more of %d seeds", reasons[0], n-1, len(c.Trials))
	}
	return out
}

// rank orders the cells and looks at what the order says.
func (j *Judged) rank(o Objective) {
	for i := range j.Cells {
		j.Rank = append(j.Rank, i)
	}
	slices.SortStableFunc(j.Rank, func(a, b int) int {
		x, y := &j.Outcomes[a], &j.Outcomes[b]
		switch {
		case (x.Reason == "") != (y.Reason == ""):
			if x.Reason == "" {
				return -1
			}
			return 1
		case x.Reason != "" || x.Mean == y.Mean:
			return 0
		case o.better(x.Mean, y.Mean):
			return -1
		}
		return 1
	})
	best, outcome := j.Best()
	if best == nil {
		return
	}
	for _, x := range j.Outcomes {
		if x.Mean == outcome.Mean {
			j.Ties++
		}
	}
	for k, s := range j.Settings {
		levels, of, numeric := j.levels(k)
		if !numeric || len(levels) < 3 {
			continue
		}
		switch of[j.Rank[0]] {
		case 0:
			j.Edges = append(j.Edges, fmt.Sprintf("%s %s is the smallest tried", s.Name, format(best.Values[k])))
		case len(levels) - 1:
			j.Edges = append(j.Edges, fmt.Sprintf("%s %s is the largest tried", s.Name, format(best.Values[k])))
		}
	}
}

// levels returns the different values of setting k, numbers in order of size and others as they come, and for each cell
// which of them it has.
func (g *Group) levels(k int) (levels []any, of []int, numeric bool) {
	texts := make([]string, len(g.Cells))
	seen := map[string]bool{}
	numeric = true
	for i, c := range g.Cells {
		texts[i] = format(c.Values[k])
		if !seen[texts[i]] {
			seen[texts[i]], levels = true, append(levels, c.Values[k])
			numeric = numeric && !math.IsNaN(number(c.Values[k]))
		}
	}
	if numeric {
		slices.SortFunc(levels, func(a, b any) int { return cmp.Compare(number(a), number(b)) })
	}
	index := map[string]int{}
	for i, v := range levels {
		index[format(v)] = i
	}
	for _, text := range texts {
		of = append(of, index[text])
	}
	return levels, of, numeric
}

// number returns a value as a number, NaN if it is none.
func number(v any) float64 {
	switch v := v.(type) {
	case float64:
		return v
	case int:
		return float64(v)
	case uint64:
		return float64(v)
	}
	return math.NaN()
}
