package harness

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/harness/report"
	"github.com/semi-implicit/sifg/pkg/harness/table"
)

// ProtocolNotes says what each protocol is.
var ProtocolNotes = map[string]string{
	"paper":    "the text's settings, gaps filled from the released scripts",
	"released": "the released scripts' settings, quirks included",
	"matched":  "the fair comparison: the same effective step for every method, or each method's best of one grid; correct references",
	"standard": "the usual benchmark: the literature's data and splits, settings chosen on held-out rows",
}

// writePage writes results/index.html from the folders on disk, whichever run made them.
func writePage(results string, all map[*Experiment][]*folder, order []*Experiment) error {
	page := report.Page{
		Title: "Semi-implicit functional gradient flow: what reproduced",
		Intro: "The verdict on every claim, then every figure and table of the experiments, under each protocol that has results. Numbers come " +
			"from the Parquet files beside this page; the trials they rest on are named by key, and each has the command that makes it again.",
	}
	var machines []Machine
	var builds []Build
	var decided []Decided
	run := map[string]*RunInfo{} // by experiment and protocol
	seconds, trials := 0.0, 0
	for _, e := range order {
		if len(all[e]) == 0 {
			continue
		}
		s := report.Section{Name: e.Name, Title: e.Title, Summary: e.Summary, Settings: unlike(all[e])}
		statements, err := ReadFindings(results, e)
		if err != nil {
			return err
		}
		for _, f := range statements {
			s.Findings = append(s.Findings, report.Finding(f))
		}
		for _, f := range all[e] {
			p, err := f.page()
			if err != nil {
				return err
			}
			s.Protocols = append(s.Protocols, p)
			d := f.info.decided(e.Name, f.info.Protocol)
			d.Claims = f.claims
			decided = append(decided, d)
			run[e.Name+"/"+f.info.Protocol] = &f.info
			seconds += f.info.Seconds
			trials += len(f.set.Trials)
			machines, builds = join(machines, f.info.Machines), join(builds, f.info.Builds)
		}
		page.Sections = append(page.Sections, s)
	}
	if len(page.Sections) == 0 {
		return nil
	}
	for _, r := range Ledger(order, decided) {
		c := report.Claim{ID: r.ID, Statement: r.Statement, Rule: r.Rule, Section: r.Experiment, Outcome: r.Outcome, Summary: r.Summary}
		for _, o := range r.Under {
			c.Under = append(c.Under, report.Opinion{
				Protocol: o.Protocol, Scale: o.Scale, Incomplete: !o.Complete, Verdict: o.Verdict, Evidence: o.Evidence, Keys: o.Keys,
				Command: run[r.Experiment+"/"+o.Protocol].command("report"),
			})
		}
		page.Claims = append(page.Claims, c)
	}
	page.Facts = append([]report.Fact{
		{Name: "trials", Value: fmt.Sprint(trials)}, {Name: "computing time", Value: Span(seconds)},
	}, originFacts(machines, builds)...)
	return report.Write(filepath.Join(results, "index.html"), page)
}

// join appends what is new.
func join[T comparable](to, from []T) []T {
	for _, v := range from {
		if !slices.Contains(to, v) {
			to = append(to, v)
		}
	}
	return to
}

// originFacts says on what and from what trials were computed.
func originFacts(machines []Machine, builds []Build) []report.Fact {
	var cpus, kernels, commits, programs, cores []string
	for _, m := range machines {
		cpus, kernels, commits = join(cpus, []string{m.CPU}), join(kernels, []string{m.Kernel}), join(commits, []string{short(m.Commit)})
	}
	for _, b := range builds {
		programs, cores = join(programs, []string{b.Go + " " + b.Platform}), join(cores, []string{fmt.Sprint(b.Cores)})
	}
	facts := []report.Fact{
		{Name: "processor", Value: strings.Join(cpus, ", ")}, {Name: "kernels", Value: strings.Join(kernels, ", ")},
	}
	if len(builds) > 0 {
		facts = append(facts, report.Fact{Name: "cores", Value: strings.Join(cores, ", ")}, report.Fact{Name: "compiler", Value: strings.Join(programs, ", ")})
	}
	return append(facts, report.Fact{Name: "commit", Value: strings.Join(commits, ", ")})
}

// short returns a commit as people quote it.
func short(commit string) string {
	hash, mark, _ := strings.Cut(commit, "+")
	if mark != "" {
		mark = "+" + mark
	}
	return hash[:min(len(hash), 12)] + mark
}

// command returns the command line that does something with the run's trials.
func (i *RunInfo) command(name string) string {
	args := []string{name, i.Experiment, "--protocol", i.Protocol, "--scale", i.Scale}
	for _, s := range i.Set {
		args = append(args, "--set", s)
	}
	return "sifg " + Quote(args)
}

// page returns what the page shows of one protocol.
func (f *folder) page() (report.Protocol, error) {
	i := &f.info
	again := i.command("report")
	config, err := json.MarshalIndent(i.Settings, "", " ")
	if err != nil {
		return report.Protocol{}, err
	}
	p := report.Protocol{
		Name: i.Protocol, Note: ProtocolNotes[i.Protocol], Scale: i.Scale, Planned: i.Planned,
		OK: i.Counts[record.StatusOK], Diverged: i.Counts[record.StatusDiverged],
		Failed:  i.Counts[record.StatusFailed] + i.Counts[record.StatusMemory] + i.Counts[record.StatusKilled],
		Timeout: i.Counts[record.StatusTimeout],
		Time:    Span(i.Seconds), Command: i.command("run"), Config: string(config),
		Provenance: append(originFacts(i.Machines, i.Builds), report.Fact{Name: "first trial started", Value: i.Started},
			report.Fact{Name: "seeds", Value: strings.Trim(fmt.Sprint(i.Seeds), "[]")}),
	}
	for _, name := range []string{"trials.parquet", "trace.parquet", "claims.json"} {
		p.Provenance = append(p.Provenance, report.Fact{Name: "SHA-256 of " + name, Value: i.Files[name]})
	}
	for _, a := range i.Figures {
		if a.Problem != "" {
			p.Figures = append(p.Figures, report.Figure{Name: a.Name, Title: a.Title, Caption: a.Caption, Problem: a.Problem, Command: again})
			continue
		}
		if a.Hidden > 0 {
			p.Provenance = append(p.Provenance, report.Fact{Name: "figure " + a.Name,
				Value: fmt.Sprintf("%d values are not seen: not finite, or outside the axes", a.Hidden)})
		}
		path := filepath.Join(f.dir, "figures", a.Name)
		p.Figures = append(p.Figures, report.Figure{Name: a.Name, Title: a.Title, Caption: a.Caption, Path: path, Command: again})
	}
	for _, a := range i.Tables {
		if a.Problem != "" {
			p.Tables = append(p.Tables, report.Table{Name: a.Name, Title: a.Title, Caption: a.Caption, Problem: a.Problem, Command: again})
			continue
		}
		html, err := os.ReadFile(filepath.Join(f.dir, "tables", a.Name+".html"))
		if err != nil {
			return p, err
		}
		p.Tables = append(p.Tables, report.Table{Name: a.Name, Title: a.Title, Caption: a.Caption, HTML: string(html), Command: again})
	}
	if bad := f.bad(); bad != nil {
		p.Tables = append(p.Tables, report.Table{
			Name: "trials-without-result", Title: "Trials without a result",
			Caption: "Trials that diverged, failed or ran out of time, with the reason.", HTML: bad.HTML(), Command: p.Command,
		})
	}
	return p, nil
}

// bad returns the table of the trials that did not end well, nil if all did.
func (f *folder) bad() *table.Table {
	var out *table.Table
	for _, t := range f.set.Trials {
		if t.Status == record.StatusOK {
			continue
		}
		if out == nil {
			out = &table.Table{Columns: []table.Column{
				{Header: "problem"}, {Header: "method"}, {Header: "seed"}, {Header: "status"}, {Header: "reason"}, {Header: "key"},
			}}
		}
		out.Rows = append(out.Rows, []table.Cell{
			table.Text(t.Problem), table.Text(t.Method), table.Text(fmt.Sprint(t.Seed)), table.Text(t.Status), table.Text(t.Reason),
			table.Text(t.Key),
		})
	}
	return out
}

// Span writes a time in seconds as people say it.
func Span(seconds float64) string {
	d := time.Duration(seconds * float64(time.Second))
	switch {
	case d < 10*time.Second:
		return fmt.Sprintf("%.1f s", d.Seconds())
	case d < 2*time.Minute:
		return fmt.Sprintf("%.0f s", d.Seconds())
	case d < 2*time.Hour:
		return fmt.Sprintf("%.0f min", d.Minutes())
	}
	return fmt.Sprintf("%.1f h", d.Hours())
}
