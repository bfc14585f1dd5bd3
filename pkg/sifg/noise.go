package sifg

// SigmaRule says how σ adapts.
type SigmaRule = string

// The rules for σ, with η̃ = Noise.Rate, mean over particles i, v = s − f the velocity and w the noise that perturbed:
//
//	SigmaFixed   σ stays
//	SigmaKLw     σ ← σ + η̃·mean⟨v, w⟩              descent on KL(μ̂‖π): eq. 3.10 of the paper
//	SigmaKLEps   σ ← σ + η̃·σ·mean⟨v, w⟩            Algorithm 2 of the paper, which has σw in place of w
//	SigmaKLMean  σ ← σ + η̃·mean⟨v, w⟩/d            released ICA and BNN scripts: mean over coordinates too
//	SigmaDSMIn   σ ← σ − η̃·∂/∂σ denoising loss      released 2-D script: after every network step, warm-up included
//	SigmaDSMOut  σ ← σ − η̃·∂/∂σ mean‖f(z+σw)+w/σ²‖² released 10-D and monomial-gamma scripts: once an outer
//	                                               iteration; the residual has w/σ² where the denoising loss
//	                                               has w/σ
//
// The two DSM rules follow a loss whose noise term, ∝ 1/σ² or 1/σ⁴, falls with σ whatever the target. It dominates
// unless particles lie far apart: in every run of the toy experiments σ grew. The KL rules descend the objective that
// the particles descend.
const (
	SigmaFixed  SigmaRule = "none"
	SigmaKLw    SigmaRule = "kl-w"
	SigmaKLEps  SigmaRule = "kl-eps"
	SigmaKLMean SigmaRule = "kl-mean"
	SigmaDSMIn  SigmaRule = "dsm-in"
	SigmaDSMOut SigmaRule = "dsm-out"
)

var sigmaRules = []string{SigmaFixed, SigmaKLw, SigmaKLEps, SigmaKLMean, SigmaDSMIn, SigmaDSMOut}

// Noise is how a flow smooths its particles, x = z + σw with w ~ N(0, I). Denoise follows every rule, Antithetic and
// KDE the three KL rules; other fields, and a rule of an unknown name, leave σ as it is.
type Noise struct {
	Sigma float32   // initial σ ≥ 0; 0: the flow is not smoothed
	Rule  SigmaRule // "" means SigmaFixed
	Rate  float64   // learning rate η̃ ≥ 0 of σ
	// bounds of an adapted σ; Max 0: no upper bound. With Min 0 σ may fall below 1e-18, which ends the run as diverged
	Min, Max float32
}

func (o *Noise) adapts() bool { return o.Rule != "" && o.Rule != SigmaFixed }

// adapt applies a KL rule; c.V must be s − f at c.X, built from c.W.
func (o *Noise) adapt(c *Cloud) {
	if !o.adapts() {
		return
	}
	switch along := meanDot(c.V, c.W); o.Rule {
	case SigmaKLw:
		o.move(c, o.Rate*along)
	case SigmaKLEps:
		o.move(c, o.Rate*float64(c.Sigma)*along)
	case SigmaKLMean:
		o.move(c, o.Rate*along/float64(c.V.Cols))
	}
}

// move adds delta to σ and clips it to the bounds. A σ that fell to nothing stays, for Step to find it.
func (o *Noise) move(c *Cloud, delta float64) {
	if c.Sigma < leastSigma {
		return
	}
	c.Sigma = max(float32(float64(c.Sigma)+float64(delta)), o.Min)
	if o.Max > 0 {
		c.Sigma = min(c.Sigma, o.Max)
	}
}

// meanDot returns (1/n) Σ ⟨a_i, b_i⟩.
func meanDot(a, b Batch) float64 {
	var s float64
	for i, v := range a.Data {
		s += float64(float64(v) * float64(b.Data[i]))
	}
	return s / float64(a.Rows)
}
