package target

import (
	"fmt"
	"math"
	"slices"
)

// Constrained is a target whose log density is written in constrained values: scales that are positive, probabilities,
// correlations. It lives on all of R^d, the Func: its coordinates u are mapped to the values x, and the log density
// gets log |det ∂x/∂u|, so that x has the density that was given.
type Constrained struct {
	*Func
	params []Param
	values int // how many values x has
}

// Param is a block of values with a domain of its own, made by Real, Positive, Bounded, Ordered, Simplex or
// Correlation. Its values are named name[1], name[2], …, or by the name alone where there is one.
type Param struct {
	names  []string // of the values
	coords int      // of u
	transform
}

// transform maps R^coords onto a domain. Its values are finite, and inside of the domain, for every finite u.
type transform interface {
	// forward sets x to the values of u and returns log |det ∂x/∂u|.
	forward(x, u []float64) float64
	// pull sets du = (∂x/∂u)ᵀ·g + ∇log |det ∂x/∂u|, with x the values of u.
	pull(du, g, x, u []float64)
}

const badParams = "target: NewConstrained: the function and one Param or more must be given"

// NewConstrained returns the target of a log density f of the values of all params, one after another: f returns
// log π(x) up to a constant and adds ∇log π(x) to dst, which is zeros. It is called as that of NewValueGrad is.
func NewConstrained(f func(dst, x []float64) float64, params ...Param) *Constrained {
	if f == nil || len(params) == 0 {
		panic(badParams)
	}
	c := &Constrained{params: slices.Clone(params)}
	d := 0
	for _, p := range params {
		d += p.coords
		c.values += len(p.names)
	}
	work := newScratch(func() *[]float64 {
		w := make([]float64, 2*c.values)
		return &w
	})
	c.Func = NewValueGrad(d, func(dst, u []float64) float64 {
		w := work.get()
		defer work.put(w)
		x, g := (*w)[:c.values], (*w)[c.values:]
		log := c.constrain(x, u)
		clear(g)
		log += f(g, x)
		c.blocks(func(p Param, at, of int) {
			n := len(p.names)
			p.pull(dst[of:of+p.coords], g[at:at+n], x[at:at+n], u[of:of+p.coords])
		})
		return log
	})
	return c
}

// blocks calls f with each block, where its values begin in x, and where its coordinates begin in u.
func (c *Constrained) blocks(f func(p Param, at, of int)) {
	at, of := 0, 0
	for _, p := range c.params {
		f(p, at, of)
		at += len(p.names)
		of += p.coords
	}
}

func (c *Constrained) constrain(x, u []float64) (log float64) {
	c.blocks(func(p Param, at, of int) { log += p.forward(x[at:at+len(p.names)], u[of:of+p.coords]) })
	return log
}

// Names returns the names of the values, for hmc.Options.
func (c *Constrained) Names() (names []string) {
	for _, p := range c.params {
		names = append(names, p.names...)
	}
	return names
}

// Constrain sets dst, of as many values as there are Names, to the values of u, which has length Dim.
func (c *Constrained) Constrain(dst, u []float64) {
	checkPoint(c.d, u)
	checkPoint(c.values, dst)
	c.constrain(dst, u)
}

// param returns a block, the names of which have the given number of indices, each from 1 to n.
func param(name string, n, least, coords, indices int, t transform) Param {
	if name == "" || n < least {
		panic(fmt.Sprintf("target: a parameter must have a name and %d value or more", least))
	}
	p := Param{coords: coords, transform: t}
	for i := range n {
		switch {
		case indices == 2:
			for j := range n {
				p.names = append(p.names, fmt.Sprintf("%s[%d,%d]", name, i+1, j+1))
			}
		case n == 1:
			p.names = []string{name}
		default:
			p.names = append(p.names, fmt.Sprintf("%s[%d]", name, i+1))
		}
	}
	return p
}

// Real returns n values without bounds: x = u.
func Real(name string, n int) Param { return param(name, n, 1, n, 1, identity{}) }

// Positive returns n values above 0: x = exp u.
func Positive(name string, n int) Param { return param(name, n, 1, n, 1, exponential{}) }

// Bounded returns n values between low and high, which are finite: x = low + (high − low)/(1 + exp(−u)).
func Bounded(name string, n int, low, high float64) Param {
	if !(low < high) || math.IsInf(high-low, 0) {
		panic("target: Bounded: low must be below high, and both finite")
	}
	return param(name, n, 1, n, 1, bounded{low, high})
}

// Ordered returns n values that increase: x₁ = u₁, x_k = x_(k−1) + exp u_k.
func Ordered(name string, n int) Param { return param(name, n, 1, n, 1, ordered{}) }

// Simplex returns n ≥ 2 positive values whose sum is 1, by n − 1 coordinates: x = softmax(Vu), where the columns of V
// are orthonormal and sum to 0 (the isometric log-ratio of Egozcue and others, 2003). Its density is one of the first
// n − 1 values.
func Simplex(name string, n int) Param { return param(name, n, 2, n-1, 1, simplex{}) }

// Correlation returns the Cholesky factor L of a correlation matrix LLᵀ of n ≥ 2 variables, n×n values, rows first, of
// which those above the diagonal are 0. Its n(n−1)/2 coordinates are inverse hyperbolic tangents of partial
// correlations (Lewandowski, Kurowicka and Joe, 2009; as in Stan). Its density is one of the values below the diagonal.
func Correlation(name string, n int) Param { return param(name, n, 2, n*(n-1)/2, 2, correlation{n}) }
