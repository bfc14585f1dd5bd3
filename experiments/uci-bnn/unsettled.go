package ucibnn

import (
	"fmt"
	"slices"
	"strings"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/claim"
	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/harness/stats"
)

// restless is how far apart, as a share of their median, the RMSEs of a run's last tenth may be.
const restless = 0.1

// unsettled names the methods whose test RMSE still jumps from checkpoint to checkpoint at the end, so that what a table
// prints depends on the iteration at which the run stops: the widest of the runs' last tenths, for each method and data set.
func unsettled(by map[string]*record.Set) string {
	var text []string
	for _, protocol := range settings.Protocols {
		s := by[protocol]
		if s == nil {
			continue
		}
		var each []string
		for _, problem := range problems {
			for _, method := range s.Methods(problem) {
				low, high, share := 0.0, 0.0, 0.0
				for _, c := range s.Curves(problem, method, "rmse", 0) {
					last := c.Value[len(c.Value)-max(1, len(c.Value)/10):]
					if wide := (slices.Max(last) - slices.Min(last)) / stats.Median(last); len(last) >= 5 && wide > share {
						low, high, share = slices.Min(last), slices.Max(last), wide
					}
				}
				if share > restless {
					each = append(each, fmt.Sprintf("%s on %s (%s to %s)",
						named(s)(method), problemNames[problem], claim.Num(low), claim.Num(high)))
				}
			}
		}
		if each != nil {
			text = append(text, scaled(s, protocol)+": "+strings.Join(each, ", "))
		}
	}
	if text == nil {
		return ""
	}
	return fmt.Sprintf("Range of the test RMSE in the last tenth of a run, where it is wider than %.0f %% of the median there (the widest of a method's "+
		"runs); what such a run ends at says little — ", 100*restless) + strings.Join(text, "; ") + ". Where particles move by the " +
		"gradient as it is, without a preconditioner, one step size is a larger step on a larger data set, for the gradient of a mini-batch is " +
		"scaled up by the number of rows over the batch."
}

// escaped names the runs that end above the training part's mean: a few particles that ran away move the mean over particles, which the
// RMSE is of, and a table's mean over runs with it. The NLL is that of the mixture and may stay as it was.
func escaped(by map[string]*record.Set) string {
	var text []string
	for _, protocol := range settings.Protocols {
		s := by[protocol]
		if s == nil {
			continue
		}
		r := read(s)
		var each []string
		for _, problem := range problems {
			for _, method := range s.Methods(problem) {
				rmse, nll := r.values[series{problem, "test-rmse", method}], r.values[series{problem, "test-nll", method}]
				constant := r.values[series{problem, "constant-rmse", method}]
				var away, theirs []string
				for _, seed := range sortedKeys(rmse) {
					if level, ok := constant[seed]; ok && rmse[seed] > level {
						away, theirs = append(away, num(rmse[seed])), append(theirs, num(nll[seed]))
					}
				}
				if away != nil {
					each = append(each, fmt.Sprintf("%s on %s in %d of %d runs (RMSE %s where the median of all is %s; NLL %s and %s)", named(s)(method),
						problemNames[problem], len(away), len(rmse), strings.Join(away, ", "), num(stats.Median(r.of(problem, "test-rmse", method))),
						strings.Join(theirs, ", "), num(stats.Median(r.of(problem, "test-nll", method)))))
				}
			}
		}
		if each != nil {
			text = append(text, scaled(s, protocol)+": "+strings.Join(each, ", "))
		}
	}
	if text == nil {
		return ""
	}
	return "Runs that end above the RMSE of the training part's mean — " + strings.Join(text, "; ") + ". Where the RMSE is far above and the NLL is not, " +
		"a few particles ran away: they take the mean over particles with them, and so the mean of the table, but not the mixture."
}
