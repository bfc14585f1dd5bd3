package table

import "math"

// Picture says how the numbers of a table are drawn: see figure.Picture.
type Picture struct {
	Kind  Kind   `json:"kind"`
	Label string `json:"label"` // what the numbers are
}

// Kind of a picture.
type Kind string

const (
	Heat   Kind = "heat"   // a colour for each cell; the first column names the rows
	Shares Kind = "shares" // a bar for each row, with a part for each column but the first
)

// Comparison is how a method compares with a rival on a problem.
type Comparison struct {
	Problem    string    `json:"problem"` // in words
	Method     string    `json:"method"`
	Rival      string    `json:"rival"`
	Difference float64   `json:"difference"`         // finite; less than 0: the method is better
	Interval   []float64 `json:"interval,omitempty"` // from, to; nil: too few seeds for one
	Margin     float64   `json:"margin"`             // a difference that is certain to be smaller counts as none
	Verdict    string    `json:"verdict"`            // such as better, equal, worse; or Open
}

// Open is the verdict of a comparison that decides nothing.
const Open = "open"

// Comparisons returns comparisons as a table with a row for each. label gives the names of methods in words.
func Comparisons(all []Comparison, label func(method string) string) *Table {
	t := &Table{
		Columns:     Columns(3, "Problem", "Method", "Against", "Difference", "95 %: from", "to", "Margin", "Verdict"),
		Comparisons: all,
	}
	t.Columns[7].Align = Left
	for _, c := range all {
		from, to := math.NaN(), math.NaN()
		if c.Interval != nil {
			from, to = c.Interval[0], c.Interval[1]
		}
		row := []Cell{Text(c.Problem), Text(label(c.Method)), Text(label(c.Rival))}
		for _, v := range []float64{c.Difference, from, to, c.Margin} {
			row = append(row, Number(v, 3))
		}
		t.Rows = append(t.Rows, append(row, Text(c.Verdict)))
	}
	return t
}
