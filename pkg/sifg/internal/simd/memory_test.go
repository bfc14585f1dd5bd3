package simd

import (
	"sync"
	"testing"
)

// TestZeros: memory above and below the size from which huge pages are asked for is zero and of the right length, while
// other goroutines use the heap beside it.
func TestZeros(t *testing.T) {
	var wait sync.WaitGroup
	for g := range 4 {
		wait.Go(func() {
			for _, n := range []int{0, 1, 1000, hugeFrom/4 - 1, hugeFrom / 4, 3<<19 + g} {
				x := Zeros(n)
				if len(x) != n {
					t.Errorf("%d numbers, want %d", len(x), n)
				}
				for i, v := range x {
					if v != 0 {
						t.Errorf("number %d of %d is %v", i, n, v)
						return
					}
					x[i] = float32(g + 1)
				}
				for i, v := range x {
					if v != float32(g+1) {
						t.Errorf("number %d of %d became %v", i, n, v)
						return
					}
				}
			}
		})
	}
	wait.Wait()
}
