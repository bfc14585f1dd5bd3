package judge

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// Limits of the diagnostics of the chains; the first three are those of Stan's documents.
const (
	mostRHat   = 1.01
	leastESS   = 400
	leastEBFMI = 0.3

	mostDivergent = 0.002 // of the moves, of which nothing is said
	manyDivergent = 0.02
	mostRefused   = 0.001 // of the points

	fewestPasses = 20 // from mode to mode, without which the shares of modes are not known
	telling      = 0.3
)

// Trusted reports whether the draws may be taken for the posterior.
func (p *Report) Trusted() bool {
	rhat, _, _, _ := p.Worst()
	return rhat <= mostRHat && !p.split()
}

// split reports whether there are modes of account that the chains did not all visit, or hardly pass between.
func (p *Report) split() bool {
	return slices.Contains(p.Visited, 0) || len(p.Share) > 1 && p.Passes < fewestPasses
}

// name is the name of a value at an index among those that vary.
func (p *Report) name(index int) string {
	if index < 0 {
		return "no value"
	}
	return p.Names[index]
}

// Reasons says in words what the draws are worth, the verdict first, and why. What presumes that all chains sample one
// law, of energy and tails, is left out while they do not.
func (p *Report) Reasons() []string {
	rhat, bulk, tail, at := p.Worst()
	numbers := fmt.Sprintf("The chains: R-hat at most %.3f (%s), effective draws at least %.0f in the bulk (%s) and "+
		"%.0f in the tails (%s)", rhat, p.name(at[0]), bulk, p.name(at[1]), tail, p.name(at[2]))
	agree := rhat <= hopeless
	if agree {
		numbers += fmt.Sprintf(", E-BFMI %.2f", p.EBFMI)
	}
	numbers += fmt.Sprintf(", %.2g %% of %d iterations divergent.", 100*p.Divergent, p.Moves)
	first := "Use these draws of NUTS."
	switch {
	case p.split():
		first = fmt.Sprintf("Do not use these draws: %d modes were found, and the chains went from one to another %d "+
			"times, so how much of the posterior each holds is not known.", len(p.Share), p.Passes)
	case !(rhat <= mostRHat):
		first = fmt.Sprintf("Do not use these draws: the chains do not agree about %s.", p.name(at[0]))
	case min(bulk, tail) < leastESS:
		first = "Use these draws of NUTS for rough answers: the chains agree and are short."
	case p.Divergent > manyDivergent:
		first = "Use these draws of NUTS with care: many iterations diverged."
	}
	out := append([]string{first + " " + numbers}, p.sayStrays()...)
	if p.Accept >= careful {
		out = append(out, fmt.Sprintf("Steps were adapted to an acceptance of %.2f: with longer ones iterations "+
			"diverged.", p.Accept))
	}
	if agree {
		out = append(append(out, p.sayEnergy()...), p.sayHeavy()...)
	}
	return append(append(out, p.sayDivergences(agree)...), p.sayModes()...)
}

// sayStrays names chains that were run again.
func (p *Report) sayStrays() []string {
	if len(p.Strays) == 0 {
		return nil
	}
	var names []string
	for _, k := range p.Strays {
		names = append(names, fmt.Sprintf("chain %d", k+1))
	}
	return []string{"Run again from the heaviest mode: " + strings.Join(names, " and ") + ", which had been caught " +
		"where the searches found next to none of the mass (less than 0.01 % in a mode, and less than 1 % by the " +
		"draws there)."}
}

// sayEnergy says what a low E-BFMI threatens, and where.
func (p *Report) sayEnergy() []string {
	if !(p.EBFMI < leastEBFMI) {
		return nil
	}
	stand := "means and the middle stand"
	if len(p.Means) > 0 {
		stand = "the middle stands"
	}
	text := fmt.Sprintf("An E-BFMI of %.2f threatens the tails: %s, far quantiles may be too near.", p.EBFMI, stand)
	if math.Abs(p.EnergyRank) > telling {
		text += fmt.Sprintf(" The energy goes with %s (rank correlation %.2f), as in a funnel: widths of others "+
			"depend on it, and another parametrisation, centred or non-centred, may help.", p.name(p.EnergyAt),
			p.EnergyRank)
	}
	return []string{text}
}

// sayHeavy names values of which the draws do not tell the standard deviation, or not even the mean.
func (p *Report) sayHeavy() (out []string) {
	say := func(list []int, text string) {
		var names []string
		for _, j := range list {
			names = append(names, p.name(j))
		}
		if n := len(names); n > 5 {
			names = append(names[:5], fmt.Sprintf("%d more", n-5))
		}
		if names != nil {
			out = append(out, fmt.Sprintf("The tails of %s are heavy, like a power law's with hardly %s.",
				strings.Join(names, ", "), text))
		}
	}
	say(p.Means, "a mean (k̂ above 0.7): quantiles stand, the mean, its ± and the sd depend on a few draws")
	say(slices.DeleteFunc(slices.Clone(p.Heavy), func(j int) bool { return slices.Contains(p.Means, j) }),
		"a variance: quantiles stand, standard deviations depend on a few draws")
	return out
}

// sayDivergences says where they are, if the chains agree, and whether the posterior has an edge.
func (p *Report) sayDivergences(agree bool) (out []string) {
	if p.Refused > mostRefused {
		out = append(out, fmt.Sprintf("The model refused %.2g %% of the points that the chains tried (log density "+
			"−∞): the posterior has an edge there. A transformation of bounded parameters takes it away.",
			100*p.Refused))
	}
	if !(p.Divergent > mostDivergent) || !agree {
		return out
	}
	text := fmt.Sprintf("%.2g %% of the iterations diverged", 100*p.Divergent)
	if off := p.DivergedOff; math.Abs(off) > telling {
		side := "above"
		if off < 0 {
			side = "below"
		}
		text += fmt.Sprintf(", where %s is %.1f standard deviations %s its mean", p.name(p.DivergedAt), math.Abs(off),
			side)
	}
	return append(out, text+": there the draws may be too few, and tails too short.")
}

// sayModes says from where the chains started, which modes were found, and what is not seen.
func (p *Report) sayModes() []string {
	text, found := fmt.Sprintf("%d searches from wide initial points", p.Searches-p.Revisits), len(p.Share)
	if p.Revisits > 0 {
		text += fmt.Sprintf(" and %d from the likeliest draws of the chains", p.Revisits)
	}
	text += " found "
	switch found {
	case 0:
		text += "no place where the density is peaked, as of hierarchies and kinks, which is no warning; all chains " +
			"started on (−2, 2) in the model's coordinates."
	case 1:
		text += "one mode"
		if p.Revisits == 0 {
			text += "; one chain starts there, the others at points uniform on (−2, 2) in the model's coordinates"
		}
		text += "."
	default:
		var shares []string
		for k := range found {
			shares = append(shares, fmt.Sprintf("%.3g %% by Laplace's approximation, %.3g %% of the draws",
				100*p.Share[k], 100*p.Visited[k]))
		}
		text += fmt.Sprintf("%d modes (%s)", found, strings.Join(shares, "; "))
		if p.Revisits == 0 {
			text += fmt.Sprintf("; chains started in %d of them, the others on (−2, 2) in the model's coordinates",
				min(found, p.Chains-1))
		}
		text += "."
	}
	if p.Slight > 0 {
		text += fmt.Sprintf(" %d more are too slight to count.", p.Slight)
	}
	out := []string{text + " Modes that no search and no chain visited go unnoticed."}
	if len(p.Swapped) > 0 {
		var names []string
		for _, j := range p.Swapped {
			names = append(names, p.AllNames[j])
		}
		out = append(out, fmt.Sprintf("Label switching: modes are each other with %s swapped or mirrored, so the "+
			"model cannot tell them apart. Order the labels, or report what does not depend on them.",
			strings.Join(names, ", ")))
	}
	if p.Apart && p.split() {
		out = append(out, "Each chain stays in one mode. Weights of the draws give each mode its share by Laplace's "+
			"approximation in place of its share of the chains; that is as good as the approximation, and knows only "+
			"the modes that were found.")
	}
	return out
}
