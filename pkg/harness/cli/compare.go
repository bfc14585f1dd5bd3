package cli

import (
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/compare"
	"github.com/semi-implicit/sifg/pkg/harness/table"
)

// comparison is what sifg compare --json prints: the lists that were asked for.
type comparison struct {
	Against  string            `json:"against"`
	Printed  []compare.Printed `json:"printed,omitempty"`
	Cells    []compare.Matched `json:"cells,omitempty"`
	Pairs    []compare.Pair    `json:"pairs,omitempty"`
	Averages []compare.Average `json:"averages,omitempty"`
	Claims   []harness.Row     `json:"claims,omitempty"`
	Notes    []string          `json:"notes,omitempty"`
}

func (a *app) compare() *cobra.Command {
	var against string
	var strict bool
	var metrics []string
	cmd := &cobra.Command{
		Use:   "compare [EXPERIMENT...|all]",
		Short: "Sets the report beside the paper's numbers, another report, or methods beside each other",
		Long: `Sets the report beside the paper's numbers, another report, or methods beside each other, cell by cell: one metric of one
method on one problem, at the last checkpoint. Against the paper it also prints the verdict on every claim.`,
		Example: `  sifg compare --protocol all --scale smoke       # every printed number beside ours, and every claim
  sifg compare gmm --scale smoke --against sifg --metric knn-kl     # every method against SIFG, paired by seed
  sifg compare gmm --scale smoke --against results/smoke     # the report in another folder, here in the same`,
		RunE: func(_ *cobra.Command, args []string) error {
			r, err := a.request(args)
			if err != nil {
				return err
			}
			reports, err := harness.ReadReports(a.resultsDir(), r.Experiments, r.Protocols)
			if err != nil {
				return err
			}
			if len(reports) == 0 {
				return exitf(exitStopped, "no report in %s of %s: sifg run makes one", a.resultsDir(), protocolsAsked(r.Protocols))
			}
			c := comparison{Against: against}
			if strict && isMethod(reports, against) {
				return harness.Usagef("--strict is for numbers that ought to agree, not for methods: leave it or --against %s out", against)
			}
			switch {
			case against == "published":
				err = a.printed(&c, r.Experiments, reports)
			case isMethod(reports, against):
				err = a.methods(&c, reports, against, metrics)
			default:
				err = a.cells(&c, r, reports, against, metrics)
			}
			if err != nil {
				return err
			}
			if a.opt.json {
				if err := writeJSON(a.out, c); err != nil {
					return err
				}
			} else if err := c.write(a); err != nil {
				return err
			}
			if strict {
				return c.outside()
			}
			return nil
		},
	}
	f := cmd.Flags()
	f.StringVar(&against, "against", "published", "published (the paper's numbers), the folder of another report, or a method")
	f.BoolVar(&strict, "strict", false, "exit with 4 when a cell is outside tolerance, with 75 when one has no result")
	f.StringArrayVar(&metrics, "metric", nil, "compare this metric; repeatable (default those that the experiment names for it;\nall for every one)")
	f.StringVar(&a.opt.protocol, "protocol", "released", "paper, released, matched, standard, several of them with commas, or all")
	f.StringVar(&a.opt.scale, "scale", "full", "full, quick or smoke")
	a.folders(cmd)
	a.jsonFlag(cmd)
	return cmd
}

func protocolsAsked(p []string) string {
	if p == nil {
		return "any protocol"
	}
	return "protocol " + strings.Join(p, ", ")
}

func isMethod(reports []harness.Report, name string) bool {
	return slices.ContainsFunc(reports, func(r harness.Report) bool { return slices.Contains(methodsOf(r), name) })
}

func methodsOf(r harness.Report) []string {
	var out []string
	for _, t := range r.Set.Trials {
		if !slices.Contains(out, t.Method) {
			out = append(out, t.Method)
		}
	}
	return out
}

// printed compares with what the paper prints, and reads the claims.
func (a *app) printed(c *comparison, experiments []*harness.Experiment, reports []harness.Report) error {
	for _, r := range reports {
		e, err := a.experiment(r.Info.Experiment)
		if err != nil {
			return err
		}
		rows, err := compare.Published(e, r)
		if err != nil {
			return err
		}
		c.Printed = append(c.Printed, rows...)
		if note := fmt.Sprintf("%s: the paper prints no numbers of it, only curves", e.Name); e.Published == nil && !slices.Contains(c.Notes, note) {
			c.Notes = append(c.Notes, note)
		}
	}
	decided, err := harness.ReadClaims(a.resultsDir(), a.experiments)
	if err != nil {
		return err
	}
	for _, row := range harness.Ledger(a.experiments, decided) {
		if slices.ContainsFunc(experiments, func(e *harness.Experiment) bool { return e.Name == row.Experiment }) {
			c.Claims = append(c.Claims, row)
		}
	}
	return nil
}

// methods compares every method with a base.
func (a *app) methods(c *comparison, reports []harness.Report, base string, metrics []string) error {
	for _, r := range reports {
		use, err := a.scores(r, metrics)
		if err != nil {
			return err
		}
		pairs := compare.Methods(r, base, use)
		if len(pairs) == 0 {
			c.Notes = append(c.Notes, fmt.Sprintf("%s, %s: no method to compare with %s", r.Info.Experiment, r.Info.Protocol, base))
		}
		c.Pairs = append(c.Pairs, pairs...)
		c.Averages = append(c.Averages, compare.Averages(pairs)...)
	}
	return nil
}

// scores are the metrics asked for, or those that the experiment names.
func (a *app) scores(r harness.Report, asked []string) ([]string, error) {
	e, err := a.experiment(r.Info.Experiment)
	if err != nil || len(asked) == 0 && len(e.Scores) > 0 {
		return e.Scores, err
	}
	var all []string
	for _, t := range r.Set.Traces {
		if !slices.Contains(all, t.Metric) {
			all = append(all, t.Metric)
		}
	}
	if len(asked) == 0 || slices.Contains(asked, "all") {
		return all, nil
	}
	var out []string
	for _, m := range asked {
		if slices.Contains(all, m) {
			out = append(out, m)
		} else if !slices.ContainsFunc(a.experiments, func(e *harness.Experiment) bool { return slices.Contains(e.Metrics, m) || slices.Contains(e.Scores, m) }) {
			return nil, harness.Unknown("metric", m, "--metric", append(all, "all"))
		}
	}
	return out, nil
}

// cells compares with the report in another folder.
func (a *app) cells(c *comparison, r harness.Request, reports []harness.Report, dir string, metrics []string) error {
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		known := []string{"published"}
		for _, r := range reports {
			known = append(known, methodsOf(r)...)
		}
		slices.Sort(known)
		return harness.Usagef("--against %s is no folder; %v", dir, harness.Unknown("word", dir, "--against", slices.Compact(known)))
	}
	others, err := harness.ReadReports(dir, r.Experiments, r.Protocols)
	if err != nil {
		return err
	}
	if len(others) == 0 {
		return harness.Usagef("--against %s: there is no report of these experiments under %s", dir, protocolsAsked(r.Protocols))
	}
	for _, ours := range reports {
		i := slices.IndexFunc(others, func(t harness.Report) bool {
			return t.Info.Experiment == ours.Info.Experiment && t.Info.Protocol == ours.Info.Protocol
		})
		if i < 0 {
			c.Notes = append(c.Notes, fmt.Sprintf("%s, %s: only ours", ours.Info.Experiment, ours.Info.Protocol))
			continue
		}
		use, err := a.scores(ours, metrics)
		if err != nil {
			return err
		}
		for _, m := range compare.Folders(ours, others[i]) {
			if slices.Contains(use, m.Metric) {
				c.Cells = append(c.Cells, m)
			}
		}
	}
	for _, t := range others {
		if !slices.ContainsFunc(reports, func(o harness.Report) bool {
			return t.Info.Experiment == o.Info.Experiment && t.Info.Protocol == o.Info.Protocol
		}) {
			c.Notes = append(c.Notes, fmt.Sprintf("%s, %s: only theirs", t.Info.Experiment, t.Info.Protocol))
		}
	}
	return nil
}

// outside is the error of --strict.
func (c *comparison) outside() error {
	var differ, missing []string
	all := 0
	add := func(n compare.Name, verdict string, none bool) {
		what := strings.Join([]string{n.Experiment, n.Protocol, n.Problem, n.Metric, n.Method}, " ")
		all++
		switch {
		case verdict == compare.Differs:
			differ = append(differ, what)
		case none:
			missing = append(missing, what)
		}
	}
	for _, x := range c.Printed {
		add(x.Name, x.Verdict, x.Missing)
	}
	for _, x := range c.Cells {
		add(x.Name, x.Verdict, x.Ours.N == 0)
	}
	few := func(names []string) string {
		if len(names) > 3 {
			return strings.Join(names[:3], ", ") + fmt.Sprintf(" and %d more", len(names)-3)
		}
		return strings.Join(names, ", ")
	}
	switch {
	case len(differ) > 0:
		return exitf(exitOutside, "%d of %d cells are outside tolerance: %s", len(differ), all, few(differ))
	case len(missing) > 0:
		return exitf(exitStopped, "%d of %d cells have no result: %s", len(missing), all, few(missing))
	}
	return nil
}

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
	var notes []string // said once, below
	for i, x := range c.Printed {
		if i == 0 || c.Printed[i-1].Protocol != x.Protocol || c.Printed[i-1].Experiment != x.Experiment {
			fmt.Fprintf(w, "%s, protocol %s, %s\n", x.Experiment, x.Protocol, x.Source)
			fmt.Fprintln(w, "  problem\tmetric\tmethod\tprinted\tours\ttrials\tdifference\t95 %\tin sd\tin %\tverdict")
		}
		count[x.Verdict]++
		fmt.Fprintf(w, "  %s\t%s\t%s\t%s\t%s\t%d\t%s\t%s\t%s\t%s\t%s\n", x.Problem, x.Metric, x.Method, x.Text, spread(x.Ours), x.Ours.N,
			plusMinus(x.Difference, x.Uncertainty), between(x.Low, x.High), fixed(x.Units, 1), fixed(100*x.Share, 1), verdictText(x.Verdict, x.Why, mark(&notes, x.Note)))
		if i+1 == len(c.Printed) || c.Printed[i+1].Protocol != x.Protocol || c.Printed[i+1].Experiment != x.Experiment {
			fmt.Fprintf(w, "  %s\n\n", tally3(count))
			clear(count)
		}
	}
	if len(c.Printed) > 0 {
		fmt.Fprintf(w, "%s. Difference ± its standard error,\nif the printed mean is of as many trials as ours; 95 %% is the bootstrap interval of our mean, less the printed one.\n", compare.Tolerance)
	}
	for i, n := range notes {
		fmt.Fprintf(w, "(%d) %s\n", i+1, n)
	}
}

func (c *comparison) writeCells(w *tabwriter.Writer) {
	count := map[string]int{}
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
			plusMinus(x.Difference, x.Uncertainty), verdictText(verdict, x.Why, x.Note))
		if i+1 == len(c.Cells) || c.Cells[i+1].Protocol != x.Protocol || c.Cells[i+1].Experiment != x.Experiment {
			fmt.Fprintf(w, "  %s\n\n", tally3(count))
			clear(count)
		}
	}
	if len(c.Cells) > 0 {
		fmt.Fprintf(w, "%s. Difference ± its standard error, paired by seed where seeds are shared.\n", compare.Tolerance)
	}
}

func (c *comparison) writePairs(w *tabwriter.Writer) {
	for i, x := range c.Pairs {
		if i == 0 || c.Pairs[i-1].Protocol != x.Protocol || c.Pairs[i-1].Experiment != x.Experiment {
			fmt.Fprintf(w, "%s, protocol %s, against %s%s\n", x.Experiment, x.Protocol, x.Base, reduced(x.Scale))
			fmt.Fprintf(w, "  metric\tproblem\tmethod\tmethod's\t%s's\tpairs\tdifference\t95 %%\tp\tcorrected\tlower in\tverdict\n", x.Base)
		}
		fmt.Fprintf(w, "  %s\t%s\t%s\t%s\t%s\t%d\t%s\t%s\t%s\t%s\t%s\t%s\n", x.Metric, x.Problem, x.Method, spread(x.Ours), spread(x.Theirs), x.Pairs,
			table.Significant(float64(x.Difference), 3), between(x.Low, x.High), table.PValue(float64(x.P)).Text,
			table.PValue(float64(x.Corrected)).Text, percent(x.Improvement), verdictText(x.Verdict, "", x.Note))
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

// mark returns the number of a note, which is added if it is new; "" of none.
func mark(notes *[]string, note string) string {
	if note == "" {
		return ""
	}
	i := slices.Index(*notes, note)
	if i < 0 {
		i, *notes = len(*notes), append(*notes, note)
	}
	return strconv.Itoa(i + 1)
}

// verdictText joins a verdict with why and what is known.
func verdictText(verdict, why, note string) string {
	if why != "" {
		verdict += ": " + why
	}
	if note != "" {
		verdict += " (" + strings.TrimSuffix(note, ".") + ")"
	}
	return verdict
}

// tally3 counts verdicts.
func tally3(count map[string]int) string {
	var out []string
	for _, v := range []string{"identical", compare.Agrees, compare.Differs, compare.NotComparable} {
		if count[v] > 0 {
			out = append(out, fmt.Sprintf("%d %s", count[v], v))
		}
	}
	return strings.Join(out, ", ")
}

func reduced(scale string) string {
	if scale == "full" {
		return ""
	}
	return ", " + scale + " scale: not the paper's settings"
}
