package cli

import "testing"

// TestOrderOfSeeds: what comes of a run, of a grid and of its p-values does not hang on the order in which seeds are
// named.
func TestOrderOfSeeds(t *testing.T) {
	t.Chdir(t.TempDir())
	x := toy()
	x.want(t, "run --seeds 1-6 --name rising", 0)
	x.want(t, "run --seeds 4,5,6,1-3 --name mixed", 0, "0 computed")
	same(t, "a run", files(t, "results/custom/mixed/toy", ""), files(t, "results/custom/rising/toy", ""))
	put(t, "steps.yaml", "select: max first\nmethods: [svgd]\nproduct: {step: [0.05, 0.06]}\n")
	best := func(seeds string) map[string]string {
		x.want(t, "grid toy --grid steps.yaml --set methods.svgd.step=0.001 --results "+seeds+" --seeds "+seeds, 0)
		return files(t, seeds+"/grid", ".md")
	}
	want := best("1-6")
	for _, seeds := range []string{"6,5,4,3,2,1", "4,5,6,1,2,3"} {
		same(t, "a grid with seeds "+seeds, best(seeds), want)
	}
	if len(want) < 2 {
		t.Errorf("tables of a grid: %v", want)
	}
}
