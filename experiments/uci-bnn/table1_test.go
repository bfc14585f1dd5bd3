package ucibnn

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/sifg/rng"
)

// TestPublishedCells: the file holds the 60 printed cells, and their row minima are those that the paper prints in bold.
func TestPublishedCells(t *testing.T) {
	if len(printed()) != len(problems)*len(metrics)*len(columns) {
		t.Errorf("%d cells", len(printed()))
	}
	bold := map[string]int{}
	for _, problem := range problems {
		for _, metric := range metrics {
			best := ""
			for _, m := range columns {
				p, ok := inPrint(problem, metric, m)
				if !ok {
					t.Fatalf("no cell %s %s %s", problem, metric, m)
				}
				if b, ok := inPrint(problem, metric, best); !ok || p.Mean < b.Mean {
					best = m
				}
			}
			bold[best]++
		}
	}
	if bold["ada-sifg"] != 9 || bold["sgld"] != 2 || bold["ada-gwg"] != 1 {
		t.Errorf("row minima: %v", bold)
	}
}

// cellOf returns the text of a cell of Table 1 and whether it is bold.
func cellOf(t *testing.T, s *record.Set, row, header string) (string, bool) {
	t.Helper()
	tab, err := table1(s)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range tab.Rows {
		if r[0].Text+" "+r[1].Text != row {
			continue
		}
		for j, c := range tab.Columns {
			if c.Header == header {
				return r[j].Text, r[j].Bold
			}
		}
	}
	t.Fatalf("no cell %s, %s", row, header)
	return "", false
}

func TestTable1Marks(t *testing.T) {
	m := asInPrint()
	value := m.value
	m.value = func(problem, method, metric string, seed int) float64 {
		switch {
		case problem != "boston" || metric != "test-rmse":
			return value(problem, method, metric, seed)
		case method == "ada-sifg":
			return 2.641 + 0.02*wobble(method, seed)
		case method == "ada-gwg": // 0.001 above on the average, to and fro by seed: cannot be told apart
			return 2.642 + 0.02*wobble("", seed)
		}
		return 3 + 0.02*wobble(method, seed)
	}
	s := m.set(t)
	for header, want := range map[string]struct {
		text string
		bold bool
	}{"Ada-SIFG": {"2.641 ± 0.020", true}, "Ada-GWG": {"2.642 ± 0.020 ≈", false}, "SGLD": {"3.000 ± 0.020", false}, "SVGD": {"3.000 ± 0.020", false}} {
		text, bold := cellOf(t, s, "Boston RMSE", header)
		text = strings.TrimSuffix(text, " †") // the made-up least squares are one value of SVGD
		if text != want.text || bold != want.bold {
			t.Errorf("%s: %q bold %v, want %q bold %v", header, text, bold, want.text, want.bold)
		}
	}
	for i := range s.Traces {
		if s.Traces[i].Metric == "ols-rmse" {
			s.Traces[i].Value = 2.9
		}
	}
	s.Trials[slices.IndexFunc(s.Trials, func(r record.Trial) bool { return r.Method == "sgld" })].Status = record.StatusDiverged
	if text, _ := cellOf(t, s, "Boston RMSE", "SGLD"); !strings.HasSuffix(text, "† (9 of 10)") {
		t.Errorf("SGLD, above least squares and with a lost trial: %q", text)
	}
	if text, _ := cellOf(t, s, "Boston RMSE", "Ada-SIFG"); strings.Contains(text, "†") {
		t.Errorf("Ada-SIFG is below least squares: %q", text)
	}
}

// TestFalseDifferences: among equal methods the table sees a difference as often as its note says, more than in one row of twenty, since the
// lowest mean is found in the same data.
func TestFalseDifferences(t *testing.T) {
	methods := []string{"sgld", "svgd", "svgd-slow", "l2-gf", "ada-gwg", "sifg", "ada-sifg"}
	const rows, trials = 1500, 10
	stream, draws, seen := rng.New(3, "equals", 0), make([]float32, trials), 0
	for range rows {
		r := &results{values: map[series]map[uint64]float64{}}
		for _, m := range methods {
			v := map[uint64]float64{}
			stream.Normal(draws)
			for seed, d := range draws {
				v[uint64(seed)] = float64(d)
			}
			r.values[series{"boston", "test-rmse", m}] = v
		}
		_, tied := leaders(r, "boston", "test-rmse", methods)
		seen += count(len(tied) < len(methods)-1)
	}
	if share := float64(seen) / rows; share < 0.07 || share > 0.13 { // 0.10 ± 0.03, four standard errors
		t.Errorf("a difference in %g of the rows", share)
	}
}

// TestCommonSeeds: where each seed is a split, a method that has run on the easy one alone is not the best, and one that lacks a hard one
// gains nothing by it.
func TestCommonSeeds(t *testing.T) {
	m := asInPrint()
	m.protocol = "paper"
	m.value = func(problem, method, metric string, seed int) float64 {
		v := 3 + 0.1*float64(seed) + 0.001*wobble(method, seed) // seed 0 is easiest, seed 9 hardest
		switch {
		case method == "sifg" && seed > 0 || method == "svgd" && seed == 9:
			return math.NaN()
		case method == "ada-sifg":
			return v - 0.1
		}
		return v
	}
	s := m.set(t)
	for method, bold := range map[string]bool{"SIFG": false, "SVGD": false, "Ada-SIFG": true} {
		if text, got := cellOf(t, s, "Boston RMSE", method); got != bold {
			t.Errorf("%s: %s, bold %v", method, text, got)
		}
	}
	tab, err := table1(s)
	if err != nil || !slices.ContainsFunc(tab.Notes, func(n string) bool { return strings.Contains(n, "takes no part") }) {
		t.Errorf("no note says who takes no part: %q (%v)", tab.Notes, err)
	}
}

// TestEnough: n pairs give p = 2¹⁻ⁿ at best, times the number of tests.
func TestEnough(t *testing.T) {
	for tests, want := range map[int]int{1: 6, 4: 8, 6: 8, 7: 9} {
		if got := enough(tests); got != want || float64(tests)*math.Pow(2, 1-float64(got)) > level || float64(tests)*math.Pow(2, 2-float64(got)) <= level {
			t.Errorf("enough(%d) = %d, want %d", tests, got, want)
		}
	}
}

func TestAgainstPrint(t *testing.T) {
	m := asInPrint()
	value := m.value
	m.value = func(problem, method, metric string, seed int) float64 {
		switch {
		case method == "svgd-slow":
			return value(problem, method, metric, seed) + 1
		case problem == "boston" && method == "l2-gf" && metric == "test-rmse":
			return 3.5 + 0.02*wobble(method, seed)
		}
		return value(problem, method, metric, seed)
	}
	tab, err := against(m.set(t))
	if err != nil {
		t.Fatal(err)
	}
	rows := map[string][]string{}
	for _, r := range tab.Rows {
		var text []string
		for _, c := range r {
			text = append(text, c.Text)
		}
		rows[strings.Join(text[:3], " ")] = text
	}
	if len(rows) != 84 { // 60 printed, 12 of SVGD by the smaller step, 12 of SIFG
		t.Errorf("%d rows", len(rows))
	}
	// 3.5 − 3.016 in units of √((0.02² + 0.12²)/2) = 0.0860, and over 3.016
	if r := rows["Boston RMSE L2-GF"]; r[3] != "3.016 ± 0.12" || r[7] != "0.48" || r[8] != "5.6" || r[9] != "16.0" || r[10] != "outside" {
		t.Errorf("Boston RMSE L2-GF: %q", r)
	}
	if r := rows["Wine RMSE SVGD"]; r[10] != "within" || r[11] != "Within by step 0.0005, outside by 0.0001." {
		t.Errorf("Wine RMSE SVGD: %q", r)
	}
	if r := rows["Wine RMSE SVGD (step 0.0001)"]; r[10] != "outside" {
		t.Errorf("Wine RMSE SVGD by the smaller step: %q", r)
	}
	if !strings.HasPrefix(tab.Notes[0], "59 printed cells within, 1 outside, 0 without") {
		t.Errorf("note %q", tab.Notes[0])
	}
	m.protocol = "standard"
	if _, err := against(m.set(t)); err == nil || !strings.Contains(err.Error(), "other data") {
		t.Errorf("standard against print: %v", err)
	}
}

// TestOtherSplits: where each trial has a split of its own, the printed table, which has one, stands beside ours without a verdict.
func TestOtherSplits(t *testing.T) {
	m := asInPrint()
	m.protocol = "paper"
	s := m.set(t)
	if out := verdict(t, s, "28"); out.Verdict != harness.NotTestable || !strings.Contains(out.Evidence, "a split of its own") {
		t.Errorf("claim 28: %s (%s)", out.Verdict, out.Evidence)
	}
	tab, err := against(s)
	if err != nil {
		t.Fatal(err)
	}
	row := tab.Rows[0]
	if row[3].Text != "2.917 ± 0.04" || row[7].Text == "–" || row[10].Text != "–" || !strings.HasPrefix(tab.Notes[0], "No verdict") {
		t.Errorf("SGLD on Boston: %v; %q", row, tab.Notes)
	}
	m.protocol = "standard"
	if _, err := against(m.set(t)); err == nil {
		t.Error("other data stand beside the printed table")
	}
}
