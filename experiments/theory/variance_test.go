package theory

import "testing"

// TestVarianceForms: the closed forms of the linear field against draws; five draws of the noise divide the variance by
// five.
func TestVarianceForms(t *testing.T) {
	const n, d, tau, sigma = 50, 3, 0.8, 0.4
	var denoise, stein, held, redrawn []float64
	for seed := range uint64(40) {
		a, b := linear(d, n, 100, tau, sigma, seed)
		c, e := innerLoop(varianceOptions{Particles: n, Draws: 100}, d, tau, sigma, seed)
		denoise, stein, held, redrawn = append(denoise, a), append(stein, b), append(held, c), append(redrawn, 5*e)
	}
	a, b := closed(n, d, tau, sigma)
	for what, v := range map[string][]float64{"denoising": denoise, "held": held, "redrawn": redrawn} {
		withinErrors(t, what, a, v)
	}
	withinErrors(t, "Hutchinson", b, stein)
}

// closed are the closed forms for the linear field: of the denoising loss and of the Stein loss with Rademacher probes.
func closed(n, d int, tau, sigma float64) (denoise, stein float64) {
	k := float64(d * d)
	return (float64(k*(sq(tau/sigma)+1)) + float64(d)) / float64(n), (k - float64(d)) / float64(n)
}
