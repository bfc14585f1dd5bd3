package hmc

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
)

// run steps every chain, each in a goroutine of its own, until it has done n iterations in all, the warm-up included.
// sink and ended are Each and Ended of Options. What a chain does is the same with any number of others beside it.
//
// ctx done, an error from sink, a position that is not finite (only with Config.Released), or a chain that accepts
// nothing in its warm-up, and in 100 iterations at least, stops all chains after the iterations they are in; each can
// be resumed. The error is that of the first chain that has one; that of a ctx wraps its error and its cause.
func run(ctx context.Context, chains []*Chain, n int, sink func(chain, iter int, x []float64, info Info) error,
	ended func(chain int)) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	errs, panics := make([]error, len(chains)), make([]any, len(chains))
	var wait sync.WaitGroup
	for i, c := range chains {
		wait.Go(func() {
			if ended != nil {
				defer ended(i)
			}
			defer func() {
				if panics[i] = recover(); panics[i] != nil || errs[i] != nil {
					cancel()
				}
			}()
			for c.iteration < n && ctx.Err() == nil && errs[i] == nil {
				info := c.Step()
				if sink != nil {
					errs[i] = sink(i, c.iteration-1, c.x, info)
				}
				if errs[i] == nil {
					errs[i] = c.lost()
				}
			}
		})
	}
	wait.Wait()
	if p := cmp.Or(panics...); p != nil {
		panic(p) // where the caller can recover it
	}
	if err := cmp.Or(errs...); err != nil {
		return err
	}
	for _, c := range chains {
		if c.iteration < n {
			cause := context.Cause(ctx)
			if err := ctx.Err(); !errors.Is(cause, err) {
				cause = fmt.Errorf("%w: %w", err, cause)
			}
			return fmt.Errorf("hmc: chain %d stopped after %d of %d iterations: %w", c.index, c.iteration, n, cause)
		}
	}
	return nil
}

// patience is the number of iterations, or the warm-up if it is longer, after which a chain should have moved.
const patience = 100

// lost says what is wrong with a chain that is of no use.
func (c *Chain) lost() error {
	switch {
	case !all(c.x, finite):
		return fmt.Errorf("hmc: chain %d: the position is not finite after iteration %d", c.index, c.iteration-1)
	case c.moves == 0 && c.iteration >= max(c.cfg.Warmup, patience):
		return fmt.Errorf("hmc: chain %d: none of its first %d iterations was accepted; the step is %g: take a "+
			"smaller one, a longer Warmup or another start, and check that the gradient fits the density", c.index,
			c.iteration, c.step)
	}
	return nil
}
