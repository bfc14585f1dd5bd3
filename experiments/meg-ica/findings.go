package megica

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/claim"
	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/harness/settings"
	"github.com/semi-implicit/sifg/pkg/harness/stats"
	"github.com/semi-implicit/sifg/pkg/harness/table"
)

var findings = []harness.Finding{axis, scales, steps, alone, wholePosterior}

// each calls f for the protocols that have records, in order of presentation.
func each(by map[string]*record.Set, f func(protocol string, s *record.Set)) {
	for _, protocol := range settings.Protocols {
		if s := by[protocol]; s != nil {
			f(protocol, s)
		}
	}
}

// columns are right-aligned but for the first.
func columns(headers ...string) []table.Column {
	out := []table.Column{{Header: headers[0]}}
	for _, h := range headers[1:] {
		out = append(out, table.Column{Header: h, Align: table.Right})
	}
	return out
}

func median(v []float64) table.Cell { return table.Number(stats.Median(v), 3) }

// axis says what exact draws score on the axis of Figure 4, and why.
func axis(by map[string]*record.Set) *harness.Statement {
	t := &table.Table{Columns: columns("Protocol", "W₀", "exact draws", "random matrices", "halves of a chain", "modes visited, each chain")}
	images := 1
	title := ""
	each(by, func(protocol string, s *record.Set) {
		o, ok := optionsOf(s, few)
		modes, halves := fact(s, "modes"), fact(s, "amari-halves")
		exact, random := floorOf(s, few, "floor-amari"), floorOf(s, few, "random-amari")
		if !ok || len(modes) == 0 || len(exact) == 0 || len(random) == 0 {
			return
		}
		images = 1
		for k := 1; k <= o.Channels; k++ {
			images *= 2 * k // signs and orders of the rows
		}
		if title == "" {
			title = fmt.Sprintf("On the axis of Figure 4 exact draws score %s, random matrices %s", claim.Num(exact.median()), claim.Num(random.median()))
		}
		t.Rows = append(t.Rows, []table.Cell{table.Text(protocol), table.Text(strings.ReplaceAll(o.Truth, "-", " ")),
			table.Number(exact.median(), 3), table.Number(random.median(), 3), table.Text(listed(halves)), table.Text(listed(modes))})
	})
	if title == "" {
		return nil
	}
	t.Notes = []string{"Amari distances: medians of exact draws (of the reference chains) and of N(0, 1) matrices to W₀, and between the means of a chain's two halves."}
	return &harness.Statement{
		Title: title,
		Text: fmt.Sprintf("By symmetry the posterior has %d equivalent modes and the mean 0, so the mean of a chain that changes modes is what "+
			"chance leaves of 0. The distance to it then says little about the posterior.", images),
		Table: t,
	}
}

// scales sets the Amari distance, which does not see the lengths of W's rows, beside measures that do.
func scales(by map[string]*record.Set) *harness.Statement {
	t := &table.Table{Columns: columns("Method", "Protocol", "particles", "Amari to W₀", "rms of W", "energy distance")}
	each(by, func(protocol string, s *record.Set) {
		for _, problem := range []string{few, many} {
			o, ok := optionsOf(s, problem)
			if !ok || o.Unit > 0 {
				continue
			}
			e := claim.Series{Set: s, Problem: problem}
			row := func(label string, amari tries, rms, energy []float64) {
				if len(amari) > 0 && len(rms) > 0 && len(energy) > 0 {
					t.Rows = append(t.Rows, []table.Cell{table.Text(label), table.Text(protocol), table.Text(strings.TrimPrefix(problem, "meg-")),
						table.Number(amari.median(), 3), median(rms), median(energy)})
				}
			}
			methods := s.Methods(problem)
			for _, m := range methods {
				row(claim.Label(m), triesOf(s, problem, m, "amari", atEnd), e.Final(m, "rms", 0), e.Final(m, "energy", 0))
			}
			row("exact draws", floorOf(s, problem, "floor-amari"), e.At(methods[0], "floor-rms", 0, 0), e.At(methods[0], "floor-energy", 0, 0))
		}
	})
	if t.Rows == nil {
		return nil
	}
	t.Notes = []string{"Medians of all tries at the last iteration; energy distance to the reference draws, in the draws' standard deviations."}
	return &harness.Statement{
		Title: "Near in Amari distance can be far from the posterior",
		Text:  "The Amari distance does not see the lengths of W's rows. The root mean square of the entries and the energy distance do.",
		Table: t,
	}
}

// steps compares the particle steps with the largest that is stable at the mode.
func steps(by map[string]*record.Set) *harness.Statement {
	t := &table.Table{Columns: columns("Method")}
	var methods []string
	limits, taken := []float64{}, []map[string]float64{}
	larger := false
	each(by, func(protocol string, s *record.Set) {
		o, ok := optionsOf(s, few)
		stable := fact(s, "stable-step")
		if !ok || len(stable) == 0 {
			return
		}
		limit := stable[0]
		if o.Unit > 0 {
			limit /= o.Unit * o.Unit
		}
		own := map[string]float64{}
		for _, m := range s.Methods(few) {
			first, ok := claim.First(s, few, m)
			if !ok {
				continue
			}
			c, err := claim.Config(first)
			if err != nil {
				continue
			}
			own[m] = c.Sampler.Step
			if c.Sampler.Mover == "langevin" {
				own[m] /= 2 // its drift
			}
			larger = larger || own[m] > limit
			if !slices.Contains(methods, m) {
				methods = append(methods, m)
			}
		}
		t.Columns = append(t.Columns, table.Column{Header: protocol, Align: table.Right})
		limits, taken = append(limits, limit), append(taken, own)
	})
	if !larger {
		return nil
	}
	row := []table.Cell{table.Text("largest stable step")}
	for _, limit := range limits {
		row = append(row, table.Number(limit, 3))
	}
	t.Rows = append(t.Rows, row)
	for _, m := range methods {
		row := []table.Cell{table.Text(claim.Label(m))}
		for _, own := range taken {
			if h, ok := own[m]; ok {
				row = append(row, table.Number(h, 3))
			} else {
				row = append(row, table.Text("–"))
			}
		}
		t.Rows = append(t.Rows, row)
	}
	t.Notes = []string{"The stable step is 2/λ, λ the largest curvature at the mode. SVGD divides its step by n where particles do not interact. Of SGLD the drift, ε/2."}
	return &harness.Statement{
		Title: "Some steps are too large for particles to settle at the mode",
		Text:  "With a step above the stability limit a particle that follows the score alone cannot come to rest at the mode.",
		Table: t,
	}
}

// alone says how far SVGD's particles are apart in units of its kernel where the bandwidth is fixed.
func alone(by map[string]*record.Set) *harness.Statement {
	t := &table.Table{Columns: columns("Protocol", "particles", "squared distance at the start", "twice the bandwidth", "step of one particle")}
	each(by, func(protocol string, s *record.Set) {
		for _, problem := range []string{few, many} {
			first, ok := claim.First(s, problem, "svgd")
			o, known := optionsOf(s, problem)
			rms := claim.Series{Set: s, Problem: problem}.At("svgd", "rms", 0, 0)
			if !ok || !known || len(rms) == 0 {
				continue
			}
			c, err := claim.Config(first)
			if err != nil || c.Sampler.Bandwidth == 0 || o.Unit > 0 {
				continue
			}
			// E‖W − W'‖² of independent matrices with this root mean square of the entries
			apart := 2 * float64(o.Channels*o.Channels) * math.Pow(stats.Median(rms), 2)
			t.Rows = append(t.Rows, []table.Cell{table.Text(protocol), table.Int(c.Particles), table.Number(apart, 3),
				table.Number(2*c.Sampler.Bandwidth, 3), table.Number(c.Sampler.Step/float64(c.Particles), 3)})
		}
	})
	if t.Rows == nil {
		return nil
	}
	return &harness.Statement{
		Title: "With a fixed bandwidth SVGD's particles do not interact",
		Text:  "They are so far apart in units of the kernel that its value is 0. Their number then only divides the step.",
		Table: t,
	}
}

// wholePosterior sums up the matched protocol.
func wholePosterior(by map[string]*record.Set) *harness.Statement {
	s := by["matched"]
	if s == nil || len(fact(s, "rhat")) == 0 {
		return nil
	}
	t := &table.Table{Columns: columns("Method", "particles", "energy distance", "Amari to the aligned mean")}
	for _, problem := range []string{few, many} {
		e := claim.Series{Set: s, Problem: problem}
		row := func(label string, energy []float64, amari tries) {
			if len(energy) > 0 && len(amari) > 0 {
				t.Rows = append(t.Rows, []table.Cell{table.Text(label), table.Text(strings.TrimPrefix(problem, "meg-")), median(energy), table.Number(amari.median(), 3)})
			}
		}
		methods := s.Methods(problem)
		for _, m := range methods {
			row(claim.Label(m), e.Final(m, "energy", 0), triesOf(s, problem, m, "amari", atEnd))
		}
		if len(methods) > 0 {
			row("exact draws", e.At(methods[0], "floor-energy", 0, 0), floorOf(s, problem, "floor-amari"))
		}
	}
	if t.Rows == nil {
		return nil
	}
	t.Notes = []string{fmt.Sprintf("Medians of all tries. Reference chains: R-hat of aligned draws at most %s, effective sample size at least %s (bulk) and %s (tail).",
		listed(fact(s, "rhat")), listed(fact(s, "ess-bulk")), listed(fact(s, "ess-tail")))}
	return &harness.Statement{
		Title: "With the full posterior of whitened data, closeness to W₀ is not the goal",
		Text:  "Under matched the particles start around one mode. An Amari distance below that of exact draws says that the particles sit closer to W₀ than the posterior does.",
		Table: t,
	}
}
