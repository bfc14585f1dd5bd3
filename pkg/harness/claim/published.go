package claim

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/semi-implicit/sifg/pkg/harness/stats"
)

// Published is a number that the paper prints: mean and standard deviation over trials of a metric at the last
// iteration.
type Published struct {
	Problem, Metric, Method string // as in the records
	Mean, SD                float64
	Place                   float64 // of SD's last printed digit: 0.01 of "0.04"
	Source                  string  // where it is printed: Table 1
	Text                    string  // mean and SD with the digits that are printed
	Note                    string  // what is known of the cell, "" for nothing
	Copied                  bool    // it is a copy of another cell by its note, and counts neither way
}

// columns of published numbers.
var columns = []string{"dataset", "metric", "method", "mean", "std", "source", "note"}

// ReadPublished reads published numbers from CSV with the columns dataset (the problem), metric, method, mean, std,
// source, note. Numbers stand as they are printed, for the digits say how far they were rounded. file is its name in
// errors.
func ReadPublished(file string, text []byte) ([]Published, error) {
	rows, err := csv.NewReader(bytes.NewReader(text)).ReadAll()
	switch {
	case err != nil:
		return nil, fmt.Errorf("%s: %w", file, err)
	case len(rows) < 2 || !slices.Equal(rows[0], columns):
		return nil, fmt.Errorf("%s: want the columns %s, and a row for each number", file, strings.Join(columns, ","))
	}
	var out []Published
	for i, row := range rows[1:] {
		mean, err1 := strconv.ParseFloat(row[3], 64)
		sd, err2 := strconv.ParseFloat(row[4], 64)
		_, decimals, _ := strings.Cut(row[4], ".")
		p := Published{
			Problem: row[0],
			Metric:  row[1],
			Method:  row[2],
			Mean:    mean,
			SD:      sd,
			Place:   math.Pow(10, -float64(len(decimals))),
			Source:  row[5],
			Text:    row[3] + " ± " + row[4],
			Note:    row[6],
			Copied:  strings.Contains(row[6], "copying error"),
		}
		finite := !math.IsNaN(mean) && !math.IsInf(p.AtMost()+math.Abs(mean), 0)
		if errors.Join(err1, err2) != nil || !finite || !(p.AtMost() > 0) {
			return nil, fmt.Errorf("%s, row %d: want a mean and a standard deviation, not %s and %s",
				file, i+1, row[3], row[4])
		}
		same := func(q Published) bool { return q.Problem == p.Problem && q.Metric == p.Metric && q.Method == p.Method }
		if slices.ContainsFunc(out, same) {
			return nil, fmt.Errorf("%s, row %d: %s of %s on %s is there twice",
				file, i+1, p.Metric, p.Method, p.Problem)
		}
		out = append(out, p)
	}
	return out, nil
}

// MustPublished is ReadPublished of a file that is part of the program.
func MustPublished(text []byte) []Published {
	out, err := ReadPublished("published numbers", text)
	if err != nil {
		panic(err)
	}
	return out
}

// AtMost is the standard deviation that the printed one stands for; what is printed as zero stands for anything below
// half a unit of its last digit, and counts as that much.
func (p Published) AtMost() float64 {
	if p.SD == 0 {
		return p.Place / 2
	}
	return p.SD
}

// Gap is how far a mean lies from a printed one.
type Gap struct {
	Difference float64
	Error      float64 // standard error of the difference, if the printed mean is of as many trials
}

// Gap compares values, one a trial, with the number. The spread of one value is taken to be
// the printed one. NaN of no values.
func (p Published) Gap(values []float64) Gap {
	sd, printed := stats.SD(values), p.AtMost()
	if len(values) == 1 {
		sd = printed
	}
	return Gap{
		Difference: stats.Mean(values) - p.Mean,
		Error:      math.Sqrt((float64(sd*sd) + float64(printed*printed)) / float64(len(values))),
	}
}

// Agrees reports whether the means differ by at most Errors standard errors.
func (g Gap) Agrees() bool { return math.Abs(g.Difference) <= Errors*g.Error }

// Far reports whether the means agree, and differ by more than Marked standard errors.
func (g Gap) Far() bool { return g.Agrees() && math.Abs(g.Difference) > Marked*g.Error }

// Errors is how many standard errors of their difference two means that agree may be apart: of 60 pairs of equal means
// one is farther apart in 5 % of cases (1 − Φ(3.3) = 0.05/2/60, rounded). Pairs farther apart than Marked are marked;
// chance alone marks a share of Chance.
const (
	Errors = 3.3
	Marked = 2
	Chance = 0.0455
)
