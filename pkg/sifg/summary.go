package sifg

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/semi-implicit/sifg/pkg/sifg/metric"
)

// Summary describes a cloud, and judges it by the target's score alone, without knowing the truth.
type Summary struct {
	Particles   int
	Sigma       float64             // smoothing σ
	Coordinates []CoordinateSummary // d

	// Stein is the Stein ratio −(1/nd) Σ ⟨s(x_i), x_i − x̄⟩, and SteinError its standard error for independent draws.
	// It is 1 for draws of the target, and for a Gaussian target the mean over directions of variance in the cloud ÷
	// variance of the target.
	Stein, SteinError float64
	// KSD is the kernel Stein discrepancy (metric.KSD, v) with the coordinates divided by their standard deviations and
	// √d, and ExactKSD its root mean square for as many independent draws of the target (metric.ExactKSD). Of more than
	// 2,000 particles 2,000 are used.
	KSD, ExactKSD float64
	// Offset is √(s̄ᵀC⁻¹s̄) with the mean s̄ and the covariance C of the scores: for a Gaussian target how many
	// standard deviations the cloud's mean is off, in the direction where that is most. ExactOffset is its root mean
	// square for independent draws, √(d/n). Both are NaN unless n > 2d.
	Offset, ExactOffset float64

	ksdLimit float64 // of KSD, for exact draws
	funnel   funnel

	Warnings []string // sentences on what looks wrong and what to do; none: nothing does
}

// CoordinateSummary describes one coordinate: moments, the 5, 50 and 95 % quantiles, and its own Stein ratio, 1 for
// draws of the target.
type CoordinateSummary struct {
	Mean, SD          float64
	Low, Median, High float64
	Stein, SteinError float64
}

// excess is how far the Stein ratio is from 1 beyond five of its standard errors; above 0 it is no chance.
func (k *CoordinateSummary) excess() float64 { return math.Abs(k.Stein-1) - float64(5*k.SteinError) }

// Summarize describes c.X, the sample that c offers (c.Z before the first step), and calls the target's score once. It
// changes nothing.
func Summarize(c *Cloud) *Summary {
	sample := c.X
	if c.Iter == 0 {
		sample = c.Z
	}
	n, d := sample.Rows, sample.Cols
	s := &Summary{Particles: n, Sigma: float64(c.Sigma), Coordinates: make([]CoordinateSummary, d)}
	x := metric.FromBatch(sample)
	if bad := unfinite(x); bad > 0 {
		s.fail("%d of %d particles are not finite: the run diverged. Take a smaller step; if it stopped at once, "+
			"look at "+
			"the score where particles start (targettest.Check) or let them start elsewhere (Options.Init).", bad, n)
		return s
	}
	scores := NewBatch(n, d)
	c.Target.Score(scores, sample, c.Iter)
	score := metric.FromBatch(scores)
	if bad := unfinite(score); bad > 0 {
		s.fail("The score is not finite at %d of %d particles: look for logarithms of negative numbers, 0/0 and "+
			"overflows "+
			"(targettest.Check).", bad, n)
		return s
	}
	s.describe(x, score)
	s.discrepancy(x, score)
	s.offset(score)
	s.funnel = findFunnel(x, score)
	s.warn()
	return s
}

// funnel is the pair of coordinates of which the width of one depends most on the place of the other.
type funnel struct {
	width, place int

	// rank is Spearman's correlation of |score of width| with place; 0 for draws of a Gaussian, whatever its
	// covariance.
	rank float64
}

// findFunnel looks through all pairs. The score of a Gaussian is linear, so its size does not tell on which
// side a particle is; where a coordinate is exp(v) wide the score's size falls with v. Of more than
// maxFunnel coordinates the first are looked at.
func findFunnel(x, score metric.Points) (f funnel) {
	const maxFunnel = 60
	d := min(x.D, maxFunnel)
	places, sizes := make([][]float64, d), make([][]float64, d)
	for c := range d {
		place, size := make([]float64, x.N), make([]float64, x.N)
		for i := range x.N {
			place[i], size[i] = x.Row(i)[c], math.Abs(score.Row(i)[c])
		}
		places[c], sizes[c] = ranks(place), ranks(size)
	}
	for j := range d {
		for k := range d {
			if j == k {
				continue
			}
			if r := stat.Correlation(sizes[j], places[k], nil); math.Abs(r) > math.Abs(f.rank) {
				f = funnel{j, k, r}
			}
		}
	}
	return f
}

// ranks returns the rank of each value, from 0.
func ranks(v []float64) []float64 {
	order := make([]int, len(v))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(v[a], v[b]) })
	out := make([]float64, len(v))
	for rank, i := range order {
		out[i] = float64(rank)
	}
	return out
}

// unfinite counts the points that are not finite.
func unfinite(p metric.Points) (bad int) {
	for i := range p.N {
		if !(metric.Points{N: 1, D: p.D, Data: p.Row(i)}).Finite() {
			bad++
		}
	}
	return bad
}

// fail leaves one warning and no numbers.
func (s *Summary) fail(format string, args ...any) {
	nan := math.NaN()
	for c := range s.Coordinates {
		s.Coordinates[c] = CoordinateSummary{nan, nan, nan, nan, nan, nan, nan}
	}
	s.Stein, s.SteinError, s.KSD, s.ExactKSD, s.Offset, s.ExactOffset = nan, nan, nan, nan, nan, nan
	s.Warnings = []string{fmt.Sprintf(format, args...)}
}

// describe sets what is known coordinate by coordinate, and the Stein ratio.
func (s *Summary) describe(x, score metric.Points) {
	n, d := x.N, x.D
	mean := metric.Mean(x)
	total := make([]float64, n) // of the terms of the Stein ratio
	terms, sorted := make([]float64, n), make([]float64, n)
	for c := range d {
		var squares float64
		for i := range n {
			v := x.Row(i)[c] - mean[c]
			squares += float64(v * v)
			terms[i] = -score.Row(i)[c] * v
			total[i] += terms[i] / float64(d)
			sorted[i] = x.Row(i)[c]
		}
		slices.Sort(sorted)
		k := &s.Coordinates[c]
		k.Mean, k.SD = mean[c], math.Sqrt(squares/float64(n-1))
		k.Low, k.Median, k.High = metric.Quantile(sorted, 0.05), metric.Quantile(sorted, 0.5), metric.Quantile(sorted,
			0.95)
		k.Stein, k.SteinError = average(terms)
	}
	s.Stein, s.SteinError = average(total)
}

// average returns a mean and its standard error for independent values.
func average(v []float64) (mean, se float64) {
	mean, sd := stat.MeanStdDev(v, nil)
	return mean, stat.StdErr(sd, float64(len(v)))
}

// discrepancy sets KSD, ExactKSD and ksdLimit.
func (s *Summary) discrepancy(x, score metric.Points) {
	const most = 2000
	m, d := min(x.N, most), x.D
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

// String is the summary as a table, with the warnings below it.
func (s *Summary) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%10s %10s %10s %10s %10s %10s %8s\n", "coordinate", "mean", "sd", "5 %", "50 %", "95 %", "Stein")
	for c, k := range s.Coordinates {
		fmt.Fprintf(&b, "%10d %10.4g %10.4g %10.4g %10.4g %10.4g %8.2f\n", c, k.Mean, k.SD, k.Low, k.Median, k.High,
			k.Stein)
	}
	fmt.Fprintf(&b,
		"%d particles, σ %.3g. Stein ratio %.3f ± %.3f (exact draws: 1). Kernel Stein discrepancy %.3g (exact "+
			"draws: %.3g). Offset %.2g (exact draws: %.2g).\n",
		s.Particles, s.Sigma, s.Stein, s.SteinError, s.KSD, s.ExactKSD, s.Offset, s.ExactOffset)
	if len(s.Warnings) == 0 {
		b.WriteString("Nothing looks wrong. " + Unseen + "\n")
	}
	for _, w := range s.Warnings {
		b.WriteString("WARNING: " + w + "\n")
	}
	return b.String()
}
