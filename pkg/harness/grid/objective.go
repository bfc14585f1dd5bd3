package grid

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/harness/stats"
	"github.com/semi-implicit/sifg/pkg/harness/usage"
)

// Objective is the rule of selection: the cell with the smallest or largest mean over seeds of a metric at the last
// checkpoint, or the one nearest to published numbers.
type Objective struct {
	Metric    string `json:"metric"` // with the component, of a metric that has several: coverage[3]; "" if Published
	Max       bool   `json:"max,omitempty"`
	Published bool   `json:"published,omitempty"`
}

var objective = regexp.MustCompile(`^(min|max)\s+([^\s\[\]]+)(\[\d+\])?$`)

// parseObjective reads min METRIC, max METRIC, or max METRIC[3] for a component, where the experiment can measure the
// metric; or near published.
func parseObjective(text string, e *harness.Experiment) (o Objective, err error) {
	if strings.Join(strings.Fields(text), " ") == nearPublished {
		return Objective{Published: true}, nil
	}
	m := objective.FindStringSubmatch(strings.TrimSpace(text))
	var known []string
	for _, metric := range e.Metrics {
		known = append(known, metric.Name)
	}
	if m == nil {
		example := "min " + append(append(slices.Clone(e.Scores), known...), "METRIC")[0]
		return o, usage.Errorf("--select %q: want min METRIC, max METRIC or METRIC[3] for a component, such as %q, or "+
			"%s; metrics of %s: %s", text, example, nearPublished, e.Name, strings.Join(known, ", "))
	}
	o = Objective{Metric: m[2] + m[3], Max: m[1] == "max"}
	return o, usage.Among("metric", m[2:3], fmt.Sprintf("--select %q", text), known)
}

func (o Objective) String() string {
	switch {
	case o.Published:
		return nearPublished
	case o.Max:
		return "max " + o.Metric
	}
	return "min " + o.Metric
}

// metrics are those by which cells are judged, with the component of one that has several.
func (g *Group) metrics(o Objective) []string {
	if g.Published == nil {
		return []string{o.Metric}
	}
	var out []string
	for _, p := range g.Published {
		out = append(out, p.Metric)
	}
	return out
}

// component returns the name of a metric and its component.
func component(metric string) (name string, index int) {
	name, text, _ := strings.Cut(strings.TrimSuffix(metric, "]"), "[")
	index, _ = strconv.Atoi(text) // 0 of none
	return name, index
}

// rank orders the cells that can be chosen, the best first.
func (g *Group) rank(o Objective) {
	for i := range g.Cells {
		if g.Cells[i].eligible() {
			g.Rank = append(g.Rank, i)
		}
	}
	slices.SortStableFunc(g.Rank, func(a, b int) int {
		if o.Max {
			a, b = b, a
		}
		return cmp.Compare(g.Cells[a].Mean, g.Cells[b].Mean)
	})
}

// listed is the number of cells that the grid itself has.
func (g *Group) listed() int {
	if g.Cells[0].Outside {
		return len(g.Cells) - 1
	}
	return len(g.Cells)
}

// eligible reports whether the cell can be chosen.
func (c *Cell) eligible() bool { return c.Reason == "" && !c.Outside }

// pValue is that of the paired sign-flip test of no difference between two cells; NaN for fewer than two seeds or
// without a mean.
func pValue(a, b *Cell) float64 {
	d := record.Pair(b.Samples[0], a.Samples[0], 0)
	if a.Reason != "" || b.Reason != "" || d.Pairs() < 2 {
		return math.NaN()
	}
	return d.P(stats.TwoSided)
}

// edges says which settings have a chosen value that is the smallest or largest of three or more: the best may lie
// beyond.
func (g *Group) edges() []string {
	var out []string
	for _, k := range g.varying(false) {
		levels, numeric := g.levels(k)
		if !numeric || len(levels) < 3 {
			continue
		}
		value := g.ranked(0).text(k)
		end := map[string]string{levels[0]: "smallest", levels[len(levels)-1]: "largest"}[value]
		if end != "" {
			out = append(out, fmt.Sprintf("%s %s is the %s tried", short(g.Keys[k]), value, end))
		}
	}
	return out
}

// levels returns the values of key k that cells of the grid have, numbers in order of size and others as they come.
func (g *Group) levels(k int) (levels []string, numeric bool) {
	numeric = true
	for i := range g.Cells {
		if v := g.Cells[i].text(k); !g.Cells[i].Outside && !slices.Contains(levels, v) {
			levels, numeric = append(levels, v), numeric && !math.IsNaN(number(v))
		}
	}
	if numeric {
		slices.SortFunc(levels, func(a, b string) int { return cmp.Compare(number(a), number(b)) })
	}
	return levels, numeric
}

// text is the value of key k as a settings file would have it.
func (c *Cell) text(k int) string {
	var s string
	if json.Unmarshal(c.Settings[k], &s) == nil {
		return s
	}
	return string(c.Settings[k])
}

// number returns what a text says, NaN if it is no number.
func number(text string) float64 {
	v, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return math.NaN()
	}
	return v
}
