package judge

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
	Affine         // the peak, and the Cholesky factor of the inverse of the curvature
	height float64 // log density
	mass   float64 // log of height times volume, up to what all modes share
	share  float64 // of the masses of all modes
}

// distance2 is the squared distance of a point from the peak, in standard deviations of the approximation.
func (m *mode) distance2(u []float64) float64 {
	z := m.Back(u)
	return floats.Dot(z, z)
}

// Where searches start, and how many there are of a kind: uniform on (−2, 2) in every coordinate, as chains of Stan do;
// ten times as wide; and within ten standard deviations of the best mode of those. The first two kinds begin with half
// as many, which are all where one mode is found and no search ends elsewhere.
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
	beside    = 4    // searches at a time
	level     = 1    // difference of the log densities at ends of searches that are no two heights
)

// search is what searches for modes found.
type search struct {
	modes []mode // the heaviest first
	ends  []summit
}

// summit is where a search ended: ok if it began where the density is positive.
type summit struct {
	from, u []float64
	width   float64 // of the box in which it began
	height  float64
	ok      bool
}

// findModes looks for modes from many wide starts.
func (r *run) findModes() *search {
	s, random := &search{}, rng.New(r.options.Seed, "judge-modes").Rand()
	uniform := func(width float64) {
		var starts [][]float64
		for range perKind / 2 {
			u := make([]float64, r.dim)
			for j := range u {
				u[j] = width * (2*random.Float64() - 1)
			}
			starts = append(starts, u)
		}
		r.searchFrom(s, starts, width)
	}
	uniform(nearWidth)
	if uniform(wideWidth); s.differ() {
		uniform(nearWidth)
		uniform(wideWidth)
		var starts [][]float64
		for range perKind {
			z := make([]float64, r.dim)
			for j := range z {
				z[j] = around * random.NormFloat64()
			}
			if len(s.modes) > 0 {
				starts = append(starts, s.modes[0].Forward(z))
			}
		}
		r.searchFrom(s, starts, around)
	}
	s.weigh()
	return s
}

// differ reports whether the searches so far came to several modes or heights.
func (s *search) differ() bool {
	least, most := math.Inf(1), math.Inf(-1)
	for _, e := range s.ends {
		if e.ok {
			least, most = min(least, e.height), max(most, e.height)
		}
	}
	return len(s.modes) > 1 || most-least > level
}

// starts returns those of the searches on (−2, 2) that did not end in a slight mode.
func (s *search) starts() (out [][]float64) {
	for _, e := range s.ends {
		if at := s.at(e.u); e.ok && e.width == nearWidth && (at < 0 || s.modes[at].share > slight) {
			out = append(out, e.from)
		}
	}
	return out
}

// searchFrom ascends from each start by L-BFGS, several at a time, and keeps the modes.
func (r *run) searchFrom(s *search, starts [][]float64, width float64) {
	ends := make([]summit, len(starts))
	var wait sync.WaitGroup
	for k := range beside {
		wait.Go(func() {
			if r.gatherer != nil {
				r.gatherer.Join()
				defer r.gatherer.Leave()
			}
			for i := k; i < len(starts); i += beside {
				ends[i] = r.ascend(starts[i])
				ends[i].from, ends[i].width = starts[i], width
			}
		})
	}
	wait.Wait()
	s.ends = append(s.ends, ends...)
	r.add(s, ends)
}

// ascend does one ascent.
func (r *run) ascend(start []float64) summit {
	at, g := slices.Clone(start), make([]float64, r.dim)
	energy := r.Grad(g, at)
	if !finite(energy) {
		return summit{}
	}
	best := summit{u: slices.Clone(at), height: -energy, ok: true}
	look := func(x []float64) float64 { // gonum asks for value and gradient apart
		if !slices.Equal(x, at) {
			copy(at, x)
			if energy = r.Grad(g, at); !finite(energy) || floats.Norm(x, math.Inf(1)) > distant {
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
func (r *run) add(s *search, ends []summit) {
	ends = slices.DeleteFunc(slices.Clone(ends), func(e summit) bool { return !e.ok })
	slices.SortStableFunc(ends, func(a, b summit) int { return cmp.Compare(b.height, a.height) })
	tries := 1 + 4000/r.dim // of curvatures, 2d gradients each
	for _, e := range ends {
		if tries == 0 || len(s.modes) == mostModes {
			return
		}
		if s.at(e.u) >= 0 {
			continue
		}
		tries--
		if m, ok := r.peak(e); ok && s.at(m.Shift) < 0 {
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
func (r *run) peak(e summit) (m mode, ok bool) {
	g, u := make([]float64, r.dim), slices.Clone(e.u)
	for range 5 {
		l, peaked := curvature(&r.counted, u)
		if !peaked {
			return m, false
		}
		height := -r.Grad(g, u)
		m = mode{Affine: Affine{u, l}, height: height, mass: height}
		for j := range u {
			m.mass += math.Log(l.At(j, j))
		}
		step := slices.Clone(g) // Σ∇U = L·Lᵀ∇U
		m.PullBack(step)
		if rest := floats.Dot(step, step); rest < 1e-4 {
			return m, true
		} else if !(rest < 100*float64(r.dim)) {
			return m, false
		}
		floats.Scale(-1, step)
		u = m.Forward(step)
	}
	return m, false
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

// swapped returns the values in which two modes differ, if the modes are as high as each other, as wide, and the one
// has the values of the other in another order, with other signs, or taken from 1 as shares are; nil otherwise.
func (r *run) swapped(a, b *mode) (at []int) {
	if math.Abs(a.height-b.height) > 0.01 || math.Abs(a.mass-b.mass) > 0.1 {
		return nil
	}
	here, sd := r.valuesAt(a)
	there, _ := r.valuesAt(b)
	var left, right []float64
	least := math.Inf(1)
	for j, v := range here {
		if !(sd[j] > 0) { // it does not vary
			continue
		}
		least = min(least, sd[j])
		if math.Abs(v-there[j]) <= sd[j]/10 {
			continue
		}
		if at = append(at, j); math.Abs(v+there[j]-1) > sd[j]/10 {
			left, right = append(left, math.Abs(v)), append(right, math.Abs(there[j]))
		}
	}
	slices.Sort(left)
	slices.Sort(right)
	if !floats.EqualApprox(left, right, least/10) {
		return nil
	}
	return at
}

// valuesAt returns the values at a mode, and about their standard deviations in its approximation: a column of L after
// the other is added.
func (r *run) valuesAt(m *mode) (v, sd []float64) {
	points := slices.Clone(m.Shift)
	for j := range r.dim {
		u := mat.Col(nil, j, m.L)
		floats.Add(u, m.Shift)
		points = append(points, u...)
	}
	all := r.valuesOf(points)
	n := len(all) / (1 + r.dim)
	v, sd = all[:n], make([]float64, n)
	for i := n; i < len(all); i++ {
		sd[i%n] = math.Hypot(sd[i%n], all[i]-v[i%n])
	}
	return v, sd
}
