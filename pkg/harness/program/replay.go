package program

import (
	"context"
	"slices"
)

// exchange is a question of a sampler and its answer.
type exchange struct{ question, answer []float64 }

// A trial's opening is the questions before its first sample, at most so many, of so many values.
const (
	openingQuestions = 8
	openingValues    = 1 << 22
)

// record keeps an exchange of the trial's opening.
func (s *Sampler) record(question, answer []float64) {
	size := len(question) + len(answer)
	if s.recorded < 0 || len(s.opening) == openingQuestions || s.recorded+size > openingValues {
		s.recorded = -1
		return
	}
	s.opening = append(s.opening, exchange{slices.Clone(question), slices.Clone(answer)})
	s.recorded += size
}

// again starts the trial in another process, for its opening, and looks whether the sampler asks the same: once of a
// trial that was the first of its process, and once of a later one, which may hang on what was before it. What is
// found is said of all trials from then on.
func (s *Sampler) again() {
	which := &s.program.replayed[0]
	if !s.fresh {
		which = &s.program.replayed[1]
	}
	running.Lock()
	due := s.session.ctx.Err() == nil && s.opening != nil && !*which
	*which = *which || due
	running.Unlock()
	otherwise := due && !s.replay() && s.session.ctx.Err() == nil
	running.Lock()
	s.program.unsound = s.program.unsound || otherwise
	otherwise = s.program.unsound
	running.Unlock()
	if otherwise {
		s.session.note("not reproducible: does it use problem.seed? The program %q asked about other points when a "+
			"trial was started again", s.program)
	}
}

// replay reports whether a new process opens the trial as it was opened; also where it cannot be started, which the
// next trial tells.
func (s *Sampler) replay() bool {
	ctx, cancel := context.WithCancelCause(s.session.ctx)
	defer cancel(nil)
	c, err := s.program.another(ctx)
	if err != nil {
		return true
	}
	defer c.kill()
	defer context.AfterFunc(ctx, c.kill)()
	defer c.await("the start of a trial again", cancel)()
	d := s.job.Dim
	if c.send(message{Sifg: protocol, Sampler: &s.job}, s.start, d) != nil {
		return false
	}
	for _, e := range s.opening {
		m, err := c.from.message()
		if err != nil || m.Ask != "score" || !m.Array {
			return false
		}
		rows := len(e.question) / d
		x, err := c.from.array(nil, rows, rows, d, "points of a question")
		if err != nil || !same(x, e.question) || c.send(message{Answer: "score"}, e.answer, 1+d) != nil {
			return false
		}
	}
	return true
}
