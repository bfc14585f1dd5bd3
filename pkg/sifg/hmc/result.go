package hmc

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/semi-implicit/sifg/pkg/sifg/metric"
	"github.com/semi-implicit/sifg/pkg/sifg/npy"
)

// Result is what Sample returns.
type Result struct {
	Names   []string        // of the values
	Draws   []metric.Points // of each chain, n×len(Names)
	Infos   [][]Info        // of each chain's draws
	Tallies []Tally         // of each chain: its iterations after the warm-up, those that were discarded included
	Summary Summary         // of the values, in the order of Names
	// Gradients of all chains: of their starts, searches for a step and warm-up too, but not of random starts that were
	// no good, nor of the comparison with a folder
	Gradients int
	Converged bool // R-hat and effective sample sizes are as Options.Until wants them
}

// result returns the first n draws.
func (s *sampling) result(n int) *Result {
	r := &Result{Names: s.o.Names}
	for _, t := range s.tracks {
		points, infos := metric.NewPoints(n, len(r.Names)), make([]Info, n)
		var tally Tally
		for i := range s.o.Discard + n {
			x, info := t.row(i)
			tally.Add(info)
			if k := i - s.o.Discard; k >= 0 {
				infos[k] = info
				s.o.Values(points.Row(k), x)
			}
		}
		r.Draws, r.Infos, r.Tallies = append(r.Draws, points), append(r.Infos, infos), append(r.Tallies, tally)
		r.Gradients += t.gradients + tally.Gradients
	}
	r.Summary = Summarize(r.Draws, r.Tallies...)
	return r
}

// shown is how many lines a printed table has at most.
const shown = 40

// String returns a table of at most 80 columns, and what to think of it. Of more than 40 values those with the fewest
// effective draws are shown.
func (r *Result) String() string {
	var b strings.Builder
	line := func(name string, columns ...any) {
		if short := []rune(name); len(short) > 16 {
			name = string(short[:15]) + "…"
		}
		fmt.Fprintf(&b, "%-16s%10v%10v%10v%10v%8v%8v%7v\n", append([]any{name}, columns...)...)
	}
	line("", "mean", "sd", "5 %", "95 %", "bulk", "tail", "R-hat")
	least := make([]float64, len(r.Names)) // effective draws
	for k, c := range r.Summary.Coordinates {
		if least[k] = min(c.BulkESS, c.TailESS); c.SD == 0 {
			least[k] = math.Inf(1)
		}
	}
	most := slices.Sorted(slices.Values(least))[min(shown, len(least))-1]
	number := func(format string, v float64) string {
		if math.IsNaN(v) {
			return "–"
		}
		return fmt.Sprintf(format, v)
	}
	more := 0
	for k, c := range r.Summary.Coordinates {
		if least[k] > most {
			more++
			continue
		}
		line(r.Names[k], number("%.4g", c.Mean), number("%.4g", c.SD), number("%.4g", c.Low), number("%.4g", c.High),
			number("%.0f", c.BulkESS), number("%.0f", c.TailESS), number("%.3f", c.RHat))
	}
	if more > 0 {
		fmt.Fprintf(&b, "… and %d more, with more effective draws\n", more)
	}
	b.WriteString(r.verdict())
	return b.String()
}

// verdict says what the chains cost and whether their draws can be used.
func (r *Result) verdict() string {
	s := &r.Summary
	var b strings.Builder
	fmt.Fprintf(&b, "%d chains, %d draws each, %d gradients in all\n", s.Chains, s.Draws, r.Gradients)
	rhat, ess := s.Worst()
	if r.Converged {
		fmt.Fprintf(&b, "converged: R-hat at most %.3f, effective draws at least %.0f\n", rhat, ess)
	} else {
		fmt.Fprintf(&b, "NOT CONVERGED: R-hat up to %.3f, effective draws down to %.0f\n", rhat, ess)
	}
	if s.Divergences > 0 {
		fmt.Fprintf(&b, "%d iterations diverged: raise TargetAccept, or write the density otherwise\n", s.Divergences)
	}
	for k, infos := range r.Infos {
		h := make([]float64, len(infos))
		for i, info := range infos {
			h[i] = info.Hamiltonian
		}
		if f := EBFMI(h); f < 0.3 {
			fmt.Fprintf(&b, "E-BFMI of chain %d is %.2f: below 0.3 tails are visited too seldom\n", k, f)
		}
	}
	return b.String()
}

// WriteNPY writes the draws as an NPY file of float64, chains×draws×values.
func (r *Result) WriteNPY(w io.Writer) error {
	var all []float64
	for _, p := range r.Draws {
		all = append(all, p.Data...)
	}
	_, err := w.Write(npy.Encode([]int{len(r.Draws), r.Draws[0].N, len(r.Names)}, all))
	return err
}
