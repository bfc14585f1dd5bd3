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
	"matched":  "the fair comparison: the same effective step and budget for every method, correct references",
}

// writePage writes results/index.html from the folders on disk, whichever run made them.
func writePage(results string, all map[*Experiment][]*folder, order []*Experiment) error {
	page := report.Page{
		Title: "Semi-implicit functional gradient flow: what reproduced",
		Intro: "Every figure, table and claim of the experiments below, under each protocol that has results. Numbers come from " +
			"the Parquet files beside this page; the trials they rest on are named by key.",
	}
	var machines []Machine
	seconds, trials := 0.0, 0
	for _, e := range order {
		if len(all[e]) == 0 {
			continue
		}
		s := report.Section{Name: e.Name, Title: e.Title, Summary: e.Summary}
		var statements []Statement
		if err := readJSON(filepath.Join(results, e.Name, "findings.json"), "", &statements); err != nil {
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
			seconds += f.info.Seconds
			trials += len(f.set.Trials)
			for _, m := range f.info.Machines {
				if !slices.Contains(machines, m) {
					machines = append(machines, m)
				}
			}
		}
		page.Sections = append(page.Sections, s)
	}
	if len(page.Sections) == 0 {
		return nil
	}
	page.Facts = append([]report.Fact{
		{Name: "trials", Value: fmt.Sprint(trials)}, {Name: "computing time", Value: Span(seconds)},
	}, machineFacts(machines)...)
	return report.Write(filepath.Join(results, "index.html"), page)
}

func machineFacts(machines []Machine) []report.Fact {
	var cpus, kernels, commits []string
	add := func(to *[]string, s string) {
		if !slices.Contains(*to, s) {
			*to = append(*to, s)
		}
	}
	for _, m := range machines {
		add(&cpus, m.CPU)
		add(&kernels, m.Kernel)
		add(&commits, m.Commit)
	}
	return []report.Fact{
		{Name: "processor", Value: strings.Join(cpus, ", ")}, {Name: "kernels", Value: strings.Join(kernels, ", ")},
		{Name: "commit", Value: strings.Join(commits, ", ")},
	}
}

// page returns what the page shows of one protocol.
func (f *folder) page() (report.Protocol, error) {
	i := &f.info
	run := []string{i.Experiment, "--protocol", i.Protocol, "--scale", i.Scale}
	for _, s := range i.Set {
		run = append(run, "--set", s)
	}
	again := "sifg " + Quote(append([]string{"report"}, run...))
	config, err := json.MarshalIndent(i.Settings, "", "  ")
	if err != nil {
		return report.Protocol{}, err
	}
	p := report.Protocol{
		Name: i.Protocol, Note: ProtocolNotes[i.Protocol], Scale: i.Scale, Planned: i.Planned,
		OK: i.Counts[record.StatusOK], Diverged: i.Counts[record.StatusDiverged],
		Failed:  i.Counts[record.StatusFailed] + i.Counts[record.StatusMemory] + i.Counts[record.StatusKilled],
		Timeout: i.Counts[record.StatusTimeout],
		Time:    Span(i.Seconds), Command: "sifg " + Quote(append([]string{"run"}, run...)), Config: string(config),
		Provenance: append(machineFacts(i.Machines), report.Fact{Name: "first trial started", Value: i.Started}),
	}
	for _, name := range []string{"trials.parquet", "trace.parquet"} {
		p.Provenance = append(p.Provenance, report.Fact{Name: "SHA-256 of " + name, Value: i.Files[name]})
	}
	for _, c := range f.claims {
		p.Claims = append(p.Claims, report.Claim{
			ID: c.ID, Statement: c.Statement, Rule: c.Rule, Verdict: c.Verdict, Evidence: c.Evidence, Keys: c.Keys, Command: again,
		})
	}
	for _, a := range i.Figures {
		if a.Problem != "" {
			p.Provenance = append(p.Provenance, report.Fact{Name: "figure " + a.Name, Value: "not drawn: " + a.Problem})
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
			p.Provenance = append(p.Provenance, report.Fact{Name: "table " + a.Name, Value: "not made: " + a.Problem})
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
