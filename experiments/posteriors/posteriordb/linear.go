package posteriordb

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// linear is a linear regression, y ~ N(Xβ, σ²) with n rows and u = (β, η), η = log σ:
//
//	log π(u) = −n η − ½ e^(−2η) ‖y − Xβ‖² + η + priors.
//
// The squares are those of the least squares solution β̂ plus (β − β̂)ᵀXᵀX(β − β̂), which costs k² for k columns,
// whatever n is.
type linear struct {
	n, k   int
	fitted []float64  // β̂
	gram   *mat.Dense // XᵀX, k×k
	rest   float64    // ‖y − Xβ̂‖²
	coef   func(j int) prior
	sigma  prior
}

// prior returns the log density of a value, without constants, and its derivative.
type prior func(x float64) (log, slope float64)

func flat(float64) (log, slope float64) { return 0, 0 }

// normal is N(0, sd²), also cut to positive values.
func normal(sd float64) prior {
	return func(x float64) (float64, float64) { return -x * x / (2 * sd * sd), -x / (sd * sd) }
}

// student is Student's t with nu degrees of freedom, 1 being Cauchy's, also cut to positive values.
func student(nu, location, scale float64) prior {
	return func(x float64) (float64, float64) {
		z := (x - location) / scale
		return -(nu + 1) / 2 * math.Log1p(z*z/nu), -(nu + 1) * z / scale / (nu + float64(z*z))
	}
}

func every(p prior) func(int) prior { return func(int) prior { return p } }

func newLinear(y []float64, columns [][]float64, coef func(j int) prior, sigma prior) model {
	m := &linear{n: len(y), k: len(columns), coef: coef, sigma: sigma}
	x := mat.NewDense(m.n, m.k, nil)
	for j, c := range columns {
		x.SetCol(j, c)
	}
	var qr mat.QR
	qr.Factorize(x)
	var b, residual mat.VecDense
	if err := qr.SolveVecTo(&b, false, mat.NewVecDense(m.n, y)); err != nil {
		panic(err) // published columns, which do not depend on each other
	}
	residual.MulVec(x, &b)
	residual.SubVec(mat.NewVecDense(m.n, y), &residual)
	m.gram = new(mat.Dense)
	m.gram.Mul(x.T(), x)
	m.fitted, m.rest = b.RawVector().Data, mat.Dot(&residual, &residual)
	return m
}

func (m *linear) logDensity(grad, u []float64) float64 {
	eta := u[m.k]
	sigma, precision := math.Exp(eta), math.Exp(-2*eta)
	log, squares := 0.0, m.rest
	for i := range m.k {
		var s float64 // row i of XᵀX(β − β̂)
		for j, g := range m.gram.RawRowView(i) {
			s += float64(g * (u[j] - m.fitted[j]))
		}
		squares += float64((u[i] - m.fitted[i]) * s)
		p, slope := m.coef(i)(u[i])
		log += p
		grad[i] = slope - float64(precision*s)
	}
	p, slope := m.sigma(sigma)
	grad[m.k] = 1 - float64(m.n) + float64(precision*squares) + float64(slope*sigma)
	return log + p + eta - float64(float64(m.n)*eta) - float64(precision*squares/2)
}

func (m *linear) constrain(dst, u []float64) {
	copy(dst, u)
	dst[m.k] = math.Exp(u[m.k])
}

func (m *linear) unconstrain(dst, values []float64) {
	copy(dst, values)
	dst[m.k] = math.Log(values[m.k])
}

func ones(n int) []float64 { return slices.Repeat([]float64{1}, n) }

func product(a, b []float64) []float64 { return floats.MulTo(make([]float64, len(a)), a, b) }

func logs(x []float64) []float64 {
	out := make([]float64, len(x))
	for i, v := range x {
		out[i] = math.Log(v)
	}
	return out
}

// is returns 1 where x has this value and 0 elsewhere.
func is(x []float64, value float64) []float64 {
	out := make([]float64, len(x))
	for i, v := range x {
		if v == value {
			out[i] = 1
		}
	}
	return out
}

// newARK is an autoregression of order 5 on 200 values.
func newARK(d Data) model {
	const order = 5
	y := d["y"]
	columns := [][]float64{ones(len(y) - order)}
	for lag := 1; lag <= order; lag++ {
		columns = append(columns, y[order-lag:len(y)-lag])
	}
	return newLinear(y[order:], columns, every(normal(10)), student(1, 0, 2.5))
}

// interaction is a regression on 1, a, b and ab.
func interaction(y, a, b []float64, sigma prior) model {
	return newLinear(y, [][]float64{ones(len(y)), a, b, product(a, b)}, every(flat), sigma)
}

func newKidScore(d Data) model {
	return interaction(d["kid_score"], d["mom_hs"], d["mom_iq"], student(1, 0, 2.5))
}

func newEarnings(d Data) model { return interaction(logs(d["earn"]), d["height"], d["male"], flat) }

func newMesquite(d Data) model {
	y := logs(d["weight"])
	columns := [][]float64{ones(len(y))}
	for _, name := range []string{"diam1", "diam2", "canopy_height", "total_height", "density"} {
		columns = append(columns, logs(d[name]))
	}
	return newLinear(y, append(columns, d["group"]), every(flat), flat)
}

func newNES(d Data) model {
	age := d["age_discrete"]
	columns := [][]float64{ones(len(age)), d["real_ideo"], d["race_adj"], is(age, 2), is(age, 3), is(age, 4),
		d["educ1"], d["gender"], d["income"]}
	return newLinear(d["partyid7"], columns, every(flat), flat)
}

// matrix returns the k columns of X.
func (d Data) matrix(k int) (columns [][]float64) {
	x := mat.NewDense(len(d["X"])/k, k, d["X"])
	for j := range k {
		columns = append(columns, mat.Col(nil, j, x))
	}
	return columns
}

func newBLR(d Data) model { return newLinear(d["y"], d.matrix(5), every(normal(10)), normal(10)) }

// newDiamonds centres the columns after the first and puts the intercept last.
func newDiamonds(d Data) model {
	y, columns := d["Y"], d.matrix(25)[1:]
	for _, c := range columns {
		floats.AddConst(-floats.Sum(c)/float64(len(c)), c)
	}
	slope, intercept := normal(1), student(3, 8, 10)
	return newLinear(y, append(columns, ones(len(y))), func(j int) prior {
		if j < 24 {
			return slope
		}
		return intercept
	}, student(3, 0, 10))
}
