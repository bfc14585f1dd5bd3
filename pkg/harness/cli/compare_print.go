package cli

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/semi-implicit/sifg/pkg/harness/compare"
	"github.com/semi-implicit/sifg/pkg/harness/table"
)

// write prints the lists.
func (c *comparison) write(a *app) error {
	w := tabwriter.NewWriter(a.out, 0, 0, 2, ' ', 0)
	c.writePrinted(w)
	c.writeCells(w)
	c.writePairs(w)
	if err := w.Flush(); err != nil {
		return err
	}
	for _, n := range c.Notes {
		fmt.Fprintln(a.out, n)
	}
	if len(c.Claims) > 0 {
		if len(c.Printed)+len(c.Notes) > 0 {
			fmt.Fprintln(a.out)
		}
		return writeLedger(a.out, c.Claims, false)
	}
	return nil
}

func (c *comparison) writePrinted(w *tabwriter.Writer) {
	count := map[string]int{}
	var notes footnotes
	for i, x := range c.Printed {
		if i == 0 || c.Printed[i-1].Protocol != x.Protocol || c.Printed[i-1].Experiment != x.Experiment {
			fmt.Fprintf(w, "%s, protocol %s, %s\n", x.Experiment, x.Protocol, x.Source)
			fmt.Fprintln(w, "  problem\tmetric\tmethod\tprinted\tours\ttrials\tdifference\t95 %\tin sd\tin %\tverdict")
		}
		count[x.Verdict]++
		fmt.Fprintf(w, "  %s\t%s\t%s\t%s\t%s\t%d\t%s\t%s\t%s\t%s\t%s\n", x.Problem, x.Metric, x.Method, x.Text, spread(x.Ours), x.Ours.N,
			plusMinus(x.Difference, x.Uncertainty), between(x.Low, x.High), fixed(x.Units, 1), fixed(100*x.Share, 1), notes.mark(x.Verdict, x.Why, x.Note))
		if i+1 == len(c.Printed) || c.Printed[i+1].Protocol != x.Protocol || c.Printed[i+1].Experiment != x.Experiment {
			fmt.Fprintf(w, "  %s\n\n", tallyOf(count))
			clear(count)
		}
	}
	if len(c.Printed) > 0 {
		fmt.Fprintf(w, "%s. Difference ± its standard error,\nif the printed mean is of as many trials as ours; 95 %% is the bootstrap interval of our mean, less the printed one.\n", compare.Tolerance)
	}
	notes.write(w)
}

func (c *comparison) writeCells(w *tabwriter.Writer) {
	count := map[string]int{}
	var notes footnotes
	for i, x := range c.Cells {
		if i == 0 || c.Cells[i-1].Protocol != x.Protocol || c.Cells[i-1].Experiment != x.Experiment {
			fmt.Fprintf(w, "%s, protocol %s, against %s\n", x.Experiment, x.Protocol, c.Against)
			fmt.Fprintln(w, "  problem\tmetric\tmethod\tours\ttheirs\tpairs\tdifference\tverdict")
		}
		metric, verdict := x.Metric, x.Verdict
		if x.Index > 0 {
			metric += fmt.Sprintf("[%d]", x.Index)
		}
		if x.Identical {
			verdict = "identical"
		}
		count[verdict]++
		fmt.Fprintf(w, "  %s\t%s\t%s\t%s\t%s\t%d\t%s\t%s\n", x.Problem, metric, x.Method, spread(x.Ours), spread(x.Theirs), x.Pairs,
			plusMinus(x.Difference, x.Uncertainty), notes.mark(verdict, x.Why, x.Note))
		if i+1 == len(c.Cells) || c.Cells[i+1].Protocol != x.Protocol || c.Cells[i+1].Experiment != x.Experiment {
			fmt.Fprintf(w, "  %s\n\n", tallyOf(count))
			clear(count)
		}
	}
	if len(c.Cells) > 0 {
		fmt.Fprintf(w, "%s. Difference ± its standard error, paired by seed where seeds are shared.\n", compare.Tolerance)
	}
	notes.write(w)
}

func (c *comparison) writePairs(w *tabwriter.Writer) {
	var notes footnotes
	for i, x := range c.Pairs {
		if i == 0 || c.Pairs[i-1].Protocol != x.Protocol || c.Pairs[i-1].Experiment != x.Experiment {
			fmt.Fprintf(w, "%s, protocol %s, against %s%s\n", x.Experiment, x.Protocol, x.Base, reduced(x.Scale))
			fmt.Fprintf(w, "  metric\tproblem\tmethod\tmethod's\t%s's\tpairs\tdifference\t95 %%\tp\tcorrected\tlower in\tverdict\n", x.Base)
		}
		fmt.Fprintf(w, "  %s\t%s\t%s\t%s\t%s\t%d\t%s\t%s\t%s\t%s\t%s\t%s\n", x.Metric, x.Problem, x.Method, spread(x.Ours), spread(x.Theirs), x.Pairs,
			table.Significant(float64(x.Difference), 3), between(x.Low, x.High), table.PValue(float64(x.P)).Text,
			table.PValue(float64(x.Corrected)).Text, percent(x.Improvement), notes.mark(x.Verdict, x.Note))
		if i+1 < len(c.Pairs) && c.Pairs[i+1].Protocol == x.Protocol && c.Pairs[i+1].Experiment == x.Experiment {
			continue
		}
		for _, m := range c.Averages {
			if m.Protocol != x.Protocol || m.Experiment != x.Experiment {
				continue
			}
			if m.Refused != "" {
				fmt.Fprintf(w, "  no average over problems of %s, %s: %s\n", m.Metric, m.Method, m.Refused)
			} else {
				fmt.Fprintf(w, "  %s, %s lower than %s with probability %s (%s … %s): mean over %s\n", m.Metric, m.Method, m.Base,
					percent(m.Improvement), percent(m.Low), percent(m.High), m.Over)
			}
		}
		fmt.Fprintln(w)
	}
	if len(c.Pairs) > 0 {
		fmt.Fprint(w, "Less is better. Differences are paired by seed: mean, 95 % bootstrap interval, two-sided sign-flip permutation test; corrected: by Holm\nfor all comparisons of an experiment and protocol above. lower in: share of seeds, which estimates the probability of improvement.\n"+
			"too few seeds: n pairs give no p-value below 2¹⁻ⁿ, which such a correction leaves above 5 % whatever the values.\n")
	}
	notes.write(w)
}

func spread(s compare.Summary) string {
	if s.N == 0 {
		return "–"
	}
	return table.PlusMinus(float64(s.Mean), float64(s.SD)).Text
}

func plusMinus(v, s compare.Number) string { return table.PlusMinus(float64(v), float64(s)).Text }

func fixed(v compare.Number, decimals int) string { return table.Fixed(float64(v), decimals).Text }

func percent(v compare.Number) string {
	if math.IsNaN(float64(v)) {
		return "–"
	}
	return strconv.Itoa(int(math.Round(100*float64(v)))) + " %"
}

func between(lo, hi compare.Number) string {
	if math.IsNaN(float64(lo)) {
		return "–"
	}
	return table.Significant(float64(lo), 2) + " … " + table.Significant(float64(hi), 2)
}

// footnotes are what is said once, below a list.
type footnotes []string

// mark returns a verdict with the numbers of what is said of it.
func (f *footnotes) mark(verdict string, texts ...string) string {
	var numbers []string
	for _, text := range texts {
		if text == "" {
			continue
		}
		i := slices.Index(*f, text)
		if i < 0 {
			i, *f = len(*f), append(*f, text)
		}
		numbers = append(numbers, strconv.Itoa(i+1))
	}
	if numbers == nil {
		return verdict
	}
	return verdict + " (" + strings.Join(numbers, ", ") + ")"
}

func (f footnotes) write(w io.Writer) {
	for i, text := range f {
		fmt.Fprintf(w, "(%d) %s.\n", i+1, strings.TrimSuffix(text, "."))
	}
}

// tallyOf counts verdicts, in words.
func tallyOf(count map[string]int) string {
	var out []string
	for _, v := range []string{"identical", compare.Agrees, compare.Differs, compare.NotComparable} {
		n, text := count[v], v
		if n != 1 {
			text = strings.TrimSuffix(v, "s") // 1 agrees, 2 agree
		}
		if n > 0 {
			out = append(out, fmt.Sprintf("%d %s", n, text))
		}
	}
	return strings.Join(out, ", ")
}

func reduced(scale string) string {
	if scale == "full" {
		return ""
	}
	return ", " + scale + " scale (not the paper's settings)"
}
