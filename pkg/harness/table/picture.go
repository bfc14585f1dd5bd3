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
	t := Of(all)
	t.Comparisons = all
	t.Words("Problem", func(c Comparison) string { return c.Problem })
	t.Words("Method", func(c Comparison) string { return label(c.Method) })
	t.Words("Against", func(c Comparison) string { return label(c.Rival) })
	t.Column("Difference", func(c Comparison) Cell { return Number(c.Difference, 3) })
	t.Column("95 %: from", func(c Comparison) Cell { from, _ := c.Ends(); return Number(from, 3) })
	t.Column("to", func(c Comparison) Cell { _, to := c.Ends(); return Number(to, 3) })
	t.Column("Margin", func(c Comparison) Cell { return Number(c.Margin, 3) })
	t.Words("Verdict", func(c Comparison) string { return c.Verdict })
	return &t.Table
}

// Ends are those of the interval, NaN of none.
func (c Comparison) Ends() (from, to float64) {
	if c.Interval == nil {
		return math.NaN(), math.NaN()
	}
	return c.Interval[0], c.Interval[1]
}
