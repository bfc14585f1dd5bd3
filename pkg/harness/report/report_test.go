package report

import (
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/claim"
	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/harness/settings"
	"github.com/semi-implicit/sifg/pkg/harness/store"
)

// bare returns a report without its functions, which reflect.DeepEqual cannot compare.
func bare(r *Report) *Report {
	for _, x := range r.Experiments {
		for _, p := range x.Protocols {
			p.Records.Load = nil
		}
	}
	return r
}

// TestRoundTrip: reading gives the value that was made, and what was made is right.
func TestRoundTrip(t *testing.T) {
	h := newHouse(t, "toy", "other")
	all := append(trials("toy", "paper", "released"), trials("other", "paper")...)
	h.put(record.StatusDiverged, all...)
	made, notes := h.must(h.plan(all, "seeds=[1]", "--methods sgld,svgd"), false)
	if len(notes) > 0 {
		t.Errorf("notes %q", notes)
	}
	p := made.Experiment("toy").Protocol("released")
	if got := p.Counts(); !reflect.DeepEqual(got, map[string]int{"ok": 2, "diverged": 2}) || !p.Complete() ||
		!p.Changed() {
		t.Errorf("counts %v, complete %t, changed %t", got, p.Complete(), p.Changed())
	}
	if p.Records.Trials[0].Protocol != "released" || p.Records.Trials[0].Scale != "full" ||
		p.Records.Incomparable != "the settings were changed: seeds=[1], --methods sgld,svgd" {
		t.Errorf("labels of the store: %+v, %q", p.Records.Trials[0], p.Records.Incomparable)
	}
	if got := p.Command("run"); got != "sifg run toy --protocol released --set 'seeds=[1]' --methods sgld,svgd" {
		t.Errorf("command %s", got)
	}
	if p.Figures[0].Hidden == 0 || p.Figures[1].Problem != "" || p.Figures[2].Problem != "panic: no such figure" ||
		p.Tables[1].Problem != "too few seeds" {
		t.Errorf("figures %+v, tables %+v", p.Figures, p.Tables)
	}
	if p.Claims[0].Verdict != claim.Reproduced || p.Claims[2].Evidence != "The check failed: panic: a hole." ||
		p.Claims[2].Verdict != claim.NotDecided {
		t.Errorf("claims %+v", p.Claims)
	}
	if f := made.Experiment("toy").Findings; len(f) != 2 || f[0].Title != "0 protocols" ||
		!strings.Contains(f[1].Text, "another hole") {
		t.Errorf("findings of changed settings: %+v", f)
	}
	if back := h.read(); !reflect.DeepEqual(bare(back), bare(made)) {
		t.Errorf(
			"another report is read:\n%+v\n%+v",
			back.Experiments[0].Protocols[1],
			made.Experiments[0].Protocols[1],
		)
	}
	want := []string{
		"index.html", "manifest.json", "other/findings/1.csv", "other/paper/draws/all.txt",
		"other/paper/figures/cloud.csv", "other/paper/figures/cloud.svg",
		"other/paper/figures/curve.csv", "other/paper/figures/curve.svg", "other/paper/tables/summary.csv",
		"other/paper/tables/summary.md", "other/report.json", "other/timings.parquet",
	}
	if got := slices.Sorted(maps.Keys(files(h.dir))); !slices.Equal(got[:len(want)], want) {
		t.Errorf("files %q", got)
	}
	times := 0
	Timed(h.dir, "toy", func(x *harness.Trial, dim int, processor string, seconds float64) {
		times++
		if x.Method != "sgld" || dim != 1 || processor != "toy, portable" || seconds != 1.5 {
			t.Errorf("%s in %d dimensions took %g s on %s", x.Method, dim, seconds, processor)
		}
	})
	if times != 4 {
		t.Errorf("%d trials ended well, want the times of 4", times)
	}
	if empty, err := Read(filepath.Join(h.dir, "nowhere"), h.all); err != nil || len(empty.Experiments) > 0 {
		t.Errorf("of no folder: %+v, %v", empty, err)
	}
}

// TestIncomparable: numbers stand beside printed ones only at full scale, with the protocol's settings, where the
// experiment says so.
func TestIncomparable(t *testing.T) {
	e := toy("toy")
	file := must(settings.Read("toy", e.Settings))
	for want, p := range map[string]*Protocol{
		"":                                      {Name: "paper", Scale: "full"},
		"other data":                            {Name: "released", Scale: "full"},
		"quick scale, not the paper's settings": {Name: "paper", Scale: "quick"},
		"the settings were changed: a=1":        {Name: "paper", Scale: "full", Set: []string{"a=1"}},
	} {
		p.Records = &record.Set{}
		p.describe(file)
		if got := p.Records.Incomparable; got != want {
			t.Errorf("%s %s %v: %q, want %q", p.Name, p.Scale, p.Set, got, want)
		}
	}
}

// TestOutsideThePlan: other experiments keep their very files, other protocols their values.
func TestOutsideThePlan(t *testing.T) {
	h := newHouse(t, "toy", "other")
	all := append(trials("toy", "paper", "released"), trials("other", "paper")...)
	h.put(record.StatusOK, all...)
	before, _ := h.must(h.plan(all), false)
	other := must(os.Stat(filepath.Join(h.dir, "other", indexName)))
	h.all[0].Claims[0].Check = func(*record.Set) claim.Outcome { return claim.Outcome{Verdict: claim.NotReproduced} }
	after, _ := h.must(h.plan(trials("toy", "paper")), false)
	if !os.SameFile(other, must(os.Stat(filepath.Join(h.dir, "other", indexName)))) {
		t.Error("the files of another experiment were written again")
	}
	if got := after.Experiment("toy").Protocol("released").Claims; !reflect.DeepEqual(
		got,
		before.Experiment("toy").Protocol("released").Claims,
	) {
		t.Errorf("a protocol outside of the plan: %+v", got)
	}
	if got := after.Experiment("toy").Protocol("paper").Claims[0].Verdict; got != claim.NotReproduced {
		t.Errorf("the plan's protocol: %s", got)
	}
	ledger := after.Ledger(h.all)
	if ledger[0].Summary != "reproduced under released; not reproduced under paper" ||
		ledger[3].Summary != "reproduced under paper" {
		t.Errorf("ledger %+v", ledger)
	}
}

// TestCompleteStays: a complete report gives way to a complete one in which no trial failed that had ended well.
func TestCompleteStays(t *testing.T) {
	h := newHouse(t, "toy")
	all := trials("toy", "paper")
	h.put(record.StatusOK, all[:3]...)
	if r, _ := h.must(h.plan(all), false); r.Experiments[0].Protocols[0].Counts()[store.Missing] != 1 {
		t.Errorf("%v", r.Experiments[0].Protocols[0].Counts())
	}
	h.put(record.StatusOK, all[3:]...)
	h.must(h.plan(all), false)
	want := files(h.dir)
	for what, c := range map[string]struct{ status, note string }{
		"missing": {"", "toy/paper: 4 of 4 trials are missing"},
		"failed": {record.StatusFailed, "toy/paper: 2 trials failed now and had ended well before; the report of a " +
			"complete run was left as it was"},
	} {
		t.Run(what, func(t *testing.T) {
			later := newHouse(t, "toy")
			later.dir = h.dir
			if c.status != "" {
				later.put(c.status, all...)
			}
			_, notes := later.must(later.plan(all), false)
			if !slices.Equal(notes, []string{c.note}) || !maps.Equal(files(h.dir), want) {
				t.Errorf("notes %q", notes)
			}
		})
	}
	later := newHouse(t, "toy")
	later.dir = h.dir
	later.put(record.StatusDiverged, all...) // a result, not a failure
	if r, notes := later.must(later.plan(all), false); len(notes) > 0 ||
		r.Experiments[0].Protocols[0].Counts()["diverged"] != 2 {
		t.Errorf("notes %q", notes)
	}
}

// TestKeep: trials that the store lacks come from the report. Figures and verdicts that need particles stay as they
// were.
func TestKeep(t *testing.T) {
	h := newHouse(t, "toy")
	all := trials("toy", "paper", "released")
	h.put(record.StatusOK, all...)
	h.must(h.plan(all), false)
	want := files(h.dir)
	later := newHouse(t, "toy")
	later.dir = h.dir
	later.put(record.StatusFailed, all[3]) // the report has it with status ok
	later.put(record.StatusOK, all[1])
	if _, notes := later.must(later.plan(all), true); len(notes) > 0 {
		t.Errorf("notes %q", notes)
	}
	if got := files(h.dir); !maps.Equal(got, want) || len(got["toy/released/draws/all.txt"]) < 100 {
		t.Error("the report is another")
	}
	later.all[0].Figures = append(later.all[0].Figures, harness.Figure{Name: "new", Draw: later.all[0].Figures[1].Draw})
	r, _ := later.must(later.plan(trials("toy", "released")), true)
	if f := r.Experiments[0].Protocol("released").Figures; f[1].Problem != "" ||
		!strings.Contains(f[3].Problem, "not in the store") {
		t.Errorf("figures of particles that are not at hand: %+v", f)
	}
}
