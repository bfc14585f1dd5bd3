package posteriors

import (
	"context"
	"math"
	"sync"
)

// seats is how many points a question has while chains or searches run: of one number of points, always the same, a
// program that compiles itself for each does so once.
const seats = 4

// evaluated sets dst, n×(1+d), to log densities, −Inf where it is 0, and their gradients at points, n×d.
type evaluated func(dst, points []float64)

// together is a density on which up to seats goroutines share questions: one is asked when all that sit here wait for
// an answer. After ctx has ended every answer is NaN.
type together struct {
	ctx      context.Context
	stop     func() // ends it
	dim      int
	evaluate evaluated

	mu      sync.Mutex
	here    int
	points  []float64 // of those that wait
	answers []float64
	done    chan struct{} // closed when answers has theirs

	asked, refused int // points, and those of density 0
}

func newTogether(ctx context.Context, dim int, evaluate evaluated) *together {
	t := &together{dim: dim, evaluate: evaluate, here: 1, done: make(chan struct{})}
	t.ctx, t.stop = context.WithCancel(ctx)
	return t
}

// sit sets how many goroutines sit here from now on. None may wait.
func (t *together) sit(n int) { t.here = n }

// leave is said by a goroutine that will ask no more.
func (t *together) leave() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.here--; t.here > 0 && len(t.points) == t.here*t.dim {
		t.answer()
	}
}

// answer asks about the points that wait. t.mu is held.
func (t *together) answer() {
	n := len(t.points) / t.dim
	for len(t.points) < seats*t.dim {
		t.points = append(t.points, t.points[:t.dim]...)
	}
	answers := make([]float64, seats*(1+t.dim))
	t.evaluate(answers, t.points)
	for i := range n {
		if math.IsInf(answers[i*(1+t.dim)], -1) {
			t.refused++
		}
	}
	t.asked += n
	t.answers, t.points = answers, t.points[:0]
	close(t.done)
	t.done = make(chan struct{})
}

// Dim implements hmc.Density.
func (t *together) Dim() int { return t.dim }

// Energy implements hmc.Density.
func (t *together) Energy(x []float64) float64 { return t.Grad(make([]float64, len(x)), x) }

// Grad implements hmc.Density.
func (t *together) Grad(dst, x []float64) float64 {
	t.mu.Lock()
	place, done := len(t.points)/t.dim, t.done
	t.points = append(t.points, x...)
	if place+1 == t.here {
		t.answer()
	}
	t.mu.Unlock()
	select {
	case <-done:
	case <-t.ctx.Done():
		for k := range dst {
			dst[k] = math.NaN()
		}
		return math.NaN()
	}
	t.mu.Lock()
	row := t.answers[place*(1+t.dim):]
	t.mu.Unlock()
	for k := range dst {
		dst[k] = -row[1+k]
	}
	return -row[0]
}
