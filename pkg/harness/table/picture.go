package table

// Picture says how the numbers of a table are drawn: see figure.Of.
type Picture struct {
	Kind  Kind   `json:"kind"`
	Label string `json:"label"` // what the numbers are
}

// Kind of a picture.
type Kind string

const (
	Heat   Kind = "heat"   // a colour for each cell; the first column names the rows
	Shares Kind = "shares" // a bar for each row, with a part for each column but the first
	Forest Kind = "forest" // the comparisons of the table that Comparisons makes
)

// Comparison is how a method compares with a rival on a problem.
type Comparison struct {
	Problem       string
	Method, Rival string
	Difference    float64    // less than 0: the method is better
	Interval      [2]float64 // 95 %
	Margin        float64    // a difference that is certain to be smaller counts as none
	Verdict       string     // better, equal, worse or Open
}

// Open is the verdict of a comparison that decides nothing.
const Open = "open"

// Comparisons returns comparisons as a table with a row for each. label gives the names of methods in words, what says
// of what the differences are.
func Comparisons(all []Comparison, what string, label func(method string) string) *Table {
	t := &Table{
		Columns: Columns(3, "Problem", "Method", "Against", "Difference", "95 %: from", "to", "Margin"),
		Picture: &Picture{Kind: Forest, Label: what},
	}
	t.Columns = append(t.Columns, Columns(1, "Verdict")...)
	for _, c := range all {
		row := []Cell{Text(c.Problem), {Text: label(c.Method), Value: c.Method}, {Text: label(c.Rival), Value: c.Rival}}
		for _, v := range []float64{c.Difference, c.Interval[0], c.Interval[1], c.Margin} {
			row = append(row, Number(v, 3))
		}
		t.Rows = append(t.Rows, append(row, Text(c.Verdict)))
	}
	return t
}
