package study

import (
	"math"
	"strings"
	"testing"

	"github.com/semi-implicit/sifg/pkg/harness/claim"
)

// TestNeeded: 1, 2, 3 have mean 2 and standard deviation 1, so the distance 0.5 to a limit takes (1.645/0.5)² = 10.8 seeds.
func TestNeeded(t *testing.T) {
	x := []float64{1, 2, 3}
	for _, c := range []struct {
		v      claim.Verdict
		x      []float64
		limits []float64
		want   string
	}{
		{claim.NotDecided, x, []float64{-9, 2.5}, "about 11 seeds"},
		{claim.NotDecided, x, []float64{9}, "about 4 seeds"}, // more than there are
		{claim.NotDecided, []float64{1, math.Inf(1)}, []float64{2}, "No number of seeds"},
		{claim.Reproduced, x, []float64{2.5}, ""},
	} {
		if got := Needed(c.v, c.x, c.limits...); (got == "") != (c.want == "") || !strings.Contains(got, c.want) {
			t.Errorf("%v of %v, limits %v: %q, want %q", c.v, c.x, c.limits, got, c.want)
		}
	}
	if got := NeededAll([]bool{true, false, true}); !strings.Contains(got, "1 of 3") {
		t.Errorf("one of three fails: %q", got)
	}
	if got := NeededAll([]bool{true, true}) + NeededAll([]bool{true, false}); got != "" {
		t.Errorf("decided: %q", got)
	}
}
