package ucibnn

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/harness/stats"
)

// sigmas tells where σ goes.
func sigmas(by map[string]*record.Set) string {
	var text, bound []string
	grown := 0
	for _, protocol := range settings.Protocols {
		r := on(by, protocol)
		if r == nil {
			continue
		}
		var each []string
		looks, floored, largest := 0, 0, 0.0
		for _, problem := range problems {
			v := r.of(problem, "sigma", "ada-sifg")
			c, ok := config(r.set, problem, "ada-sifg")
			if v == nil || !ok {
				continue
			}
			each = append(each, problemNames[problem]+" "+num(stats.Mean(v)))
			grown += count(stats.Mean(v) >= c.Sampler.Sigma)
			for _, curve := range r.set.Curves(problem, "ada-sifg", "sigma", 0) {
				for _, sigma := range curve.Value[1:] {
					looks, floored = looks+1, floored+count(sigma <= 1.001*c.Sampler.SigmaMin) // σ is float32
					largest = max(largest, sigma)
				}
			}
		}
		if each == nil {
			continue
		}
		from, _ := setting(r.set, "ada-sifg", startSigma)
		text = append(text, fmt.Sprintf("%s, from %s: %s", scaled(r.set, protocol), from, strings.Join(each, ", ")))
		if looks > 0 {
			bound = append(bound, fmt.Sprintf("%s %.0f %% (%s at most elsewhere)", protocol, 100*float64(floored)/float64(looks), num(largest)))
		}
	}
	if text == nil {
		return ""
	}
	end := fixed(by) + "The rule here is a gradient of KL, and it lowers σ; the released toy scripts descend the denoising loss, and there σ grows."
	if grown > 0 {
		end = fixed(by) + fmt.Sprintf("σ has grown in %d of these.", grown)
	}
	if r := on(by, "paper"); r != nil && len(text) > 1 {
		var dims []int
		for _, t := range r.set.Trials {
			if t.Dim > 0 {
				dims = append(dims, t.Dim)
			}
		}
		if dims != nil {
			end += fmt.Sprintf(" The text's equation 3.10 (paper) sums over the coordinates where the scripts average: at the same rate its steps are %d to "+
				"%d times as large here. The text's Algorithm 2 has a factor σ more, so its steps lie between; which was meant is not said.",
				slices.Min(dims), slices.Max(dims))
		}
	}
	return "Final σ of Ada-SIFG, mean over trials — " + strings.Join(text, "; ") + ". " + end + " Checkpoints at which σ is at its lower bound: " +
		strings.Join(bound, ", ") + "."
}

// fixed compares SIFG, whose σ stays where Ada-SIFG's starts, with Ada-SIFG.
func fixed(by map[string]*record.Set) string {
	var text []string
	for _, protocol := range settings.Protocols {
		r := on(by, protocol)
		if r == nil {
			continue
		}
		var below, above []float64
		pairs := math.MaxInt
		for _, problem := range problems {
			for _, metric := range metrics {
				if d := r.differences(problem, metric, "sifg", "ada-sifg"); d != nil {
					below, above = append(below, stats.Paired(d, stats.Less, 1)), append(above, stats.Paired(d, stats.Greater, 1))
					pairs = min(pairs, len(d))
				}
			}
		}
		if below == nil || float64(2*len(below))*math.Pow(2, -float64(pairs)) > level {
			continue // too few trials to tell
		}
		lower, higher := 0, 0
		both := stats.Holm(slices.Concat(below, above))
		for i := range below {
			lower, higher = lower+count(both[i] <= level), higher+count(both[len(below)+i] <= level)
		}
		text = append(text, fmt.Sprintf("%s lower in %d of %d cells, higher in %d, not told apart in %d", scaled(r.set, protocol), lower, len(below), higher,
			len(below)-lower-higher))
	}
	if text == nil {
		return ""
	}
	return "SIFG, whose σ stays where that of Ada-SIFG starts, against Ada-SIFG (paired by trial, one-sided sign-flip tests, Holm's correction) — " +
		strings.Join(text, "; ") + ". "
}
