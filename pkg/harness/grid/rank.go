package grid

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/claim"
	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/harness/stats"
	"github.com/semi-implicit/sifg/pkg/harness/usage"
)

// Question is what a grid asks of its cells: which has the smallest or largest mean over seeds of a metric at the last
// checkpoint, of those within a bound, or lies nearest to published numbers. It is kept with the records.
type Question struct {
	Name      string
	Metric    string // with the component, of a metric that has several: coverage[3]; "" of Published
	Max       bool   // the largest mean is the best
	Bound     string // a metric whose mean is at most Most in what is chosen, if any cell is so; "": none
	Most      float64
	Published []claim.Published // numbers that the cells may print; nil: a metric decides
}

// nearPublished is the rule that asks which settings print the published numbers of a method on a problem. The distance
// of a cell is that of the metric that is farthest, in standard errors of the difference of means (Published.Gap).
const nearPublished = "near published"

var rule = regexp.MustCompile(`^(min|max)\s+(\S+)(?:\s+where\s+(\S+)\s*<=\s*(\d*\.?\d+(?:e-?\d+)?))?$`)

// Ask reads the rule of a grid: min METRIC, max METRIC, or max METRIC[3] for a component, where the experiment can
// measure the metric, with or without a bound, where METRIC <= NUMBER; or near published.
func Ask(name, text string, e *harness.Experiment) (q Question, err error) {
	q.Name = name
	if strings.Join(strings.Fields(text), " ") == nearPublished {
		q.Published = slices.DeleteFunc(slices.Clone(e.Published), func(p claim.Published) bool { return p.Excluded })
		if len(q.Published) == 0 {
			return q, usage.Errorf("grid %s: select %q: no number of %s is published", name, text, e.Name)
		}
		return q, nil
	}
	m := rule.FindStringSubmatch(strings.TrimSpace(text))
	if m == nil {
		var known []string
		for _, metric := range e.Metrics {
			known = append(known, metric.Name)
		}
		return q, usage.Errorf("grid %s: select %q: want min METRIC, max METRIC or METRIC[3] for a component, or %s; "+
			"metrics of %s: %s", name, text, nearPublished, e.Name, strings.Join(known, ", "))
	}
	q.Metric, q.Max, q.Bound = m[2], m[1] == "max", m[3]
	where := fmt.Sprintf("grid %s: select %q", name, text)
	err = e.Metrics.Known(m[2], where)
	if q.Bound != "" && err == nil {
		q.Most, err = number(m[4]), e.Metrics.Known(q.Bound, where)
	}
	return q, err
}

func (q Question) String() string {
	if q.Published != nil {
		return nearPublished
	}
	text := map[bool]string{true: "max ", false: "min "}[q.Max] + q.Metric
	if q.Bound != "" {
		text += fmt.Sprintf(" where %s <= %v", q.Bound, q.Most)
	}
	return text
}

// Text is the question as the records keep it.
func (q Question) Text() string {
	b, _ := json.Marshal(q) // published numbers are finite
	return string(b)
}

// group is the cells of one method on one problem, the best first. Those that cannot be ranked come last.
type group struct {
	problem, method string
	keys            []string // settings that vary between cells
	cells           []*cell
	use             *cell // the settings as they are, one of cells
	published       []claim.Published
	metrics         []string // by which cells are ranked
}

// cell is one choice of settings.
type cell struct {
	variant  string // the method of its trials: sgld@step=0.05
	settings map[string]string
	samples  []record.Sample // one a metric
	mean     float64         // over seeds, or the distance from published numbers; NaN of none
	why      string          // there is no mean; "": there is one
	outside  bool            // of the bound of the question
	listed   bool            // it is a cell of the grid
}

// groups are the cells of a set, those that have no trial yet included.
func (q Question) groups(s *record.Set) (out []*group) {
	for _, problem := range s.Problems {
		of, seen := map[string]*group{}, map[string]bool{}
		for _, t := range slices.Concat(s.Trials, s.Missing) {
			if t.Problem != problem || seen[t.Method] {
				continue
			}
			seen[t.Method] = true
			method, _, listed := strings.Cut(t.Method, "@")
			if of[method] == nil {
				of[method] = q.group(problem, method)
				out = append(out, of[method])
			}
			of[method].add(s, t, q, listed)
		}
	}
	out = slices.DeleteFunc(out, func(g *group) bool { return len(g.metrics) == 0 })
	for _, g := range out {
		g.rank(q.Max)
	}
	return out
}

// group is a group without cells. It has no metric where nothing of it is published.
func (q Question) group(problem, method string) *group {
	g := &group{problem: problem, method: method}
	if q.Published == nil {
		g.metrics = []string{q.Metric}
		if q.Bound != "" {
			g.metrics = append(g.metrics, q.Bound)
		}
	}
	for _, p := range q.Published {
		if p.Problem == problem && p.Method == method {
			g.published, g.metrics = append(g.published, p), append(g.metrics, p.Metric)
		}
	}
	return g
}

// notAll is why a cell has no mean some of whose trials are missing.
const notAll = "trials are missing"

// add adds the cell of a trial, which may be the settings as they are once more.
func (g *group) add(s *record.Set, of record.Trial, q Question, listed bool) {
	view := record.View{Set: s, Problem: g.problem}
	c := &cell{variant: of.Method, listed: listed, mean: math.NaN(), settings: flat([]byte(of.Config))}
	for _, metric := range g.metrics {
		name, index, _ := record.Component(metric)
		sample := view.Last(of.Method, name, index)
		c.samples = append(c.samples, sample)
		if why := sample.Why(); why != "" && c.why == "" {
			c.why = metric + ": " + why
		}
	}
	missing := func(t record.Trial) bool { return t.Problem == g.problem && t.Method == of.Method }
	if slices.ContainsFunc(s.Missing, missing) {
		c.why = notAll
	}
	switch {
	case c.why != "" || len(c.samples) == 0:
	case g.published == nil:
		c.mean = stats.Mean(c.samples[0].Numbers())
		c.outside = q.Bound != "" && stats.Mean(c.samples[1].Numbers()) > q.Most
	default:
		c.mean = 0
		for i, p := range g.published {
			difference, se := p.Gap(c.samples[i].Numbers())
			c.mean = max(c.mean, math.Abs(difference)/se)
		}
	}
	if g.use != nil && maps.Equal(g.use.settings, c.settings) {
		g.use.listed = true
		return
	}
	if g.cells = append(g.cells, c); !listed {
		g.use = c
	}
}

// rank orders the cells and finds the settings that vary.
func (g *group) rank(largest bool) {
	slices.SortStableFunc(g.cells, func(a, b *cell) int {
		switch {
		case a.why != "" || b.why != "":
			return cmp.Compare(len(a.why), 0) - cmp.Compare(len(b.why), 0)
		case len(a.samples[0]) != len(b.samples[0]): // halving left off the one with fewer seeds
			return cmp.Compare(len(b.samples[0]), len(a.samples[0]))
		case a.outside != b.outside:
			return map[bool]int{true: 1, false: -1}[a.outside]
		case largest:
			return cmp.Compare(b.mean, a.mean)
		}
		return cmp.Compare(a.mean, b.mean)
	})
	var values []map[string]string
	for _, c := range g.cells {
		values = append(values, c.settings)
	}
	g.keys = varying(values)
}

// words name a cell by the settings that vary.
func (g *group) words(c *cell) string { return label(c.settings, g.keys, " ", ", ") }

// ranked are the cells that have a mean.
func (g *group) ranked() []*cell {
	return slices.DeleteFunc(slices.Clone(g.cells), func(c *cell) bool { return c.why != "" })
}

// number returns what a text says, NaN if it is no number.
func number(text string) float64 {
	v, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return math.NaN()
	}
	return v
}

// Chosen returns the settings of the best cells as a layer that --config takes. A setting of the problem, such as
// particles, is shared by its methods: where their choices differ in it, it is left out, and said in notes. The
// settings as they are compete, so nothing is chosen that is worse.
func (q Question) Chosen(s *record.Set) (layer []byte, notes []string) {
	values := map[string]string{}
	for _, g := range q.groups(s) {
		switch {
		case g.use == nil || g.use.why == notAll:
			const why = "trials of the current settings, which compete, are missing"
			notes = append(notes, fmt.Sprintf("%s on %s: %s", g.method, g.problem, why))
			continue
		case len(g.ranked()) == 0:
			notes = append(notes, fmt.Sprintf("%s on %s: no configuration can be chosen", g.method, g.problem))
			continue
		}
		for _, key := range g.keys {
			name, sampler := strings.CutPrefix(key, "sampler.")
			if sampler || key == "iterations" || strings.HasPrefix(key, "options.") {
				name = "methods." + g.method + "." + name
			}
			name = "problems." + g.problem + "." + name
			value := cmp.Or(g.cells[0].settings[key], "null")
			if other, there := values[name]; there && other != value {
				value = ""
			}
			values[name] = value
		}
	}
	var lines strings.Builder
	for _, key := range slices.Sorted(maps.Keys(values)) {
		if values[key] == "" {
			notes = append(notes, key+": the methods share it, and their best values differ")
		} else {
			fmt.Fprintf(&lines, "%s: %s\n", key, values[key]) // JSON is YAML
		}
	}
	head := fmt.Sprintf("# Chosen by the grid %s of %s, protocol %s: %v.\n", q.Name, s.Experiment, s.Protocol, q)
	for _, n := range notes {
		head += "# Left out: " + n + ".\n"
	}
	return []byte(head + lines.String()), notes
}
