package metric

import "math"

// Prediction is what n regression particles say of m outcomes, in the outcomes' own units.
type Prediction struct {
	Mean    Points    // n×m: particle i's prediction of outcome t
	LogPrec []float64 // n: logarithm of its precision γ, of the same units
	// > 0: a precision above it counts as Clamp where it multiplies a squared residual; 50 as released, +Inf for none
	Clamp float64
}

// NewPrediction returns the prediction of standardised is n×m in units of which the outcomes' mean and standard
// deviation are given. log γ is taken over as it is: the released scripts mix units until the precisions are chosen
// anew. It copies both.
func NewPrediction(standardised Points, logPrec []float64, mean, sd, clamp float64) Prediction {
	p := Prediction{NewPoints(standardised.N, standardised.D), append([]float64(nil), logPrec...), clamp}
	for i, v := range standardised.Data {
		p.Mean.Data[i] = float64(v*sd) + mean
	}
	return p
}

func (p Prediction) require(y []float64) {
	require(p.Mean.N > 0 && p.Mean.D > 0 && len(p.LogPrec) == p.Mean.N && len(y) == p.Mean.D)
}

// RMSE returns the root of the mean over outcomes of (ȳ_t − y_t)², where ȳ is the mean over particles.
func (p Prediction) RMSE(y []float64) float64 {
	p.require(y)
	mean := Mean(p.Mean)
	return math.Sqrt(sqDist(mean, y) / float64(len(y)))
}

// LogLikelihood returns the mean over outcomes of the log density of the particles' mixture (1/n) Σ_i N(y_t; ŷ_it,
// 1/γ_i); the paper's NLL is its negative.
func (p Prediction) LogLikelihood(y []float64) float64 {
	p.require(y)
	var total float64
	logs := make([]float64, p.Mean.N)
	for t, v := range y {
		top := math.Inf(-1)
		for i := range logs {
			u := p.Mean.Row(i)[t] - v
			logs[i] = p.logDensity(p.LogPrec[i], u*u)
			top = max(top, logs[i])
		}
		var sum float64
		for _, l := range logs {
			sum += math.Exp(l - top)
		}
		if math.IsInf(top, -1) {
			return top
		}
		total += top + math.Log(sum/float64(len(logs)))
	}
	return total / float64(len(y))
}

// logDensity returns the log density of a residual u with this precision, given u².
func (p Prediction) logDensity(logPrec, square float64) float64 {
	return float64(0.5*(logPrec-math.Log(2*math.Pi))) - float64(0.5*min(math.Exp(logPrec), p.Clamp)*square)
}

// FitPrecisions returns log γ_i = −log mean_t (ŷ_it − y_t)², the precision that maximises particle i's likelihood on
// outcomes y that should be held out. A particle without residuals keeps its own.
func (p Prediction) FitPrecisions(y []float64) []float64 {
	p.require(y)
	fitted := append([]float64(nil), p.LogPrec...)
	for i := range fitted {
		if c := -math.Log(sqDist(p.Mean.Row(i), y) / float64(len(y))); !math.IsInf(c, 0) {
			fitted[i] = c
		}
	}
	return fitted
}

// ReleasedPrecisions chooses as the released scripts do: particle after particle takes its fitted precision if its
// likelihood is larger with it, and gives it to all later particles too, which compare theirs with that. The
// likelihoods are products of float32 densities there, so that one residual beyond some 14 standard deviations makes a
// product 0; only then does the result differ from FitPrecisions.
func (p Prediction) ReleasedPrecisions(y []float64) []float64 {
	p.require(y)
	chosen := append([]float64(nil), p.LogPrec...)
	for i, c := range p.FitPrecisions(y) {
		if p.likelihood32(i, c, y) > p.likelihood32(i, chosen[i], y) {
			for k := i; k < len(chosen); k++ {
				chosen[k] = c
			}
		}
	}
	return chosen
}

// CrossFitted returns the LogLikelihood of outcomes y, two or more, each half of them judged with precisions that
// choose takes from the other. Every second outcome is in the same half. choose is FitPrecisions or ReleasedPrecisions,
// as a method expression.
func (p Prediction) CrossFitted(y []float64, choose func(p Prediction, y []float64) []float64) float64 {
	p.require(y)
	require(len(y) > 1)
	var total float64
	for half := range 2 {
		fit, fitY := p.every2nd(y, half)
		judge, judgeY := p.every2nd(y, 1-half)
		judge.LogPrec = choose(fit, fitY)
		total += float64(judge.LogLikelihood(judgeY) * float64(len(judgeY)))
	}
	return total / float64(len(y))
}

// every2nd returns the prediction of every second outcome, from the first one on.
func (p Prediction) every2nd(y []float64, first int) (Prediction, []float64) {
	var kept []float64
	for t := first; t < len(y); t += 2 {
		kept = append(kept, y[t])
	}
	out := Prediction{NewPoints(p.Mean.N, len(kept)), p.LogPrec, p.Clamp}
	for i := range p.Mean.N {
		for k := range kept {
			out.Mean.Row(i)[k] = p.Mean.Row(i)[first+2*k]
		}
	}
	return out, kept
}

// likelihood32 returns particle i's log likelihood with this precision, −Inf if exp of an exponent underflows in
// float32.
func (p Prediction) likelihood32(i int, logPrec float64, y []float64) (sum float64) {
	const smallest = -103.97 // exp of less is below half of the least float32
	for t, v := range y {
		u := p.Mean.Row(i)[t] - v
		if -0.5*min(math.Exp(logPrec), p.Clamp)*u*u < smallest {
			return math.Inf(-1)
		}
		sum += p.logDensity(logPrec, u*u)
	}
	return sum
}
