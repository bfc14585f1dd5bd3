package cli

import (
	"os"
	"strings"
	"testing"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/claim"
	"github.com/semi-implicit/sifg/pkg/harness/figure"
	"github.com/semi-implicit/sifg/pkg/harness/record"
)

// TestReportKeeps: a report is made again, with other rules, from what it holds itself, as in a fresh clone; a complete
// one is not replaced by less.
func TestReportKeeps(t *testing.T) {
	t.Chdir(t.TempDir())
	x := toy()
	x.Figures = []harness.Figure{{Name: "cloud", Title: "Cloud", Draw: func(s *record.Set) (*figure.Figure, error) {
		_, err := s.Load(s.Trials[0].Key, "particles")
		return &figure.Figure{Panels: []figure.Panel{{Title: "all there"}}}, err
	}}}
	x.want(t, "run --protocol paper", 0)
	first := files(t, "results/toy", "")
	if err := os.RemoveAll("results/store"); err != nil {
		t.Fatal(err)
	}
	x.want(t, "report --protocol paper", 75, "9 of 9 trials are missing")
	same(t, "a report without trials", files(t, "results/toy", ""), first)
	x.want(t, "run --protocol paper --timeout 1ns", 3, "9 of 9 trials failed")
	same(t, "a run of failures", files(t, "results/toy", ""), first)
	x.Claims[0].Rule = "one at least"
	x.want(t, "report --protocol paper --keep", 0)
	same(t, "another rule", files(t, "results/toy", ""), first) // report.json apart
	if b, _ := os.ReadFile("results/toy/report.json"); !strings.Contains(string(b), "one at least") {
		t.Error("the report has the old rule")
	}
	x.want(t, "run --protocol released", 0)
	x.want(t, "claims --json", 0, `"protocol": "paper"`, `"protocol": "released"`, "Under 2.")
	said := x.want(t, "claims T1", 0, "T1. There are trials.", "rule: one at least", "There are 9.")
	if strings.Contains(said, "Under 2.") {
		t.Error("one claim is shown with the findings:", said)
	}
	x.want(t, "claims T1 toy", 0, "rule: one at least", "Under 2.")
	x.want(t, "claims T2", 2, "no claim T2: sifg claims shows T1")
	x.want(t, "claims t1b", 2, "no claim t1b: sifg claims shows T1")
	x.want(t, "claims toyy", 2, `unknown experiment "toyy": did you mean "toy"?`)
}

func TestCompare(t *testing.T) {
	t.Chdir(t.TempDir())
	x := toy()
	x.want(t, "run --protocol all", 0)
	x.want(t, "run --results other --set methods.svgd.step=0.3", 0)
	x.want(t, "compare --against results --strict", 0, "identical", "toy, protocol paper", "toy, protocol released")
	x.want(t, "compare --against other --protocol released", 0, "svgd", "identical")
	x.want(t, "compare --against other", 0, "other has no toy paper")
	x.want(t, "compare --against results --results other --strict", 75, "other has no toy paper")
	x.Published = []claim.Published{{Problem: "small", Metric: "first", Method: "svgd", Mean: 1000, SD: 1}}
	x.want(t, "compare --strict", 4, "2 of 2 numbers are outside", "1 differs", "in SE")
	x.Scores = []string{"other"}
	x.Published = append(x.Published, claim.Published{Problem: "small", Metric: "none", Method: "sifg", Text: "0.5"})
	said := x.want(t, "compare", 0,
		"1 differs, 1 not comparable (0 marked, by chance alone 0): its trials do not measure none",
		"2 cells not shown")
	if strings.Contains(said, "0.5") {
		t.Error("a cell that cannot be compared is shown:", said)
	}
	x.want(t, "compare --all", 0, "0.5", "not comparable (1)")
	x.want(t, "run --scale smoke", 0)
	x.want(t, "compare --scale smoke --strict", 75, "not the paper's settings")
	x.Published = nil
	x.want(t, "compare toy", 2, "the paper prints no numbers of toy: --against DIR")
}

// TestGrid: a grid is continued, judged and written, the same whatever the machine; its chosen settings are a layer.
func TestGrid(t *testing.T) {
	t.Chdir(t.TempDir())
	x := toy()
	put(
		t,
		"steps.yaml",
		"select: min first[1]\nprotocol: paper\nseeds: [1, 2]\nmethods: [svgd, sifg]\nproduct: {step: [0.1, 0.2]}\n",
	)
	x.want(t, "run --protocol paper", 0)
	x.want(
		t,
		"grid toy --grid steps.yaml --dry-run",
		0,
		"svgd, step 0.2",
		"sifg, step 0.05",
		"10 trials: 4 already there, 6 to compute",
	)
	x.want(
		t,
		"grid toy --grid steps.yaml",
		0,
		"10 trials: 4 already there, 6 computed",
		"results/custom/grid/toy-steps/paper",
		"step 0.",
		"page: results/custom/grids.html",
	)
	first := files(t, "results/custom/grid", "")
	// what says where files are and how trials are computed is no part of the command that is written down
	x.want(t, "grid toy --grid steps.yaml --store results/store --jobs 1 --quiet", 0, "0 computed")
	same(t, "again", files(t, "results/custom/grid", ""), first)
	x.want(
		t,
		"run --protocol paper --config results/custom/grid/toy-steps/paper/chosen.yaml --methods svgd,sifg --seeds 1,2",
		0,
		"4 trials: 4 already there",
	)
	x.want(t, "grid toy --axis methods.svgd.step=[0.1] --select min\tfirst", 2)
}
