package ucibnn

import (
	"strings"
	"testing"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/record"
)

// TestFindingsFollowTheRecords: what a finding says changes with the numbers.
func TestFindingsFollowTheRecords(t *testing.T) {
	factor := func(problem, method string, by float64) *made {
		return asInPrint().but(func(v float64, p, me, _ string, _ int) float64 {
			if me == method && (problem == "" || p == problem) {
				v *= by
			}
			return v
		})
	}
	for _, c := range []struct {
		what string
		f    harness.Find
		made *made
		want string
	}{
		{"as in print", leadership, asInPrint(), "| Ada-SIFG | 9 | 9 ("},
		{"Ada-SIFG a fifth worse", leadership, factor("", "ada-sifg", 1.2), "| Ada-SIFG | 9 | 0 ("},
		{"σ falls", sigmas, asInPrint(), "fallen in 6 of 6 settings"},
	} {
		st := c.f(map[string]*record.Set{"released": c.made.set(t)})
		switch {
		case st == nil && c.want != "":
			t.Errorf("%s: nothing is said, want %q", c.what, c.want)
		case st != nil && (c.want == "" || !strings.Contains(said(st), c.want)):
			t.Errorf("%s: %s; want %q", c.what, said(st), c.want)
		}
		if st != nil && strings.Contains(st.Table.Markdown(), "NaN") {
			t.Errorf("%s: %s", c.what, st.Table.Markdown())
		}
	}
}

// said is all that a finding says, with single spaces.
func said(st *harness.Finding) string {
	return strings.Join(strings.Fields(st.Title+" "+st.Text+" "+st.Table.Markdown()), " ")
}
