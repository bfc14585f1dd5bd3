package usage

import "testing"

// TestNearest: what is offered shares a letter with what was written.
func TestNearest(t *testing.T) {
	for _, c := range []struct {
		name, want string
		valid      []string
	}{
		{"", "", []string{"p", "step"}},
		{"x", "", []string{"p", "step"}},
		{"ab", "", []string{"p", "step"}},
		{"nope", "", []string{"code", "step"}},
		{"stp", "step", []string{"p", "step"}},
		{"svdg", "svgd", []string{"sifg", "sgld", "svgd"}},
		{"SIGMA", "sigma", []string{"sigma_max", "sigma"}},
		{"--quite", "--quiet", []string{"--quiet", "--site"}},
	} {
		if got := nearest(c.name, c.valid); got != c.want {
			t.Errorf("nearest to %q of %q is %q, want %q", c.name, c.valid, got, c.want)
		}
	}
}
