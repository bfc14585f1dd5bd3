package grid

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strings"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/harness/stats"
	"github.com/semi-implicit/sifg/pkg/harness/usage"
)

// Objective is the rule of selection: the cell with the smallest or largest mean over seeds of a metric at the last checkpoint. The
// same rule holds for every method on every problem.
type Objective struct {
	Metric string `json:"metric"`
	Index  int    `json:"index,omitempty"` // component of a metric with several
	Max    bool   `json:"max,omitempty"`
}

var objective = regexp.MustCompile(`^(min|max)\s+([^\s\[\]]+)(?:\[(\d+)\])?$`)

// loopMetrics are measured by the loop of a trial itself.
var loopMetrics = []string{"sigma", "p", "loss"}

// parseObjective reads min METRIC, max METRIC, or max METRIC[3] for a component, where the experiment can measure the metric.
func parseObjective(text string, e *harness.Experiment) (o Objective, err error) {
	m := objective.FindStringSubmatch(strings.TrimSpace(text))
	var known []string
	for _, metric := range e.Metrics {
		known = append(known, metric.Name)
	}
	if m == nil {
		example := append(append(slices.Clone(e.Scores), known...), "METRIC")[0]
		return o, usage.Errorf("--select %q: want min METRIC or max METRIC, such as \"min %s\" or \"max coverage[3]\"; metrics of %s: %s",
			text, example, e.Name, strings.Join(known, ", "))
	}
	if known = append(known, loopMetrics...); !slices.Contains(known, m[2]) {
		return o, usage.Unknown("metric", m[2], fmt.Sprintf("--select %q", text), known)
	}
	o.Metric, o.Max = m[2], m[1] == "max"
	if m[3] != "" {
		_, err = fmt.Sscan(m[3], &o.Index)
	}
	return o, err
}

func (o Objective) String() string {
	if o.Max {
		return "max " + o.name()
	}
	return "min " + o.name()
}

// name is the metric with its index.
func (o Objective) name() string {
	if o.Index == 0 {
		return o.Metric
	}
	return fmt.Sprintf("%s[%d]", o.Metric, o.Index)
}

// better reports whether a is better than b.
func (o Objective) better(a, b float64) bool { return a < b != o.Max && a != b }

// best returns the best of some means, NaN of none.
func (o Objective) best(means []float64) float64 {
	switch {
	case len(means) == 0:
		return math.NaN()
	case o.Max:
		return slices.Max(means)
	}
	return slices.Min(means)
}

// Judged is a group with what became of its cells.
type Judged struct {
	*Group
	Outcomes []Outcome // one a cell
	Rank     []int     // of the cells: the best first; those that cannot be chosen last, in the order of the grid
	Ties     int       // cells with the mean of the best, itself included
}

// Outcome is what became of a cell.
type Outcome struct {
	Values []float64 // of the metric at the last checkpoint, one a seed; NaN where there is none
	Mean   float64   // over seeds; NaN where a seed has none
	Status string    // ok, or that of the first trial that is not
	Reason string    // why there is no mean; "" if there is
}

// Best returns the chosen cell, −1 if none can be chosen.
func (j *Judged) Best() int {
	if !j.eligible(j.Rank[0]) {
		return -1
	}
	return j.Rank[0]
}

// eligible reports whether a cell can be chosen.
func (j *Judged) eligible(cell int) bool {
	return j.Outcomes[cell].Reason == "" && !j.Cells[cell].Outside
}

// Current returns the cell that has the settings as they are.
func (j *Judged) Current() int {
	return slices.IndexFunc(j.Cells, func(c Cell) bool { return c.Current })
}

// Against returns the p-value of the paired sign-flip test of no difference between the chosen cell and another; NaN for fewer than
// two seeds or a cell without a mean.
func (j *Judged) Against(cell int) float64 {
	a, b := j.Outcomes[j.Rank[0]], j.Outcomes[cell]
	if a.Reason != "" || b.Reason != "" || len(a.Values) < 2 {
		return math.NaN()
	}
	d := make([]float64, len(a.Values))
	for i := range d {
		d[i] = b.Values[i] - a.Values[i]
	}
	return stats.Paired(d, stats.TwoSided, 1)
}

// Next returns the best cell with another mean than that of the chosen one, −1 if there is none.
func (j *Judged) Next() int {
	if j.Best() < 0 || j.Ties >= len(j.Rank) || !j.eligible(j.Rank[j.Ties]) {
		return -1
	}
	return j.Rank[j.Ties]
}

// Edges are the settings whose chosen value is the first or the last that was tried: "step 0.1 is the largest tried".
func (j *Judged) Edges() []string {
	var out []string
	for _, k := range j.varying(false) {
		levels, of, numeric := j.levels(k)
		if !numeric || len(levels) < 3 || j.Best() < 0 {
			continue
		}
		end := map[int]string{0: "smallest", len(levels) - 1: "largest"}[of[j.Best()]]
		if end != "" {
			out = append(out, fmt.Sprintf("%s %s is the %s tried", short(j.Keys[k]), format(j.Cells[j.Best()].Values[k]), end))
		}
	}
	return out
}

// interval returns the 95 % interval of the mean over seeds, or their range; NaN where there is no mean.
func (o *Outcome) interval() (lo, hi float64, isRange bool) {
	if o.Reason != "" {
		return math.NaN(), math.NaN(), true
	}
	return stats.Interval(o.Values, 0.95)
}

// judge ranks the cells of all groups by the records of their trials.
func judge(groups []Group, o Objective, records *record.Set) ([]Judged, error) {
	trials, metrics, measured := map[string]*record.Trial{}, map[string]bool{}, false
	for i := range records.Trials {
		trials[records.Trials[i].Key] = &records.Trials[i]
	}
	for _, rows := range records.Traces {
		for _, row := range rows {
			metrics[row.Metric] = true
			measured = measured || row.Metric == o.Metric && row.Index == o.Index
		}
	}
	if len(metrics) > 0 && !measured {
		return nil, usage.Errorf("--select %q: no trial has %s at its last checkpoint; they have %s", o, o.name(),
			strings.Join(slices.Sorted(maps.Keys(metrics)), ", "))
	}
	var out []Judged
	for i := range groups {
		j := Judged{Group: &groups[i]}
		for c := range j.Cells {
			j.Outcomes = append(j.Outcomes, o.outcome(&j.Cells[c], trials, records.Traces))
			j.Rank = append(j.Rank, c)
		}
		slices.SortStableFunc(j.Rank, func(a, b int) int {
			x, y := &j.Outcomes[a], &j.Outcomes[b]
			switch {
			case j.eligible(a) != j.eligible(b):
				return map[bool]int{true: -1, false: 1}[j.eligible(a)]
			case !j.eligible(a) || x.Mean == y.Mean:
				return 0
			case o.better(x.Mean, y.Mean):
				return -1
			}
			return 1
		})
		for _, c := range j.Rank {
			if j.eligible(c) && j.Outcomes[c].Mean == j.Outcomes[j.Rank[0]].Mean {
				j.Ties++
			}
		}
		out = append(out, j)
	}
	return out, nil
}

func (o Objective) outcome(c *Cell, trials map[string]*record.Trial, traces map[string][]record.Trace) Outcome {
	out := Outcome{Mean: math.NaN(), Status: record.StatusOK}
	var reasons []string
	for i, key := range c.Trials {
		value, status, reason := math.NaN(), "missing", "no result"
		if t := trials[key]; t != nil {
			status, reason = t.Status, t.Reason
		}
		if status == record.StatusOK {
			reason = "no " + o.name()
			for _, row := range traces[key] {
				if row.Metric == o.Metric && row.Index == o.Index {
					value, reason = row.Value, ""
				}
			}
			if reason == "" && (math.IsNaN(value) || math.IsInf(value, 0)) {
				reason = fmt.Sprintf("%s is %v", o.name(), value)
			}
		} else if out.Status == record.StatusOK {
			out.Status = status
		}
		if reason != "" {
			reasons = append(reasons, fmt.Sprintf("seed %d: %s", c.Seeds[i], reason))
		}
		out.Values = append(out.Values, value)
	}
	if len(reasons) == 0 {
		out.Mean = stats.Mean(out.Values)
	} else if out.Reason = reasons[0]; len(reasons) > 1 {
		out.Reason += fmt.Sprintf("; and %d more of %d seeds", len(reasons)-1, len(c.Trials))
	}
	return out
}

// levels returns the different values of key k in the grid, numbers in order of size and others as they come, and for each cell
// which of them it has; −1 where none.
func (g *Group) levels(k int) (levels []any, of []int, numeric bool) {
	seen := map[string]bool{}
	numeric = true
	for _, c := range g.Cells {
		if text := format(c.Values[k]); !seen[text] && !c.Outside {
			seen[text], levels = true, append(levels, c.Values[k])
			numeric = numeric && !math.IsNaN(number(c.Values[k]))
		}
	}
	if numeric {
		slices.SortFunc(levels, func(a, b any) int { return cmp.Compare(number(a), number(b)) })
	}
	for _, c := range g.Cells {
		of = append(of, slices.IndexFunc(levels, func(v any) bool { return format(v) == format(c.Values[k]) }))
	}
	return levels, of, numeric
}

// number returns a value as a number, NaN if it is none.
func number(v any) float64 {
	if f, ok := v.(float64); ok {
		return f
	}
	return math.NaN()
}
