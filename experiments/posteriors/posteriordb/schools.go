package posteriordb

import "math"

// eightSchools is the non-centred hierarchical model of Rubin (1981) with u = (z₁ … z₈, μ, log τ) and θ_j = μ + τ z_j:
// y_j ~ N(θ_j, σ_j²), z_j ~ N(0, 1), μ ~ N(0, 25), τ half-Cauchy(5). The values are θ, μ and τ.
type eightSchools struct{ y, sd []float64 }

func newEightSchools(d Data) model { return &eightSchools{d["y"], d["sigma"]} }

func (m *eightSchools) logDensity(grad, u []float64) float64 {
	mu, tau := u[8], math.Exp(u[9])
	half, slope := student(1, 0, 5)(tau)
	log := half + u[9] - mu*mu/50
	grad[8], grad[9] = -mu/25, float64(slope*tau)+1
	for j, y := range m.y {
		z := u[j]
		r := (y - mu - float64(tau*z)) / m.sd[j]
		log -= float64((float64(z*z) + float64(r*r)) / 2)
		pull := r / m.sd[j]
		grad[j] = -z + float64(tau*pull)
		grad[8] += pull
		grad[9] += float64(pull * tau * z)
	}
	return log
}

func (m *eightSchools) constrain(dst, u []float64) {
	mu, tau := u[8], math.Exp(u[9])
	for j := range 8 {
		dst[j] = mu + float64(tau*u[j])
	}
	dst[8], dst[9] = mu, tau
}

func (m *eightSchools) unconstrain(dst, values []float64) {
	mu, tau := values[8], values[9]
	for j := range 8 {
		dst[j] = (values[j] - mu) / tau
	}
	dst[8], dst[9] = mu, math.Log(tau)
}
