package table

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"
)

// cellJSON is the JSON form of a Cell. Values that are no finite number, which JSON lacks, are strings.
type cellJSON struct {
	Text   string  `json:"text"`
	Value  *number `json:"value,omitempty"`
	Spread *number `json:"spread,omitempty"`
	Best   bool    `json:"best,omitempty"`
}

type number float64

func (n number) MarshalJSON() ([]byte, error) {
	if v := float64(n); math.IsNaN(v) || math.IsInf(v, 0) {
		return fmt.Appendf(nil, "%q", strconv.FormatFloat(v, 'g', -1, 64)), nil
	}
	return json.Marshal(float64(n))
}

func (n *number) UnmarshalJSON(text []byte) error {
	if text[0] != '"' {
		return json.Unmarshal(text, (*float64)(n))
	}
	switch string(text) {
	case `"NaN"`:
		*n = number(math.NaN())
	case `"+Inf"`:
		*n = number(math.Inf(1))
	case `"-Inf"`:
		*n = number(math.Inf(-1))
	default:
		return fmt.Errorf("table: %s is no number", text)
	}
	return nil
}

// MarshalJSON implements json.Marshaler. A cell that is read back is the same, NaN and infinities included.
func (c Cell) MarshalJSON() ([]byte, error) {
	j := cellJSON{Text: c.Text, Best: c.Bold}
	if c.IsNumber {
		v := number(c.Value)
		j.Value = &v
	}
	if c.HasSpread {
		v := number(c.Spread)
		j.Spread = &v
	}
	return json.Marshal(j)
}

// UnmarshalJSON implements json.Unmarshaler.
func (c *Cell) UnmarshalJSON(text []byte) error {
	var j cellJSON
	if err := json.Unmarshal(text, &j); err != nil {
		return err
	}
	*c = Cell{Text: j.Text, Bold: j.Best}
	if j.Value != nil {
		c.Value, c.IsNumber = float64(*j.Value), true
	}
	if j.Spread != nil {
		c.Spread, c.HasSpread = float64(*j.Spread), true
	}
	return nil
}
