package sifg

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat"

	"github.com/semi-implicit/sifg/pkg/sifg/metric"
)

// Bounds beyond which a summary warns. A Stein ratio of 0.85 is a standard deviation 8 % too small; a coordinate's own
// ratio varies more.
const (
	steinBound, coordinateBound = 0.15, 0.3
	ksdBound                    = 8 // standard deviations; 3.5 of a normal law's where one direction matters most
	offsetBound                 = 0.2
	sigmaBound                  = 0.7
	spreadBound                 = 100
	rhatBound                   = 1.01 // of the documents of Stan

	// Of fewer particles, draws of a Gaussian look like a funnel, and gradients of the wrong sign like chance.
	fewest = 50

	// tailBound is of an upper bound of a tail's slope. Cauchy tails have up to 0.7, exponential ones 1.
	tailBound = 0.75

	// Draws of the twelve posteriors of package posterior have up to 0.3, of mixtures 0.6, of a funnel 0.84.
	funnelBound = 0.7

	// coarseBound is of |mean|/sd: beyond it an sd has fewer than a hundred values of float32.
	coarseBound = 1e5

	// unitsBound is of a coordinate's Stein ratio: a tenth of the variance is no matter of a few more iterations.
	unitsBound = 0.1
)

const tooFew = "%d particles are too few to judge the sample by: the numbers above may be chance, and nothing " +
	"else was looked for. Take at least %d."

// unseen says what a summary cannot see.
func (s *Summary) unseen() string {
	const most = "Not seen by this: modes without particles, the relative weights of separated modes (they come from " +
		"the start), tails beyond the particles, whether the score is right (targettest.Check), and whether the run " +
		"would still move (sifg.Watch)."
	if s.Runs > 1 {
		return most + " The runs agree, as they also do where all miss the same."
	}
	return most + " Run it with another seed and from a wider start, and summarise the runs together."
}

// warn puts what looks wrong in words.
func (s *Summary) warn(x metric.Points) {
	if s.Particles < fewest {
		s.say(tooFew, s.Particles, fewest)
		return
	}
	beyond := func(ratio, se, bound float64) bool { return math.Abs(ratio-1) > max(bound, 5*se) }
	off := s.most((*CoordinateSummary).excess)
	least := s.most(func(k *CoordinateSummary) float64 { return -k.Stein })
	k, low := s.Coordinates[off], s.Coordinates[least]
	switch {
	case s.Stein+float64(5*s.SteinError) < 0:
		s.say("The score points away from the cloud: "+
			"the Stein ratio is %.2g ± %.2g, that of draws of the target is 1. "+
			"Most likely it is the gradient of −log π, with the wrong sign: targettest.Check tells.",
			s.Stein, s.SteinError)
	case math.Abs(low.Stein)+float64(5*low.SteinError) < unitsBound && len(s.Coordinates) > 1:
		s.say("Coordinate %d has not spread: its Stein ratio is %.2g ± %.2g, that of draws of the target is 1. "+
			"Its scale is much wider than that of others, by this about %.2g where the cloud has %.2g: "+
			"sample that coordinate divided by its width.",
			least, low.Stein, low.SteinError, low.SD/math.Sqrt(max(low.Stein, 1e-12)), low.SD)
	case beyond(s.Stein, s.SteinError, steinBound) && s.Stein < 1:
		s.say("The cloud is too narrow: its Stein ratio is %.2f ± %.2f, that of draws of the target is 1, "+
			"so its variances are about %.0f %% of the target's. The particles repel each other too little: "+
			"take the settings of sifg.Default, or a wider network, more inner steps or a larger σ. "+
			"svgd and kde-flow are too narrow in many dimensions whatever their settings.",
			s.Stein, s.SteinError, max(0, 100*s.Stein))
	case beyond(s.Stein, s.SteinError, steinBound):
		s.say("The cloud is too wide: its Stein ratio is %.2f ± %.2f, that of draws of the target is 1. "+
			"Run longer; if that does not help, take a smaller step, "+
			"or a σ well below the narrowest width of the target.",
			s.Stein, s.SteinError)
	case beyond(k.Stein, k.SteinError, coordinateBound):
		s.say("Coordinate %d is too %s: its Stein ratio is %.2f ± %.2f, that of draws of the target is 1. "+
			"Run longer, or sample it in units in which it is about as wide as the others.",
			off, side(k.Stein), k.Stein, k.SteinError)
	}
	d := float64(len(s.Coordinates))
	if s.Offset > offsetBound && s.Offset > s.ExactOffset*math.Sqrt(1+float64(8*math.Sqrt(2/d))) {
		s.say("The cloud is not where the target is: its mean is about %.2g standard deviations off "+
			"(exact draws: %.2g). Run longer, or start nearer (Options.Init).", s.Offset, s.ExactOffset)
	}
	if s.KSD > s.ksdLimit {
		s.say("The kernel Stein discrepancy is %.2g, that of as many exact draws %.2g: "+
			"the cloud is not the target, or not yet. "+
			"Run longer, and compare with a run of another seed or of package hmc.", s.KSD, s.ExactKSD)
	}
	s.warnOfRuns()
	s.warnOfLumps(x)
	s.warnOfWidths()
}

// warnOfLumps warns of separated parts of the sample, whose shares say nothing, and of coordinates that float32 is too
// coarse for.
func (s *Summary) warnOfLumps(x metric.Points) {
	if l, ok := metric.FindLumps(x); ok {
		s.say("The sample is separate lumps, with next to nothing between them along coordinate %d: %.0f %% of the "+
			"particles are in one. Such shares come from where particles started, not from the target: no particle "+
			"crosses. Start them in proportion, or compare with annealed or tempered sampling.", l.Coordinate,
			100*l.Share)
	}
	coarse := func(k *CoordinateSummary) float64 { return math.Abs(k.Mean) / k.SD }
	worst := s.most(coarse)
	if k := s.Coordinates[worst]; coarse(&k) > coarseBound {
		s.say("Coordinate %d is about %.3g with a standard deviation of %.2g: particles are float32, whose values "+
			"there lie %.2g apart. Sample it less that number.", worst, k.Mean, k.SD,
			math.Nextafter32(float32(math.Abs(k.Mean)), math.MaxFloat32)-float32(math.Abs(k.Mean)))
	}
}

// warnOfRuns warns of runs that do not agree.
func (s *Summary) warnOfRuns() {
	worst := s.most(func(k *CoordinateSummary) float64 { return k.RHat }) // not a number where nothing varies
	if r := s.Coordinates[worst].RHat; r > s.rhatLimit {
		s.say("The %d runs do not agree: R-hat of coordinate %d is %.3g, of runs that sample the same law below %.3g. "+
			"They have not converged, or found different modes: run longer, and look at each run by itself.",
			s.Runs, worst, r, s.rhatLimit)
	}
}

// say adds a warning.
func (s *Summary) say(format string, args ...any) {
	s.Warnings = append(s.Warnings, fmt.Sprintf(format, args...))
}

// warnOfWidths warns of widths that one σ or one step does not fit.
func (s *Summary) warnOfWidths() {
	narrow := s.most(func(k *CoordinateSummary) float64 { return -k.SD })
	wide := s.most(func(k *CoordinateSummary) float64 { return k.SD })
	if sd := s.Coordinates[narrow].SD; s.Sigma > sigmaBound*sd {
		s.say("σ is %.2g and the sample cannot be narrower than that, but coordinate %d "+
			"has a standard deviation of %.2g: take σ below %.2g, "+
			"or sample that coordinate in units in which it is about 1 wide.", s.Sigma, narrow, sd, sd/3)
	}
	if f := s.funnel; math.Abs(f.rank) > funnelBound && s.Stein > 0 {
		s.Warnings = slices.DeleteFunc(s.Warnings, func(w string) bool { return strings.HasPrefix(w, "Coordinate ") })
		s.say("The width of coordinate %d depends on coordinate %d "+
			"(rank correlation of the score's size with it: %.2f), as in a funnel. "+
			"No single step or scale fits that, and particles miss the neck or the mouth: "+
			"write the model non-centred, x = location + scale·z with z the coordinate, "+
			"or compare with long chains of package hmc.", f.width, f.place, f.rank)
		return
	}
	s.warnOfTails()
	if lo, hi := s.Coordinates[narrow].SD, s.Coordinates[wide].SD; hi > spreadBound*lo {
		s.say("Coordinate %d has a standard deviation of %.2g and coordinate %d one of %.2g, "+
			"but all move by the same step: sample x divided by its width.",
			narrow, lo, wide, hi)
	}
}

// warnOfTails warns of the coordinate whose tail is heaviest, if that is a power law's.
func (s *Summary) warnOfTails() {
	heaviest := s.most(func(k *CoordinateSummary) float64 { return -k.tail })
	if s.Coordinates[heaviest].tail < tailBound && s.Stein > 0 {
		s.say("The target has heavy tails along coordinate %d: its score hardly pulls harder at the outermost "+
			"particles than farther in. Particles come and go there slowly, so standard deviations and quantiles far "+
			"out are too small or too large. Sample asinh(x − median) in its place, or compare with long chains of "+
			"package hmc.",
			heaviest)
	}
}

// side says on which side of 1 a ratio is.
func side(ratio float64) string {
	if ratio < 1 {
		return "narrow"
	}
	return "wide"
}

// most returns the coordinate with the largest value, the first of several; what is not a number is less than all.
func (s *Summary) most(value func(k *CoordinateSummary) float64) (at int) {
	for c := range s.Coordinates {
		if cmp.Less(value(&s.Coordinates[at]), value(&s.Coordinates[c])) {
			at = c
		}
	}
	return at
}

// shell is a part of the particles on one side of a coordinate's median: the mean r of their distances from it, and
// mean and standard error of −s·(x − median), with s the score of that coordinate.
type shell struct{ r, pull, se float64 }

// tail returns the heavier of a coordinate's two tails: an upper bound of the slope of log(−s·(x − median)) against
// log r between the particles that are farther from the median than 50 to 80 % of those on their side and those farther
// than 90 %, four standard errors above its estimate. A density that falls off like exp(−r^k) has slope k: a normal law
// 2, an exponential one 1, a power law about 0, and no log-concave one less than 1. It is +∞ where the score does not
// clearly pull back, and on a side of fewer than 100 particles.
func tail(x, score metric.Points, c int) float64 {
	median := metric.Quantile(slices.Sorted(slices.Values(x.Column(c))), 0.5)
	heavier := math.Inf(1)
	for _, side := range []float64{-1, 1} {
		var far, pull []float64
		for i := range x.N {
			if r := side * (x.Row(i)[c] - median); r > 0 {
				far, pull = append(far, r), append(pull, -side*r*score.Row(i)[c])
			}
		}
		if len(far) < 100 {
			continue
		}
		order := ascending(far)
		part := func(from, to float64) (s shell) {
			var pulls []float64
			for _, i := range order[int(from*float64(len(far))):int(to*float64(len(far)))] {
				s.r += far[i]
				pulls = append(pulls, pull[i])
			}
			s.r /= float64(len(pulls))
			s.pull, s.se = average(pulls)
			return s
		}
		in, out := part(0.5, 0.8), part(0.9, 1)
		least, most := in.pull-float64(4*in.se), out.pull+float64(4*out.se)
		if least > 0 && most > 0 {
			heavier = min(heavier, math.Log(most/least)/math.Log(out.r/in.r))
		}
	}
	return heavier
}

// funnel is the pair of coordinates of which the width of one depends most on the place of the other.
type funnel struct {
	width, place int

	// rank is Spearman's correlation of |score of width| with place; 0 for draws of a Gaussian, whatever its
	// covariance.
	rank float64
}

// findFunnel looks through all pairs. The score of a Gaussian is linear, so its size does not tell on which
// side a particle is; where a coordinate is exp(v) wide the score's size falls with v. Of more than
// maxFunnel coordinates the first are looked at.
func findFunnel(x, score metric.Points) (f funnel) {
	const maxFunnel = 60
	d := min(x.D, maxFunnel)
	places, sizes := make([][]float64, d), make([][]float64, d)
	for c := range d {
		size := score.Column(c)
		for i, s := range size {
			size[i] = math.Abs(s)
		}
		places[c], sizes[c] = ranks(x.Column(c)), ranks(size)
	}
	for j := range d {
		for k := range d {
			if j == k {
				continue
			}
			if r := stat.Correlation(sizes[j], places[k], nil); math.Abs(r) > math.Abs(f.rank) {
				f = funnel{j, k, r}
			}
		}
	}
	return f
}

// ranks returns the rank of each value, from 0.
func ranks(v []float64) []float64 {
	out := make([]float64, len(v))
	for rank, i := range ascending(v) {
		out[i] = float64(rank)
	}
	return out
}

// ascending returns the indices of values in ascending order.
func ascending(v []float64) []int {
	order := make([]int, len(v))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(v[a], v[b]) })
	return order
}
