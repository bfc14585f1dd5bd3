package target

import (
	"fmt"
	"slices"
	"sync"
	"testing"

	"gonum.org/v1/gonum/blas/blas32"

	"github.com/semi-implicit/sifg/pkg/sifg/rng"
)

// dataTarget is a density that has data instead of an exact sampler.
type dataTarget interface {
	Dim() int
	Score(dst, x blas32.General, iter int)
	LogDensity(x []float64) float64
}

// forEachData runs f on the densities with data, in several shapes.
func forEachData(t *testing.T, f func(t *testing.T, p dataTarget)) {
	for _, p := range []int{1, 3, 5, 7} {
		t.Run(fmt.Sprint("ica ", p), func(t *testing.T) {
			f(t, must(NewICA(simulated(p, 1100), ICAOptions{PriorSD: 10, Exponent: 1.0 / 1100})))
		})
	}
	for _, d := range []int{1, 4, 13} {
		t.Run(fmt.Sprint("bnn ", d), func(t *testing.T) {
			x, y := regression(130, d)
			f(t, must(NewBNN(x, y, DefaultBNN())))
		})
	}
}

// The score of a row does not depend on other rows or on the stride, and gaps stay as they are.
func TestDataRowsAreIndependent(t *testing.T) {
	forEachData(t, func(t *testing.T, p dataTarget) {
		const n = 7
		d := p.Dim()
		x, all := newBatch(n, d), newBatch(n, d)
		rng.New(1, "x").Normal(x.Data)
		p.Score(all, x, 3)
		for i := range n {
			in := blas32.General{Rows: 1, Cols: d, Stride: d + 3, Data: make([]float32, d+3)}
			out := blas32.General{Rows: 1, Cols: d, Stride: d + 3, Data: make([]float32, d+3)}
			copy(in.Data, row(x, i))
			p.Score(out, in, 3)
			if !slices.Equal(out.Data[:d], row(all, i)) || out.Data[d] != 0 {
				t.Fatalf("row %d alone differs from the batch", i)
			}
		}
	})
}

func TestDataScoreAllocatesNothing(t *testing.T) {
	forEachData(t, func(t *testing.T, p dataTarget) {
		x, dst := newBatch(5, p.Dim()), newBatch(5, p.Dim())
		rng.New(1, "x").Normal(x.Data)
		score := func() { p.Score(dst, x, 0) }
		score()
		if n := testing.AllocsPerRun(10, score); n != 0 {
			t.Errorf("%g allocations", n)
		}
	})
}

func TestDataScoreIsSafeForConcurrentUse(t *testing.T) {
	forEachData(t, func(t *testing.T, p dataTarget) {
		x := newBatch(20, p.Dim())
		rng.New(1, "x").Normal(x.Data)
		var got [4]blas32.General
		var wg sync.WaitGroup
		for w := range got {
			got[w] = newBatch(x.Rows, x.Cols)
			wg.Go(func() { p.Score(got[w], x, 2) })
		}
		wg.Wait()
		for _, g := range got[1:] {
			if !slices.Equal(g.Data, got[0].Data) {
				t.Error("goroutines disagree")
			}
		}
	})
}

func expectPanic(t *testing.T, want string, f func()) {
	t.Helper()
	defer func() {
		if got := recover(); got != want {
			t.Errorf("panic %v, want %q", got, want)
		}
	}()
	f()
}

func TestDataWrongShapesPanic(t *testing.T) {
	forEachData(t, func(t *testing.T, p dataTarget) {
		d := p.Dim()
		expectPanic(t, badScore, func() { p.Score(newBatch(2, d), newBatch(3, d), 0) })
		expectPanic(t, badScore, func() { p.Score(newBatch(2, d+1), newBatch(2, d+1), 0) })
		expectPanic(t, badPoint, func() { p.LogDensity(make([]float64, d+1)) })
	})
}
