// Package diagnose says whether a target is fit to be sampled and whether a run of package sifg did sample it: Check
// before the run, Watch during it, Summarize after it. Whiten gives a target the widths that samplers want.
package diagnose

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/semi-implicit/sifg/pkg/sifg"
	"github.com/semi-implicit/sifg/pkg/sifg/hmc"
	"github.com/semi-implicit/sifg/pkg/sifg/metric"
)

// Summary describes a cloud, and judges it by the target's score alone, without knowing the truth.
type Summary struct {
	Particles   int                 // of all runs that were looked at
	Given       int                 // of all runs
	Runs        int                 // that were given
	Sigma       float64             // smoothing σ
	Coordinates []CoordinateSummary // d

	// Stein is the Stein ratio −(1/nd) Σ ⟨s(x_i), x_i − x̄⟩, and SteinError its standard error for independent draws.
	// It is 1 for draws of the target, and for a Gaussian target the mean over directions of variance in the cloud ÷
	// variance of the target.
	Stein, SteinError float64
	// KSD is the kernel Stein discrepancy (metric.KSD, v) with the coordinates divided by their standard deviations and
	// √d, and ExactKSD its root mean square for as many independent draws of the target (metric.ExactKSD). Of more than
	// 2,000 particles 2,000 are used, of fewer where d is above 250.
	KSD, ExactKSD float64
	// Offset is √(s̄ᵀC⁻¹s̄) with the mean s̄ and the covariance C of the scores: for a Gaussian target how many
	// standard deviations the cloud's mean is off, in the direction where that is most. ExactOffset is its root mean
	// square for independent draws, √(d/n). Both are NaN unless n > 2d.
	Offset, ExactOffset float64

	ksdLimit  float64 // of KSD, for exact draws
	rhatLimit float64 // of RHat, for exact draws
	funnel    funnel
	tail      float64 // see tails
	tailAt    int     // coordinate
	astray    int     // particles; see strays
	stretched int     // coordinate
	stretch   float64 // ratio of its standard deviations with and without them
	wrong     error   // what is wrong with the gradient, if the target has a log density
	batches   bool    // the score is that of one mini-batch

	Warnings []string // sentences on what looks wrong and what to do; none: nothing does
}

// CoordinateSummary describes one coordinate, in its own unit, over all runs together.
type CoordinateSummary struct {
	Mean, SD          float64 // SD with the divisor n − 1
	Low, Median, High float64 // the 5, 50 and 95 % quantiles
	// Stein is the coordinate's own Stein ratio, of the terms −s_c·(x_c − x̄_c): 1 for draws of the target, above 1
	// where the cloud is too wide; SteinError is its standard error for independent draws.
	Stein, SteinError float64

	// RHat is the rank-normalised split R-hat over the runs (hmc.RankRHat), near 1 where they agree; NaN of one run.
	RHat float64
}

// excess is how far the Stein ratio of a coordinate is from 1 beyond five of its standard errors, or more for the
// farthest of many; above 0 it is no chance. Below 1 that is said of its logarithm: a ratio that is small by chance has
// a small error too.
func (s *Summary) excess(k *CoordinateSummary) float64 {
	errors := (5 + max(0, math.Log(float64(len(s.Coordinates))/50)/2)) * k.SteinError
	if k.Stein > 0 && k.Stein < 1 {
		return -math.Log(k.Stein) - errors/k.Stein
	}
	return math.Abs(k.Stein-1) - errors
}

// Summarize describes c.Sample() by the target's score there and at a tenth as many points farther out, and by its log
// density at a few, if it has one (target.Func). Of several runs on one target, which differ in their seeds or starts,
// it describes all particles together, and whether the runs agree. It changes nothing. A target of mini-batches is
// judged by its full score (sifg.FullScorer); of one without the summary says that it cannot judge.
//
// Of clouds with more than 10 million numbers it looks at evenly spread particles, so that it needs half a gigabyte at
// most besides the clouds. It costs a score a particle and n·d·(500 + n) operations or so.
func Summarize(c *sifg.Cloud, others ...*sifg.Cloud) *Summary {
	runs := append([]*sifg.Cloud{c}, others...)
	if slices.ContainsFunc(runs, func(r *sifg.Cloud) bool { return r == nil || r.Target == nil }) {
		s := &Summary{Runs: len(runs)}
		s.fail("There is a run without particles or without its target: sifg.Run returned an error?")
		return s
	}
	d := c.Sample().Cols
	s := &Summary{Runs: len(runs), Sigma: float64(c.Sigma), Coordinates: make([]CoordinateSummary, d)}
	for _, r := range runs {
		if r.Sample().Cols != d {
			s.fail("The runs have %d and %d dimensions: they are not of one target.", d, r.Sample().Cols)
			return s
		}
		s.Given += r.Sample().Rows
	}
	var x, score metric.Points
	samples, points := make([]sifg.Batch, len(runs)), make([]metric.Points, len(runs))
	for k, r := range runs {
		samples[k] = spread(r.Sample(), s.Given)
		points[k] = metric.FromBatch(samples[k])
		x = joined(x, points[k])
	}
	s.Particles = x.N
	if x.N < 2 {
		s.fail(tooFew, x.N, fewest)
		return s
	}
	if bad := unfinite(x); bad > 0 {
		s.fail("%d of %d particles are not finite: the run diverged. Take a smaller step; if it stopped at once, look "+
			"at the score where particles start (diagnose.Check) or let them start elsewhere (Options.Init).",
			bad, x.N)
		return s
	}
	for k, r := range runs {
		scores, batch := scored(r, samples[k])
		s.batches = s.batches || batch
		score = joined(score, metric.FromBatch(scores))
	}
	if bad := unfinite(score); bad > 0 {
		s.fail("The score is not finite at %d of %d particles: look for logarithms of negative numbers, 0/0 and "+
			"overflows (diagnose.Check).", bad, x.N)
		return s
	}
	s.describe(x, score)
	s.compare(points)
	s.discrepancy(x, score)
	s.offset(score)
	s.funnel = findFunnel(x, score)
	s.tails(x, score, func(at metric.Points) metric.Points {
		scores, _ := scored(c, at.Batch())
		return metric.FromBatch(scores)
	})
	s.compareGradient(x, c.Target)
	s.warn(x)
	return s
}

// compareGradient compares the gradient with the log density at a few particles, where the target has one.
func (s *Summary) compareGradient(x metric.Points, t sifg.Target) {
	const compared, tolerance = 5, 1e-3
	g, ok := t.(Gradient)
	if !ok {
		return
	}
	var points [][]float64
	for i := range compared {
		points = append(points, x.Row(i*(x.N-1)/(compared-1)))
	}
	if s.wrong = Gradients(g, tolerance, points...); errors.Is(s.wrong, ErrStochastic) {
		s.wrong = nil
	}
}

// compare sets R-hat and its bound; of runs of different sizes the first particles are compared.
func (s *Summary) compare(runs []metric.Points) {
	n := runs[0].N
	for _, p := range runs {
		n = min(n, p.N)
	}
	for c := range s.Coordinates {
		s.Coordinates[c].RHat = math.NaN()
		if len(runs) > 1 {
			columns := make([][]float64, len(runs))
			for k, p := range runs {
				columns[k] = p.Column(c)[:n]
			}
			s.Coordinates[c].RHat = hmc.RankRHat(columns)
		}
	}
	// The variance between m halves of runs, n/2 exact draws each, has a χ² law of m−1 degrees; two a coordinate.
	m := float64(2 * len(runs))
	worst := distuv.ChiSquared{K: m - 1}.Quantile(1-0.001/float64(2*len(s.Coordinates))) / (m - 1)
	s.rhatLimit = max(rhatBound, math.Sqrt(1+(worst-1)/(float64(n)/2)))
}

// fail leaves one warning and no numbers.
func (s *Summary) fail(format string, args ...any) {
	nan := math.NaN()
	for c := range s.Coordinates {
		s.Coordinates[c] = CoordinateSummary{nan, nan, nan, nan, nan, nan, nan, nan}
	}
	s.Stein, s.SteinError, s.KSD, s.ExactKSD, s.Offset, s.ExactOffset = nan, nan, nan, nan, nan, nan
	s.Warnings = []string{fmt.Sprintf(format, args...)}
}

// describe sets what is known coordinate by coordinate, and the Stein ratio.
func (s *Summary) describe(x, score metric.Points) {
	n, d := x.N, x.D
	mean := metric.Mean(x)
	total := make([]float64, n) // of the terms of the Stein ratio
	terms := make([]float64, n)
	for c := range d {
		var squares float64
		for i := range n {
			v := x.Row(i)[c] - mean[c]
			squares += float64(v * v)
			terms[i] = -score.Row(i)[c] * v
			total[i] += terms[i] / float64(d)
		}
		sorted := slices.Sorted(slices.Values(x.Column(c)))
		k := &s.Coordinates[c]
		k.Mean, k.SD = mean[c], math.Sqrt(squares/float64(n-1))
		k.Low, k.Median = metric.Quantile(sorted, 0.05), metric.Quantile(sorted, 0.5)
		k.High = metric.Quantile(sorted, 0.95)
		k.Stein, k.SteinError = average(terms)
	}
	s.Stein, s.SteinError = average(total)
	s.strays(x, total)
}

// strays looks for particles that the target hardly has: their terms of the Stein ratio, which grow with the distance
// and with the slope there, are far above those of the others. The cube roots of what draws have are about normal,
// whether tails fall off as those of a normal law do, of an exponential one, or of one with bounds; their scale is that
// of the middle and the 90 % quantile. It sets the coordinate whose standard deviation is most too large by them.
func (s *Summary) strays(x metric.Points, terms []float64) {
	roots := make([]float64, x.N)
	for i, v := range terms {
		roots[i] = math.Cbrt(v)
	}
	sorted := slices.Sorted(slices.Values(roots))
	middle := metric.Quantile(sorted, 0.5)
	limit := middle + float64(strayBound*(metric.Quantile(sorted, 0.9)-middle)/1.28)
	if sorted[x.N-1] <= limit {
		return
	}
	for c, k := range s.Coordinates {
		var others []float64
		for i, v := range x.Column(c) {
			if roots[i] <= limit {
				others = append(others, v)
			}
		}
		if stretch := k.SD / stat.StdDev(others, nil); stretch > s.stretch {
			s.astray, s.stretched, s.stretch = x.N-len(others), c, stretch
		}
	}
}

// average returns a mean and its standard error for independent values.
func average(v []float64) (mean, se float64) {
	mean, sd := stat.MeanStdDev(v, nil)
	return mean, stat.StdErr(sd, float64(len(v)))
}

// discrepancy sets KSD, ExactKSD and ksdLimit.
func (s *Summary) discrepancy(x, score metric.Points) {
	const most, costs = 2000, 1e9 // particles, and numbers that are multiplied
	d := x.D
	m := min(x.N, most, max(fewest, int(math.Sqrt(costs/float64(d)))))
	y, g := metric.NewPoints(m, d), metric.NewPoints(m, d)
	for i := range m {
		at := i * x.N / m
		for c, k := range s.Coordinates {
			scale := k.SD * math.Sqrt(float64(d))
			if scale == 0 {
				scale = 1
			}
			y.Row(i)[c] = x.Row(at)[c] / scale
			g.Row(i)[c] = score.Row(at)[c] * scale
		}
	}
	s.KSD, _ = metric.KSD(y, g)
	mean, sd := metric.ExactKSD(y, g)
	s.ExactKSD, s.ksdLimit = math.Sqrt(mean), math.Sqrt(mean+float64(ksdBound*sd))
}

// offset sets Offset and ExactOffset.
func (s *Summary) offset(score metric.Points) {
	n, d := score.N, score.D
	s.Offset, s.ExactOffset = math.NaN(), math.NaN()
	var c mat.Cholesky
	if n <= 2*d || !c.Factorize(metric.Covariance(score)) {
		return
	}
	mean := mat.NewVecDense(d, metric.Mean(score))
	var solved mat.VecDense
	if c.SolveVecTo(&solved, mean) == nil {
		s.Offset, s.ExactOffset = math.Sqrt(mat.Dot(mean, &solved)), math.Sqrt(float64(d)/float64(n))
	}
}

// shown are the coordinates of the table: of many those whose Stein ratios are the farthest beyond chance.
func (s *Summary) shown() []int {
	const most = 40
	all := make([]int, len(s.Coordinates))
	for c := range all {
		all[c] = c
	}
	if len(all) <= most {
		return all
	}
	slices.SortStableFunc(all, func(a, b int) int {
		return cmp.Compare(s.excess(&s.Coordinates[b]), s.excess(&s.Coordinates[a]))
	})
	all = all[:most]
	slices.Sort(all)
	return all
}

// String is the summary as a table, with the warnings below it. R-hat is shown of several runs. Of more than 40
// coordinates those 40 are shown whose Stein ratios are the farthest from 1.
func (s *Summary) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%10s %10s %10s %10s %10s %10s %8s", "coordinate", "mean", "sd", "5 %", "50 %", "95 %", "Stein")
	if s.Runs > 1 {
		fmt.Fprintf(&b, " %8s", "R-hat")
	}
	b.WriteString("\n")
	for _, c := range s.shown() {
		k := s.Coordinates[c]
		fmt.Fprintf(&b, "%10d %10.4g %10.4g %10.4g %10.4g %10.4g %8.2f",
			c, k.Mean, k.SD, k.Low, k.Median, k.High, k.Stein)
		if s.Runs > 1 {
			fmt.Fprintf(&b, " %8.3f", k.RHat)
		}
		b.WriteString("\n")
	}
	if s.Given > s.Particles {
		fmt.Fprintf(&b, "Looked at, of %d: ", s.Given)
	}
	fmt.Fprintf(&b, "%d particles, σ %.3g. Stein ratio %.3f ± %.3f (exact draws: 1). Kernel Stein discrepancy %.3g "+
		"(exact draws: %.3g).", s.Particles, s.Sigma, s.Stein, s.SteinError, s.KSD, s.ExactKSD)
	if !math.IsNaN(s.Offset) {
		fmt.Fprintf(&b, " Offset %.2g (exact draws: %.2g).", s.Offset, s.ExactOffset)
	}
	b.WriteString("\n")
	if len(s.Warnings) == 0 {
		b.WriteString("Nothing looks wrong where the particles are. ")
	}
	b.WriteString(s.unseen() + "\n")
	for _, w := range s.Warnings {
		b.WriteString("WARNING: " + w + "\n")
	}
	return b.String()
}
