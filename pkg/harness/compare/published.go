package compare

import (
	"math"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/stats"
)

// Printed is a number of the paper beside ours.
type Printed struct {
	Name
	Source      string  `json:"source"`
	Text        string  `json:"text"`   // theirs, as it is printed
	Theirs      Summary `json:"theirs"` // N = 0: not printed
	Ours        Summary `json:"ours"`
	Difference  Number  `json:"difference"`  // ours − theirs
	Uncertainty Number  `json:"uncertainty"` // standard error of the difference, if theirs is a mean of as many trials as ours
	Low         Number  `json:"low"`         // 95 % interval of our mean (stats.MeanInterval), less theirs
	High        Number  `json:"high"`
	Units       Number  `json:"units"` // Difference in pooled standard deviations
	Share       Number  `json:"share"` // Difference over their mean
	Verdict     string  `json:"verdict"`
	Why         string  `json:"why,omitempty"`  // it is not comparable
	Note        string  `json:"note,omitempty"` // what is known of the printed number
	Missing     bool    `json:"missing,omitempty"`
}

// Published compares a report with the numbers that the paper prints of its experiment, in the order in which they are
// given; nil where it prints none.
func Published(e *harness.Experiment, r harness.Report) ([]Printed, error) {
	numbers, err := harness.ReadPublished(e.Published)
	if err != nil {
		return nil, err
	}
	cells := map[Name]*cell{}
	for _, c := range cellsOf(r) {
		cells[c.Name] = c
	}
	var out []Printed
	for _, p := range numbers {
		n := Name{r.Info.Experiment, r.Info.Protocol, r.Info.Scale, p.Problem, p.Method, p.Metric, 0}
		x := Printed{
			Name: n, Source: p.Source, Note: p.Note, Theirs: Summary{Number(p.Mean), Number(p.SD), 0}, Text: p.Text,
			Verdict: NotComparable,
		}
		var v []float64
		if c := cells[n]; c != nil {
			v = c.ordered()
		}
		x.Ours = summary(v)
		g := p.Gap(v)
		x.Difference, x.Units, x.Share = Number(g.Difference), Number(g.Units), Number(g.Share)
		x.Uncertainty, x.Low, x.High = Number(math.NaN()), Number(math.NaN()), Number(math.NaN())
		if len(v) > 0 {
			x.Uncertainty = Number(g.Pooled * math.Sqrt(2/float64(len(v))))
			lo, hi := stats.MeanInterval(v, 0.95, 1)
			x.Low, x.High = Number(lo-p.Mean), Number(hi-p.Mean)
		}
		switch {
		case len(v) == 0:
			x.Why, x.Missing = lacking(r, p.Problem, p.Method, p.Metric), true
		case e.Unlike[r.Info.Protocol] != "":
			x.Why = e.Unlike[r.Info.Protocol]
		case incomplete(r.Info) != "":
			x.Why = incomplete(r.Info)
		case g.Within(Units, Share):
			x.Verdict = Agrees
		default:
			x.Verdict = Differs
		}
		out = append(out, x)
	}
	return out, nil
}
