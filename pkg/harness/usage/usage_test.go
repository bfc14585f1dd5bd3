package usage

import (
	"strings"
	"testing"
)

// TestNearest: what is offered is near what was written.
func TestNearest(t *testing.T) {
	for _, c := range []struct {
		name, want string
		valid      []string
	}{
		{"", "", []string{"p", "step"}},
		{"x", "", []string{"p", "step"}},
		{"ab", "", []string{"p", "step"}},
		{"nonsense", "", []string{"code", "step"}},
		{"stp", "step", []string{"p", "step"}},
		{"svdg", "sifg svgd", []string{"sifg", "sgld", "svgd"}},
		{"SIGMA", "sigma_max sigma", []string{"sigma_max", "sigma"}},
		{"quite", "quiet", []string{"quiet", "verbose"}},
	} {
		if got := strings.Join(nearest(c.name, c.valid), " "); got != c.want {
			t.Errorf("nearest to %q of %q is %q, want %q", c.name, c.valid, got, c.want)
		}
	}
}
