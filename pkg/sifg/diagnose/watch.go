package diagnose

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/stat"

	"github.com/semi-implicit/sifg/pkg/sifg"
	"github.com/semi-implicit/sifg/pkg/sifg/metric"
)

// Watch looks at a run from checkpoint to checkpoint and says whether its particles still move at the end. Its Look is
// an Options.Callback; Options.Every should make forty calls or so of a run. It is for flows, whose particles settle:
// of those of sgld, psgld and baoab, which wander as chains do, it says nothing. The zero value is ready.
type Watch struct {
	wanders   bool
	iter      []float64
	mean, sds [][]float64 // by checkpoint, of each coordinate
}

// Look notes the means and the standard deviations of the particles.
func (w *Watch) Look(c *sifg.Cloud, _ sifg.Info) error {
	w.wanders = c.Wanders
	x := metric.FromBatch(c.Z)
	mean, sds := make([]float64, x.D), make([]float64, x.D)
	for j := range x.D {
		mean[j], sds[j] = stat.MeanStdDev(x.Column(j), nil)
	}
	w.iter, w.mean, w.sds = append(w.iter, float64(c.Iter)), append(w.mean, mean), append(w.sds, sds)
	return nil
}

// A trend in the last third counts as drift if it is both at least leastDrift standard deviations and leastTrend times
// its standard error. leastDrift is of two coordinates; the largest of d good ones grows with d, so of d it is √(d/2)
// times that, up to usualDrift, below which most good runs on posteriors of posteriordb drift too.
const leastDrift, usualDrift, leastTrend = 0.03, 0.1, 6

// Drift returns by how many standard deviations the mean, and the standard deviation, of the coordinate
// that moved most changed in the last third of the checkpoints; 0 if nothing moved steadily, NaN if there
// were fewer than twelve checkpoints or the particles wander.
func (w *Watch) Drift() (mean, sd float64) {
	if !w.enough() {
		return math.NaN(), math.NaN()
	}
	mean, _ = w.most(w.mean)
	sd, _ = w.most(w.sds)
	return mean, sd
}

// Warnings has a sentence for the coordinate whose mean, and one for that whose standard deviation,
// moved most in the last third of the checkpoints, if it moved steadily; none if nothing did, or if
// there were fewer than twelve checkpoints.
func (w *Watch) Warnings() (out []string) {
	if !w.enough() {
		return nil
	}
	for _, what := range []struct {
		name string
		at   [][]float64
	}{{"mean", w.mean}, {"standard deviation", w.sds}} {
		most, where := w.most(what.at)
		if most == 0 {
			continue
		}
		verdict := "has not converged"
		if most < usualDrift {
			verdict = "may not have converged"
		}
		out = append(out, fmt.Sprintf("The run %s: in its last third the %s of coordinate %d still moved by %.2g "+
			"standard deviations, steadily. Run longer, or take a larger step.", verdict, what.name, where, most))
	}
	return out
}

func (w *Watch) enough() bool { return len(w.iter) >= 12 && !w.wanders }

// most returns the largest drift of a coordinate in the last third, in standard deviations; 0 if none counts.
func (w *Watch) most(at [][]float64) (most float64, where int) {
	any := false
	first := len(w.iter) - len(w.iter)/3
	most = min(usualDrift, leastDrift*math.Sqrt(max(1, float64(len(at[0]))/2)))
	for j, sd := range w.sds[len(w.sds)-1] {
		change, sure := trend(w.iter[first:], at[first:], j)
		if change = math.Abs(change) / sd; sure && change > most {
			most, where, any = change, j, true
		}
	}
	if !any {
		return 0, 0
	}
	return most, where
}

// trend returns by how much a straight line through column j changes, and whether that is far
// above the scatter about it.
func trend(iter []float64, rows [][]float64, j int) (change float64, sure bool) {
	y := make([]float64, len(iter))
	for i := range y {
		y[i] = rows[i][j]
	}
	a, b := stat.LinearRegression(iter, y, nil, false)
	var residual float64
	for i, t := range iter {
		r := y[i] - a - b*t
		residual += r * r
	}
	n := float64(len(iter))
	se := math.Sqrt(residual / (n - 2) / (stat.Variance(iter, nil) * (n - 1)))
	return b * (iter[len(iter)-1] - iter[0]), math.Abs(b) > leastTrend*se
}
