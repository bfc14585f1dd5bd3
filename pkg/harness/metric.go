package harness

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/harness/usage"
)

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

// Known refuses what is no metric, or one of several components without saying which, as coverage[3] does. from says
// where it was written.
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
	n := all[i].Components
	switch {
	case n == 0 && one:
		return usage.Errorf("%s: %s is one number: leave [%d] out", from, name, index)
	case n == Many && !one:
		return usage.Errorf("%s: %s has several components: write %s[0], %s[1], …", from, name, name, name)
	case n > 0 && (!one || index >= n):
		var components []string
		for k := range n {
			components = append(components, fmt.Sprintf("%s[%d]", name, k))
		}
		return usage.Errorf("%s: %s has %d components: %s", from, name, n, strings.Join(components, ", "))
	}
	return nil
}
