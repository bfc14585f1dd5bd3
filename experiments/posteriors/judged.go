package posteriors

import (
	"fmt"
	"math"
	"strings"

	"github.com/semi-implicit/sifg/pkg/harness/record"
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
	clear        = 0.3
)

// judged is what is known of the chains that are the answer on a posterior.
type judged struct {
	fact   func(name string, index int) float64
	values []string // that vary
	all    []string
}

func judgedOf(s *record.Set) *judged {
	_, fact := ownProblem(s)
	values, _, _ := varying(s)
	all, _ := valueNames(&s.Trials[0])
	return &judged{fact, values, all}
}

// trusted reports whether the draws may be taken for the posterior.
func (j *judged) trusted() bool {
	return j.fact("rhat", 0) <= mostRHat && !j.apart()
}

// apart reports whether there are modes of account that the chains did not all visit, or hardly pass between.
func (j *judged) apart() bool {
	if !(j.fact("modes", 0) > 1) {
		return false
	}
	for k := 0; k < int(j.fact("modes", 0)); k++ {
		if j.fact("mode-draws", k) == 0 {
			return true
		}
	}
	return j.fact("passes", 0) < fewestPasses
}

// value is the name of the value at an index among those that vary.
func (j *judged) value(index float64) string {
	if index >= 0 && int(index) < len(j.values) {
		return j.values[int(index)]
	}
	return "no value"
}

// say says in words what the chains are worth.
func (j *judged) say() []string {
	ess := min(j.fact("bulk", 0), j.fact("tail", 0))
	numbers := fmt.Sprintf("R-hat at most %.3f (%s), effective draws at least %.0f in the bulk (%s) and %.0f in the "+
		"tails (%s), E-BFMI %.2f, %.2g %% of %.0f moves divergent",
		j.fact("rhat", 0), j.value(j.fact("rhat", 1)), j.fact("bulk", 0), j.value(j.fact("bulk", 1)),
		j.fact("tail", 0), j.value(j.fact("tail", 1)), j.fact("ebfmi", 0), 100*j.fact("divergences", 0),
		j.fact("moves", 0))
	var out []string
	switch {
	case j.apart():
		out = append(out, fmt.Sprintf("Do not take these draws: %.0f modes were found, and the chains went from one "+
			"to another %.0f times, so how much of the posterior each holds is not known. The chains: %s.",
			j.fact("modes", 0), j.fact("passes", 0), numbers))
	case j.fact("rhat", 0) > mostRHat:
		out = append(out, fmt.Sprintf("Do not take these draws: the chains do not agree about %s. The chains: %s.",
			j.value(j.fact("rhat", 1)), numbers))
	case ess < leastESS:
		out = append(out, fmt.Sprintf("Take these draws of NUTS for rough answers: the chains agree and are short. "+
			"The chains: %s.", numbers))
	case j.fact("divergences", 0) > manyDivergent:
		out = append(out, fmt.Sprintf("Take these draws of NUTS with care: many moves diverged. The chains: %s.",
			numbers))
	default:
		out = append(out, fmt.Sprintf("Take these draws of NUTS. The chains: %s.", numbers))
	}
	out = append(out, j.energy()...)
	out = append(out, j.heavy()...)
	return append(append(out, j.divergences()...), j.modes()...)
}

// energy says what a low E-BFMI threatens, and where.
func (j *judged) energy() []string {
	if !(j.fact("ebfmi", 0) < leastEBFMI) {
		return nil
	}
	text := fmt.Sprintf("An E-BFMI of %.2f threatens the tails: means and the middle stand, far quantiles may be too "+
		"near.", j.fact("ebfmi", 0))
	name := j.value(j.fact("energy", 1))
	switch r := j.fact("energy", 0); {
	case !(math.Abs(r) > clear):
	case j.fact("energy", 2) == 0:
		text += fmt.Sprintf(" The energy goes with %s (rank correlation %.2f): widths of others depend on it, and "+
			"another parametrisation, centred or non-centred, may help.", name, r)
	default:
		text += fmt.Sprintf(" The energy goes with how far %s is from its median (rank correlation %.2f): its tails "+
			"are heavy.", name, r)
	}
	return []string{text}
}

// heavy names values of which the draws do not tell the standard deviation.
func (j *judged) heavy() []string {
	var names []string
	for k := 0; !math.IsNaN(j.fact("heavy", k)); k++ {
		names = append(names, j.value(j.fact("heavy", k)))
	}
	switch n := len(names); {
	case n == 0:
		return nil
	case n > 5:
		names = append(names[:5], fmt.Sprintf("%d more", n-5))
	}
	return []string{fmt.Sprintf("The tails of %s are heavy, like a power law's with hardly a variance: quantiles "+
		"stand, standard deviations hang on a few draws.", strings.Join(names, ", "))}
}

// divergences says where they are.
func (j *judged) divergences() (out []string) {
	if share := j.fact("refused", 0); share > mostRefused {
		out = append(out, fmt.Sprintf("The model refused %.2g %% of the points that the chains tried (log density "+
			"−∞): the posterior has an edge there. A transformation of bounded parameters takes it away.", 100*share))
	}
	share, off := j.fact("divergences", 0), j.fact("diverged-off", 0)
	if !(share > mostDivergent) {
		return out
	}
	text := fmt.Sprintf("%.2g %% of the moves diverged", 100*share)
	if math.Abs(off) > clear {
		side := "above"
		if off < 0 {
			side = "below"
		}
		text += fmt.Sprintf(", where %s is %.1f standard deviations %s its mean", j.value(j.fact("diverged-off", 1)),
			math.Abs(off), side)
	}
	return append(out, text+": there the draws may be too few, and tails too short.")
}

// modes says from where the chains started, which modes were found, and what is not seen.
func (j *judged) modes() []string {
	found := int(j.fact("modes", 0))
	text := fmt.Sprintf("%.0f searches from wide starts found ", j.fact("searches", 0))
	switch found {
	case 0:
		text += "no mode with a positive curvature; all chains started on (−2, 2) in the model's coordinates."
	case 1:
		text += "one mode; one chain started there, the others on (−2, 2) in the model's coordinates."
	default:
		var shares []string
		for k := range found {
			shares = append(shares, fmt.Sprintf("%.3g %% by Laplace's approximation, %.3g %% of the draws",
				100*j.fact("mode-share", k), 100*j.fact("mode-draws", k)))
		}
		text += fmt.Sprintf("%d modes (%s); chains started in %d of them, the others on (−2, 2) in the model's "+
			"coordinates.",
			found, strings.Join(shares, "; "), min(found, longChains.Chains-1))
	}
	if slight := int(j.fact("modes", 1)) - found; slight > 0 {
		text += fmt.Sprintf(" %d more are too slight to count.", slight)
	}
	out := []string{text + " Modes that neither searches nor chains met are not seen."}
	var names []string
	for k := 0; !math.IsNaN(j.fact("swapped", k)); k++ {
		at := int(j.fact("swapped", k))
		name := fmt.Sprintf("coordinate %d", at)
		if len(j.all) > at && j.fact("same", 0) == 1 {
			name = j.all[at]
		}
		if !strings.Contains(strings.Join(names, ", ")+", ", name+", ") {
			names = append(names, name)
		}
	}
	if names != nil {
		out = append(out, fmt.Sprintf("Label switching: modes are each other with %s swapped or mirrored, so the "+
			"model cannot tell them apart. Order the labels, or report what does not depend on them.",
			strings.Join(names, ", ")))
	}
	return out
}

// varying are the names of the values that vary, of which alone the records speak, and of those that do not.
func varying(s *record.Set) (names, constant []string, err error) {
	all, err := valueNames(&s.Trials[0])
	if err != nil {
		return nil, nil, err
	}
	_, fact := ownProblem(s)
	at := map[float64]bool{}
	for k := 0; !math.IsNaN(fact("constant", k)); k++ {
		at[fact("constant", k)] = true
	}
	for j, name := range all {
		if at[float64(j)] {
			constant = append(constant, name)
		} else {
			names = append(names, name)
		}
	}
	return names, constant, nil
}
