package posteriordb

import "math"

// points of a Gaussian process with the squared exponential kernel K_ij = α² exp(−(x_i − x_j)²/(2ρ²)), and its
// hyper-parameters' priors, ρ ~ Gamma(25, rate 4) and α half-N(0, 4). There are gpSize of them, so that matrices are
// arrays and need no heap.
const gpSize = 11

type (
	gpVector [gpSize]float64
	gpMatrix [gpSize][gpSize]float64
)

type gpPoints gpVector

// kernel sets k = K, and its derivatives by log ρ and log α.
func (x *gpPoints) kernel(k, dRho, dAlpha *gpMatrix, rho, alpha float64) {
	for i := range x {
		for j := range i + 1 {
			q := (x[i] - x[j]) * (x[i] - x[j]) / (rho * rho)
			v := alpha * alpha * math.Exp(-q/2)
			k[i][j], k[j][i] = v, v
			dRho[i][j], dRho[j][i] = v*q, v*q
			dAlpha[i][j], dAlpha[j][i] = 2*v, 2*v
		}
	}
}

// hyper returns the log density of ρ and α, with the Jacobian of their logarithms, and its derivatives by those.
func hyper(rho, alpha float64) (log, dRho, dAlpha float64) {
	log = float64(25*math.Log(rho)) - float64(4*rho) - float64(alpha*alpha/8) + math.Log(alpha)
	return log, 25 - float64(4*rho), 1 - float64(alpha*alpha/4)
}

// cholesky replaces the lower triangle of a by that of its factor L, a = LLᵀ, and those of the tangents by the
// derivatives of L along them. It reports whether a is positive definite.
func cholesky(a *gpMatrix, tangents ...*gpMatrix) bool {
	for j := range gpSize {
		for i := j; i < gpSize; i++ {
			for k := range j {
				a[i][j] -= float64(a[i][k] * a[j][k])
				for _, t := range tangents {
					t[i][j] -= float64(t[i][k]*a[j][k]) + float64(a[i][k]*t[j][k])
				}
			}
		}
		if !(a[j][j] > 0) {
			return false
		}
		pivot := math.Sqrt(a[j][j])
		a[j][j] = pivot
		for _, t := range tangents {
			t[j][j] /= 2 * pivot
		}
		for i := j + 1; i < gpSize; i++ {
			a[i][j] /= pivot
			for _, t := range tangents {
				t[i][j] = (t[i][j] - float64(a[i][j]*t[j][j])) / pivot
			}
		}
	}
	return true
}

// gpRegression is y ~ N(0, K + σI), the variance of the noise being σ ~ half-N(0, 1), with u = (log ρ, log α, log σ).
type gpRegression struct {
	x gpPoints
	y gpVector
}

func newGPRegression(d Data) model { return &gpRegression{gpPoints(d["x"]), gpVector(d["y"])} }

func (m *gpRegression) logDensity(grad, u []float64) float64 {
	rho, alpha, sigma := math.Exp(u[0]), math.Exp(u[1]), math.Exp(u[2])
	var k, dRho, dAlpha, dSigma gpMatrix
	m.x.kernel(&k, &dRho, &dAlpha, rho, alpha)
	for i := range k {
		k[i][i] += sigma
		dSigma[i][i] = sigma
	}
	tangents := [3]*gpMatrix{&dRho, &dAlpha, &dSigma}
	if !cholesky(&k, tangents[:]...) {
		return impossible(grad)
	}
	log, gRho, gAlpha := hyper(rho, alpha)
	grad[0], grad[1], grad[2] = gRho, gAlpha, 1-float64(sigma*sigma)
	log += u[2] - float64(sigma*sigma/2)
	var z gpVector // L⁻¹y, and below its derivatives: L ż = −L̇ z
	for i, y := range m.y {
		for j := range i {
			y -= float64(k[i][j] * z[j])
		}
		z[i] = y / k[i][i]
		log -= math.Log(k[i][i]) + float64(z[i]*z[i]/2)
	}
	for p, t := range tangents {
		var dz gpVector
		for i := range z {
			s := -t[i][i] * z[i]
			for j := range i {
				s -= float64(t[i][j]*z[j]) + float64(k[i][j]*dz[j])
			}
			dz[i] = s / k[i][i]
			grad[p] -= t[i][i]/k[i][i] + float64(z[i]*dz[i])
		}
	}
	return log
}

func (m *gpRegression) constrain(dst, u []float64) {
	for k, v := range u {
		dst[k] = math.Exp(v)
	}
}

func (m *gpRegression) unconstrain(dst, values []float64) {
	copy(dst, logs(values))
}

// gpPoisson is k_i ~ Poisson(e^(f_i)) with f = L f̃, LLᵀ = K + 10⁻¹⁰ I and f̃ ~ N(0, I); u = (log ρ, log α, f̃). The
// values hold f.
type gpPoisson struct {
	x     gpPoints
	count gpVector
}

func newGPPoisson(d Data) model { return &gpPoisson{gpPoints(d["x"]), gpVector(d["k"])} }

// factor sets l = L and its derivatives by log ρ and log α.
func (m *gpPoisson) factor(l, dRho, dAlpha *gpMatrix, u []float64) bool {
	m.x.kernel(l, dRho, dAlpha, math.Exp(u[0]), math.Exp(u[1]))
	for i := range l {
		l[i][i] += 1e-10
	}
	return cholesky(l, dRho, dAlpha)
}

func (m *gpPoisson) logDensity(grad, u []float64) float64 {
	var l, dRho, dAlpha gpMatrix
	if !m.factor(&l, &dRho, &dAlpha, u) {
		return impossible(grad)
	}
	log, gRho, gAlpha := hyper(math.Exp(u[0]), math.Exp(u[1]))
	white := u[2:]
	for i, v := range white {
		log -= float64(v * v / 2)
		grad[2+i] = -v
	}
	for i, count := range m.count {
		var f, fRho, fAlpha float64
		for j := range i + 1 {
			f += float64(l[i][j] * white[j])
			fRho += float64(dRho[i][j] * white[j])
			fAlpha += float64(dAlpha[i][j] * white[j])
		}
		rate := math.Exp(f)
		log += float64(count*f) - rate
		pull := count - rate
		gRho += float64(pull * fRho)
		gAlpha += float64(pull * fAlpha)
		for j := range i + 1 {
			grad[2+j] += float64(pull * l[i][j])
		}
	}
	grad[0], grad[1] = gRho, gAlpha
	return log
}

func (m *gpPoisson) constrain(dst, u []float64) {
	var l, dRho, dAlpha gpMatrix
	ok := m.factor(&l, &dRho, &dAlpha, u)
	dst[0], dst[1] = math.Exp(u[0]), math.Exp(u[1])
	for i := gpSize - 1; i >= 0; i-- {
		var f float64
		for j := range i + 1 {
			f += float64(l[i][j] * u[2+j])
		}
		if dst[2+i] = f; !ok {
			dst[2+i] = math.NaN()
		}
	}
}

func (m *gpPoisson) unconstrain(dst, values []float64) {
	dst[0], dst[1] = math.Log(values[0]), math.Log(values[1])
	var l, dRho, dAlpha gpMatrix
	ok := m.factor(&l, &dRho, &dAlpha, dst)
	for i := range gpSize {
		f := values[2+i]
		for j := range i {
			f -= float64(l[i][j] * dst[2+j])
		}
		if dst[2+i] = f / l[i][i]; !ok {
			dst[2+i] = math.NaN()
		}
	}
}
