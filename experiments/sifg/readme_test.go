package main

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats"

	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/harness/report"
	"github.com/semi-implicit/sifg/pkg/harness/settings"
	"github.com/semi-implicit/sifg/pkg/harness/stats"
)

// TestReadmeAnswers: what README.md and docs/verdict.md say of SIFG is what the comparisons of the committed report
// say.
func TestReadmeAnswers(t *testing.T) {
	rep, err := report.Read(filepath.Join("..", "..", "results"), experiments)
	if err != nil {
		t.Fatal(err)
	}
	verdict := map[string]string{} // of SIFG, by protocol, problem and rival
	for _, x := range rep.Experiments {
		for _, f := range x.Findings {
			if f.Table == nil {
				continue
			}
			for _, c := range f.Table.Comparisons {
				if c.Method == "sifg" {
					verdict[f.Protocol+", "+c.Problem+", "+c.Rival] = c.Verdict
				}
			}
		}
	}
	readme := strings.Join(strings.Fields(document(t, "README.md")), " ")
	advice := strings.Join(strings.Fields(document(t, "docs/verdict.md")), " ")
	all := []string{"sgld", "psgld", "svgd", "ascent", "kde-flow", "l2-gf", "ada-gwg"}
	cheap := []string{"sgld", "psgld", "ascent"}
	flows := []string{"svgd", "kde-flow", "l2-gf", "ada-gwg"}
	var oneStart []string
	for _, name := range []string{"Boston", "Concrete", "Diabetes", "Power", "Protein", "Wine"} {
		oneStart = append(oneStart, name+" (one start)")
	}
	for _, said := range []struct {
		text     string
		in       []string // documents
		protocol string
		problems []string
		rivals   []string
		verdicts string // that may be
	}{
		{"nearer to the target than L2-GF and Ada-GWG", []string{readme}, "matched", []string{"2-D mixture"},
			[]string{"l2-gf", "ada-gwg"}, "better"},
		{"SGLD and the cloud's exact score are nearer still", []string{readme}, "matched", []string{"2-D mixture"},
			[]string{"sgld", "kde-flow"}, "worse"},
		{"In 10-D there is no verdict", []string{readme}, "", nil, nil, ""}, // TestVerdict has the row
		{"SIFG equals the other flows", []string{readme}, "matched", []string{"Monomial gamma"}, flows, "equal"},
		{"k-NN KL", []string{readme, advice}, "matched-kl", []string{"Monomial gamma"}, flows, "worse"},
		{"SIFG equals SGLD, pSGLD, Ascent and the exact score", []string{readme}, "matched",
			[]string{"10 unmixing matrices"}, append(cheap, "kde-flow"), "equal"},
		{"and beats the rest", []string{readme}, "matched", []string{"10 unmixing matrices"},
			[]string{"svgd", "l2-gf", "ada-gwg"}, "better"},
		{"worse on the 2-D mixture", []string{advice}, "matched", []string{"2-D mixture"},
			[]string{"kde-flow"}, "worse"},
		{"From the prior's start of λ it leads on Concrete", []string{advice}, "matched",
			[]string{"Concrete (one start)"}, all, "better"},
		{"it is worse on Power and Protein", []string{advice}, "clock",
			[]string{"Power (one start)", "Protein (one start)"}, cheap, "worse"},
		{"leads nowhere", []string{readme, advice}, "clock", oneStart, cheap, "worse equal open"},
	} {
		for _, doc := range said.in {
			if !strings.Contains(doc, said.text) {
				t.Errorf("a document does not say %q", said.text)
			}
		}
		for _, problem := range said.problems {
			for _, rival := range said.rivals {
				got := verdict[said.protocol+", "+problem+", "+rival]
				if got == "" || !strings.Contains(said.verdicts, got) {
					t.Errorf("%q: against %s on %s SIFG is %q", said.text, rival, problem, got)
				}
			}
		}
	}
}

// TestTheoryTable: docs/theory.md has a row with the committed verdict for every claim of theory.
func TestTheoryTable(t *testing.T) {
	rep, err := report.Read(filepath.Join("..", "..", "results"), experiments)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(document(t, "docs/theory.md"), "\n")
	for _, c := range rep.Experiment("theory").Protocol("computed").Claims {
		found := slices.ContainsFunc(lines, func(line string) bool {
			return strings.HasPrefix(line, "| "+c.ID+": ") && strings.Contains(line, "| "+c.Verdict.String()+" |")
		})
		if !found {
			t.Errorf("docs/theory.md has no row of claim %s with the verdict %q", c.ID, c.Verdict)
		}
	}
}

// TestSVGDTable: docs/svgd.md has a row with the committed verdicts for every claim of svgd.
func TestSVGDTable(t *testing.T) {
	rep, err := report.Read(filepath.Join("..", "..", "results"), experiments)
	if err != nil {
		t.Fatal(err)
	}
	doc := document(t, "docs/svgd.md")
	e := rep.Experiment("svgd")
	for i, c := range e.Protocol("text").Claims {
		row := fmt.Sprintf("| %s | %s | %s |\n", c.ID, c.Verdict, e.Protocol("code").Claims[i].Verdict)
		if !strings.Contains(doc, row) {
			t.Errorf("docs/svgd.md lacks the row\n%s", row)
		}
	}
}

// TestVerdict: docs/verdict.md has every row of the verdicts that lead, of networks from their own starts.
func TestVerdict(t *testing.T) {
	rep, err := report.Read(filepath.Join("..", "..", "results"), experiments)
	if err != nil {
		t.Fatal(err)
	}
	plain := func(text string) string { return strings.Join(strings.Fields(text), " ") }
	doc, rows := plain(document(t, "docs/verdict.md")), 0
	for _, x := range rep.Experiments {
		for _, f := range x.Findings {
			own := f.Protocol == "start" || f.Protocol == "matched" && x.Name != "uci-bnn"
			if !f.Lead || !own {
				continue
			}
			for _, line := range strings.Split(f.Table.Markdown(), "\n") {
				row := plain(line)
				if !strings.HasPrefix(row, "| ") || strings.HasPrefix(row, "| -") ||
					strings.HasPrefix(row, "| Problem") {
					continue
				}
				rows++
				if !strings.Contains(doc, row) {
					t.Errorf("docs/verdict.md lacks\n%s", row)
				}
			}
		}
	}
	if rows < 9 {
		t.Errorf("%d rows of verdicts in the report", rows)
	}
}

// TestNoVoteCounts: comparisons of different problems are not added up, neither in the documents nor in what the report
// finds.
func TestNoVoteCounts(t *testing.T) {
	votes := regexp.MustCompile(`(better|equal|worse|lower|higher) in \d+|leads (in )?\d+|of \d+ comparisons`)
	for _, name := range []string{"README.md", "docs/verdict.md", "docs/beyond.md", "docs/protocols.md",
		"docs/uci-bnn.md", "docs/meg-ica.md", "docs/theory.md", "docs/posteriors.md", "docs/letter.md"} {
		if found := votes.FindString(document(t, name)); found != "" {
			t.Errorf("%s counts votes: %q", name, found)
		}
	}
	rep, err := report.Read(filepath.Join("..", "..", "results"), experiments)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range experiments {
		x := rep.Experiment(e.Name)
		if x == nil {
			continue
		}
		for _, f := range x.Findings {
			if found := votes.FindString(f.Title + " " + f.Text); found != "" {
				t.Errorf("a finding of %s counts votes: %q", e.Name, found)
			}
		}
	}
}

// training is how a network is trained.
type training struct {
	steps  int
	redraw bool
}

// TestLongerTraining: what documents say of networks that are trained longer is what the grids inner have.
func TestLongerTraining(t *testing.T) {
	values := func(dir, metric string) map[training][]float64 { // of SIFG, in order of seeds
		dir = filepath.Join("..", "..", "results", "grid", dir)
		trials := must(record.Decode[record.Trial](must(os.ReadFile(filepath.Join(dir, "trials.parquet")))))
		traces := must(record.Decode[record.Trace](must(os.ReadFile(filepath.Join(dir, "trace.parquet")))))
		slices.SortFunc(trials, func(a, b record.Trial) int { return cmp.Compare(a.Seed, b.Seed) })
		out := map[training][]float64{}
		for _, trial := range trials {
			c := must(settings.Of(trial)).Sampler
			at := training{c.Inner, c.Redraw}
			for _, r := range traces {
				if r.Key == trial.Key && r.Metric == metric && trial.Method == "sifg" {
					out[at] = append(out[at], r.Value)
				}
			}
		}
		return out
	}
	nll := values("uci-bnn-inner/start", "test-nll")
	doc := strings.Join(strings.Fields(document(t, "docs/uci-bnn.md")), " ")
	for longer, words := range map[training]string{
		{40, false}: "worse by %.3f [%.3f, %.3f]",
		{40, true}:  "open, %.3f [%.3f, %.3f]",
	} {
		gaps := make([]float64, 10)
		floats.SubTo(gaps, nll[longer], nll[training{10, false}])
		low, high := stats.OverlapInterval(gaps, 1./9, 0.95)
		want := strings.ReplaceAll(fmt.Sprintf(words, stats.Mean(gaps), low, high), "-", "−")
		if !strings.Contains(doc, want) {
			t.Errorf("docs/uci-bnn.md lacks %q", want)
		}
	}
	energy := values("gmm-inner/matched", "energy")
	least := stats.Mean(energy[training{5, false}])
	for at, v := range energy {
		if mean := stats.Mean(v); mean < least-0.0019 { // the margin of the 2-D mixture
			t.Errorf("%+v: SIFG comes as near as %.4f, with its own training %.4f", at, mean, least)
		}
	}
}
