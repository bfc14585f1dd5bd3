package posteriordb

import "math"

// garch is GARCH(1,1) with flat priors on μ, α₀ > 0, 0 < α₁ < 1 and 0 < β₁ < 1 − α₁:
//
//	y_t ~ N(μ, v_t), v_t = α₀ + α₁(y_(t−1) − μ)² + β₁v_(t−1), u = (μ, log α₀, logit α₁, logit(β₁/(1 − α₁))).
type garch struct {
	y     []float64
	first float64 // v₁
}

func newGARCH(d Data) model {
	sd := d["sigma1"][0]
	return &garch{d["y"], sd * sd}
}

func (m *garch) logDensity(grad, u []float64) float64 {
	mu, a0, a1, share := u[0], math.Exp(u[1]), logistic(u[2]), logistic(u[3])
	rest := logistic(-u[2]) // 1 − α₁
	b1 := rest * share
	log := u[1] - softplus(-u[2]) - 2*softplus(u[2]) - softplus(-u[3]) - softplus(u[3])
	v := m.first
	var dv, g [4]float64 // derivatives by μ, α₀, α₁, β₁: of v, of the log likelihood
	for t, y := range m.y {
		if t > 0 {
			r := m.y[t-1] - mu
			dv = [4]float64{float64(b1*dv[0]) - float64(2*a1*r), 1 + float64(b1*dv[1]),
				float64(r*r) + float64(b1*dv[2]), v + float64(b1*dv[3])}
			v = a0 + float64(a1*r*r) + float64(b1*v)
		}
		r := y - mu
		log -= float64((math.Log(v) + r*r/v) / 2)
		slope := (r*r/v - 1) / (2 * v)
		for k := range g {
			g[k] += float64(slope * dv[k])
		}
		g[0] += r / v
	}
	if math.IsNaN(log) {
		return impossible(grad)
	}
	grad[0] = g[0]
	grad[1] = float64(g[1]*a0) + 1
	grad[2] = float64((g[2]-float64(g[3]*share))*a1*rest) + rest - float64(2*a1)
	grad[3] = float64(g[3]*b1*(1-share)) + 1 - float64(2*share)
	return log
}

func (m *garch) constrain(dst, u []float64) {
	share := logistic(u[3])
	dst[0], dst[1], dst[2], dst[3] = u[0], math.Exp(u[1]), logistic(u[2]), logistic(-u[2])*share
}

func (m *garch) unconstrain(dst, values []float64) {
	share := values[3] / (1 - values[2])
	dst[0], dst[1], dst[2], dst[3] = values[0], math.Log(values[1]), logit(values[2]), logit(share)
}
