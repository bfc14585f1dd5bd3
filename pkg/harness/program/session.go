package program

import (
	"context"
	"sync"
)

// Session is the processes that one trial, or the making of one reference, uses. They are killed when its context
// ends or one of them fails; at its end the others go back to wait for work.
type Session struct {
	ctx context.Context

	mu     sync.Mutex
	held   []held
	err    error  // the first failure
	remark string // on an answer that is allowed and looks wrong
}

type held struct {
	*process
	stays func() bool // undoes that the end of the context kills; false if it has
}

// Begin returns a session without processes.
func Begin(ctx context.Context) *Session { return &Session{ctx: ctx} }

// End gives the processes back, or kills them where something failed.
func (s *Session) End() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, h := range s.held {
		if h.stays() && s.err == nil {
			h.program.giveBack(h.process)
		} else {
			h.kill()
		}
	}
	s.held = nil
}

// Err returns what a program failed by, as one sentence; nil if none did.
func (s *Session) Err() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.err
}

// Remark returns what a program answered that is allowed and looks wrong, with a colon in front; "" for nothing.
func (s *Session) Remark() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.remark
}

// with lets f talk to the session's process of a program. what says what is awaited of it. It
// returns the session's first failure.
func (s *Session) with(p *Program, what string, f func(c *process) error) error {
	c, err := s.of(p)
	if err != nil {
		return err
	}
	c.busy.Lock()
	defer c.busy.Unlock()
	if err := s.Err(); err != nil { // of a question before
		return err
	}
	if err = f(c); err == nil {
		return nil
	}
	err = c.failure(s.ctx, err, what)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err == nil { // f may have asked another program, which failed
		s.err = err
	}
	return s.err
}

// of returns the session's process of a program, or the session's first failure.
func (s *Session) of(p *Program) (c *process, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err != nil {
		return nil, s.err
	}
	for _, h := range s.held {
		if h.program == p {
			return h.process, nil
		}
	}
	if c, s.err = p.borrow(s.ctx); s.err != nil {
		return nil, s.err
	}
	s.held = append(s.held, held{c, context.AfterFunc(s.ctx, c.kill)})
	return c, nil
}
