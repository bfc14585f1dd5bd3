package program

import (
	"context"
	"sync"

	"gonum.org/v1/gonum/floats"

	"github.com/semi-implicit/sifg/pkg/sifg"
	"github.com/semi-implicit/sifg/pkg/sifg/metric"
)

// Session is the processes that one trial, or the making of one reference, uses. They are killed when its context
// ends or one of them fails; at its end the others go back to wait for work.
type Session struct {
	ctx context.Context
	end context.CancelCauseFunc

	Remark string // on what a sampler did that is allowed and looks wrong

	mu   sync.Mutex
	held []*process
	err  error // the first failure
}

// Begin returns a session without processes.
func Begin(ctx context.Context) *Session {
	s := &Session{}
	s.ctx, s.end = context.WithCancelCause(ctx)
	return s
}

// Context ends when a program fails: what is computed of its answers is in vain.
func (s *Session) Context() context.Context { return s.ctx }

// End gives the processes back, or kills them where something failed or they are in the middle of their work.
func (s *Session) End() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range s.held {
		if !c.stays() || s.err != nil || c.midway {
			c.kill()
			continue
		}
		running.Lock()
		c.program.idle = append(c.program.idle, c)
		running.Unlock()
	}
	s.held = nil
	s.end(nil)
}

// Err returns what a program failed by, as one sentence; nil if none did.
func (s *Session) Err() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.err
}

// fail keeps the first failure, and returns it.
func (s *Session) fail(err error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err == nil && err != nil {
		s.err = err
		s.end(err)
	}
	return s.err
}

// with lets f talk to the session's process of a program. what says what is awaited of it. It
// returns the session's first failure.
func (s *Session) with(p *Program, what string, f func(c *process) error) error {
	c, err := s.of(p)
	if err != nil {
		return s.fail(err)
	}
	c.busy.Lock()
	defer c.busy.Unlock()
	if err := s.Err(); err != nil { // of a question before
		return err
	}
	if err = f(c); err == nil {
		return nil
	}
	return s.fail(c.failure(s.ctx, err, what)) // f may have asked another program, which failed
}

// of returns the session's process of a program, or the session's first failure.
func (s *Session) of(p *Program) (c *process, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err != nil {
		return nil, s.err
	}
	for _, c := range s.held {
		if c.program == p {
			return c, nil
		}
	}
	if c, err = p.borrow(s.ctx); err == nil {
		c.stays = context.AfterFunc(s.ctx, c.kill)
		s.held = append(s.held, c)
	}
	return c, err
}

// evaluator returns what computes log density and gradient of a target of n points, n×(1+d), for a sampler that asks;
// nil if the target has no log density.
func evaluator(t sifg.Target) func(dst, points []float64) {
	d := t.Dim()
	switch x := t.(type) {
	case interface{ Evaluate(dst, points []float64) }:
		return x.Evaluate
	case interface {
		Grad(dst, x []float64) float64 // of hmc.Density: the energy and its gradient
	}:
		return func(dst, points []float64) {
			for i := range len(points) / d {
				row := dst[i*(1+d) : (i+1)*(1+d)]
				row[0] = x.Grad(row[1:], points[i*d:(i+1)*d])
				floats.Scale(-1, row)
			}
		}
	case interface{ LogDensity(x []float64) float64 }:
		return func(dst, points []float64) {
			n := len(points) / d
			s := sifg.NewBatch(n, d)
			t.Score(s, metric.Points{N: n, D: d, Data: points}.Batch(), 0)
			scores := metric.FromBatch(s)
			for i := range n {
				dst[i*(1+d)] = x.LogDensity(points[i*d : (i+1)*d])
				copy(dst[i*(1+d)+1:], scores.Row(i))
			}
		}
	}
	return nil
}
