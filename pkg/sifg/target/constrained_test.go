package target_test

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/semi-implicit/sifg/pkg/sifg/hmc"
	"github.com/semi-implicit/sifg/pkg/sifg/rng"
	"github.com/semi-implicit/sifg/pkg/sifg/target"
)

// blocks are parameters, and the values that their density is of.
var blocks = map[string]struct {
	param target.Param
	of    []int
}{
	"real":          {target.Real("x", 3), []int{0, 1, 2}},
	"positive":      {target.Positive("x", 3), []int{0, 1, 2}},
	"bounded":       {target.Bounded("x", 3, -2, 7), []int{0, 1, 2}},
	"ordered":       {target.Ordered("x", 4), []int{0, 1, 2, 3}},
	"ordered of 1":  {target.Ordered("x", 1), []int{0}},
	"simplex":       {target.Simplex("x", 5), []int{0, 1, 2, 3}},
	"simplex of 2":  {target.Simplex("x", 2), []int{0}},
	"correlation":   {target.Correlation("x", 4), []int{4, 8, 9, 12, 13, 14}},
	"correlation 2": {target.Correlation("x", 2), []int{2}},
}

// linear is the target of a log density Σ w·x, whose gradient in x is w.
func linear(w []float64, params ...target.Param) *target.Constrained {
	return target.NewConstrained(func(dst, x []float64) (s float64) {
		for k := range x {
			dst[k] += w[k]
			s += w[k] * x[k]
		}
		return s
	}, params...)
}

func somewhere(n int, width float64, r *rng.Stream) []float64 {
	u := make([]float64, n)
	for k := range u {
		u[k] = width * r.NormFloat64()
	}
	return u
}

// The log Jacobian is that of numeric derivatives; gradients are those of finite differences; values are in their
// domain.
func TestConstrained(t *testing.T) {
	const h = 1e-5
	for name, b := range blocks {
		flat := linear(make([]float64, len(linear(nil, b.param).Names())), b.param)
		d, n := flat.Dim(), len(flat.Names())
		r := rng.New(1, name)
		for range 5 {
			u, w := somewhere(d, 1, r), somewhere(n, 1, r)
			c := linear(w, b.param)
			x, up, down := make([]float64, n), make([]float64, n), make([]float64, n)
			c.Constrain(x, u)
			g, jacobian := make([]float64, d), mat.NewDense(d, d, nil)
			value := -c.Grad(g, u)
			for k := range d {
				at := slices.Clone(u)
				at[k] = u[k] + h
				c.Constrain(up, at)
				above := c.LogDensity(at)
				at[k] = u[k] - h
				c.Constrain(down, at)
				if want := (above - c.LogDensity(at)) / (2 * h); math.Abs(-g[k]-want) > 1e-6*(1+math.Abs(want)) {
					t.Errorf("%s: derivative %d is %g, finite differences %g", name, k, -g[k], want)
				}
				for i, j := range b.of {
					jacobian.Set(i, k, (up[j]-down[j])/(2*h))
				}
			}
			want, _ := mat.LogDet(jacobian)
			if got := flat.LogDensity(u); math.Abs(got-want) > 1e-6*(1+math.Abs(want)) {
				t.Errorf("%s: log Jacobian %g, numerically %g", name, got, want)
			}
			sum := flat.LogDensity(u)
			for k, v := range x {
				sum += w[k] * v
			}
			if math.Abs(value-sum) > 1e-12*(1+math.Abs(sum)) {
				t.Errorf("%s: log density %g, want %g", name, value, sum)
			}
			inside(t, name, x)
		}
	}
}

// inside says where values are not in the domain of their block.
func inside(t *testing.T, name string, x []float64) {
	t.Helper()
	ok, sum, least := true, 0.0, math.Inf(1)
	for _, v := range x {
		sum += v
		least = min(least, v)
		ok = ok && v-v == 0
	}
	switch strings.Fields(name)[0] {
	case "positive":
		ok = ok && least > 0
	case "bounded":
		ok = ok && least > -2 && slices.Max(x) < 7
	case "ordered":
		for k := range x[1:] {
			ok = ok && x[k] < x[k+1]
		}
	case "simplex":
		ok = ok && least > 0 && math.Abs(sum-1) < 1e-14
	case "correlation":
		n := int(math.Sqrt(float64(len(x))))
		for i := range n {
			var square float64
			for j, v := range x[i*n : (i+1)*n] {
				square += v * v
				ok = ok && (j <= i || v == 0)
			}
			ok = ok && x[i*n+i] > 0 && math.Abs(square-1) < 1e-14
		}
	}
	if !ok {
		t.Errorf("%s: %v is not in the domain", name, x)
	}
}

// Coordinates of any size give finite log densities and gradients, and values in the domain.
func TestConstrainedExtremes(t *testing.T) {
	for name, b := range blocks {
		n := len(linear(nil, b.param).Names())
		r := rng.New(2, name)
		c := linear(somewhere(n, 1, r), b.param)
		for _, size := range []float64{1e-300, 30, 800, 1e5} {
			for range 20 {
				u, g, x := somewhere(c.Dim(), size, r), make([]float64, c.Dim()), make([]float64, n)
				u[r.Uint32()%uint32(len(u))] = size
				value := c.Grad(g, u)
				for _, v := range append(g, value) {
					if v-v != 0 {
						t.Errorf("%s at %g: energy %g, gradient %g", name, u, value, g)
						break
					}
				}
				c.Constrain(x, u)
				inside(t, name, x)
			}
		}
	}
}

// TestConstrainedPanics: what cannot be is found where it is written.
func TestConstrainedPanics(t *testing.T) {
	for name, call := range map[string]func(){
		"no params":   func() { target.NewConstrained(func(_, _ []float64) float64 { return 0 }) },
		"no function": func() { target.NewConstrained(nil, target.Real("x", 1)) },
		"no name":     func() { target.Real("", 1) },
		"no values":   func() { target.Positive("x", 0) },
		"1 share":     func() { target.Simplex("x", 1) },
		"bounds":      func() { target.Bounded("x", 1, 2, 2) },
		"no bound":    func() { target.Bounded("x", 1, 0, math.Inf(1)) },
		"no both":     func() { target.NewValueGrad(1, nil) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			call()
		}()
	}
}

// Chains on constrained values have the laws that were written: Gamma(3, rate 2), Beta(2, 5) on (0, 1), the order
// statistics of two standard normals, Dirichlet(2, 3, 5), and a correlation uniform on (−1, 1), whose matrix of three
// is LKJ(1): its L has the density Π L_ii^(3−i) (Stan's reference, "Cholesky LKJ"). Means differ by less than five
// standard errors, which 1,000 effective draws or more make small.
func TestConstrainedLaws(t *testing.T) {
	power := func(dst, x []float64, k int, a float64) float64 {
		dst[k] += a / x[k]
		return a * math.Log(x[k])
	}
	c := target.NewConstrained(func(dst, x []float64) float64 {
		log := power(dst, x, 0, 2) - 2*x[0] + power(dst, x, 1, 1) + 4*math.Log1p(-x[1]) - x[2]*x[2]/2 - x[3]*x[3]/2
		dst[0] -= 2
		dst[1] -= 4 / (1 - x[1])
		dst[2] -= x[2]
		dst[3] -= x[3]
		for k, a := range []float64{2, 3, 5} {
			log += power(dst, x, 4+k, a-1)
		}
		return log + power(dst, x, 7+4, 1) // L_22; L_33 has the exponent 0
	}, target.Positive("gamma", 1), target.Bounded("beta", 1, 0, 1), target.Ordered("o", 2), target.Simplex("p", 3),
		target.Correlation("L", 3))
	r, err := hmc.Sample(context.Background(), c, hmc.Options{Seed: 1, Draws: 2500, Names: []string{"gamma", "beta",
		"o1", "o2", "p1", "p2", "p3", "r12", "r12²", "r23", "r23²"}, Values: func(dst, u []float64) {
		x := make([]float64, 16)
		c.Constrain(x, u)
		copy(dst, x[:7])
		l := x[7:]
		r12, r23 := l[3], l[3]*l[6]+l[4]*l[7]
		dst[7], dst[8], dst[9], dst[10] = r12, r12*r12, r23, r23*r23
	}})
	if err != nil {
		t.Fatal(err)
	}
	// a correlation of LKJ(1) in three dimensions is Beta(3/2, 3/2) on (−1, 1), with variance 1/4
	want := []float64{1.5, 2. / 7, -1 / math.Sqrt(math.Pi), 1 / math.Sqrt(math.Pi), 0.2, 0.3, 0.5, 0, 0.25, 0, 0.25}
	for k, s := range r.Summary.Coordinates {
		if math.Abs(s.Mean-want[k]) > 5*s.MCSE || s.BulkESS < 1000 {
			t.Errorf("%s: mean %g ± %g, want %g; %.0f effective draws", r.Names[k], s.Mean, s.MCSE, want[k], s.BulkESS)
		}
	}
}

// NewValueGrad is NewFunc of one function, which hmc asks once a gradient.
func TestValueGrad(t *testing.T) {
	calls := 0
	f := target.NewValueGrad(2, func(dst, x []float64) float64 {
		calls++
		dst[0], dst[1] = -x[0], -4*x[1]
		return -x[0]*x[0]/2 - 2*x[1]*x[1]
	})
	g, x := make([]float64, 2), []float64{3, 1}
	if u := f.Grad(g, x); u != 6.5 || g[0] != 3 || g[1] != 4 || calls != 1 {
		t.Errorf("energy %g, gradient %v after %d calls", u, g, calls)
	}
	if f.Gradient(g, x); f.LogDensity(x) != -6.5 || f.Energy(x) != 6.5 || g[0] != -3 {
		t.Errorf("log density %g, gradient %v", f.LogDensity(x), g)
	}
}

// The failure rate of a machine, which is positive, with the prior Exp(1), after 5 failures in 3 hours.
func ExampleNewConstrained() {
	post := target.NewConstrained(func(dst, x []float64) float64 {
		dst[0] = 5/x[0] - 3 - 1
		return 5*math.Log(x[0]) - 3*x[0] - x[0]
	}, target.Positive("rate", 1))
	r, err := hmc.Sample(context.Background(), post, hmc.Options{Names: post.Names(), Values: post.Constrain, Seed: 1})
	if err != nil {
		fmt.Println(err)
		return
	}
	rate := r.Summary.Coordinates[0] // the posterior is Gamma(6, rate 4)
	fmt.Println(r.Converged, math.Abs(rate.Mean-1.5) < 5*rate.MCSE)
	// Output: true true
}
