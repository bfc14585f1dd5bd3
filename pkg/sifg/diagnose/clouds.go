package diagnose

import (
	"slices"

	"github.com/semi-implicit/sifg/pkg/sifg"
	"github.com/semi-implicit/sifg/pkg/sifg/metric"
)

// scored returns the score of a run's target at points: the full one, where it has that. batch says that it has
// mini-batches alone: the score of another iteration is another.
func scored(c *sifg.Cloud, x sifg.Batch) (scores sifg.Batch, batch bool) {
	scores = sifg.NewBatch(x.Rows, x.Cols)
	if full, ok := c.Target.(sifg.FullScorer); ok {
		full.FullScore(scores, x)
		return scores, false
	}
	c.Target.Score(scores, x, c.Iter)
	few := x
	few.Rows, few.Data = 1, x.Data[:x.Cols]
	now, next := sifg.NewBatch(1, x.Cols), sifg.NewBatch(1, x.Cols)
	c.Target.Score(now, few, c.Iter)
	c.Target.Score(next, few, c.Iter+1)
	return scores, !slices.Equal(now.Data, next.Data)
}

// spread returns rows of a sample, evenly spread, so many that those of all runs, which have total rows, are at most
// mostNumbers numbers: the sample itself where it may.
func spread(b sifg.Batch, total int) sifg.Batch {
	const mostNumbers = 10_000_000
	n := max(fewest, int(float64(b.Rows)*mostNumbers/(float64(total)*float64(b.Cols))))
	if n >= b.Rows {
		return b
	}
	out := sifg.NewBatch(n, b.Cols)
	for i := range n {
		copy(out.Data[i*b.Cols:(i+1)*b.Cols], b.Data[i*b.Rows/n*b.Cols:])
	}
	return out
}

// joined returns the points of both.
func joined(a, b metric.Points) metric.Points {
	return metric.Points{N: a.N + b.N, D: b.D, Data: append(a.Data, b.Data...)}
}

// unfinite counts the points that are not finite.
func unfinite(p metric.Points) (bad int) {
	for i := range p.N {
		if !(metric.Points{N: 1, D: p.D, Data: p.Row(i)}).Finite() {
			bad++
		}
	}
	return bad
}
