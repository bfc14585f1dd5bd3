package sifg

import (
	"context"
	"errors"
	"fmt"
)

// Sample makes the sampler that cfg names and runs it: New and Run in one call, with a look at the score where particles start. Default
// has settings for a target of your own. Its errors are those of New and Run; one about the start or about divergence says what to do.
func Sample(ctx context.Context, cfg Config, target Target, o Options) (*Cloud, error) {
	f, err := New(cfg)
	if err != nil {
		return nil, err
	}
	callback := o.Callback
	o.Callback = func(c *Cloud, info Info) error {
		if c.Iter == 0 {
			if err := checkStart(c); err != nil {
				return err
			}
		}
		if callback == nil {
			return nil
		}
		return callback(c, info)
	}
	c, err := Run(ctx, f, target, o)
	var diverged *DivergedError
	if errors.As(err, &diverged) {
		err = fmt.Errorf("sifg: %w: take a smaller step, or coordinates in which the target is about 1 wide (targettest.Check says "+
			"which are narrow); look for points at which the score is not finite", err)
	}
	return c, err
}

// checkStart returns an error if the score is not finite at a starting particle.
func checkStart(c *Cloud) error {
	scores := NewBatch(c.Z.Rows, c.Z.Cols)
	c.Target.Score(scores, c.Z, 0)
	bad, first := 0, 0
	for i := range c.Z.Rows {
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
	return fmt.Errorf("sifg: the score is not finite at %d of %d starting particles, such as x = %.3g: look there for a logarithm of a negative "+
		"number, 0/0 or an overflow; if such x are impossible, sample coordinates without bounds (u = log x for x > 0) or start elsewhere "+
		"(Options.Init)", bad, c.Z.Rows, rows(c.Z, first, first+1).Data)
}
