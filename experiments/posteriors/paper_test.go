package posteriors

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/program"
	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/harness/settings"
)

const somePaper = `
title: A paper
link: https://example.org/paper
seeds: 1..2
problems:
  "*": {particles: 20, iterations: 10, options: {start_sd: 0.5}}
  normal: {program: "NORMAL"}
  exact: {program: "EXACT"}
methods:
  theirs: {sampler: "SAMPLER", step: 0.2}
  svgd:
  slow: {sampler: sgld, step: 0.001}
protocols:
  text: {claims: true}
published: numbers.csv
claims:
  - {says: One., smaller: {metric: energy, problem: normal, method: theirs, than: svgd}}
  - {id: b, says: Two., lowest: {metric: ksd, method: svgd, of: 1 of 2 problems}}
  - {says: Three., within: {metric: "error-sd[1]", problem: exact, method: slow, bound: 0.1}}
`

// readPaper reads somePaper after a replacement.
func readPaper(t *testing.T, old, new string) (*harness.Experiment, error) {
	t.Helper()
	if !strings.Contains(somePaper, old) {
		t.Fatalf("the paper lacks %q", old)
	}
	text := strings.NewReplacer("NORMAL", commandOf("normal"), "EXACT", commandOf("exact"), "SAMPLER",
		commandOf("sampler")).Replace(strings.Replace(somePaper, old, new, 1))
	dir := filepath.Join(t.TempDir(), "mine")
	if err := os.Mkdir(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"paper.yaml": text,
		"numbers.csv": "dataset,metric,method,mean,std\nnormal,value-mean[0],theirs,1,0.1\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(program.Close)
	e, err := Paper(dir, nil, nil)
	program.Close()
	return e, err
}

// TestPaper: a folder is an experiment of its name, with the methods, numbers and claims that it has.
func TestPaper(t *testing.T) {
	e, err := readPaper(t, "", "")
	if err != nil {
		t.Fatal(err)
	}
	f, err := e.File()
	if err != nil {
		t.Fatal(err)
	}
	var claims []string
	for _, c := range e.Claims() {
		claims = append(claims, c.ID)
	}
	got := fmt.Sprint(e.Name, f.Problems, f.Methods, f.Default, len(e.Published), claims, e.Paper.Parts[0].Claims,
		e.Paper.Parts[1].Claims, e.Paper.Parts[2].Claims)
	if want := "mine[normal exact] [theirs svgd slow]text1 [1 b 3] [1] [3] [b]"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

var paperPath = regexp.MustCompile(`/\S*/mine/paper\.yaml`)

// TestPaperRefused: one sentence names the file and the key, and says what would be right.
func TestPaperRefused(t *testing.T) {
	if testing.Short() {
		t.Skip("starts seventy programs: ten seconds")
	}
	for _, c := range []struct{ old, new, want string }{
		{"title", "titel", `unknown key "titel" in FILE, line 2: did you mean "title"?`},
		{"title: A paper", "title: ''", `FILE: title is missing`},
		{"https", "ftp", `FILE: link: "ftp://example.org/paper" is no address`},
		{"seeds: 1..2", "seeds: x", `FILE: seeds: the seeds "x": want whole numbers`},
		{"step: 0.2", "stepp: 0.2", `unknown key "stepp" in methods[theirs] of FILE: did you mean "step"?`},
		{"NORMAL", "no-such-program x.py", `problems.normal.program: the program "no-such-program x.py" cannot`},
		{"NORMAL", "SAMPLER", `is a sampler: want it in methods, as NAME: {sampler`},
		{`{program: "NORMAL"}`, "{data: a.csv}", `problems.normal.data: this program has no experiment on tables`},
		{`{program: "NORMAL"}`, "{particles: 5}", `FILE: problems.normal: want one of program, a command such as`},
		{"SAMPLER", "NORMAL", `FILE: methods.theirs.sampler: the program "/usr/bin/env`},
		{"theirs: {s", "sifg: {s", `FILE: methods.sifg.sampler: the name is taken`},
		{"problem: normal", "problem: norml", `unknown problem "norml" in FILE: claim 1, smaller.problem: did you`},
		{"metric: energy", "metric: enery", `unknown metric "enery" in FILE: claim 1, smaller.metric: did you mean`},
		{"metric: energy", "metric: error-sd", `FILE: claim 1, smaller.metric: error-sd has 2 components`},
		{"than: svgd", "than: svdg", `unknown method "svdg" in FILE: claim 1, smaller: did you mean "svgd"?`},
		{"than: svgd", "then: svgd", `unknown key "then" in FILE, line 17: did you mean "than"?`},
		{"1 of 2", "1 of 3", `FILE: claim b, lowest.of: want how many of the 2 problems`},
		{"1 of 2", "3 of 2", `FILE: claim b, lowest.of: "3 of 2 problems" is not possible: want 1 to 2`},
		{"than: svgd", "than: theirs", `FILE: claim 1, smaller: the method theirs is there twice`},
		{", bound: 0.1", "", `FILE: claim 3, within.bound: want a finite number`},
		{"bound: 0.1", "bound: .nan", `FILE: claim 3, within.bound: want a finite number`},
		{"id: b", "id: b, within: {}", `FILE: claim b: want one rule: smaller, lowest or within`},
		{"says: One.", "id: b", `FILE: claim b: says is missing`},
		{"says: Three.", "says: Three., id: b", `FILE: claim b is there twice`},
		{"claims: true", "claims: false", `FILE: no protocol checks the claims: want claims: true in protocols.text`},
		{"numbers.csv", "number.csv", `FILE: published: open `},
		{"\nproblems:", "\nproblems: [a, b, c]\nscales:", `FILE: problems and methods have to name one at least`},
		{"methods:", "methods: {}\nscales:", `FILE: problems and methods have to name one at least`},
	} {
		_, err := readPaper(t, c.old, c.new)
		text := ""
		if err != nil {
			text = paperPath.ReplaceAllString(err.Error(), "FILE")
		}
		if !strings.Contains(text, c.want) {
			t.Errorf("%q in the place of %q: %v, want %s", c.new, c.old, err, c.want)
		}
	}
	_, err := Paper(filepath.Join(t.TempDir(), "My Paper"), nil, nil)
	if err == nil || !strings.Contains(err.Error(), "its name is that of the paper") {
		t.Errorf("a name with a blank: %v", err)
	}
}

// TestStartOfPaper: particles start at N(0, I) where nothing is said, and 0 is no standard deviation.
func TestStartOfPaper(t *testing.T) {
	said := map[string]any{"everywhere": true, "program": map[string]any{"command": []any{"x"}}}
	trial := &harness.Trial{Config: &settings.Config{Options: said}}
	if o, _, err := options(trial); err != nil || o.StartSD != 1 || o.Precondition != "none" {
		t.Errorf("%v, %v", o, err)
	}
	said["start_sd"] = 0.0
	if _, _, err := options(trial); err == nil || err.Error() != "options.start_sd: must be above 0, got 0" {
		t.Error(err)
	}
}

// paperSet is records of a metric at the last iteration: values by problem and method, one a seed.
func paperSet(values map[string][]float64) *record.Set {
	s := &record.Set{Traces: map[string][]record.Trace{}}
	for at, of := range values {
		problem, method, _ := strings.Cut(at, " ")
		for i, v := range of {
			key := fmt.Sprint(at, i)
			s.Trials = append(s.Trials, record.Trial{Key: key, Problem: problem, Method: method, Seed: uint64(i),
				Status: record.StatusOK, Iterations: 9})
			s.Traces[key] = []record.Trace{{Key: key, Iteration: 9, Metric: "energy", Value: v}}
		}
	}
	return s
}

// TestPaperClaims: six paired seeds tell two methods apart (p = 1/64), and equal values are equal.
func TestPaperClaims(t *testing.T) {
	low, high, mixed := []float64{1, 2, 3, 4, 5, 6}, []float64{2, 3, 4, 5, 6, 7}, []float64{2, 1, 4, 3, 6, 6.5}
	two := []string{"p", "q"}
	lowest := func(k int, pa, pb, qa, qb []float64) string {
		rule := lowestRule{Metric: "energy", Method: "sifg"}
		return rule.check(paperSet(map[string][]float64{"p sifg": pa, "p svgd": pb, "q sifg": qa, "q svgd": qb}), two,
			k).Verdict.String()
	}
	within := func(bound float64, v ...float64) string {
		rule := withinRule{Metric: "energy", Problem: "p", Method: "sifg", Bound: &bound}
		return rule.check(paperSet(map[string][]float64{"p sifg": v})).Verdict.String()
	}
	for i, c := range []struct{ got, want string }{
		{lowest(2, low, high, low, high), "reproduced"},
		{lowest(1, low, high, high, low), "reproduced"},
		{lowest(2, low, high, high, low), "not reproduced"},
		{lowest(2, low, high, low, mixed), "not decided"},
		{lowest(1, high, low, low, low), "not reproduced"}, // equal is not lower
		{lowest(1, nil, low, nil, low), "not testable"},
		{within(6, low...), "reproduced"},
		{within(3, low...), "not reproduced"},
		{within(5, low...), "not decided"}, // five of six
		{within(6, 1, math.NaN()), "not reproduced"},
		{within(6), "not testable"},
	} {
		if c.got != c.want {
			t.Errorf("case %d: %s, want %s", i, c.got, c.want)
		}
	}
}
