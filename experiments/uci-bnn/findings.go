package ucibnn

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/claim"
	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/harness/stats"
)

// findings say what the printed table is, and what the protocols give instead.
var findings = []harness.Finding{
	{Title: "Who leads depends on how the baselines are tuned", Text: leadership},
	{Title: "The printed SVGD cells of Power are those of Protein", Text: copied},
	{Title: "Printed cells that do not beat least squares", Text: beaten},
	{Title: "What ± means", Text: plusMinus},
	{Title: "The printed SGLD column and the released step", Text: langevin},
	{Title: "Two steps of SVGD stand in one column", Text: twoSteps},
	{Title: "Runs that do not settle", Text: unsettled},
	{Title: "Runs that end above a constant", Text: escaped},
	{Title: "Precisions chosen on rows that were trained on", Text: optimism},
	{Title: "Where σ goes", Text: sigmas},
}

// on returns the results of a protocol, nil if there are none.
func on(by map[string]*record.Set, protocol string) *results {
	if s := by[protocol]; s != nil && len(s.Trials) > 0 {
		return read(s)
	}
	return nil
}

// scaled is a protocol's name, with the scale of its records where it is not the paper's.
func scaled(s *record.Set, protocol string) string {
	if s.Scale == "full" {
		return protocol
	}
	return protocol + " at scale " + s.Scale
}

// caution precedes a comparison with print of records that are not of the paper's scale.
func caution(s *record.Set) string {
	if s.Scale == "full" {
		return ""
	}
	return "(At scale " + s.Scale + ", which is not the paper's.) "
}

// leadership counts the cells that each method leads.
func leadership(by map[string]*record.Set) string {
	var text []string
	for _, protocol := range settings.Protocols {
		r := on(by, protocol)
		if r == nil {
			continue
		}
		_, best, near, told := ranking(r, columns)
		var each []string
		cells, fewest, most := 0, math.MaxInt, 0
		for _, m := range columns {
			cells += best[m]
			entry := fmt.Sprintf("%s %d", claim.Label(m), best[m])
			if told > 0 {
				entry += fmt.Sprintf(" (%d)", near[m])
			}
			each = append(each, entry)
			for _, problem := range problems {
				if n := len(r.of(problem, metrics[0], m)); n > 0 {
					fewest, most = min(fewest, n), max(most, n)
				}
			}
		}
		if cells > 0 {
			trials := fmt.Sprint(most)
			if fewest < most {
				trials = fmt.Sprintf("%d to %d", fewest, most)
			}
			what := fmt.Sprintf("%s, %d cells of %s trials", scaled(r.set, protocol), cells, trials)
			if told < cells {
				what += fmt.Sprintf(" (%d with enough of all methods to tell)", told)
			}
			text = append(text, what+": "+strings.Join(each, ", "))
		}
	}
	if text == nil {
		return ""
	}
	first := map[string]int{}
	for _, problem := range problems {
		for _, metric := range metrics {
			best, lowest := "", math.Inf(1)
			for _, m := range columns {
				if p, ok := inPrint(problem, metric, m); ok && p.Mean < lowest {
					best, lowest = m, p.Mean
				}
			}
			first[best]++
		}
	}
	var print []string
	for _, m := range columns {
		print = append(print, fmt.Sprintf("%s %d", claim.Label(m), first[m]))
	}
	return "Cells of data set and metric with the lowest mean; in brackets, where trials are enough to tell, those in which the method is lowest " +
		"or not told apart from the lowest (paired by trial, Holm's correction) — printed: " + strings.Join(print, ", ") + "; " + strings.Join(text, "; ") +
		". released takes the scripts' settings; paper the text's procedure on random splits, with the scripts' values of what the text " +
		"tunes; matched takes for each method on each data set what a grid chose by the NLL of held-out rows, standard the same values on the " +
		"splits of the literature."
}

// copied compares the printed SVGD cells of Power with those of Protein and with ours.
func copied(by map[string]*record.Set) string {
	r := on(by, "released")
	if r == nil {
		return ""
	}
	same := true
	var cells, ours, lines []string
	for _, metric := range metrics {
		a, okA := inPrint("power", metric, "svgd")
		b, okB := inPrint("protein", metric, "svgd")
		same = same && okA && okB && a.Mean == b.Mean && a.SD == b.SD
		cells = append(cells, asPrinted(a).Text)
		for _, problem := range []string{"power", "protein"} {
			for _, m := range []string{"svgd", "svgd-slow"} {
				if v := r.of(problem, metric, m); v != nil {
					ours = append(ours, fmt.Sprintf("%s %s by step %s %s", problemNames[problem], metricNames[metric], r.step(m), spread(v)))
				}
			}
		}
		if v := r.trivial("power", "ols", metric); v != nil {
			lines = append(lines, fmt.Sprintf("%s %s", metricNames[metric], num(stats.Mean(v))))
		}
	}
	if !same || ours == nil {
		return ""
	}
	text := caution(r.set) + fmt.Sprintf("The paper prints RMSE %s and NLL %s for SVGD on both data sets. Measured — %s.", cells[0], cells[1], strings.Join(ours, "; "))
	if lines != nil {
		text += " Least squares on Power: " + strings.Join(lines, ", ") + "."
	}
	return text
}

// beaten lists printed cells that are not below least squares on the printed table's own split.
func beaten(by map[string]*record.Set) string {
	r := on(by, "released")
	if r == nil {
		return ""
	}
	var cells, lines []string
	looked := 0
	for _, problem := range problems {
		for _, metric := range metrics {
			ols := r.trivial(problem, "ols", metric)
			if ols == nil {
				continue
			}
			level := stats.Mean(ols)
			before := len(cells)
			for _, m := range columns {
				if p, ok := inPrint(problem, metric, m); ok {
					looked++
					if p.Mean >= level-0.0005 { // as it is printed
						cells = append(cells, fmt.Sprintf("%s %s %s %s", problemNames[problem], metricNames[metric], claim.Label(m), num(p.Mean)))
					}
				}
			}
			if len(cells) > before {
				lines = append(lines, fmt.Sprintf("%s %s %s", problemNames[problem], metricNames[metric], num(level)))
			}
		}
	}
	if looked == 0 {
		return ""
	}
	if cells == nil {
		return fmt.Sprintf("All %d printed cells that could be compared are below least squares on the same split.", looked)
	}
	return fmt.Sprintf("A linear regression with intercept, fitted to the same training rows and judged with its residual variance, reaches %s. "+
		"%d of %d printed cells are not below it in the digits printed: %s.", strings.Join(lines, ", "), len(cells), looked, strings.Join(cells, ", "))
}

// plusMinus compares the printed spreads with ours on one split and over splits.
func plusMinus(by map[string]*record.Set) string {
	r, p := on(by, "released"), on(by, "paper")
	if r == nil {
		return ""
	}
	var bySD, bySE, bySplit []float64
	trials := 0
	for _, c := range printed() {
		v := r.of(c.Problem, c.Metric, c.Method)
		if len(v) < 3 {
			continue
		}
		trials = max(trials, len(v))
		if c.SD > 0 {
			bySD, bySE = append(bySD, c.SD/stats.SD(v)), append(bySE, c.SD/stats.SE(v))
		}
		if p != nil {
			// Only these two have the same settings under both protocols.
			if w := p.of(c.Problem, c.Metric, c.Method); len(w) >= 3 && (c.Method == "sgld" || c.Method == "svgd") {
				bySplit = append(bySplit, stats.SD(w)/stats.SD(v))
			}
		}
	}
	if bySD == nil {
		return ""
	}
	text := caution(r.set) + fmt.Sprintf("The paper does not say what its ± is, nor what varies. With the released scripts all trials share one split, so it can only be "+
		"noise of the algorithm. Over the %d cells with a printed spread above 0.00 and three trials or more here (%d at most) it is %s times our standard "+
		"deviation and %s times our standard error (medians): ", len(bySD), trials, claim.Num(stats.Median(bySD)), claim.Num(stats.Median(bySE)))
	if math.Abs(math.Log(stats.Median(bySD))) <= math.Abs(math.Log(stats.Median(bySE))) {
		text += "it is nearer to the standard deviation. The tables here give that, and the standard error beside."
	} else {
		text += "it is nearer to the standard error. The tables here give the standard deviation, and the standard error beside."
	}
	if bySplit != nil {
		text += fmt.Sprintf(" With a random split a trial, as the text has it (paper), the standard deviation of SGLD and SVGD, whose settings are the same, "+
			"is %s times as large (median of %d cells): the printed ± holds so much less than one would see on other data.", claim.Num(stats.Median(bySplit)), len(bySplit))
	}
	return text
}

// near is the share of a printed mean within which a setting counts as the one behind it. The spread of runs that settle is smaller,
// and the two steps of SVGD differ by more in every cell.
const near = 0.01

// gives tells whether the medians over a method's trials are near both printed means of a column on a data set.
func (r *results) gives(problem, method, column string) bool {
	for _, metric := range metrics {
		p, ok := inPrint(problem, metric, column)
		if v := r.of(problem, metric, method); !ok || v == nil || !(math.Abs(stats.Median(v)-p.Mean) <= near*math.Abs(p.Mean)) {
			return false
		}
	}
	return true
}

// langevin sets SGLD by the released ε beside the printed column.
func langevin(by map[string]*record.Set) string {
	r := on(by, "released")
	if r == nil {
		return ""
	}
	var each, ahead, given, other []string
	better, looked := 0, 0
	for _, problem := range problems {
		if !r.all(problem, "test-rmse", "sgld") {
			continue
		}
		for _, metric := range metrics {
			v := r.of(problem, metric, "sgld")
			p, ok := inPrint(problem, metric, "sgld")
			if v == nil || !ok {
				continue
			}
			looked++
			better += count(stats.Mean(v) < p.Mean)
			text := fmt.Sprintf("%s %s %s", problemNames[problem], metricNames[metric], num(stats.Mean(v)))
			if m := stats.Median(v); math.Abs(m-stats.Mean(v)) > near*math.Abs(m) {
				text += fmt.Sprintf(", median %s", num(m))
			}
			each = append(each, fmt.Sprintf("%s (printed %s)", text, num(p.Mean)))
			if !slices.ContainsFunc(columns, func(m string) bool {
				q, ok := inPrint(problem, metric, m)
				return ok && q.Mean <= stats.Mean(v)
			}) {
				ahead = append(ahead, problemNames[problem]+" "+metricNames[metric])
			}
		}
		if r.gives(problem, "sgld", "sgld") {
			given = append(given, problemNames[problem])
		} else {
			other = append(other, problemNames[problem])
		}
	}
	if looked == 0 {
		return ""
	}
	text := caution(r.set) + fmt.Sprintf("SGLD with ε = %s, the value of the released script, which is set to Protein: %s. It is below the printed mean in %d of %d cells.",
		r.step("sgld"), strings.Join(each, ", "), better, looked)
	if given != nil {
		text += fmt.Sprintf(" Both printed means are met, within %.0f %% by the median over trials, on %s.", 100*near, strings.Join(given, ", "))
	}
	if other != nil && r.set.Scale == "full" {
		text += fmt.Sprintf(" On %s they must come from other settings, most likely another ε, which are not recorded.", strings.Join(other, ", "))
	}
	if ahead != nil {
		text += " It is below every printed cell of its row, the bold one included, on " + strings.Join(ahead, ", ") + "."
	}
	return text
}

// twoSteps says which step of SVGD gives which printed cells.
func twoSteps(by map[string]*record.Set) string {
	r := on(by, "released")
	if r == nil {
		return ""
	}
	steps := []string{"svgd", "svgd-slow"}
	given := map[string][]string{}
	for _, problem := range problems {
		if !r.all(problem, "test-rmse", steps...) {
			continue
		}
		var which []string
		for _, m := range steps {
			if r.gives(problem, m, "svgd") {
				which = append(which, r.step(m))
			}
		}
		key := strings.Join(which, " and ")
		given[key] = append(given[key], problemNames[problem])
	}
	var text []string
	for _, key := range slices.Sorted(maps.Keys(given)) {
		if key == "" {
			text = append(text, "neither on "+strings.Join(given[key], ", "))
		} else {
			text = append(text, "step "+key+" on "+strings.Join(given[key], ", "))
		}
	}
	if text == nil {
		return ""
	}
	return caution(r.set) + fmt.Sprintf("The released SVGD script, which is set to Concrete, takes one step and has another commented out. Both printed means are met, within %.0f %% by the "+
		"median over trials, by ", 100*near) + strings.Join(text, "; by ") + "."
}

// optimism compares the NLL on the development part with that on the test part, where the first is trained on and where it is not.
func optimism(by map[string]*record.Set) string {
	var text []string
	for _, protocol := range []string{"released", "paper", "matched"} {
		r := on(by, protocol)
		if r == nil {
			continue
		}
		var each []string
		for _, problem := range problems {
			var gaps []float64
			for _, m := range columns {
				test, dev := r.values[series{problem, "test-nll", m}], r.values[series{problem, "dev-nll", m}]
				for _, seed := range sortedKeys(test) {
					if v, ok := dev[seed]; ok {
						gaps = append(gaps, test[seed]-v)
					}
				}
			}
			if gaps != nil {
				each = append(each, problemNames[problem]+" "+num(stats.Mean(gaps)))
			}
		}
		if each != nil {
			text = append(text, scaled(r.set, protocol)+": "+strings.Join(each, ", "))
		}
	}
	if on(by, "released") == nil || len(text) < 2 {
		return ""
	}
	return "The released scripts choose the particles' noise precisions on rows that the particles were trained on; with a proper hold-out " +
		"(paper, matched) those rows are unseen. Test NLL minus NLL on those rows, each half of them judged with precisions chosen by the other, mean " +
		"over methods and trials — " + strings.Join(text, "; ") + ". Unseen rows give 0 on the average over splits, but for the smaller half that chooses; one " +
		"split adds its own luck."
}
