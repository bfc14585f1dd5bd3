package sifg

import (
	"context"
	"errors"
	"fmt"
	"math"
)

// Sample makes the sampler that cfg names and runs it: New and Run in one call, with a look at the score where
// particles start. Default has settings for a target of your own. Its errors are those of New and Run; one about the
// start or about divergence says what to do.
func Sample(ctx context.Context, cfg Config, target Target, o Options) (*Cloud, error) {
	f, err := New(cfg)
	if err != nil {
		return nil, err
	}
	narrow, width := 0, math.Inf(1)
	callback := o.Callback
	o.Callback = func(c *Cloud, info Info) error {
		if c.Iter == 0 {
			scores := NewBatch(c.Z.Rows, c.Z.Cols)
			c.Target.Score(scores, c.Z, 0)
			if err := checkStart(c.Z, scores); err != nil {
				return err
			}
			narrow, width = narrowest(c.Z, scores)
		}
		if callback == nil {
			return nil
		}
		return callback(c, info)
	}
	c, err := Run(ctx, f, target, o)
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

// checkStart returns an error if the score is not finite at a starting particle.
func checkStart(z, scores Batch) error {
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

// narrowest returns the coordinate along which the score falls most steeply, by the slope b of its regression on the
// particles, and 1/√−b, the width of a Gaussian with that slope; +Inf where no score falls.
func narrowest(z, scores Batch) (coordinate int, width float64) {
	steepest := 0.0
	n, d := z.Rows, z.Cols
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
		if slope := -product / square; slope > steepest {
			coordinate, steepest = c, slope
		}
	}
	return coordinate, 1 / math.Sqrt(steepest)
}
