package monomialgamma

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mathext"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/figure"
	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/harness/stats"
	"github.com/semi-implicit/sifg/pkg/harness/table"
	"github.com/semi-implicit/sifg/pkg/sifg/target"
	"github.com/semi-implicit/sifg/pkg/study"
	"github.com/semi-implicit/sifg/pkg/study/rule"
)

var findings = []harness.Find{
	study.Under("released", wrongShape), study.Under("paper", blindToTails), study.Under("released", smallReference),
	movers,
}

// medians is a table of final medians over seeds, a row a method and one for exact draws.
func medians(s *record.Set, measures ...study.Measure) *table.Table {
	median := func(v []float64) table.Cell { return table.Number(stats.Median(v), 3) }
	t := study.Finals(s, problem, median, measures...)
	t.Notes = []string{"Medians over seeds at the last iteration."}
	return t
}

// wrongShape: the scripts' reference is drawn from another law.
func wrongShape(s *record.Set) *harness.Finding {
	law, err := target.NewMonomialGamma(2, target.ReleasedAlpha, 0.3)
	if err != nil {
		return nil
	}
	e := record.Series{Set: s, Problem: problem}
	shift := 0.0
	for _, m := range s.Methods(problem) {
		if d := math.Abs(stats.Median(e.Final(m, "knn-kl", 0)) -
			stats.Median(e.Final(m, "knn-kl-exact", 0))); d > shift {
			shift = d // NaN and infinite differences are left out by the comparison and below
		}
	}
	text := fmt.Sprintf("They use the gamma shape α where 1/α is right, so the mean of |x₁| is %s in place of %s.",
		table.Num(law.AbsMomentReleased(1)), table.Num(law.AbsMoment(1)))
	if !math.IsInf(shift, 0) {
		text += fmt.Sprintf(" The final k-NN KL of a method moves by up to %s.", table.Num(shift))
	}
	t := medians(s,
		study.Measure{Head: "k-NN KL, released reference", Metric: "knn-kl"},
		study.Measure{Head: "k-NN KL, exact reference", Metric: "knn-kl-exact"},
		study.Measure{Head: "mean |x₁|", Metric: "mean-abs"})
	kl := table.Num(shapeKL())
	t.Notes = append(t.Notes, "KL of the target to the released reference law: "+kl+" nats.")
	return &harness.Finding{Title: "The scripts draw the reference sample from the wrong law", Text: text, Table: t}
}

// blindToTails: methods that lack tails can score like exact draws.
func blindToTails(s *record.Set) *harness.Finding {
	e := record.Series{Set: s, Problem: problem}
	last := func(m, metric string) float64 { return stats.Median(e.Final(m, metric, 0)) }
	blind, worst := 0, 0.0
	for _, m := range s.Methods(problem) {
		short := 1 - last(m, "mean-abs")/last(m, "floor-mean-abs")
		if last(m, "knn-kl-exact") <= last(m, "floor-knn-kl-exact")+0.1 && short > 0.1 {
			blind, worst = blind+1, max(worst, short)
		}
	}
	if blind == 0 {
		return nil
	}
	ends := fmt.Sprintf("%d methods end", blind)
	if blind == 1 {
		ends = "one method ends"
	}
	return &harness.Finding{
		Title: "The k-NN estimate hardly sees missing tails",
		Text: fmt.Sprintf("Under the text's settings %s within 0.1 nats of exact draws with a mean of |x₁| that is up "+
			"to %.0f %% too small. The estimate weighs what a sample has, not what it lacks.", ends, 100*worst),
		Table: medians(s,
			study.Measure{Head: "k-NN KL, exact reference", Metric: "knn-kl-exact"},
			study.Measure{Head: "energy distance", Metric: "energy"},
			study.Measure{Head: "mean |x₁|", Metric: "mean-abs"}),
	}
}

// smallReference: the size of the reference sample moves the estimate.
func smallReference(s *record.Set) *harness.Finding {
	return &harness.Finding{
		Title: "A reference sample of another size is another ruler",
		Text: "The released baseline script judges with 100 reference draws, the SIFG script with 1000. Here both " +
			"judge the same runs.",
		Table: medians(s,
			study.Measure{Head: "small reference", Metric: "knn-kl-small"},
			study.Measure{Head: "large reference", Metric: "knn-kl"}),
	}
}

// movers: what the baselines gain from the same step.
func movers(by map[string]*record.Set) *harness.Finding {
	if by["released"] == nil || by["matched"] == nil {
		return nil
	}
	t := table.Of([]string{"l2-gf", "ada-gwg", "sifg", "ada-sifg"})
	t.Notes = []string{
		"Final k-NN KL against exact draws: median over seeds, and the range. SIFG takes Euler steps in both.",
	}
	t.Words("Method", figure.Label)
	for _, x := range []struct{ protocol, header string }{
		{"released", "released (Adam)"},
		{"matched", "matched (Euler, own best step)"},
	} {
		e := record.Series{Set: by[x.protocol], Problem: problem}
		t.Column(x.header, func(m string) table.Cell { return table.Text(rule.Spread(e.Last(m, "knn-kl-exact", 0))) })
	}
	return &harness.Finding{
		Title: "The baselines move by Adam in the scripts, SIFG by plain gradient steps",
		Text:  "Under matched all take Euler steps, each of its own best size, and a tenth as many.",
		Table: &t.Table,
	}
}

// shapeKL is KL(π‖reference) in 2-D: |x| and the gamma variable β|x|^α determine each other, so it is twice that of a
// gamma law of shape a = 1/α from one of shape b = α, (a−b)ψ(a) − ln Γ(a) + ln Γ(b).
func shapeKL() float64 {
	a, b := 1/target.ReleasedAlpha, float64(target.ReleasedAlpha)
	la, _ := math.Lgamma(a)
	lb, _ := math.Lgamma(b)
	return 2 * (float64((a-b)*mathext.Digamma(a)) - la + lb)
}
