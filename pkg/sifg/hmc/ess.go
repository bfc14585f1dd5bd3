package hmc

import (
	"math"

	"gonum.org/v1/gonum/dsp/fourier"
	"gonum.org/v1/gonum/stat"
)

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
	size := 1
	for size < 2*n { // zeros keep the end of the series off its start
		size *= 2
	}
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
