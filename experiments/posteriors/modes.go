package posteriors

import (
	"cmp"
	"math"
	"slices"
	"sync"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/optimize"

	"github.com/semi-implicit/sifg/pkg/sifg/rng"
)

// mode is a peak of a density with its Laplace approximation.
type mode struct {
	affine         // the peak, and the Cholesky factor of the inverse of the curvature
	height float64 // log density
	mass   float64 // log of height times volume, up to what all modes share
	share  float64 // of the masses of all modes
}

// distance2 is the squared distance of a point from the peak, in standard deviations of the approximation.
func (m *mode) distance2(u []float64) float64 {
	z := m.back(u)
	return floats.Dot(z, z)
}

// Where searches start, and how many there are of a kind: uniform on (−2, 2) in every coordinate, as chains of Stan do;
// ten times as wide; and within ten standard deviations of the best mode of those.
const (
	perKind   = 12
	nearWidth = 2
	wideWidth = 20
	around    = 10
)

const (
	mostModes = 12   // that are looked at
	slight    = 1e-4 // share of a mode that is of no account
	distant   = 1e12 // from 0, of searches that are given up
	sameMode  = 1    // distance² in sds, for each coordinate, of searches that came to the same mode
)

// search is what a search for modes found.
type search struct {
	modes  []mode      // the heaviest first
	starts [][]float64 // of the searches on (−2, 2) that did not end in a slight mode
	tried  int         // searches
}

// findModes looks for modes from many wide starts.
func findModes(t *together) *search {
	d, s := t.dim, &search{}
	r := rng.New(1, "posteriors-modes").Rand()
	var kinds [2][][]float64
	for kind, width := range []float64{nearWidth, wideWidth} {
		for range perKind {
			u := make([]float64, d)
			for j := range u {
				u[j] = width * (2*r.Float64() - 1)
			}
			kinds[kind] = append(kinds[kind], u)
		}
	}
	first := climb(t, slices.Concat(kinds[0], kinds[1]))
	s.add(t, first)
	s.tried = 2 * perKind
	if len(s.modes) > 0 {
		var starts [][]float64
		for range perKind {
			z := make([]float64, d)
			for j := range z {
				z[j] = around * r.NormFloat64()
			}
			starts = append(starts, s.modes[0].forward(z))
		}
		s.add(t, climb(t, starts))
		s.tried += perKind
	}
	s.weigh()
	for i, u := range kinds[0] {
		if at := s.at(first[i].u); first[i].ok && (at < 0 || s.modes[at].share > slight) {
			s.starts = append(s.starts, u)
		}
	}
	return s
}

// summit is where a search ended: ok if it began where the density is positive.
type summit struct {
	u      []float64
	height float64
	ok     bool
}

// climb ascends from each start by L-BFGS, seats at a time.
func climb(t *together, starts [][]float64) []summit {
	out := make([]summit, len(starts))
	var wait sync.WaitGroup
	t.sit(seats)
	for k := range seats {
		wait.Go(func() {
			defer t.leave()
			for i := k; i < len(starts); i += seats {
				out[i] = ascend(t, starts[i])
			}
		})
	}
	wait.Wait()
	t.sit(1)
	return out
}

// ascend does one ascent.
func ascend(t *together, start []float64) summit {
	at, g := slices.Clone(start), make([]float64, t.dim)
	energy := t.Grad(g, at)
	if !finite(energy) {
		return summit{}
	}
	best := summit{slices.Clone(at), -energy, true}
	look := func(x []float64) float64 { // gonum asks for value and gradient apart
		if !slices.Equal(x, at) {
			copy(at, x)
			if energy = t.Grad(g, at); !finite(energy) || floats.Norm(x, math.Inf(1)) > distant {
				energy = math.Inf(1)
			}
			if -energy > best.height {
				best.height = -energy
				copy(best.u, at)
			}
		}
		return energy
	}
	problem := optimize.Problem{Func: look, Grad: func(dst, x []float64) {
		look(x)
		copy(dst, g)
	}}
	settings := &optimize.Settings{MajorIterations: 300, FuncEvaluations: 2000,
		Converger: &optimize.FunctionConverge{Absolute: 1e-9, Iterations: 20}}
	// What stops it does not matter: whether it came to a mode the curvature tells.
	_, _ = optimize.Minimize(problem, start, settings, &optimize.LBFGS{})
	return best
}

func finite(v float64) bool { return v-v == 0 }

// add looks at where searches ended, the highest first, and keeps those that are modes not known yet.
func (s *search) add(t *together, ends []summit) {
	ends = slices.DeleteFunc(slices.Clone(ends), func(e summit) bool { return !e.ok })
	slices.SortStableFunc(ends, func(a, b summit) int { return cmp.Compare(b.height, a.height) })
	tries := 1 + 4000/t.dim // of curvatures, 2d gradients each
	for _, e := range ends {
		if tries == 0 || len(s.modes) == mostModes {
			return
		}
		if s.at(e.u) >= 0 {
			continue
		}
		tries--
		if m, ok := peak(t, e); ok && s.at(m.shift) < 0 {
			s.modes = append(s.modes, m)
		}
	}
}

// at returns the mode that a point is at, -1 for none.
func (s *search) at(u []float64) int {
	return slices.IndexFunc(s.modes, func(m mode) bool {
		return u != nil && m.distance2(u) < sameMode*float64(len(u))
	})
}

// peak returns the mode at a summit, which Newton steps make exact; false if the density is not peaked there.
func peak(t *together, e summit) (m mode, ok bool) {
	g, u := make([]float64, t.dim), slices.Clone(e.u)
	for range 5 {
		l, peaked := curvature(t, u)
		if !peaked {
			return m, false
		}
		height := -t.Grad(g, u)
		m = mode{affine: affine{u, l}, height: height, mass: height}
		for j := range u {
			m.mass += math.Log(l.At(j, j))
		}
		step := slices.Clone(g) // Σ∇U = L·Lᵀ∇U
		m.pullBack(step)
		if rest := floats.Dot(step, step); rest < 1e-4 {
			return m, true
		} else if !(rest < 100*float64(t.dim)) {
			return m, false
		}
		shifted := affine{make([]float64, len(u)), l}.forward(step)
		u = slices.Clone(u)
		floats.Sub(u, shifted)
	}
	return m, false
}

// curvature returns the Cholesky factor of the inverse of ∇²U at u; false if that is not positive definite.
func curvature(t *together, u []float64) (*mat.TriDense, bool) {
	hessian := mat.NewSymDense(t.dim, nil)
	curve(hessian, t, u)
	return spread(hessian)
}

// weigh orders modes by mass and sets their shares.
func (s *search) weigh() {
	slices.SortStableFunc(s.modes, func(a, b mode) int { return cmp.Compare(b.mass, a.mass) })
	sum := 0.0
	for _, m := range s.modes {
		sum += math.Exp(m.mass - s.modes[0].mass)
	}
	for i := range s.modes {
		s.modes[i].share = math.Exp(s.modes[i].mass-s.modes[0].mass) / sum
	}
}

// heavy returns the modes that are of account.
func (s *search) heavy() []mode {
	n := slices.IndexFunc(s.modes, func(m mode) bool { return m.share <= slight })
	if n < 0 {
		n = len(s.modes)
	}
	return s.modes[:n]
}

// nearest returns the mode under whose Laplace approximation u is likeliest.
func nearest(modes []mode, u []float64) (at int) {
	most := math.Inf(-1)
	for k := range modes {
		m := &modes[k]
		if log := m.height - m.distance2(u)/2; log > most {
			at, most = k, log
		}
	}
	return at
}

// swapped returns the coordinates in which two modes differ, if they are as high as each other, as wide, and the one
// has the coordinates of the other in another order or with other signs; nil otherwise.
func swapped(a, b *mode) (at []int) {
	if math.Abs(a.height-b.height) > 0.01 || math.Abs(a.mass-b.mass) > 0.1 {
		return nil
	}
	var left, right []float64
	least := math.Inf(1)
	for j := range a.shift {
		sd := norm(a.l, j)
		if least = min(least, sd); math.Abs(a.shift[j]-b.shift[j]) > sd/10 {
			at = append(at, j)
			left, right = append(left, math.Abs(a.shift[j])), append(right, math.Abs(b.shift[j]))
		}
	}
	slices.Sort(left)
	slices.Sort(right)
	if !floats.EqualApprox(left, right, least/10) {
		return nil
	}
	return at
}

// norm is the length of row j of l, the standard deviation of that coordinate.
func norm(l *mat.TriDense, j int) float64 {
	var sum float64
	for k := range j + 1 {
		sum += l.At(j, k) * l.At(j, k)
	}
	return math.Sqrt(sum)
}
