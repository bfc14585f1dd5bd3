package sifg

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
)

// Sample makes the sampler that cfg names and runs it: New and Run in one call, with a look at the score where
// particles start. Default has settings for a target of your own. Its errors are those of New and Run; one about the
// start or about divergence says what to do. A target that is more than fifty times as wide along one coordinate as
// along another is refused where all coordinates move by one step; Run runs it as it is.
func Sample(ctx context.Context, cfg Config, target Target, o Options) (*Cloud, error) {
	f, err := New(cfg)
	if err != nil {
		return nil, err
	}
	c, err := f.Start(target, o.Particles, o.Seed, o.Init)
	if err != nil {
		return nil, err
	}
	narrow, width, err := f.checkStart(c)
	if err != nil {
		return c, err
	}
	err = f.run(ctx, c, o)
	var diverged *DivergedError
	switch {
	case !errors.As(err, &diverged):
		return c, err
	case width < 1:
		return c, fmt.Errorf("sifg: %w: where particles start the target is about %.1g wide along coordinate %d, "+
			"which needs a step below %.1g. Sample that coordinate divided by its width, or take a smaller step",
			err, width, narrow, 2*width*width)
	}
	return c, fmt.Errorf("sifg: %w: take a smaller step, and look for points at which the score is not finite "+
		"(diagnose.Check)", err)
}

// checkStart looks at density and score where particles start. It returns the narrowest coordinate and its width.
func (f *Flow) checkStart(c *Cloud) (narrow int, width float64, err error) {
	const mostSpread = 50
	scores := NewBatch(c.Z.Rows, c.Z.Cols)
	c.Target.Score(scores, c.Z, 0)
	if err := cmp.Or(checkScores(c.Z, scores), checkDensity(c)); err != nil {
		return 0, 0, err
	}
	if c.Sigma == 0 && !c.Wanders && together(c.Z) {
		return 0, 0, errors.New("sifg: the particles start at one point, from which this flow moves all alike: let " +
			"them start apart (Options.Init)")
	}
	widths := startWidths(c.Z, scores)
	wide := 0
	for j, w := range widths {
		if w < widths[narrow] {
			narrow = j
		}
		if !math.IsInf(w, 1) && (w > widths[wide] || math.IsInf(widths[wide], 1)) {
			wide = j
		}
	}
	width = widths[narrow]
	switch f.Mover.(type) {
	case *Euler, *Langevin:
		if most := widths[wide]; !math.IsInf(most, 1) && most > mostSpread*width {
			return narrow, width, fmt.Errorf("sifg: where particles start the target is about %.1g wide along "+
				"coordinate %d and %.1g along coordinate %d: that needs a step below %.1g, by which the other hardly "+
				"moves. Sample coordinates divided by their widths (diagnose.Whiten), or by baoab or package hmc",
				width, narrow, most, wide, 2*width*width)
		}
	}
	return narrow, width, nil
}

// checkDensity returns an error if the density is 0 at a starting particle, where the target has a log density.
func checkDensity(c *Cloud) error {
	t, ok := c.Target.(interface{ LogDensity(x []float64) float64 })
	if !ok {
		return nil
	}
	x := make([]float64, c.Z.Cols)
	for i := range c.Z.Rows {
		for j := range x {
			x[j] = float64(c.Z.Data[i*c.Z.Cols+j])
		}
		if log := t.LogDensity(x); math.IsNaN(log) || math.IsInf(log, 0) {
			return fmt.Errorf("sifg: the log density is %g at a starting particle, x = %.3g, but flows move through "+
				"all of R^d: sample coordinates without bounds, as u = log x for x > 0, or start elsewhere "+
				"(Options.Init)", log, x)
		}
	}
	return nil
}

// checkScores returns an error if the score is not finite at a starting particle.
func checkScores(z, scores Batch) error {
	bad, first := 0, 0
	for i := range z.Rows {
		if !finite(rows(scores, i, i+1).Data) {
			if bad == 0 {
				first = i
			}
			bad++
		}
	}
	if bad == 0 {
		return nil
	}
	return fmt.Errorf("sifg: the score is not finite at %d of %d starting particles, such as x = %.3g: look there for "+
		"a logarithm of a negative number, 0/0 or an overflow. If such x are impossible, sample coordinates without "+
		"bounds, as u = log x for x > 0, or start elsewhere (Options.Init)", bad, z.Rows, rows(z, first, first+1).Data)
}

// together reports whether all points coincide.
func together(z Batch) bool {
	return slices.Equal(z.Data[:len(z.Data)-z.Cols], z.Data[z.Cols:]) // each is the next
}

// startWidths returns by coordinate 1/√−b, the width of a Gaussian whose score has the slope b of the score's
// regression on the particles; +Inf where the score does not fall.
func startWidths(z, scores Batch) []float64 {
	n, d := z.Rows, z.Cols
	widths := make([]float64, d)
	for c := range d {
		var mean, product, square float64
		for i := range n {
			mean += float64(z.Data[i*d+c]) / float64(n)
		}
		for i := range n {
			v := float64(z.Data[i*d+c]) - mean
			product += float64(v * float64(scores.Data[i*d+c]))
			square += float64(v * v)
		}
		widths[c] = 1 / math.Sqrt(max(0, -product/square))
	}
	return widths
}
