package claim

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"math"
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
}

// ReadPublished reads published numbers from a CSV file that is part of the program, with the columns dataset (the
// problem), metric, method, mean, std, source, note. Numbers stand as they are printed, for the digits say how far they
// were rounded. It panics if something is no number.
func ReadPublished(text []byte) []Published {
	rows, err := csv.NewReader(bytes.NewReader(text)).ReadAll()
	if err != nil {
		panic("published numbers: " + err.Error())
	}
	var out []Published
	for i, row := range rows[1:] {
		mean, err1 := strconv.ParseFloat(row[3], 64)
		sd, err2 := strconv.ParseFloat(row[4], 64)
		if err := errors.Join(err1, err2); err != nil {
			panic(fmt.Sprintf("published numbers, row %d: %v", i+1, err))
		}
		_, decimals, _ := strings.Cut(row[4], ".")
		out = append(out, Published{
			Problem: row[0],
			Metric:  row[1],
			Method:  row[2],
			Mean:    mean,
			SD:      sd,
			Place:   math.Pow(10, -float64(len(decimals))),
			Source:  row[5],
			Text:    row[3] + " ± " + row[4],
			Note:    row[6],
		})
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
	Share      float64 // Difference over the size of the printed mean
	Pooled     float64 // √((SD² + the printed SD²)/2); the printed SD where there is one value
	Units      float64 // Difference/Pooled
}

// Gap compares values, one a trial, with the number. NaN of no values.
func (p Published) Gap(values []float64) Gap {
	difference, sd, printed := stats.Mean(values)-p.Mean, stats.SD(values), p.AtMost()
	pooled := math.Sqrt((float64(sd*sd) + float64(printed*printed)) / 2)
	if math.IsNaN(sd) {
		pooled = printed
	}
	return Gap{
		Difference: difference,
		Share:      difference / math.Abs(p.Mean),
		Pooled:     pooled,
		Units:      difference / pooled,
	}
}

// Agrees reports whether the gap is at most Units pooled standard deviations, or at most this Share of the published
// mean.
func (g Gap) Agrees() bool { return math.Abs(g.Units) <= Units || math.Abs(g.Share) <= Share }

// Units and Share are how far means that agree may differ: in pooled standard deviations, and as a share of the printed
// mean.
const Units, Share = 2, 0.03
