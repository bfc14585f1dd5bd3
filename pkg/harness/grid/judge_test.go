package grid

import (
	"context"
	"encoding/json"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/harness/stats"
	"github.com/semi-implicit/sifg/pkg/harness/store"
)

type silent struct{}

func (silent) Start(*harness.Trial)                              {}
func (silent) Step(*harness.Trial, int)                          {}
func (silent) End(*harness.Trial, string, string, time.Duration) {}
func run(t *testing.T, s *store.Store, trials []harness.Trial, jobs int) {
	t.Helper()
	r := harness.Runner{Store: s, Jobs: jobs, Threads: 1, Watch: silent{}}
	if _, err := r.Run(context.Background(), context.Background(), []*harness.Experiment{toy()}, trials); err != nil {
		t.Fatal(err)
	}
}

// computed lays out and computes a grid.
func computed(t *testing.T, text string) (*Plan, *store.Store) {
	t.Helper()
	p, err := layOut(t, text)
	if err != nil {
		t.Fatal(err)
	}
	s, err := store.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	run(t, s, p.Trials(), 2)
	return p, s
}

func judged(t *testing.T, p *Plan, s *store.Store, rule string) *Result {
	t.Helper()
	o, err := ParseObjective(rule)
	if err != nil {
		t.Fatal(err)
	}
	r, err := p.Judge(s, o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestChoice(t *testing.T) {
	p, s := computed(t, "problems: small\nmethods: [svgd, sifg]\nproduct: {step: [0.005, 0.02, 0.1, 0.5], hidden: [2, 4], bandwidth: [1, 2]}")
	r := judged(t, p, s, "min gap")
	want := map[string]string{"svgd": "step 0.02, bandwidth 1", "sifg": "step 0.02, hidden 4"}
	for i := range r.Judged {
		j := &r.Judged[i]
		best, o := j.Best()
		if best == nil || best.Label != want[j.Method] {
			t.Fatalf("%s: chosen %+v, want %s", j.Method, best, want[j.Method])
		}
		// gap at iteration 8 is 1/hidden + 1/9 + seed/1000 for the best step, seeds 1 and 2
		if exact := map[string]float64{"svgd": 0, "sifg": 0.25}[j.Method] + 1.0/9 + 0.0015; math.Abs(o.Mean-exact) > 1e-12 {
			t.Errorf("%s: mean %v, want %v", j.Method, o.Mean, exact)
		}
		lo, hi := o.Interval()
		if l, h := stats.MeanInterval(o.Values, 0.95, 1); lo != l || hi != h || !(lo < o.Mean && o.Mean < hi) {
			t.Errorf("%s: interval %v to %v", j.Method, lo, hi)
		}
		if j.Eligible() != 6 {
			t.Errorf("%s: %d cells can win, want all but the two with step 0.5, which diverge", j.Method, j.Eligible())
		}
		for _, k := range j.Rank[6:] {
			if o := j.Outcomes[k]; o.Status != record.StatusDiverged || !strings.Contains(o.Reason, "seed 1: diverged at iteration") || !math.IsNaN(o.Mean) {
				t.Errorf("%s: cell %s: %+v, want one that diverged", j.Method, j.Cells[k].Label, o)
			}
		}
		next, _, pv := j.Next()
		switch j.Method {
		case "svgd": // its gap does not depend on the bandwidth
			if j.Ties != 2 || !strings.Contains(strings.Join(j.notes(), ";"), "2 cells tie") || next.Label != "step 0.005, bandwidth 1" {
				t.Errorf("svgd: %d ties, notes %v, next %s", j.Ties, j.notes(), next.Label)
			}
		case "sifg": // 1/2 − 1/4 for both seeds: both signs the same, so p = 2/4
			if j.Ties != 1 || next.Label != "step 0.02, hidden 2" || pv != 0.5 || len(j.Edges) != 0 {
				t.Errorf("sifg: %d ties, next %s with p %v, edges %v", j.Ties, next.Label, pv, j.Edges)
			}
		}
	}
	// gap[1] is −gap: the smallest is that of the largest step that did not diverge, though step 0.5 would be smaller still.
	r = judged(t, p, s, "min gap[1]")
	if best, _ := r.Judged[1].Best(); best.Label != "step 0.1, hidden 2" {
		t.Errorf("min gap[1] chose %s", best.Label)
	}
	r = judged(t, p, s, "max step")
	if best, _ := r.Judged[0].Best(); best.Label != "step 0.1, bandwidth 1" {
		t.Errorf("max step chose %s", best.Label)
	}
	// SVGD has no σ: it is said, and nothing of it wins; SIFG's σ is the same everywhere.
	r = judged(t, p, s, "min sigma")
	if best, _ := r.Judged[0].Best(); best != nil || !strings.Contains(r.Judged[0].Outcomes[0].Reason, "seed 1 has no sigma") {
		t.Errorf("svgd: %+v", r.Judged[0].Outcomes[0])
	}
	if r.Judged[1].Ties != 6 {
		t.Errorf("%d of 6 cells tie", r.Judged[1].Ties)
	}
	for rule, words := range map[string]string{"min gpa": `"gap"`, "min gap[7]": "component 7", "min nothing": "loss"} {
		o, err := ParseObjective(rule)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := p.Judge(s, o); err == nil || !strings.Contains(err.Error(), words) {
			t.Errorf("%s: %v", rule, err)
		}
	}
	for _, rule := range []string{"", "gap", "least gap", "min", "min gap[x]", "min gap gap"} {
		if _, err := ParseObjective(rule); err == nil {
			t.Errorf("the rule %q was taken", rule)
		}
	}
}

func TestMissingTrialsCannotWin(t *testing.T) {
	p, err := layOut(t, "problems: small\nmethods: svgd\nproduct: {step: [0.02, 0.1, 0.2]}")
	if err != nil {
		t.Fatal(err)
	}
	s, err := store.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	run(t, s, p.Trials()[1:], 1) // seed 1 of step 0.02, the best, is missing
	r := judged(t, p, s, "min gap")
	best, _ := r.Judged[0].Best()
	if best.Label != "step 0.1" || r.Missing != 1 || r.Judged[0].Outcomes[0].Status != harness.Missing {
		t.Errorf("chosen %s, %d missing, %+v", best.Label, r.Missing, r.Judged[0].Outcomes[0])
	}
	if e := r.Judged[0].Edges; len(e) != 0 {
		t.Errorf("edges %v, but 0.02 and 0.2 were tried", e)
	}
	r = judged(t, p, s, "max step")
	if e := r.Judged[0].Edges; len(e) != 1 || e[0] != "step 0.2 is the largest tried" {
		t.Errorf("edges %v", e)
	}
}

// TestOverlayIsTheChoice: the plan of a run with the chosen values has the winners' trials.
func TestOverlayIsTheChoice(t *testing.T) {
	p, s := computed(t, "product: {step: 'logspace(1e-3, 1e-1, 5)', methods.sifg.mover: [euler, rmsprop], problems.wide.options.dim: [2, 3], problems.small.iterations_of.sifg: [6, 10]}\nexclude: step > 0.05 and method == 'svgd'")
	r := judged(t, p, s, "min gap")
	path := filepath.Join(t.TempDir(), "chosen.yaml")
	c := Commands{Choose: "sifg grid toy --grid x", Use: "sifg run toy --config chosen.yaml"}
	text, notes := r.Overlay(c)
	if len(notes) != 0 || !strings.Contains(text, c.Choose+"\n") || !strings.Contains(text, c.Use+"\n") || !strings.Contains(text, "smallest mean") {
		t.Errorf("notes %v, text\n%s", notes, text)
	}
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	set, err := harness.ReadConfig(path)
	if err != nil {
		t.Fatal(err)
	}
	plain, err := harness.NewPlan(harness.Request{Experiments: []*harness.Experiment{toy()}, Protocols: []string{"paper"}, Scale: "full", Set: set})
	if err != nil {
		t.Fatal(err)
	}
	var got, want []string
	for _, x := range plain.Trials {
		got = append(got, x.Key)
	}
	for i := range r.Judged {
		best, _ := r.Judged[i].Best()
		for _, x := range best.Trials {
			want = append(want, x.Key)
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("the run with the chosen values has other trials:\n%v\n%v\n%s", got, want, text)
	}
}

func TestOverlayLeavesOut(t *testing.T) {
	p, s := computed(t, "problems: small\nmethods: [svgd, sgld, sifg]\nproduct: {particles: [4, 6], step: [0.02, 0.5]}\nexclude: ['method == \"svgd\" and particles == 4', 'method == \"sgld\" and step < 0.4']")
	r := judged(t, p, s, "min gap")
	text, notes := r.Overlay(Commands{})
	// svgd keeps 6 particles, sifg ties and takes the first, 4; sgld has only cells that diverge.
	if len(notes) != 2 || !strings.Contains(notes[0], "sgld on small: no cell can win") || !strings.Contains(notes[1], "particles of problem small") {
		t.Errorf("notes %q", notes)
	}
	if strings.Contains(text, "particles:") || !strings.Contains(text, "svgd: {step: 0.02}") || !strings.Contains(text, "# Left out: particles") {
		t.Errorf("overlay\n%s", text)
	}
}

// TestMethodWithoutCells: a method all of whose cells the conditions leave out has no place among the results.
func TestMethodWithoutCells(t *testing.T) {
	p, s := computed(t, "problems: small\nmethods: [svgd, sifg]\nproduct: {step: [0.02, 0.1]}\nexclude: method == 'svgd'")
	if len(p.Groups) != 2 || p.Groups[0].Excluded != 2 || len(p.Groups[0].Cells) != 0 {
		t.Fatalf("%+v", p.Groups)
	}
	w, err := judged(t, p, s, "min gap").Write(filepath.Join(t.TempDir(), "out"), Commands{"choose", "use"})
	if err != nil {
		t.Fatal(err)
	}
	if g := w.Summary.Groups; len(w.Notes) != 0 || len(g) != 1 || g[0].Method != "sifg" || g[0].Values["step"] != 0.02 {
		t.Errorf("%+v, notes %q", g, w.Notes)
	}
}

// TestSameBytesInAnyOrder: what is written depends neither on the order in which trials were computed nor on interruptions.
func TestSameBytesInAnyOrder(t *testing.T) {
	const text = "problems: small\nmethods: [svgd, sifg]\nproduct: {step: [0.01, 0.02, 0.5], hidden: [2, 4]}"
	var first map[string]string
	for k := range 3 {
		p, err := layOut(t, text)
		if err != nil {
			t.Fatal(err)
		}
		s, err := store.Open(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		trials := p.Trials()
		rand.New(rand.NewPCG(uint64(k), 0)).Shuffle(len(trials), func(i, j int) { trials[i], trials[j] = trials[j], trials[i] })
		run(t, s, trials[:5], 1)
		run(t, s, trials[5:], 2)
		dir := filepath.Join(t.TempDir(), "out")
		for range 2 { // the second time in place of the first
			if _, err := judged(t, p, s, "min gap").Write(dir, Commands{"choose", "use"}); err != nil {
				t.Fatal(err)
			}
		}
		files := map[string]string{}
		err = filepath.WalkDir(filepath.Dir(dir), func(path string, d os.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			b, err := os.ReadFile(path)
			rel, _ := filepath.Rel(dir, path)
			files[rel] = string(b)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		if len(files["timings.parquet"]) == 0 {
			t.Error("no timings")
		}
		delete(files, "timings.parquet")
		if k == 0 {
			first = files
			for _, name := range []string{"trials.parquet", "trace.parquet", "grid.json", "chosen.yaml", "report.md", "tables/best.md", "tables/best.tex",
				"tables/best.csv", "tables/cells.csv", "figures/effects-small.png", "figures/heat-small-sifg.pdf"} {
				if files[name] == "" {
					t.Errorf("there is no %s", name)
				}
			}
			var sum Summary
			if err := json.Unmarshal([]byte(files["grid.json"]), &sum); err != nil {
				t.Fatal(err)
			}
			if sum.Trials != 18 || sum.Counts["diverged"] != 6 || sum.Counts["ok"] != 12 || len(sum.Problems) != 0 || len(sum.Groups) != 2 ||
				sum.Groups[1].Values["hidden"] != 4.0 || len(sum.Groups[1].Keys) != 2 {
				t.Errorf("%+v", sum)
			}
			for _, words := range []string{"diverged", "svgd", "step 0.5, hidden 2"} {
				if !strings.Contains(files["report.md"], words) {
					t.Errorf("the report does not say %q", words)
				}
			}
			if rows, err := record.ReadTrials(filepath.Join(dir, "trials.parquet"), ""); err != nil || len(rows) != 18 || rows[0].Config == "" {
				t.Errorf("%d rows, %v", len(rows), err)
			}
			rows, err := record.DecodeTraces([]byte(files["trace.parquet"]))
			if err != nil || slices.ContainsFunc(rows, func(r record.Trace) bool { return r.Iteration != 8 && r.Iteration != 0 }) {
				t.Errorf("traces hold more than the last checkpoint (%v)", err)
			}
			continue
		}
		for name := range first {
			if files[name] != first[name] {
				t.Errorf("%s differs in order %d", name, k)
			}
		}
		if len(files) != len(first) {
			t.Errorf("%d files, %d in the first order", len(files), len(first))
		}
	}
}
