package harness

import (
	"slices"
	"strings"
	"testing"
)

func TestLedger(t *testing.T) {
	experiments := []*Experiment{
		{Name: "a", Claims: []Claim{{ID: "10", Statement: "ten"}, {ID: "2", Statement: "two"}}},
		{Name: "b", Claims: []Claim{{ID: "3", With: []string{"2", "10"}}, {ID: "4", With: []string{"2"}}, {ID: "5"}}},
	}
	v := func(id, verdict string, keys ...string) Verdict { return Verdict{ID: id, Verdict: verdict, Keys: keys} }
	decided := []Decided{
		{Experiment: "a", Protocol: "paper", Scale: "full", Complete: true, Claims: []Verdict{v("10", Reproduced, "k10"), v("2", Reproduced, "k2")}},
		{Experiment: "a", Protocol: "released", Scale: "full", Complete: true, Claims: []Verdict{v("10", NotReproduced), v("2", Reproduced)}},
		{Experiment: "a", Protocol: "matched", Scale: "quick", Claims: []Verdict{v("10", NotDecided), v("2", Reproduced)}},
		{Experiment: "b", Protocol: "paper", Scale: "full", Complete: true, Claims: []Verdict{v("3", Reproduced, "k2", "k3"), v("4", NotTestable), v("gone", Reproduced), v("2", NotReproduced)}},
		{Experiment: "b", Protocol: "released", Claims: []Verdict{v("3", Reproduced), v("4", NotReproduced)}},
		{Experiment: "b", Protocol: "matched", Claims: []Verdict{v("3", Reproduced), v("4", NotDecided)}},
		{Experiment: "b", Protocol: "standard", Claims: []Verdict{v("3", Reproduced), v("4", NotTestable)}},
	}
	rows := Ledger(experiments, decided)
	var ids []string
	under := map[string][]string{}
	of := map[string]Row{}
	for _, r := range rows {
		ids, of[r.ID] = append(ids, r.ID), r
		for _, o := range r.Under {
			under[r.ID] = append(under[r.ID], o.Protocol+": "+o.Verdict)
		}
	}
	if strings.Join(ids, " ") != "2 3 4 5 10" {
		t.Errorf("in the order %v", ids)
	}
	for id, want := range map[string][]string{
		"2": {"paper: reproduced", "released: reproduced", "matched: reproduced"},
		// with claims 2 and 10: all three; 10 is not; 10 is not decided; the others have no results
		"3": {"paper: reproduced", "released: not reproduced", "matched: not decided", "standard: not decided"},
		// its own check decides nothing under paper, so claim 2 does
		"4": {"paper: reproduced", "released: not reproduced", "matched: not decided", "standard: not testable"},
		"5": nil,
	} {
		if !slices.Equal(under[id], want) {
			t.Errorf("claim %s: %v, want %v", id, under[id], want)
		}
	}
	if k := of["3"].Under[0].Keys; !slices.Equal(k, []string{"k10", "k2", "k3"}) {
		t.Errorf("it rests on %v", k)
	}
	if o := of["3"].Under[2]; o.Complete || !strings.Contains(o.Evidence, "claim 10 not decided") {
		t.Errorf("a part is of an incomplete run: %+v", o)
	}
	for id, want := range map[string][2]string{
		"2":  {Reproduced, "reproduced under all of 3 protocols"},
		"3":  {ReproducedSome, "reproduced only under paper"},
		"5":  {NoResults, NoResults},
		"10": {ReproducedSome, "reproduced only under paper"},
	} {
		if r := of[id]; r.Outcome != want[0] || r.Summary != want[1] {
			t.Errorf("claim %s: %q, %q, want %q", id, r.Outcome, r.Summary, want)
		}
	}
	if got := CountOutcomes(rows); got != "1 reproduced, 3 reproduced only under some protocols, 1 no results" {
		t.Errorf("counted %q", got)
	}
}

func TestSummaries(t *testing.T) {
	for want, verdicts := range map[string][]string{
		"reproduced|reproduced under paper, the only one with results": {Reproduced},
		"reproduced|reproduced under paper, else not decided":          {Reproduced, NotDecided},
		"not reproduced|not reproduced under all of 2 protocols":       {NotReproduced, NotReproduced},
		"not reproduced|not reproduced under released, else not testable": {
			NotTestable, NotReproduced},
		"not decided|not decided":   {NotDecided, NotTestable},
		"not testable|not testable": {NotTestable, NotTestable},
	} {
		var under []Opinion
		for i, v := range verdicts {
			under = append(under, Opinion{Protocol: Protocols[i], Verdict: v})
		}
		if outcome, text := summarise(under); outcome+"|"+text != want {
			t.Errorf("%v: %s|%s, want %s", verdicts, outcome, text, want)
		}
	}
}
