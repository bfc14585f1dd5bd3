package ucibnn

import (
	"testing"

	"github.com/semi-implicit/sifg/pkg/harness/record"
)

func TestSparse(t *testing.T) {
	long := record.Curve{Seed: 3}
	for i := range 1001 {
		long.Iteration, long.Value = append(long.Iteration, 10*i), append(long.Value, float64(i))
	}
	if got := sparse([]record.Curve{long}, 1001); got != nil {
		t.Errorf("%d points of 1001 that may be drawn", len(got[0].Value))
	}
	got := sparse([]record.Curve{long}, 250)[0]
	if len(got.Value) != 201 || got.Seed != 3 || got.Iteration[200] != 10000 || got.Value[1] != 5 {
		t.Errorf("%d points, second %g, last at iteration %d, seed %d", len(got.Value), got.Value[1], got.Iteration[len(got.Iteration)-1], got.Seed)
	}
}
