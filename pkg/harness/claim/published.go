package claim

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/semi-implicit/sifg/pkg/harness/stats"
)

// Published is a number that somebody prints: the mean over trials of a metric at the last iteration, with its spread.
type Published struct {
	Problem, Metric, Method string // as in the records; a component of a metric is coverage[3]
	Mean                    float64
	SD                      float64 // over trials; where IsSE, the standard error of the mean
	IsSE                    bool
	N                       int     // trials; 0: as many as ours
	Place                   float64 // of the last digit of an SD of zero: see AtMost
	Source                  string  // where it is printed: Table 1
	Text                    string  // mean and SD with the digits that are printed
	Note                    string  // what is known of the cell, "" for nothing
	Excluded                bool    // it counts neither way
}

// columns of published numbers. The first four must be there, and std or se.
var columns = []string{"dataset", "metric", "method", "mean", "std", "se", "n", "source", "note", "exclude"}

// ReadPublished reads published numbers from CSV, whose first line names the columns, in any order: dataset (the
// problem), metric, method, mean; std, or se, the standard error of the mean; and if wanted n, how many trials the mean
// is of, source, note, and exclude, yes where the row counts neither way. Numbers stand as they are printed, for the
// digits say how far they were rounded. file is its name in errors.
func ReadPublished(file string, text []byte) ([]Published, error) {
	r := csv.NewReader(bytes.NewReader(bytes.TrimPrefix(text, []byte("\ufeff")))) // as Excel begins a file
	r.TrimLeadingSpace = true
	rows, err := r.ReadAll()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	if len(rows) < 2 || !heads(rows[0]) {
		return nil, fmt.Errorf("%s: want a first line with dataset,metric,method,mean, std or se, and if wanted "+
			"n,source,note,exclude, and then a row for each number; found %q",
			file, slices.Concat(rows[:min(len(rows), 1)]...))
	}
	var out []Published
	for _, cells := range rows[1:] {
		p, err := row(rows[0], cells)
		same := func(q Published) bool { return q.Problem == p.Problem && q.Metric == p.Metric && q.Method == p.Method }
		if err == nil && slices.ContainsFunc(out, same) {
			err = fmt.Errorf("%s of %s on %s is there twice", p.Metric, p.Method, p.Problem)
		}
		if err != nil {
			return nil, fmt.Errorf("%s, row %q: %w", file, strings.Join(cells, ","), err)
		}
		out = append(out, p)
	}
	return out, nil
}

// heads reports whether cells are columns, each once, and those that must be there among them. It takes the blanks off.
func heads(cells []string) bool {
	seen := map[string]bool{}
	for i := range cells {
		cells[i] = strings.TrimSpace(cells[i])
		if seen[cells[i]] || !slices.Contains(columns, cells[i]) {
			return false
		}
		seen[cells[i]] = true
	}
	return seen["dataset"] && seen["metric"] && seen["method"] && seen["mean"] && (seen["std"] || seen["se"])
}

// row reads the cells of a line.
func row(head, cells []string) (p Published, err error) {
	of := map[string]string{}
	for i, name := range head {
		of[name] = strings.TrimSpace(cells[i])
	}
	p = Published{Problem: of["dataset"], Metric: of["metric"], Method: of["method"], Source: of["source"],
		Note: of["note"], IsSE: of["std"] == "", Excluded: of["exclude"] == "yes"}
	spread := cmp.Or(of["std"], of["se"])
	mean, place, ok1 := printed(of["mean"])
	sd, last, ok2 := printed(spread)
	p.Mean, p.SD, p.Place, p.Text = mean, sd, last, of["mean"]+" ± "+spread
	if p.IsSE {
		p.Text += " SE"
	}
	if last >= 1 {
		p.Place = min(place, last)
	}
	if !ok1 || !ok2 || math.Signbit(sd) || !(p.AtMost() > 0) || math.IsInf(mean*mean+sd*sd, 0) ||
		of["std"] != "" && of["se"] != "" {
		return p, fmt.Errorf("want a mean and a standard deviation (std) or error (se), as 2.917 and 0.04, found %q "+
			"and %q", of["mean"], of["std"]+of["se"])
	}
	if count := of["n"]; count != "" {
		if p.N, err = strconv.Atoi(count); err != nil || p.N < 1 {
			return p, fmt.Errorf("n is how many trials the mean is of, found %q", count)
		}
	}
	if word := of["exclude"]; word != "" && word != "yes" {
		return p, fmt.Errorf("exclude is yes or empty, found %q", word)
	}
	return p, nil
}

// printed reads a number of digits, and the place of its last: 0.01 of "0.04", 10 of "4e1".
func printed(text string) (value, place float64, ok bool) {
	digits, power, _ := strings.Cut(strings.ToLower(text), "e")
	_, decimals, _ := strings.Cut(digits, ".")
	exponent, err1 := strconv.Atoi(cmp.Or(power, "0"))
	value, err2 := strconv.ParseFloat(text, 64) // which reads words too, such as NaN
	ok = err1 == nil && err2 == nil && strings.Trim(text, "+-.0123456789eE") == ""
	return value, math.Pow10(exponent - len(decimals)), ok
}

// MustPublished is ReadPublished of a file that is part of the program.
func MustPublished(text []byte) []Published {
	out, err := ReadPublished("published numbers", text)
	if err != nil {
		panic(err)
	}
	return out
}

// AtMost is the spread that the printed one stands for. What is printed as zero stands for anything below half a unit
// of its last digit, and counts as that much; a bare 0 has no digit of its own, and takes the last one of the mean.
func (p Published) AtMost() float64 {
	if p.SD == 0 {
		return p.Place / 2
	}
	return p.SD
}

// Gap is how far the mean of values, one a trial, lies from the number, with the standard error of the difference. One
// value has the spread that is printed. NaN of no values.
func (p Published) Gap(values []float64) (difference, se float64) {
	n := float64(len(values))
	trials := float64(cmp.Or(p.N, len(values)))
	sd, printed := stats.SD(values), p.AtMost()
	if p.IsSE {
		printed *= math.Sqrt(trials)
	}
	if len(values) == 1 {
		sd = printed
	}
	return stats.Mean(values) - p.Mean, math.Sqrt((float64(sd*sd) + float64(printed*printed)*(n/trials)) / n)
}

// Errors is how many standard errors of their difference two means that agree may be apart: of 60 pairs of equal means
// one is farther apart in 5 % of cases (1 − Φ(3.3) = 0.05/2/60, rounded). Pairs farther apart than Marked are marked;
// chance alone marks a share of Chance.
const (
	Errors = 3.3
	Marked = 2
	Chance = 0.0455
)
