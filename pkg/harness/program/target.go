package program

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
)

// Target is a target that is a program, as one session uses it. Where the program fails, its answers are NaN
// from then on, and the session says why.
type Target struct {
	TargetInfo
	program *Program
	session *Session
}

// Target returns the program, which is one, as a target.
func (p *Program) Target(s *Session) *Target {
	return &Target{TargetInfo: *p.First.Target, program: p, session: s}
}

// Dim returns the number d of coordinates.
func (t *Target) Dim() int { return t.TargetInfo.Dim }

// block is how many points a question has at most. Where there are more, all questions have as many, as a program that
// compiles itself for each number of points does so once.
const block = 64

// Evaluate sets dst, n×(1+d), to the log density, up to a constant, and its gradient at points, n×d, row by row.
func (t *Target) Evaluate(dst, points []float64) {
	t.ask("score", dst, points, 1+t.Dim())
}

// Constrain returns the values, n×len(Values), of points, n×d; without Values the points themselves.
func (t *Target) Constrain(points []float64) []float64 {
	if t.Values == nil {
		return points
	}
	dst := make([]float64, len(points)/t.Dim()*len(t.Values))
	t.ask("values", dst, points, len(t.Values))
	return dst
}

// Exact returns n independent draws of the coordinates, n×d, that the program makes with a seed; NaN if it fails. Its
// first line says whether it has them.
func (t *Target) Exact(n int, seed uint64) []float64 {
	dst := slices.Repeat([]float64{math.NaN()}, n*t.Dim())
	t.asks(message{Ask: "draws", Count: n, Seed: seed}, dst, nil, n, t.Dim())
	return dst
}

// ask fills dst with the answer, of cols columns, to a question about points; with NaN if the program fails.
func (t *Target) ask(question string, dst, points []float64, cols int) {
	d := t.Dim()
	rows := len(points) / d
	for from := 0; from < rows; from += block {
		n := min(block, rows-from)
		part, answer := points[from*d:(from+n)*d], dst[from*cols:(from+n)*cols]
		if from > 0 && n < block {
			part, answer = slices.Clone(part), make([]float64, block*cols)
			for len(part) < block*d {
				part = append(part, part[:d]...)
			}
		}
		if !t.asks(message{Ask: question}, answer, part, len(part)/d, cols) {
			floats.AddConst(math.NaN(), dst)
			return
		}
		copy(dst[from*cols:], answer[:n*cols])
	}
}

// asks fills dst, rows×cols, with the answer to one question; false if the program fails.
func (t *Target) asks(question message, dst, points []float64, rows, cols int) bool {
	what := "the answer to " + question.Ask
	return t.session.with(t.program, what, func(c *process) error {
		if err := c.send(question, points, t.Dim()); err != nil {
			return err
		}
		m, err := c.from.message()
		if err != nil {
			return err
		}
		if m.Answer != question.Ask || !m.Array {
			return fmt.Errorf("said %v, where {\"answer\": %q, \"array\": true} was due", m, question.Ask)
		}
		_, err = c.from.array(dst, rows, rows, cols, what)
		return err
	}) == nil
}
