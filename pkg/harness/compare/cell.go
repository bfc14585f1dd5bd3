// Package compare sets numbers side by side: a report's against those that the paper prints, against another report's, and
// methods against each other. Everything is by cell: one metric of one method on one problem under one protocol, one
// value a seed, at the last checkpoint.
package compare

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/harness/stats"
)

// Verdicts on a cell.
const (
	Agrees        = "agrees"
	Differs       = "differs"
	NotComparable = "not comparable"
)

// Two means agree if they differ by at most so many pooled standard deviations, or by this share of the one compared with.
const (
	Units = 2
	Share = 0.03
)

// Tolerance is the rule in words.
const Tolerance = "agrees: the means differ by at most 2 pooled standard deviations, √((sd² + sd²)/2), or by 3 %"

// Name is what a cell is the numbers of.
type Name struct {
	Experiment string `json:"experiment"`
	Protocol   string `json:"protocol"`
	Scale      string `json:"scale"`
	Problem    string `json:"problem"`
	Method     string `json:"method"`
	Metric     string `json:"metric"`
	Index      int    `json:"index"` // component of a vector metric, 0 otherwise
}

// cell is the values of one cell.
type cell struct {
	Name
	Values map[uint64]float64 // by seed, of the trials that ended well
	Bad    int                // trials that did not end well
	Config string             // resolved, of the first trial; JSON
}

// ordered returns the values in order of seed.
func (c *cell) ordered() []float64 {
	var out []float64
	for _, seed := range slices.Sorted(maps.Keys(c.Values)) {
		out = append(out, c.Values[seed])
	}
	return out
}

// cellsOf returns the cells of a report in order of problem, method, metric and index. Those of a method none of whose trials
// ended well have no metric: they are left out.
func cellsOf(r harness.Report) []*cell {
	type trials struct {
		bad    int
		config string
	}
	of, ok := map[[2]string]trials{}, map[string]bool{}
	for _, t := range r.Set.Trials {
		k := [2]string{t.Problem, t.Method}
		m := of[k]
		if ok[t.Key] = t.Status == record.StatusOK; !ok[t.Key] {
			m.bad++
		}
		if m.config == "" {
			m.config = t.Config
		}
		of[k] = m
	}
	at := map[Name]*cell{}
	var out []*cell
	for _, t := range r.Set.Traces {
		if !ok[t.Key] {
			continue
		}
		n := Name{r.Info.Experiment, r.Info.Protocol, r.Info.Scale, t.Problem, t.Method, t.Metric, t.Index}
		c := at[n]
		if c == nil {
			m := of[[2]string{t.Problem, t.Method}]
			c = &cell{Name: n, Values: map[uint64]float64{}, Bad: m.bad, Config: m.config}
			at[n], out = c, append(out, c)
		}
		c.Values[t.Seed] = t.Value // rows are in order of iteration: the last stays
	}
	return out
}

// Number is a number that JSON has no literal for where it is not finite: it is null there.
type Number float64

// MarshalJSON implements json.Marshaler.
func (n Number) MarshalJSON() ([]byte, error) {
	if v := float64(n); math.IsNaN(v) || math.IsInf(v, 0) {
		return []byte("null"), nil
	}
	return json.Marshal(float64(n))
}

// Summary is what is known of one side's values.
type Summary struct {
	Mean Number `json:"mean"`
	SD   Number `json:"sd"` // over seeds; null of one value
	N    int    `json:"n"`
}

func summary(v []float64) Summary {
	return Summary{Number(stats.Mean(v)), Number(stats.SD(v)), len(v)}
}

// incomplete says what a report's numbers are not of, "" for a report of the settings as they are written.
func incomplete(i harness.RunInfo) string {
	var text []string
	if i.Scale != "full" {
		text = append(text, i.Scale+" scale: not the paper's settings")
	}
	if len(i.Set) > 0 {
		text = append(text, "settings changed: "+strings.Join(i.Set, ", "))
	}
	return strings.Join(text, "; ")
}

// lacking says why a cell of a report has no values.
func lacking(r harness.Report, problem, method, metric string) string {
	bad, all := map[string]int{}, 0
	for _, t := range r.Set.Trials {
		if t.Problem == problem && t.Method == method {
			all++
			if t.Status != record.StatusOK {
				bad[t.Status]++
			}
		}
	}
	var text []string
	for _, s := range slices.Sorted(maps.Keys(bad)) {
		text = append(text, fmt.Sprintf("%d %s", bad[s], s))
	}
	switch {
	case all == 0:
		return "no trial of it"
	case len(text) > 0:
		return fmt.Sprintf("of %d trials %s", all, strings.Join(text, ", "))
	}
	return "its trials do not measure " + metric
}
