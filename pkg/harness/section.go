package harness

import (
	"cmp"
	"errors"
	"slices"
	"strings"

	"github.com/semi-implicit/sifg/pkg/harness/claim"
	"github.com/semi-implicit/sifg/pkg/harness/figure"
	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/harness/table"
	"github.com/semi-implicit/sifg/pkg/harness/usage"
)

// ErrNoTrials is why a section cannot be made of a protocol that has no trials for it: a page leaves it out.
var ErrNoTrials = errors.New("the protocol has no such trials")

// Section is one thing on a page, made of the records of one protocol: a figure, a table, a figure with its table, or
// a claim with its outcome. What makes it is pure: the same records give the same section.
type Section struct {
	ID    string // name of its files, and its anchor: figure1; of a claim its number
	Title string // of a claim its statement
	Text  string // caption; of a claim its rule

	Draw  func(s *record.Set) (*figure.Figure, error) // nil: no figure
	Table func(s *record.Set) (*table.Table, error)   // nil: no table
	Claim *claim.Claim                                // of protocols that check claims; nil: no claim
	// Files are data that the arrays of trials hold, by path below the protocol: predictions.parquet. nil: none.
	Files func(s *record.Set) (map[string][]byte, error)
}

// Claims returns a section for each claim.
func Claims(all []claim.Claim) []Section {
	out := make([]Section, len(all))
	for i := range all {
		out[i] = Section{ID: all[i].ID, Title: all[i].Statement, Text: all[i].Rule, Claim: &all[i]}
	}
	return out
}

// Paper is a paper that experiments reproduce. Their page has its parts, in its order.
type Paper struct {
	Title   string
	Address string // where it can be read
	Summary string // what it proposes, in one or two sentences
	Parts   []Part
}

// Part is a figure, a table or a section of a paper.
type Part struct {
	Name   string   // as it is numbered: Figure 3
	Title  string   // what it is about
	Shows  []Shown  // from left to right
	Claims []string // what the paper says of it, by the claims' ID
}

// Shown is a section of an experiment that stands for a part of a paper.
type Shown struct {
	Experiment string
	ID         string // of the section
	Protocol   string // whose settings come nearest to the printed one
}

// Metric describes a metric that an experiment can measure.
type Metric struct {
	Name    string // as in the trace: knn-kl
	Title   string // on axes; "": the name with spaces
	Unit    string // nats, …; "" for a pure number
	Meaning string // one sentence

	Components int // how many numbers it is at a checkpoint, Many where that hangs on the problem; 0: one
}

// Metrics are those of an experiment.
type Metrics []Metric

// Axis is what stands on an axis for a metric.
func (all Metrics) Axis(metric string) string {
	title := strings.ReplaceAll(metric, "-", " ")
	for _, m := range all {
		if m.Name == metric {
			title = cmp.Or(m.Title, title)
			if m.Unit != "" {
				title += ", " + m.Unit
			}
		}
	}
	return title
}

// Many is the number of components of a metric that has one a mode, a coordinate or a particle.
const Many = -1

// Known refuses what is no metric, or one of several without saying which, as coverage[3] does. from is where it stood.
func (all Metrics) Known(text, from string) error {
	name, index, one := record.Component(text)
	var names []string
	for _, m := range all {
		names = append(names, m.Name)
	}
	i := slices.Index(names, name)
	if i < 0 {
		return usage.Unknown("metric", name, from, names)
	}
	switch n := all[i].Components; {
	case n == 0 && one:
		return usage.Errorf("%s: %s is one number: leave [%d] out", from, name, index)
	case n > 0 && (!one || index >= n):
		return usage.Errorf("%s: %s has %d components: %s[0] to %s[%d]", from, name, n, name, name, n-1)
	case n == Many && !one:
		return usage.Errorf("%s: %s has several components: write %s[0], %s[1], …", from, name, name, name)
	}
	return nil
}
