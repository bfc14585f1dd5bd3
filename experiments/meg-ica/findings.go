package megica

import (
	"fmt"
	"math"
	"strings"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/evidence"
	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/harness/stats"
)

var findings = []harness.Finding{
	{Title: "What the axis of Figure 4 measures", Text: axis},
	{Title: "Steps that cannot settle", Text: steps},
	{Title: "The experiment as it should have been", Text: asItShould},
}

// axis says what W₀ is under each protocol and what exact draws score against it.
func axis(by map[string]*record.Set) string {
	var text []string
	for _, protocol := range harness.Protocols {
		s := by[protocol]
		if s == nil {
			continue
		}
		o, ok := optionsOf(s, few)
		modes, kept, halves, chains := fact(s, "modes"), fact(s, "kept"), fact(s, "amari-halves"), fact(s, "amari-chains")
		exact, random := floorOf(s, few, "floor-amari"), floorOf(s, few, "random-amari")
		if !ok || len(modes) == 0 || len(kept) == 0 || len(exact) == 0 || len(random) == 0 {
			continue
		}
		images := 1
		for k := 1; k <= o.Channels; k++ {
			images *= 2 * k // signs and orders of the rows
		}
		line := fmt.Sprintf("%s: the density is the same for the %d signed permutations of W's rows, so the posterior mean is 0 and the mean of "+
			"a chain is what is left of it by chance. The chains visit %s of these modes in %s draws each. The Amari distance between the means of "+
			"the two halves of a chain is %s", protocol, images, listed(modes), number(kept[0]), listed(halves))
		if len(chains) > 0 {
			line += fmt.Sprintf(", between those of two chains %s", listed(chains))
		}
		line += fmt.Sprintf(". Against W₀ (%s) exact draws score %s, matrices of N(0, 1) entries %s", strings.ReplaceAll(o.Truth, "-", " "),
			evidence.Num(exact.median()), evidence.Num(random.median()))
		if v := fact(s, "amari-mode"); len(v) > 0 && o.Truth == "mean" {
			line += fmt.Sprintf(", the mode itself %s", evidence.Num(v[0]))
		}
		text = append(text, line+".")
	}
	return strings.Join(text, " ")
}

// steps compares the particle steps with the largest that is stable at the mode.
func steps(by map[string]*record.Set) string {
	var text []string
	for _, protocol := range harness.Protocols {
		s := by[protocol]
		if s == nil {
			continue
		}
		o, ok := optionsOf(s, few)
		stable := fact(s, "stable-step")
		if !ok || len(stable) == 0 {
			continue
		}
		limit := stable[0]
		if o.Unit > 0 {
			limit /= o.Unit * o.Unit
		}
		var each []string
		for _, m := range s.Methods(few) {
			t, ok := evidence.First(s, few, m)
			if !ok {
				continue
			}
			c, err := evidence.Config(t)
			if err != nil {
				return ""
			}
			each = append(each, fmt.Sprintf("%s %s", evidence.Label(m), evidence.Num(c.Sampler.Step)))
		}
		text = append(text, fmt.Sprintf("%s: gradient ascent stays at the mode for steps up to %s; the steps are %s.", protocol, evidence.Num(limit),
			strings.Join(each, ", ")))
	}
	if len(text) == 0 {
		return ""
	}
	return strings.Join(text, " ") + " Where a step is larger the particles jump across the mode for ever. SVGD divides its drive by the number of " +
		"particles where they do not interact, SGLD halves its step."
}

// asItShould sums up the matched protocol.
func asItShould(by map[string]*record.Set) string {
	s := by["matched"]
	if s == nil {
		return ""
	}
	rhat, bulk, tail := fact(s, "rhat"), fact(s, "ess-bulk"), fact(s, "ess-tail")
	if len(rhat) == 0 || len(bulk) == 0 || len(tail) == 0 {
		return ""
	}
	var text []string
	for _, problem := range []string{few, many} {
		e := evidence.Records{Set: s, Problem: problem}
		var each []string
		for _, m := range s.Methods(problem) {
			if a := triesOf(s, problem, m, "amari", atEnd); len(a) > 0 {
				each = append(each, fmt.Sprintf("%s %s and %s", evidence.Label(m), evidence.Num(stats.Median(e.Final(m, "energy", 0))), evidence.Num(a.median())))
			}
		}
		exact := floorOf(s, problem, "floor-amari")
		if len(each) == 0 || len(exact) == 0 {
			continue
		}
		var energy []float64
		for _, m := range s.Methods(problem) {
			if energy = e.At(m, "floor-energy", 0, 0); len(energy) > 0 {
				break
			}
		}
		text = append(text, fmt.Sprintf("%s particles: %s; exact draws %s and %s.", strings.TrimPrefix(problem, "meg-"), strings.Join(each, ", "),
			evidence.Num(stats.Median(energy)), evidence.Num(exact.median())))
	}
	if len(text) == 0 {
		return ""
	}
	return fmt.Sprintf("With the true posterior of whitened data the chains agree (R-hat of aligned draws at most %s, effective sample sizes from %s "+
		"bulk and %s tail), no chain leaves its mode, and aligned draws have a mean that is a sensible W₀. Energy distance to the reference and median "+
		"Amari distance there: ", fmt.Sprintf("%.4f", rhat[0]), number(math.Round(bulk[0])), number(math.Round(tail[0]))) + strings.Join(text, " ")
}
