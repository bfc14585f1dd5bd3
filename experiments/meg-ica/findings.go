package megica

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/evidence"
	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/harness/stats"
)

var findings = []harness.Finding{
	{Title: "What the axis of Figure 4 measures", Text: axis},
	{Title: "Near in Amari distance, far from the posterior", Text: scales},
	{Title: "Steps that cannot settle", Text: steps},
	{Title: "SVGD without interaction", Text: alone},
	{Title: "The same with the full posterior of whitened data", Text: wholePosterior},
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
		meaning := "so that the mean of a chain is what chance leaves of the posterior mean 0"
		if slices.Max(modes) == 1 {
			meaning = "so that the mean of a chain is near one mode"
		}
		line := fmt.Sprintf("%s: of the %d modes, signed permutations of W's rows that have the same density, the chains visit %s in %s draws "+
			"each, %s. The Amari distance between the means of the two halves of a chain is %s", protocol, images, listed(modes), number(kept[0]),
			meaning, listed(halves))
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
	if len(text) == 0 {
		return ""
	}
	return "The posterior mean is 0 under every protocol, by symmetry. " + strings.Join(text, " ")
}

// scales sets the Amari distance, which does not see the lengths of W's rows, beside measures that do.
func scales(by map[string]*record.Set) string {
	var text []string
	for _, protocol := range harness.Protocols {
		s := by[protocol]
		if s == nil {
			continue
		}
		for _, problem := range []string{few, many} {
			o, ok := optionsOf(s, problem)
			if !ok || o.Unit > 0 {
				continue
			}
			e := evidence.Records{Set: s, Problem: problem}
			var each []string
			for _, m := range s.Methods(problem) {
				a := triesOf(s, problem, m, "amari", atEnd)
				rms, energy := e.Final(m, "rms", 0), e.Final(m, "energy", 0)
				if len(a) > 0 && len(rms) > 0 && len(energy) > 0 {
					each = append(each, fmt.Sprintf("%s %s, %s and %s", evidence.Label(m), evidence.Num(a.median()), evidence.Num(stats.Median(rms)),
						evidence.Num(stats.Median(energy))))
				}
			}
			exact := floorOf(s, problem, "floor-amari")
			if len(each) == 0 || len(exact) == 0 {
				continue
			}
			first := s.Methods(problem)[0]
			text = append(text, fmt.Sprintf("%s, %s particles: %s; exact draws %s, %s and %s.", protocol, strings.TrimPrefix(problem, "meg-"),
				strings.Join(each, "; "), evidence.Num(exact.median()), evidence.Num(stats.Median(e.At(first, "floor-rms", 0, 0))),
				evidence.Num(stats.Median(e.At(first, "floor-energy", 0, 0)))))
		}
	}
	if len(text) == 0 {
		return ""
	}
	return "The Amari distance does not see the lengths of W's rows. Beside it the root mean square of the particles' entries and their energy distance " +
		"to the reference draws, in the draws' standard deviations (medians): " + strings.Join(text, " ")
}

// steps compares the particle steps with the largest that is stable at the mode.
func steps(by map[string]*record.Set) string {
	var text []string
	larger := false
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
			step := c.Sampler.Step
			if c.Sampler.Mover == "langevin" {
				step /= 2 // its drift
			}
			larger = larger || step > limit
			each = append(each, fmt.Sprintf("%s %s", evidence.Label(m), evidence.Num(step)))
		}
		text = append(text, fmt.Sprintf("%s: gradient ascent stays at the mode for steps up to %s; the steps are %s.", protocol, evidence.Num(limit),
			strings.Join(each, ", ")))
	}
	if len(text) == 0 {
		return ""
	}
	if larger {
		text = append(text, "With a larger step a particle that follows the score alone cannot come to rest at the mode. Of SVGD's step a particle "+
			"gets its share, one in n, where particles do not interact.")
	}
	return strings.Join(text, " ")
}

// alone says how far SVGD's particles are apart in units of its kernel where the bandwidth is fixed.
func alone(by map[string]*record.Set) string {
	var text []string
	for _, protocol := range harness.Protocols {
		s := by[protocol]
		if s == nil {
			continue
		}
		for _, problem := range []string{few, many} {
			t, ok := evidence.First(s, problem, "svgd")
			o, known := optionsOf(s, problem)
			rms := evidence.Records{Set: s, Problem: problem}.At("svgd", "rms", 0, 0)
			if !ok || !known || len(rms) == 0 {
				continue
			}
			c, err := evidence.Config(t)
			if err != nil || c.Sampler.Bandwidth == 0 || o.Unit > 0 {
				continue
			}
			// E‖W − W'‖² of independent matrices with this root mean square of the entries
			apart := 2 * float64(o.Channels*o.Channels) * math.Pow(stats.Median(rms), 2)
			text = append(text, fmt.Sprintf("%s, %d particles: squared distances of about %s at the start against twice the bandwidth, %s; a kernel value "+
				"of e^(−%s) is 0, the step of a particle %s.", protocol, c.Particles, evidence.Num(apart), evidence.Num(2*c.Sampler.Bandwidth),
				number(math.Round(apart/(2*c.Sampler.Bandwidth))), evidence.Num(c.Sampler.Step/float64(c.Particles))))
		}
	}
	if len(text) == 0 {
		return ""
	}
	return "With a fixed bandwidth the particles of SVGD do not know of each other, and their number only divides the step. " + strings.Join(text, " ")
}

// wholePosterior sums up the matched protocol.
func wholePosterior(by map[string]*record.Set) string {
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
	return fmt.Sprintf("Under matched the likelihood is the full one, the data are whitened, and particles start around one mode. The chains agree: R-hat of "+
		"aligned draws is at most %s, effective sample sizes are %s (bulk) and %s (tail) at least, and the chains change their modes %s times. Energy "+
		"distance to the reference and median Amari distance to the aligned mean — "+
		"%s An Amari distance below that of exact draws says that the particles sit closer to W₀ than the posterior does.",
		number(rhat[0]), number(bulk[0]), number(tail[0]), listed(fact(s, "mode-changes")), strings.Join(text, " "))
}
