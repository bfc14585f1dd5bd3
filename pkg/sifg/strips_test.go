package sifg

import (
	"slices"
	"testing"
)

// TestStrips: how many rows of a kernel matrix are there at a time, and on how many cores, makes no difference to the
// particles.
func TestStrips(t *testing.T) {
	const n = 50
	for _, cfg := range []Config{{Sampler: "svgd"}, {Sampler: "svgd", Bandwidth: 0.5}, {Sampler: "kde-flow"}} {
		run := func(rows, threads int) []float32 {
			flow := must(New(cfg))
			flow.Threads = threads
			c := must(flow.Start(confTarget(), n, 3, nil))
			switch f := flow.Field.(type) {
			case *Kernel:
				f.kernel.rows = rows
			case *KDE:
				f.kappa.rows = rows
			}
			for range 3 {
				must(flow.Step(c))
			}
			return c.Z.Data
		}
		want := run(n, 1)
		for _, rows := range []int{2, 7, 49} {
			for threads := 1; threads < 3; threads++ {
				if got := run(rows, threads); !slices.Equal(got, want) {
					t.Errorf("%s, bandwidth %v: %d rows at a time on %d cores give other particles than all on one",
						cfg.Sampler, cfg.Bandwidth, rows, threads)
				}
			}
		}
	}
}

// TestRoomForTheMedian: a kernel of fixed bandwidth takes no room for the distances of all pairs.
func TestRoomForTheMedian(t *testing.T) {
	for bandwidth, want := range map[float64]int{0: 40*39/2 + 1, 0.5: 0} {
		field := &Kernel{Bandwidth: bandwidth}
		field.Init(&Cloud{Z: NewBatch(40, 2)})
		if got := len(field.median.near); got != want {
			t.Errorf("bandwidth %v: room for %d distances, want %d", bandwidth, got, want)
		}
	}
}
