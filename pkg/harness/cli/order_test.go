package cli

import "testing"

// TestOrderOfSeeds: what comes of a run does not hang on the order in which seeds are named; TestSeedsOfGrid is that of
// a grid.
func TestOrderOfSeeds(t *testing.T) {
	t.Chdir(t.TempDir())
	x := toy()
	x.want(t, "run --seeds 1-6 --results rising --store S", 0)
	x.want(t, "run --seeds 4,5,6,1-3 --results mixed --store S", 0, "0 computed")
	same(t, "a run", files(t, "mixed/toy", ""), files(t, "rising/toy", ""))
}
