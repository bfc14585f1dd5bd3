package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/semi-implicit/sifg/pkg/harness/claim"
	"github.com/semi-implicit/sifg/pkg/harness/dataset"
	"github.com/semi-implicit/sifg/pkg/harness/grid"
	"github.com/semi-implicit/sifg/pkg/harness/plan"
	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/harness/report"
)

var results = filepath.Join("..", "..", "results")

// TestCommittedResults: all committed files are what this program makes of the records. Where it fails, "sifg report
// all --protocol all" makes them again.
func TestCommittedResults(t *testing.T) {
	long(t, "makes all reports again")
	command(t, "report", "all", "--check", "--results", results)
}

// TestScriptsDiffer: docs/authors.md names each row in which the authors' scripts and ours differ, as a row of a table
// that begins with figure, problem, metric and method, and no other.
func TestScriptsDiffer(t *testing.T) {
	text := document(t, "docs/authors.md")
	for _, r := range committed().BesideScripts() {
		row := fmt.Sprintf("\n| %s | %s | %s | %s |", r.Figure, r.Problem, r.Metric, r.Method)
		if strings.Contains(text, row) != r.Differs {
			t.Errorf("differs: %t; of %q docs/authors.md says something else", r.Differs, row[1:])
		}
	}
}

// TestPaperPage: the first page has the figures and tables of the paper in its order.
func TestPaperPage(t *testing.T) {
	first, at := string(must(os.ReadFile(filepath.Join(results, "index.html")))), 0
	if count := ledger().Count(); !strings.Contains(first, count) {
		t.Errorf("the page lacks %q, as sifg claims counts", count)
	}
	for _, part := range paper.Parts {
		i := strings.Index(first, "<h2>"+part.Name)
		if i < at {
			t.Errorf("%s stands at %d, what comes before at %d", part.Name, i, at)
		}
		at = max(i, 0)
		for _, x := range part.Shows {
			if !strings.Contains(first[at:], "/"+x.ID) && !strings.Contains(first[at:], "-"+x.ID) {
				t.Errorf("%s: %s of %s is not there", part.Name, x.ID, x.Experiment)
			}
		}
	}
}

// TestCommittedKeys: every committed trial has the key that the plan gives it: a run would compute none of them again,
// and none is missing. Of grids, whose results are the last values alone, it is the part that says what was drawn.
func TestCommittedKeys(t *testing.T) {
	long(t, "plans everything")
	data := must(dataset.Open(dataset.Options{}))
	request := plan.Request{Experiments: experiments, Protocols: []string{plan.All}, Scale: "full", Data: data}
	planned := must(plan.New(request))
	rep := committed()
	if len(rep.Experiments) != len(experiments) {
		t.Errorf("%d of %d experiments have results", len(rep.Experiments), len(experiments))
	}
	for _, x := range rep.Experiments {
		checkKeys(t, x.Name, x, planned)
	}
	for name, rep := range must(grid.Read(results, experiments)) {
		for _, x := range rep.Experiments {
			e := byName(t, x.Name)
			of := request
			of.Experiments, of.Protocols = []experiment{e}, []string{x.Sets[0].Protocol}
			spec := must(grid.Find(e, shippedAs(e, name)))
			question := must(grid.Ask(name, spec.Select, e))
			checkCells(t, "grid/"+name+"/"+x.Name, x, must(grid.New(of, spec, question)))
		}
	}
}

// checkKeys compares the keys of the results of an experiment with those of a plan.
func checkKeys(t *testing.T, where string, x *report.Experiment, planned *plan.Plan) {
	t.Helper()
	of := func(r record.Trial) record.Trial {
		r.Key, r.Scale, r.Status, r.Reason, r.Config = "", "", "", "", ""
		r.Particles, r.Dim, r.Iterations = 0, 0, 0
		return r
	}
	keys := map[record.Trial]string{}
	for i := range planned.Trials {
		keys[of(planned.Trials[i].Row())] = planned.Trials[i].Key
	}
	n, last := 0, ""
	for _, set := range x.Sets {
		n += len(set.Missing)
		for _, row := range set.Trials {
			if key := keys[of(row)]; key != row.Key {
				n++
				last = fmt.Sprintf("%s %s %s seed %d has the key %s, and in the plan %q", row.Protocol, row.Problem,
					row.Method, row.Seed, row.Key, key)
			}
		}
	}
	if n > 0 {
		t.Errorf("%s: %d trials are missing or have another key: %s", where, n, last)
	}
}

// checkCells compares what was drawn for the cells of a grid with a plan, for the methods on the problems that the grid
// still asks about. The settings in use when the networks' grids ran are others now: without the clamp, and σ's rate
// under paper was chosen later.
func checkCells(t *testing.T, where string, x *report.Experiment, planned *plan.Plan) {
	t.Helper()
	drawn := func(key string) string { key, _, _ = strings.Cut(key, "-"); return key }
	asked := func(row record.Trial) string { m, _, _ := strings.Cut(row.Method, "@"); return row.Problem + " " + m }
	known, n := map[string]bool{}, 0
	for _, p := range planned.Trials {
		known[drawn(p.Key)], known[asked(p.Row())] = true, true
	}
	for _, set := range x.Sets {
		n += len(set.Missing)
		for _, row := range set.Trials {
			other := strings.HasSuffix(where, "/uci-bnn") && !strings.Contains(row.Method, "@")
			if !other && known[asked(row)] && !known[drawn(row.Key)] {
				n++
			}
		}
	}
	if n > 0 {
		t.Errorf("%s: %d trials are missing or not in the plan", where, n)
	}
}

// TestListsFit: what compare and claims print of the committed results is short, with all printed numbers, and the
// authors' code beside ours; claims fit a terminal. Each claim that is decided comes with the number that decides it.
func TestListsFit(t *testing.T) {
	long(t, "reads all reports three times")
	for line, want := range map[string]string{
		"claims": "+ reproduced", "compare": "| ada-sifg |", "compare --against authors": "| Figure 3 left",
	} {
		said := command(t, append(strings.Fields(line), "--results", results)...)
		lines := strings.Split(strings.TrimSpace(said), "\n")
		if len(lines) > 80 || !strings.Contains(said, want) {
			t.Errorf("%s prints %d lines", line, len(lines))
		}
		for _, text := range lines {
			if utf8.RuneCountInString(text) > 110 && line == "claims" {
				t.Errorf("%s prints a line of %d columns: %s", line, utf8.RuneCountInString(text), text)
			}
		}
		for _, p := range byName(t, "uci-bnn").Published {
			if mean, _, _ := strings.Cut(p.Text, " "); line == "compare" && !strings.Contains(said, mean) {
				t.Errorf("the printed number %s of %s on %s is not compared", p.Text, p.Method, p.Problem)
			}
		}
	}
	for _, row := range ledger() {
		for _, o := range row.Under {
			if len(row.With) == 0 && o.Verdict >= claim.Reproduced && o.Number == "" {
				t.Errorf("claim %s under %s is %s by no number: %s", row.ID, o.Protocol, o.Verdict, o.Evidence)
			}
			if utf8.RuneCountInString(o.Number) > 30 {
				t.Errorf("claim %s under %s: the number is %q", row.ID, o.Protocol, o.Number)
			}
		}
	}
}
