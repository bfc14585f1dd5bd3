package claim

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/semi-implicit/sifg/pkg/harness/stats"
)

// Published is a number that the paper prints: mean and standard deviation over trials of a metric at the last iteration.
type Published struct {
	Problem, Metric, Method string // as in the records
	Mean, SD                float64
	Place                   float64 // of SD's last printed digit: 0.01 of "0.04"
	Source                  string  // where it is printed: Table 1
	Text                    string  // mean and SD with the digits that are printed
	Note                    string  // what is known of the cell, "" for nothing
}

// publishedColumns are the columns of the file that ReadPublished reads.
var publishedColumns = []string{"dataset", "metric", "method", "mean", "std", "source", "note"}

// ReadPublished reads published numbers from CSV with the columns dataset (name of the problem), metric, method, mean, std, source,
// note. Numbers have to stand as they are printed, for the digits say how far they were rounded.
func ReadPublished(text []byte) ([]Published, error) {
	rows, err := csv.NewReader(bytes.NewReader(text)).ReadAll()
	if err != nil {
		return nil, fmt.Errorf("published numbers: %w", err)
	}
	if len(rows) == 0 || !slices.Equal(rows[0], publishedColumns) {
		return nil, fmt.Errorf("published numbers: the first line must be %s", strings.Join(publishedColumns, ","))
	}
	var out []Published
	seen := map[string]bool{}
	for i, row := range rows[1:] {
		p := Published{Problem: row[0], Metric: row[1], Method: row[2], Source: row[5], Note: row[6], Text: row[3] + " ± " + row[4]}
		_, decimals, _ := strings.Cut(row[4], ".")
		p.Place = math.Pow(10, -float64(len(decimals)))
		var err2 error
		p.Mean, err = strconv.ParseFloat(row[3], 64)
		p.SD, err2 = strconv.ParseFloat(row[4], 64)
		if err != nil || err2 != nil || !(p.SD >= 0) || math.IsInf(p.SD, 0) || math.IsNaN(p.Mean) || math.IsInf(p.Mean, 0) {
			return nil, fmt.Errorf("published numbers, row %d: mean %q and std %q: want two numbers, std not below 0", i+1, row[3], row[4])
		}
		name := strings.Join([]string{p.Problem, p.Metric, p.Method, p.Source}, " ")
		if seen[name] {
			return nil, fmt.Errorf("published numbers, row %d: %s stands twice", i+1, name)
		}
		seen[name] = true
		out = append(out, p)
	}
	return out, nil
}

// AtMost is the standard deviation that the printed one stands for; what is printed as zero stands for anything below half a unit of
// its last digit, and counts as that much.
func (p Published) AtMost() float64 {
	if p.SD == 0 {
		return p.Place / 2
	}
	return p.SD
}

// Gap is how far values lie from a published number.
type Gap struct {
	Difference float64 // their mean − the published mean
	Share      float64 // Difference over the published mean's size
	Pooled     float64 // √((their SD² + the published SD²)/2); of one value, the published SD
	Units      float64 // Difference/Pooled
}

// Gap compares values, one a trial, with the number. NaN of no values.
func (p Published) Gap(values []float64) Gap {
	g := Gap{Difference: stats.Mean(values) - p.Mean, Pooled: p.AtMost()}
	if sd := stats.SD(values); !math.IsNaN(sd) {
		g.Pooled = math.Sqrt((sd*sd + p.AtMost()*p.AtMost()) / 2)
	}
	g.Share, g.Units = g.Difference/math.Abs(p.Mean), g.Difference/g.Pooled
	return g
}

// Agrees reports whether the gap is at most Units pooled standard deviations, or at most this Share of the published mean.
func (g Gap) Agrees() bool { return math.Abs(g.Units) <= Units || math.Abs(g.Share) <= Share }

// Units and Share are how far means that agree may differ: in pooled standard deviations, and as a share of the other's mean.
const Units, Share = 2, 0.03

// MustReadPublished is ReadPublished for a file that is part of the program.
func MustReadPublished(text []byte) []Published {
	all, err := ReadPublished(text)
	if err != nil {
		panic("claim: " + err.Error())
	}
	return all
}
