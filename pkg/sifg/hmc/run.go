package hmc

import (
	"cmp"
	"context"
	"fmt"
	"sync"
)

// Run steps every chain, each in a goroutine of its own, until it has done n iterations in all (so chains that were
// stopped and resumed need no arithmetic), the warm-up included. After every iteration sink, if any, sees the chain's
// place in chains, the number of the iteration from 0, the position, which it must copy to keep, and the info. Calls of
// one chain come in order; those of different chains may come at the same time. What a chain does is the same with any
// number of others beside it.
//
// ctx done, an error from sink, or a position that is not finite (only with Config.Released) stops all chains after the
// iterations they are in; each can be resumed from its state. The error is that of the first chain in order that has
// one.
func Run(ctx context.Context, chains []*Chain, n int, sink func(chain, iter int, x []float64, info Info) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	errs, panics := make([]error, len(chains)), make([]any, len(chains))
	var wait sync.WaitGroup
	for i, c := range chains {
		wait.Go(func() {
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
				if errs[i] == nil && !all(c.x, finite) {
					errs[i] = fmt.Errorf("hmc: chain %d: the position is not finite after iteration %d", c.index,
						c.iteration-1)
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
			return fmt.Errorf("hmc: chain %d stopped after %d of %d iterations: %w", c.index, c.iteration, n,
				context.Cause(ctx))
		}
	}
	return nil
}
