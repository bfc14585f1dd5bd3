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

// TestReportFromRecords: everything is made again, with other rules, from the records alone, as in a fresh clone; what
// is complete is not replaced by less; --check names what is another.
func TestReportFromRecords(t *testing.T) {
	t.Chdir(t.TempDir())
	x := toy()
	drawn := "all there"
	x.Sections = append(x.Sections, harness.Section{ID: "cloud", Draw: func(s *record.Set) (*figure.Figure, error) {
		_, err := s.Load(s.Trials[0].Key, "particles")
		return &figure.Figure{Panels: []figure.Panel{{Title: drawn}}}, err
	}})
	x.want(t, "run --protocol paper", 0)
	first := files(t, "results/toy", "")
	must(0, os.RemoveAll("results/store"))
	x.want(t, "report --check", 0, "results is what sifg report makes")
	x.want(t, "report --protocol paper", 0)
	same(t, "without a store", files(t, "results/toy", ""), first)
	x.want(t, "run --protocol paper --timeout 1ns", 3, "9 of 9 trials failed")
	same(t, "a run of failures", files(t, "results/toy", ""), first)
	x.Claims()[0].Rule, drawn = "one at least", "other words"
	x.want(t, "report --check", 5, "results/toy/paper/cloud.svg: is not what the records give now")
	x.want(t, "report --protocol paper", 0)
	x.want(t, "report --check", 0)
	x.want(t, "run --protocol released", 0)
	x.want(t, "claims", 0, "toy: paper, released; numbers of released")
	x.want(t, "claims T1", 0, "  T1  ++", "There are trials.", "rule: one at least", "There are 9.")
	x.want(t, "claims T2", 2, `unknown experiment "T2"`)
	x.want(t, "claims toyy", 2, `unknown experiment "toyy": did you mean "toy"?`)
}

// TestOrderOfFiles: the order in which seeds are named changes no file.
func TestOrderOfFiles(t *testing.T) {
	t.Chdir(t.TempDir())
	x := toy()
	x.want(t, "run --seeds 3,1,2 --results a", 0)
	x.want(t, "run --seeds 1-3 --results b --store a/store", 0, "0 computed")
	same(t, "seeds in another order", files(t, "b/toy", ""), files(t, "a/toy", ""))
}

func TestCompare(t *testing.T) {
	t.Chdir(t.TempDir())
	x := toy()
	x.want(t, "run --protocol all", 0)
	x.want(t, "compare toy", 75, "nothing in results can be compared with published numbers")
	x.want(t, "compare --against other/results", 2, "--against", "published, authors")
	x.Published = []claim.Published{
		{Problem: "small", Metric: "first", Method: "svgd", Mean: 1000, SD: 1},
		{Problem: "small", Metric: "none", Method: "sifg", Text: "0.5"},
	}
	said := x.want(t, "compare --protocol released", 0, "0 of 1 agree", "1 not comparable: not measured",
		"in SE", "differs ✗")
	if strings.Contains(said, "0.5") || strings.Contains(said, "toy paper") {
		t.Error("more is shown than can be compared, or was asked for:", said)
	}
	x.want(t, "compare --all", 0, "toy paper", "0.5", "not comparable")
	x.want(t, "run --scale smoke", 0)
	x.want(t, "compare --scale smoke", 0, "A rehearsal at smoke scale")
	x.want(t, "compare --name nope", 75, "no report in results/custom/nope: sifg run makes one")
}

// TestGrid: a grid is continued, judged and written, the same whatever the machine; its chosen settings are a layer.
func TestGrid(t *testing.T) {
	t.Chdir(t.TempDir())
	x := toy()
	put(t, "steps.yaml",
		"select: min first[1]\nprotocol: paper\nseeds: [1, 2]\nmethods: [svgd, sifg]\nproduct: {step: [0.1, 0.2]}\n")
	x.want(t, "run --protocol paper", 0)
	x.want(t, "grid toy --grid steps.yaml --dry-run", 0, "svgd, step=0.2", "10 trials: 4 already there, 6 to compute")
	x.want(t, "grid toy --grid steps.yaml", 0,
		"10 trials: 4 already there, 6 computed", "results: results/custom/grids/grid/steps/toy", "step 0.",
		"page: results/custom/grids/grids.html")
	first := files(t, "results/custom/grids/grid", "")
	if len(first) < 8 {
		t.Errorf("%d files of a grid", len(first))
	}
	// what says where files are and how trials are computed is no part of the command that is written down
	x.want(t, "grid toy --grid steps.yaml --store results/store --jobs 1 --quiet", 0, "0 computed")
	same(t, "again", files(t, "results/custom/grids/grid", ""), first)
	x.want(t, "run --protocol paper --config results/custom/grids/grid/steps/toy/paper/chosen.yaml "+
		"--methods svgd,sifg --seeds 1,2", 0, "4 trials: 4 already there")
	x.want(t, "grid toy --axis methods.svgd.step=[0.1] --select min\tfirst", 2)
	x.Published = []claim.Published{{Problem: "small", Metric: "first[1]", Method: "svgd", Mean: 1, SD: 1, Text: "1"}}
	put(t, "near.yaml", "select: near published\nprotocol: paper\nseeds: [1, 2]\nproduct: {step: [0.1, 0.2]}\n")
	x.want(t, "grid toy --grid near.yaml", 0, "distance in standard errors")
	// where every cell diverges none is chosen
	put(t, "all.yaml", "select: min first[0]\nprotocol: paper\nseeds: [1]\nproduct: {methods.svgd.step: [0.1, 0.2]}\n")
	x.want(t, "grid toy --grid all.yaml --set options.fault=nan", 0, "diverged", "no configuration can be chosen")
	for _, axis := range []string{"step=[0.1,0.3]", "step=[0.1,0.4]", "hidden=[4,5]"} {
		x.want(t, "grid toy --seeds 1 --axis "+axis+" --select min --select first", 2)
		code, said, _ := x.call(t, "grid", "toy", "--seeds", "1", "--axis", axis, "--select", "min first[0]")
		if code != 0 {
			t.Error(said)
		}
	}
	glob(t, "results/custom/grids/grid/*", 5)
	x.want(t, "report --check --results results/custom/grids", 0)
	flip(t, "results/custom/grids/grid/steps/toy/paper/best.csv")
	x.want(t, "report --check --results results/custom/grids", 5, "grids/grid/steps/toy/paper/best.csv")
	x.want(t, "report --check --results nowhere", 75, "no results")
}
