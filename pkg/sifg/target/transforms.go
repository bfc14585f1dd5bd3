package target

import "math"

type identity struct{}

func (identity) forward(x, u []float64) float64 {
	copy(x, u)
	return 0
}

func (identity) pull(du, g, _, _ []float64) { copy(du, g) }

// far is beyond every u that matters; exp(±far) is finite and above 0.
const far = 700

// exp is exp(u), kept finite and above 0.
func exp(u float64) float64 { return math.Exp(min(max(u, -far), far)) }

// exponential is x = exp u, with log Jacobian Σ u.
type exponential struct{}

func (exponential) forward(x, u []float64) (log float64) {
	for k, v := range u {
		x[k] = exp(v)
		log += v
	}
	return log
}

func (exponential) pull(du, g, x, _ []float64) {
	for k, v := range x {
		du[k] = float64(g[k]*v) + 1
	}
}

// bounded is x = low + (high − low)·s(u), with log Jacobian Σ log((high − low)·s(u)·s(−u)) and s(u) = 1/(1 + e^−u).
type bounded struct{ low, high float64 }

// logSlope returns log(s(u)·s(−u)).
func logSlope(u float64) float64 {
	u = math.Abs(u)
	return -u - float64(2*math.Log1p(math.Exp(-u)))
}

func (b bounded) forward(x, u []float64) (log float64) {
	width := b.high - b.low
	for k, v := range u {
		part := float64(width / (1 + math.Exp(math.Abs(v)))) // to the nearer bound
		if v < 0 {
			x[k] = max(b.low+part, math.Nextafter(b.low, b.high))
		} else {
			x[k] = min(b.high-part, math.Nextafter(b.high, b.low))
		}
		log += math.Log(width) + logSlope(v)
	}
	return log
}

func (b bounded) pull(du, g, _, u []float64) {
	for k, v := range u {
		du[k] = float64(g[k]*(b.high-b.low)*math.Exp(logSlope(v))) - math.Tanh(v/2)
	}
}

// ordered is x₁ = u₁, x_k = x_(k−1) + exp u_k, with log Jacobian Σ u_k over k ≥ 2.
type ordered struct{}

func (ordered) forward(x, u []float64) (log float64) {
	x[0] = u[0]
	for k := 1; k < len(u); k++ {
		x[k] = max(x[k-1]+exp(u[k]), math.Nextafter(x[k-1], math.Inf(1)))
		log += u[k]
	}
	return log
}

func (ordered) pull(du, g, _, u []float64) {
	sum := 0.0
	for k := len(u) - 1; k > 0; k-- {
		sum += g[k]
		du[k] = float64(sum*exp(u[k])) + 1
	}
	du[0] = sum + g[0]
}

// simplex is x = softmax(y), y = Vu, n values of n − 1 coordinates. Column k of V, from 1, has k entries 1/√(k(k+1)),
// then −k/√(k(k+1)). The log Jacobian is ½ log n + Σ log x.
type simplex struct{}

func (simplex) forward(x, u []float64) float64 {
	n := len(x)
	sum := 0.0
	x[n-1] = 0
	for k := n - 1; k > 0; k-- { // y in x
		w := u[k-1] / math.Sqrt(float64(k*(k+1)))
		x[k] = sum - float64(float64(k)*w)
		sum += w
	}
	x[0] = sum
	top := x[0]
	for _, y := range x {
		top = max(top, y)
	}
	total := 0.0
	for _, y := range x {
		total += math.Exp(y - top)
	}
	log := math.Log(float64(n)) / 2
	for k, y := range x {
		y -= top + math.Log(total)
		x[k] = exp(y)
		log += y
	}
	return log
}

func (simplex) pull(du, g, x, _ []float64) {
	n, mean := float64(len(x)), 0.0
	for k, v := range x {
		mean += float64(g[k] * v)
	}
	slope := func(k int) float64 { return float64(x[k]*(g[k]-mean)) + 1 - float64(n*x[k]) } // along y
	sum := 0.0
	for k := 1; k < len(x); k++ {
		sum += slope(k - 1)
		du[k-1] = (sum - float64(float64(k)*slope(k))) / math.Sqrt(float64(k*(k+1)))
	}
}

// correlation is row by row: L_ij = tanh(u_ij)·e^a_j and L_ii = e^a_i, where a_0 = 0 and a_(j+1) = a_j − log cosh u_ij
// is half the log of what the squares before leave of 1. The log Jacobian is Σ (a_j − 2 log cosh u_ij).
type correlation struct{ n int }

func logCosh(u float64) float64 {
	u = math.Abs(u)
	return u + math.Log1p(math.Exp(-2*u)) - math.Ln2
}

func (c correlation) forward(x, u []float64) (log float64) {
	clear(x)
	for i := range c.n {
		a := 0.0
		for j := range i {
			x[i*c.n+j] = math.Tanh(u[j]) * exp(a)
			log += a - float64(2*logCosh(u[j]))
			a -= logCosh(u[j])
		}
		x[i*c.n+i] = exp(a)
		u = u[i:]
	}
	return log
}

func (c correlation) pull(du, g, x, u []float64) {
	for i := range c.n {
		a := 0.0
		for j := range i { // du holds a
			du[j] = a
			a -= logCosh(u[j])
		}
		slope := g[i*c.n+i] * x[i*c.n+i] // along a_(j+1)
		for j := i - 1; j >= 0; j-- {
			at, z := i*c.n+j, math.Tanh(u[j])
			direct := float64(g[at] * exp(du[j]) * math.Exp(-2*logCosh(u[j])))
			du[j] = direct - float64(z*(slope+2))
			slope += float64(g[at]*x[at]) + 1
		}
		du, u = du[i:], u[i:]
	}
}
