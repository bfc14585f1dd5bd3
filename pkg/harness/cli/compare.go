package cli

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/compare"
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
			if err := a.isReport(); err != nil {
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
			if err := knownScores(reports, metrics); err != nil {
				return err
			}
			switch {
			case against == "published":
				err = a.printed(&c, r.Experiments, reports, metrics)
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
				return c.outside(reports, metrics)
			}
			return nil
		},
	}
	f := cmd.Flags()
	f.StringVar(&against, "against", "published", "`WHAT` to compare with: published (the paper's numbers), the folder of another report, or a method")
	f.BoolVar(&strict, "strict", false, "exit with 4 when a cell is outside tolerance, with 75 when one has no result or none can be compared")
	f.StringArrayVar(&metrics, "metric", nil, "compare this metric, by `NAME`; repeatable (default those that the experiment names for it,\nor that the paper prints; all for every one)")
	a.protocolFlag(cmd)
	a.scaleFlag(cmd)
	a.folders(cmd, scaled)
	a.jsonFlag(cmd)
	return cmd
}

// isReport refuses a file in the place of the report's folder. What is not there is no report yet.
func (a *app) isReport() error {
	info, err := os.Stat(a.resultsDir())
	if errors.Is(err, syscall.ENOTDIR) || err == nil && !info.IsDir() {
		return harness.Usagef("--results %s is no folder", a.resultsDir())
	}
	return nil
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
func (a *app) printed(c *comparison, experiments []*harness.Experiment, reports []harness.Report, metrics []string) error {
	for _, r := range reports {
		e, err := a.experiment(r.Info.Experiment)
		if err != nil {
			return err
		}
		rows, err := compare.Published(e, r)
		if err != nil {
			return err
		}
		if len(metrics) > 0 && !slices.Contains(metrics, "all") {
			rows = slices.DeleteFunc(rows, func(x compare.Printed) bool { return !slices.Contains(metrics, x.Metric) })
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
		use, err := a.scores(c, r, metrics)
		if err != nil {
			return err
		}
		pairs := compare.Methods(r, base, use)
		if len(pairs) == 0 && len(use) > 0 {
			c.Notes = append(c.Notes, fmt.Sprintf("%s, %s: no method to compare with %s", r.Info.Experiment, r.Info.Protocol, base))
		}
		c.Pairs = append(c.Pairs, pairs...)
		c.Averages = append(c.Averages, compare.Averages(pairs)...)
	}
	return nil
}

// measured are the metrics of a report.
func measured(r harness.Report) []string {
	var out []string
	for _, t := range r.Set.Traces {
		if !slices.Contains(out, t.Metric) {
			out = append(out, t.Metric)
		}
	}
	return out
}

// scores are the metrics asked for that the report has, or those that the experiment names.
func (a *app) scores(c *comparison, r harness.Report, asked []string) ([]string, error) {
	e, err := a.experiment(r.Info.Experiment)
	if err != nil || len(asked) == 0 && len(e.Scores) > 0 {
		return e.Scores, err
	}
	all := measured(r)
	if len(asked) == 0 || slices.Contains(asked, "all") {
		return all, nil
	}
	out := slices.DeleteFunc(all, func(m string) bool { return !slices.Contains(asked, m) })
	if len(out) == 0 {
		c.Notes = append(c.Notes, fmt.Sprintf("%s, %s: does not measure %s", e.Name, r.Info.Protocol, strings.Join(asked, ", ")))
	}
	return out, nil
}

// knownScores refuses a metric that none of the reports has.
func knownScores(reports []harness.Report, asked []string) error {
	known := []string{"all"}
	for _, r := range reports {
		known = append(known, measured(r)...)
	}
	slices.Sort(known)
	known = slices.Compact(known)
	for _, m := range asked {
		if !slices.Contains(known, m) {
			return harness.Unknown("metric", m, "--metric", known)
		}
	}
	return nil
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
		use, err := a.scores(c, ours, metrics)
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

// outside is the error of --strict. What compared nothing has shown nothing.
func (c *comparison) outside(reports []harness.Report, metrics []string) error {
	var differ, missing []string
	all, agree, why := 0, 0, ""
	add := func(n compare.Name, verdict, reason string, none bool) {
		what := strings.Join([]string{n.Experiment, n.Protocol, n.Problem, n.Metric, n.Method}, " ")
		all++
		switch {
		case verdict == compare.Differs:
			differ = append(differ, what)
		case none:
			missing = append(missing, what)
		case verdict == compare.Agrees:
			agree++
		case why == "":
			why = reason
		}
	}
	for _, x := range c.Printed {
		add(x.Name, x.Verdict, x.Why, x.Missing)
	}
	for _, x := range c.Cells {
		add(x.Name, x.Verdict, x.Why, x.Ours.N == 0)
	}
	few := func(names []string) string {
		if len(names) > 3 {
			return strings.Join(names[:3], ", ") + fmt.Sprintf(" and %d more", len(names)-3)
		}
		return strings.Join(names, ", ")
	}
	switch {
	case all == 0:
		var of []string
		for _, r := range reports {
			of = append(of, r.Info.Experiment+" "+r.Info.Protocol)
		}
		for _, m := range metrics {
			of = append(of, "--metric "+m)
		}
		return exitf(exitStopped, "no cell to compare: %s, --against %s", strings.Join(of, ", "), c.Against)
	case len(differ) > 0:
		return exitf(exitOutside, "%d of %d cells are outside tolerance: %s", len(differ), all, few(differ))
	case len(missing) > 0:
		return exitf(exitStopped, "%d of %d cells have no result: %s", len(missing), all, few(missing))
	case agree == 0:
		return exitf(exitStopped, "none of %d cells can be compared: %s", all, why)
	}
	return nil
}
