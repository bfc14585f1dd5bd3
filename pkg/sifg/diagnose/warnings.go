package diagnose

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/floats"
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

	// tailBound is of Summary.tail. Student's t with 3 degrees of freedom has 0.3, an exponential law 1.
	tailBound = 0.75

	// Draws of the twelve posteriors of package posterior have up to 0.3, of mixtures 0.6, of a funnel 0.84.
	funnelBound = 0.7

	// coarseBound is of |mean|/sd: beyond it an sd has fewer than a hundred values of float32.
	coarseBound = 1e5

	// strayBound is in standard deviations: one draw in 10⁷ of a normal law. Draws of posteriors with narrow bends pass
	// it too, without a stretch.
	strayBound, stretchBound = 5.2, 1.05

	// unitsBound is of a coordinate's Stein ratio: a tenth of the variance is no matter of a few more iterations.
	unitsBound = 0.1
)

const tooFew = "%d particles are too few to evaluate the sample: the numbers above may be chance, and nothing " +
	"else was checked. Take at least %d."

// unseen says what a summary cannot see.
func (s *Summary) unseen() string {
	const most = "Not detected by this: modes without particles, the relative weights of separated modes (they come " +
		"from the initialisation), tails beyond the particles, whether the score is right (diagnose.Check), and " +
		"whether the run has converged (diagnose.Watch)."
	if s.Runs > 1 {
		return most + " The runs agree, as they also do where all miss the same."
	}
	return most + " Run it with another seed and wider initial particles, and summarise the runs together."
}

// warn puts what looks wrong in words.
func (s *Summary) warn(x metric.Points) {
	if s.Particles < fewest {
		s.say(tooFew, s.Particles, fewest)
		return
	}
	if s.batches {
		s.say("The target has mini-batches, and this is computed from the score of one of them, whose noise may be " +
			"all that it shows: give the target a FullScore (sifg.FullScorer).")
		return
	}
	s.warnOfRounding()
	if s.wrong != nil {
		s.say("The score is not the gradient of the target's log density: %v.", s.wrong)
	}
	beyond := func(ratio, se, bound float64) bool { return math.Abs(ratio-1) > max(bound, 5*se) }
	off := s.most(s.excess)
	least := s.most(func(k *CoordinateSummary) float64 { return -k.Stein })
	k, low := s.Coordinates[off], s.Coordinates[least]
	switch {
	case s.Stein+float64(5*s.SteinError) < 0:
		s.say("The score points away from the particles: the Stein ratio is %.2g ± %.2g, that of draws of the target "+
			"is 1. Most likely it is the gradient of −log π, with the wrong sign: diagnose.Check tells.",
			s.Stein, s.SteinError)
	case math.Abs(low.Stein)+float64(5*low.SteinError) < unitsBound && len(s.Coordinates) > 1:
		s.say("Coordinate %d has not spread: its Stein ratio is %.2g ± %.2g, that of draws of the target is 1. "+
			"Its scale is much wider than that of others, by this about %.2g where the particles have %.2g: "+
			"sample that coordinate divided by its width.",
			least, low.Stein, low.SteinError, low.SD/math.Sqrt(max(low.Stein, 1e-12)), low.SD)
	case beyond(s.Stein, s.SteinError, steinBound) && s.Stein < 1:
		s.say("The sample is too narrow: its Stein ratio is %.2f ± %.2f, that of draws of the target is 1, so its "+
			"variances are about %.0f %% of the target's. The particles repel each other too little: take the "+
			"settings of sifg.Default, or a wider network, more inner steps or a larger σ. svgd and kde-flow are too "+
			"narrow in many dimensions whatever their settings.", s.Stein, s.SteinError, max(0, 100*s.Stein))
	case beyond(s.Stein, s.SteinError, steinBound):
		s.say("The sample is too wide: its Stein ratio is %.2f ± %.2f, that of draws of the target is 1. Run longer; "+
			"if that does not help, take a smaller step, or a σ well below the narrowest width of the target.",
			s.Stein, s.SteinError)
	case s.excess(&k) > 0 && math.Abs(k.Stein-1) > coordinateBound:
		s.say("Coordinate %d is too %s: its Stein ratio is %.2f ± %.2f, that of draws of the target is 1. "+
			"Run longer, or sample it in units in which it is about as wide as the others.",
			off, side(k.Stein), k.Stein, k.SteinError)
	}
	d := float64(len(s.Coordinates))
	if s.Offset > offsetBound && s.Offset > s.ExactOffset*math.Sqrt(1+float64(8*math.Sqrt(2/d))) {
		s.say("The sample is not where the target is: its mean is about %.2g standard deviations off "+
			"(exact draws: %.2g). Run longer, or start closer (Options.Init).", s.Offset, s.ExactOffset)
	}
	if s.KSD > s.ksdLimit {
		s.say("The kernel Stein discrepancy is %.2g, that of i.i.d. samples of equal size %.2g: "+
			"the sample is not the target, or not yet. "+
			"Run longer, and compare with a run of another seed or of package hmc.", s.KSD, s.ExactKSD)
	}
	if s.stretch > stretchBound {
		s.say("%d of the particles strayed to where the target has next to nothing; without them the standard "+
			"deviation of coordinate %d is %.0f %% smaller. Run longer, or start closer (Options.Init).", s.astray,
			s.stretched, 100*(1-1/s.stretch))
	}
	s.warnOfRuns()
	s.warnOfLumps(x)
	s.warnOfWidths()
}

// warnOfLumps warns of separated parts of the sample, whose shares say nothing.
func (s *Summary) warnOfLumps(x metric.Points) {
	if l, ok := metric.FindLumps(x); ok {
		s.say("The sample is separate lumps, with next to nothing between them along coordinate %d: %.0f %% of the "+
			"particles are in one. Such shares come from where particles started, not from the target: no particle "+
			"crosses. Start them in proportion, or compare with annealed or tempered sampling.", l.Coordinate,
			100*l.Share)
	}
}

// warnOfRounding warns of coordinates that float32 is too coarse for, which neither more steps nor smaller ones mend.
func (s *Summary) warnOfRounding() {
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
		s.say("The %d runs do not agree: R-hat of coordinate %d is %.3g, of runs that sample the same distribution "+
			"below %.3g. They have not converged, or found different modes: run longer, and look at each run by "+
			"itself.", s.Runs, worst, r, s.rhatLimit)
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
		s.say("The width of coordinate %d depends on coordinate %d (rank correlation of the score's size with it: "+
			"%.2f), as in a funnel. No single step or scale fits that, and particles miss the neck or the mouth: "+
			"write the model non-centred, x = location + scale·z with z the coordinate, or compare with long chains "+
			"of package hmc.", f.width, f.place, f.rank)
		return
	}
	s.warnOfTails()
	if lo, hi := s.Coordinates[narrow].SD, s.Coordinates[wide].SD; hi > spreadBound*lo {
		s.say("Coordinate %d has a standard deviation of %.2g and coordinate %d one of %.2g, but all move by the "+
			"same step: sample x divided by its width.", narrow, lo, wide, hi)
	}
}

// warnOfTails warns of the coordinate whose tail is heaviest, if that is a power law's.
func (s *Summary) warnOfTails() {
	if s.tail < tailBound && s.Stein > 0 {
		s.say("The target has heavy tails along coordinate %d: its score hardly pulls harder at twice the distance "+
			"of the outermost particles. Particles come and go there slowly, so standard deviations and quantiles "+
			"far out are too small or too large. Sample asinh(x − median) in its place, or compare with long chains "+
			"of package hmc.", s.tailAt)
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

// tails sets how heavy the target's tails are along the coordinate in which they are heaviest. Each particle of the
// outermost tenth, by its distances from the medians in units of the coordinates' widths, is moved to twice its
// distance, along those coordinates alone in which it is farthest off, and log₂ of the ratio of what pulls it back,
// −⟨s, x − median⟩, is noted. A density that falls off like exp(−r^k) has k, a power law about 0, and no log-concave
// one less than 1. s.tail is the least median over the particles that are pulled back, over all and over those that are
// farthest off in one coordinate, a quarter of the tenth at least; +∞ of fewer than 100 particles.
func (s *Summary) tails(x, score metric.Points, target func(x metric.Points) metric.Points) {
	s.tail = math.Inf(1)
	const fewestOfTails, outer, together = 100, 10, 0.5
	if x.N < fewestOfTails {
		return
	}
	far := make([]float64, x.N)
	at := make([]int, x.N) // coordinate in which a particle is farthest off
	off := func(i, c int) float64 {
		k := &s.Coordinates[c]
		return math.Abs(x.Row(i)[c]-k.Median) / max(k.High-k.Low, math.SmallestNonzeroFloat32)
	}
	for i := range far {
		for c := range s.Coordinates {
			if v := off(i, c); v > far[i] {
				far[i], at[i] = v, c
			}
		}
	}
	outermost := metric.Ascending(far)[x.N-x.N/outer:]
	moved := metric.NewPoints(len(outermost), x.D)
	for r, i := range outermost {
		for c, v := range x.Row(i) {
			if off(i, c) >= together*far[i] {
				v += v - s.Coordinates[c].Median
			}
			moved.Row(r)[c] = v
		}
	}
	there := target(moved)
	var all []float64
	slopes := make([][]float64, x.D) // by coordinate
	for r, i := range outermost {
		var before, after float64
		for c, v := range x.Row(i) {
			step := moved.Row(r)[c] - v
			before -= float64(score.Row(i)[c] * step)
			after -= float64(there.Row(r)[c] * 2 * step)
		}
		if before > 0 && after > 0 {
			slope := math.Log2(after / before)
			all, slopes[at[i]] = append(all, slope), append(slopes[at[i]], slope)
		}
	}
	for c, v := range slopes {
		if len(v) > len(slopes[s.tailAt]) {
			s.tailAt = c
		}
	}
	look := func(c int, slopes []float64) {
		slices.Sort(slopes)
		if len(slopes) >= len(outermost)/4 && metric.Quantile(slopes, 0.5) < s.tail {
			s.tail, s.tailAt = metric.Quantile(slopes, 0.5), c
		}
	}
	look(s.tailAt, all)
	for c, v := range slopes {
		look(c, v)
	}
}

// funnel is the pair of coordinates of which the width of one depends most on the place of the other.
type funnel struct {
	width, place int

	// rank is Spearman's correlation of |score of width| with place; 0 for draws of a Gaussian, whatever its
	// covariance.
	rank float64
}

// findFunnel looks through all pairs, and for each place at all others together. The score of a Gaussian is linear, so
// its size does not tell on which side a particle is; where a coordinate is exp(v) wide the score's size falls with v.
// All together tell it of a cloud that has lost most of v too: they count where their sizes differ by more than
// mostRatio from one end to the other. Of more than maxFunnel coordinates the first are looked at.
func findFunnel(x, score metric.Points) (f funnel) {
	const maxFunnel, mostRatio = 60, 4
	d := min(x.D, maxFunnel)
	places, sizes := make([][]float64, d), make([][]float64, d)
	all := make([]float64, x.N) // squares of sizes, each in units of its own mean square
	squares := make([][]float64, d)
	for c := range d {
		size := score.Column(c)
		squares[c] = make([]float64, x.N)
		for i, s := range size {
			size[i], squares[c][i] = math.Abs(s), s*s
		}
		floats.Scale(1/max(stat.Mean(squares[c], nil), math.SmallestNonzeroFloat32), squares[c])
		floats.Add(all, squares[c])
		places[c], sizes[c] = metric.Ranks(x.Column(c)), metric.Ranks(size)
	}
	for k := range d {
		best := funnel{place: k}
		for j := range d {
			if r := stat.Correlation(sizes[j], places[k], nil); j != k && math.Abs(r) > math.Abs(best.rank) {
				best.width, best.rank = j, r
			}
		}
		rest := slices.Clone(all)
		floats.Sub(rest, squares[k])
		if r := stat.Correlation(metric.Ranks(rest), places[k], nil); d > 2 && math.Abs(r) > math.Abs(best.rank) &&
			ends(rest, places[k]) > mostRatio {
			best.rank = r
		}
		if math.Abs(best.rank) > math.Abs(f.rank) {
			f = best
		}
	}
	return f
}

// ends is the ratio of the root mean squares at the fifths of the places where they are the largest and the smallest.
func ends(squares, places []float64) float64 {
	n := float64(len(places))
	var low, high float64
	for i, at := range places {
		switch {
		case at < n/5:
			low += squares[i]
		case at >= n-n/5:
			high += squares[i]
		}
	}
	return math.Sqrt(max(low, high) / max(min(low, high), math.SmallestNonzeroFloat32))
}
