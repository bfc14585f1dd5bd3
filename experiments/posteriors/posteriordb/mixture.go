package posteriordb

import "math"

// mixture is y_n ~ θ N(μ₁, σ₁²) + (1 − θ) N(μ₂, σ₂²) with μ₁ < μ₂, μ ~ N(0, 4), σ half-N(0, 4), θ ~ Beta(5, 5) and
// u = (μ₁, log(μ₂ − μ₁), log σ₁, log σ₂, logit θ).
type mixture struct{ y []float64 }

func newMixture(d Data) model { return &mixture{d["y"]} }

func (m *mixture) logDensity(grad, u []float64) float64 {
	gap, theta, rest := math.Exp(u[1]), logistic(u[4]), logistic(-u[4])
	mu := [2]float64{u[0], u[0] + gap}
	sd, inverse := [2]float64{math.Exp(u[2]), math.Exp(u[3])}, [2]float64{math.Exp(-u[2]), math.Exp(-u[3])}
	logTheta, logRest := -softplus(-u[4]), -softplus(u[4])

	var dmu, dlogSD [2]float64
	log, first := 0.0, 0.0 // first is the sum of the shares of component 1
	product := 1.0         // of the 1 + e, whose logarithm is taken before it overflows
	for _, y := range m.y {
		z := [2]float64{(y - mu[0]) * inverse[0], (y - mu[1]) * inverse[1]}
		a, b := logTheta-u[2]-float64(z[0]*z[0]/2), logRest-u[3]-float64(z[1]*z[1]/2)
		e := math.Exp(-math.Abs(a - b))
		log += max(a, b)
		if product *= 1 + e; product > 1e300 {
			log += math.Log(product)
			product = 1
		}
		larger := 1 / (1 + e)
		share := [2]float64{larger, e * larger}
		if a < b {
			share[0], share[1] = share[1], share[0]
		}
		first += share[0]
		for k := range 2 {
			dmu[k] += float64(share[k] * z[k] * inverse[k])
			dlogSD[k] += float64(share[k] * (float64(z[k]*z[k]) - 1))
		}
	}
	log += math.Log(product)
	if math.IsNaN(log) {
		return impossible(grad)
	}
	for k := range 2 {
		log -= float64((float64(mu[k]*mu[k]) + float64(sd[k]*sd[k])) / 8)
		dmu[k] -= float64(mu[k] / 4)
		dlogSD[k] -= float64(sd[k] * sd[k] / 4)
	}
	n := float64(len(m.y))
	grad[0] = dmu[0] + dmu[1]
	grad[1] = float64(dmu[1]*gap) + 1
	grad[2], grad[3] = dlogSD[0]+1, dlogSD[1]+1
	grad[4] = float64(first*rest) - float64((n-first)*theta) + float64(5*(rest-theta))
	return log + float64(5*(logTheta+logRest)) + u[1] + u[2] + u[3]
}

func (m *mixture) constrain(dst, u []float64) {
	dst[0], dst[1], dst[2], dst[3], dst[4] = u[0], u[0]+math.Exp(u[1]), math.Exp(u[2]), math.Exp(u[3]), logistic(u[4])
}

func (m *mixture) unconstrain(dst, v []float64) {
	dst[0], dst[1], dst[2], dst[3], dst[4] = v[0], math.Log(v[1]-v[0]), math.Log(v[2]), math.Log(v[3]), logit(v[4])
}
