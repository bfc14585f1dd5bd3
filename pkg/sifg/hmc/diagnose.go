package hmc

import (
	"math"
	"math/bits"
	"slices"

	"gonum.org/v1/gonum/dsp/fourier"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/semi-implicit/sifg/pkg/sifg/metric"
)

const badDraws = "hmc: draws must be one chain or more, all of the same length"

func checkDraws(draws [][]float64) {
	if len(draws) == 0 || slices.ContainsFunc(draws, func(x []float64) bool { return len(x) != len(draws[0]) }) {
		panic(badDraws)
	}
}

// telling reports whether the diagnostics say something.
func telling(draws [][]float64) bool {
	pool := pooled(draws)
	return len(draws[0]) >= 12 && all(pool, finite) && !all(pool, func(v float64) bool { return v == pool[0] })
}

// RankRHat returns the larger of the split R-hat of the rank-normalised draws, which sees chains that differ in place,
// and of the rank-normalised distances from the median, which sees chains that differ in width. 1 is good, above 1.01
// is not.
func RankRHat(draws [][]float64) float64 {
	if !telling(draws) {
		return math.NaN()
	}
	median := quantile(pooled(draws), 0.5)
	folded := transform(draws, func(v float64) float64 { return math.Abs(v - median) })
	r := rHat(rankNormal(split(draws)))
	if telling(folded) {
		r = max(r, rHat(rankNormal(split(folded))))
	}
	return r
}

// BulkESS returns the effective sample size of the rank-normalised draws: how many independent draws would tell as much
// of the middle of the law.
func BulkESS(draws [][]float64) float64 {
	if !telling(draws) {
		return math.NaN()
	}
	return ess(rankNormal(split(draws)))
}

// TailESS returns the smaller of the effective sample sizes for the 5 % and the 95 % quantile.
func TailESS(draws [][]float64) float64 {
	if !telling(draws) {
		return math.NaN()
	}
	pool := pooled(draws)
	return min(quantileESS(draws, pool, 0.05), quantileESS(draws, pool, 0.95))
}

// quantileESS is the effective sample size for a quantile, NaN where it is the largest draw. pool is all draws.
func quantileESS(draws [][]float64, pool []float64, p float64) float64 {
	q := quantile(pool, p)
	return MeanESS(transform(draws, func(v float64) float64 {
		if v <= q {
			return 1
		}
		return 0
	}))
}

// quantileError is the Monte Carlo standard error of a quantile: half of what lies between the quantiles at p ± √(p(1 −
// p)/ESS), one standard error of the share below it. pool is all draws in order.
func quantileError(draws [][]float64, pool []float64, p float64) float64 {
	off := math.Sqrt(p * (1 - p) / quantileESS(draws, pool, p))
	if math.IsNaN(off) {
		return math.NaN()
	}
	at := func(p float64) float64 { return metric.OrderStatistic(pool, min(max(p, 0), 1)*float64(len(pool)-1)) }
	return (at(p+off) - at(p-off)) / 2
}

// MeanESS returns the effective sample size for the mean of the draws as they are, which should have a variance.
func MeanESS(draws [][]float64) float64 {
	if !telling(draws) {
		return math.NaN()
	}
	return ess(split(draws))
}

// MCSE returns the Monte Carlo standard error of the mean of all draws: their standard deviation over √MeanESS.
func MCSE(draws [][]float64) float64 {
	return stat.StdDev(pooled(draws), nil) / math.Sqrt(MeanESS(draws))
}

// EBFMI returns the empirical Bayesian fraction of missing information of one chain, Σ (H_i − H_(i−1))² / Σ (H_i − mean
// H)², given Info.Hamiltonian of each iteration (Betancourt, "Diagnosing suboptimal cotangent disintegrations in
// Hamiltonian Monte Carlo", 2016). About 1 where new momenta take the chain to any energy at once; below 0.3 they do
// not, and tails are visited too seldom.
func EBFMI(hamiltonian []float64) float64 {
	if !telling([][]float64{hamiltonian}) {
		return math.NaN()
	}
	var steps float64
	for i, h := range hamiltonian[1:] {
		steps += float64((h - hamiltonian[i]) * (h - hamiltonian[i]))
	}
	return steps / (stat.Variance(hamiltonian, nil) * float64(len(hamiltonian)-1))
}

// split returns the halves of the chains; the middle draw of an odd number is left out.
func split(draws [][]float64) [][]float64 {
	halves := make([][]float64, 0, 2*len(draws))
	for _, x := range draws {
		n := len(x)
		halves = append(halves, x[:n/2], x[n-n/2:])
	}
	return halves
}

func transform(draws [][]float64, f func(float64) float64) [][]float64 {
	out := make([][]float64, len(draws))
	for c, x := range draws {
		out[c] = make([]float64, len(x))
		for i, v := range x {
			out[c][i] = f(v)
		}
	}
	return out
}

// pooled returns the draws of all chains.
func pooled(draws [][]float64) []float64 {
	checkDraws(draws)
	return slices.Concat(draws...)
}

// quantile returns the linear interpolation of order statistics at 1 + (n−1)·p.
func quantile(pool []float64, p float64) float64 {
	return metric.OrderStatistic(slices.Sorted(slices.Values(pool)), float64(p*float64(len(pool)-1)))
}

// rankNormal replaces the draws by the normal quantiles of their ranks r among all S draws, at (r − 3/8)/(S + 1/4);
// equal draws share their mean rank.
func rankNormal(draws [][]float64) [][]float64 {
	pool := pooled(draws)
	order := metric.Ascending(pool)
	z := make([]float64, len(pool))
	for i := 0; i < len(order); {
		j := i + 1
		for j < len(order) && pool[order[j]] == pool[order[i]] {
			j++
		}
		rank := float64(float64(i+1+j) / 2) // ranks i+1 to j
		v := distuv.UnitNormal.Quantile((rank - 0.375) / (float64(len(pool)) + 0.25))
		for ; i < j; i++ {
			z[order[i]] = v
		}
	}
	return slices.Collect(slices.Chunk(z, len(draws[0])))
}

// rHat returns √(((n−1)/n·W + B/n)/W) of m ≥ 2 chains of n draws, with W the mean variance within chains and B/n the
// variance of their means.
func rHat(draws [][]float64) float64 {
	n := float64(len(draws[0]))
	means, variances := make([]float64, len(draws)), make([]float64, len(draws))
	for c, x := range draws {
		means[c], variances[c] = stat.MeanVariance(x, nil)
	}
	within := stat.Mean(variances, nil)
	return math.Sqrt((n-1)/n + stat.Variance(means, nil)/within)
}

// ess returns the effective sample size of m ≥ 2 chains of n draws by Geyer's initial monotone sequence:
// autocorrelations ρ_t = 1 − (W − mean over chains of the autocovariance at t)/V, with V = (n−1)/n·W + B/n, are summed
// in pairs as long as the pairs are positive, no pair larger than the one before it. At most it is m·n·log10(m·n), for
// chains that swing about the mean.
func ess(draws [][]float64) float64 {
	m, n := len(draws), len(draws[0])
	cov := newAutocovariance(n)
	acov, means := make([]float64, n), make([]float64, m)
	for c, x := range draws {
		means[c] = stat.Mean(x, nil)
		for t, v := range cov.of(x) {
			acov[t] += v / float64(m)
		}
	}
	within := acov[0] * float64(n) / float64(n-1)
	total := acov[0] + stat.Variance(means, nil)
	rho := func(t int) float64 { return 1 - (within-acov[t])/total }

	even, sum := 1.0, 0.0
	last := math.Inf(1) // the pair before
	for t := 0; ; even = rho(t) {
		pair := even + rho(t+1)
		if !(pair > 0) || t >= n-4 { // the last autocovariances are of a few products only
			break
		}
		last = min(last, pair)
		sum += last
		t += 2
	}
	tau := -1 + 2*sum + max(even, 0)
	size := float64(m * n)
	return size / max(tau, 1/math.Log10(size))
}

// autocovariance has room to compute the autocovariances of series of n values by fast Fourier transform.
type autocovariance struct {
	fft    *fourier.FFT
	padded []float64
	coeff  []complex128
}

func newAutocovariance(n int) *autocovariance {
	size := 1 << bits.Len(uint(2*n-1)) // at least 2n: zeros keep the end of the series off its start
	return &autocovariance{fourier.NewFFT(size), make([]float64, size), make([]complex128, size/2+1)}
}

// of returns Σ_i (x_i − mean)(x_{i+t} − mean)/n for t = 0 to n−1, valid until the next call.
func (a *autocovariance) of(x []float64) []float64 {
	n := len(x)
	mean := stat.Mean(x, nil)
	for i, v := range x {
		a.padded[i] = v - mean
	}
	clear(a.padded[n:])
	a.fft.Coefficients(a.coeff, a.padded)
	for k, c := range a.coeff {
		a.coeff[k] = complex(float64(real(c)*real(c))+float64(imag(c)*imag(c)), 0)
	}
	a.fft.Sequence(a.padded, a.coeff)
	for t := range n {
		a.padded[t] /= float64(len(a.padded)) * float64(n)
	}
	return a.padded[:n]
}
