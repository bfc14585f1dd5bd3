package table

import "testing"

// TestNum: three significant digits, and infinities of either sign.
func TestNum(t *testing.T) {
	for v, want := range map[float64]string{
		0: "0", 1: "1", -1: "−1", 12.345: "12.3", 0.00123: "0.00123", 0.000123: "1.23e−4", -0.0001: "−1e−4",
		999.4: "999", 12345: "12345", 99999: "99999", 100000: "1e5", 123456: "1.23e5", inf: "∞", -inf: "−∞",
	} {
		if got := Num(v); got != want {
			t.Errorf("%v: %s, want %s", v, got, want)
		}
	}
	if got := Num(nan); got != "–" {
		t.Errorf("NaN: %s", got)
	}
}

// TestSpread: the median and the range, also where values are infinite.
func TestSpread(t *testing.T) {
	for _, c := range []struct {
		v    []float64
		want string
	}{
		{nil, "–"},
		{[]float64{2}, "2"},
		{[]float64{2, 2, 2}, "2"},
		{[]float64{3, 1, 2}, "2 (1 … 3)"},
		{[]float64{-inf, 1, 2}, "1 (−∞ … 2)"},
		{[]float64{-inf, -inf}, "−∞"},
		{[]float64{1, inf, 2}, "2 (1 … ∞)"},
		{[]float64{-inf, 0, inf}, "0 (−∞ … ∞)"},
		{[]float64{1, nan}, "undefined"},
	} {
		if got := Spread(c.v); got != c.want {
			t.Errorf("%v: %s, want %s", c.v, got, c.want)
		}
	}
}
