package hmc

import (
	"math"
	"slices"
)

// adaptation is the state of a warm-up. With L steps its iterations are shared out much as in Stan: the first 75 adapt
// the step alone; windows of 25, 50, 100, … iterations follow, each of which ends by setting M to the inverse variances
// seen in it and by searching the step anew; the last quarter, 50 at least, adapts the step to the last M. Below 150
// iterations the shares are 15 %, one window, and a quarter; below 20 only the step is adapted. The No-U-Turn sampler
// adapts M all along, by learnScales.
//
// The step follows dual averaging (Hoffman and Gelman, "The No-U-Turn Sampler", 2014, Section 3.2): with the mean
// shortfall h of the acceptance from its target after m iterations (10 more count as met), log ε = μ − h·√m/γ; the
// result is the mean of log ε with weights m^−0.75. For L steps γ is 0.2 and μ the log of the step found by the search:
// with their γ = 0.05 and ten times that step ε swings so far that the acceptance after the warm-up was 0.9 for a
// target of 0.8, on Gaussians; with these it was 0.81. The No-U-Turn sampler takes theirs, with which it comes nearer
// to the target where the acceptance differs from place to place (0.61 to 0.83 for 0.8 on a narrow banana; 0.55 to
// 0.79).
type adaptation struct {
	Count     int     // m, iterations since the last search
	Anchor    float64 // μ
	Shortfall float64 // h
	LogStep   float64 // weighted mean of log ε

	N int     // positions in this window
	X moments // of them

	// of the No-U-Turn sampler, see learnScales
	Old, New *scales `json:",omitempty"`
	Used     int     `json:",omitempty"` // positions of Old that M is of
}

func (a *adaptation) clone() *adaptation {
	b := *a
	b.X = a.X.clone()
	if a.Old != nil {
		b.Old, b.New = a.Old.clone(), a.New.clone()
	}
	return &b
}

// windows returns the number of iterations before the first window of the mass and the iterations at which windows end.
func windows(warmup int) (first int, ends []int) {
	if warmup < 20 {
		return warmup, nil
	}
	first, last, size := 75, max(50, warmup/4), 25
	if warmup < first+size+last {
		first, last = warmup*15/100, warmup/4
		size = warmup - first - last
	}
	for at := first; at < warmup-last; size *= 2 {
		if at += size; at+2*size > warmup-last { // the next window would not fit
			at = warmup - last
		}
		ends = append(ends, at)
	}
	return first, ends
}

// learn adapts to the position and the acceptance of the iteration just done, whose number is still c.iteration.
func (c *Chain) learn(accept float64) {
	a := c.adapt
	a.Count++
	m := float64(a.Count)
	a.Shortfall += (c.cfg.TargetAccept - accept - a.Shortfall) / (m + 10)
	gamma := 0.2
	if c.nuts != nil {
		gamma = 0.05
	}
	log := a.Anchor - a.Shortfall*math.Sqrt(m)/gamma
	a.LogStep += float64(math.Pow(m, -0.75) * (log - a.LogStep))
	c.step = math.Exp(log)

	done := c.iteration + 1
	switch {
	case c.cfg.Leapfrog == 0:
		c.learnScales(done)
	case len(c.windows) > 0 && done > c.first && done <= c.windows[len(c.windows)-1]:
		a.N++
		a.X.add(c.x, a.N, c.y)
		if slices.Contains(c.windows, done) {
			c.renewMass()
			c.restart()
		}
	}
	if done == c.cfg.Warmup {
		c.step = math.Exp(a.LogStep)
		c.adapt = nil
	}
}

// renewMass sets M to the inverse variances of the window, of which few are known well: each is drawn, on the log
// scale, to their geometric mean with the weight of five positions, which keeps the units of x out of it. A window in
// which the chain did not move says nothing and changes nothing.
func (c *Chain) renewMass() {
	a := c.adapt
	n := float64(a.N)
	var log float64
	for _, m2 := range a.X.Sum {
		log += math.Log(m2/(n-1)) / float64(len(c.x))
	}
	if finite(log) {
		for k, m2 := range a.X.Sum {
			c.mass[k] = math.Exp(-(float64(n*math.Log(m2/(n-1))) + float64(5*log)) / (n + 5))
		}
		c.setMass()
	}
	a.N = 0
	clear(a.X.Mean)
	clear(a.X.Sum)
}

// try returns the change of H over one step with a new momentum.
func (c *Chain) try() (change float64) {
	if c.nuts != nil {
		return c.nuts.try()
	}
	if c.micro != nil {
		return c.micro.try()
	}
	_, change = c.propose(c.refresh(), c.step, 1)
	return change
}

// restart searches a step for the present M and restarts dual averaging from it: doubled or halved until a single
// leapfrog step crosses an acceptance of one half (Hoffman and Gelman, Algorithm 4), at most 100 times.
func (c *Chain) restart() {
	factor := 0.0
	for range 100 {
		c.seek(c.search, c.iteration*len(c.x))
		c.gradients++
		change := c.try()
		next := 0.5
		if change < math.Ln2 { // false for NaN
			next = 2
		}
		if factor != 0 && next != factor {
			break
		}
		factor = next
		c.step *= factor
	}
	a := c.adapt
	a.Count, a.Shortfall, a.LogStep = 0, 0, 0
	a.Anchor = math.Log(c.step)
	if c.nuts != nil {
		a.Anchor = math.Log(10 * c.step)
	}
}
