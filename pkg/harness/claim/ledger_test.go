package claim

import (
	"slices"
	"strings"
	"testing"
)

func TestWorst(t *testing.T) {
	for _, c := range []struct {
		want  Verdict
		parts []Verdict
	}{
		{NoResult, nil},
		{Reproduced, []Verdict{Reproduced, Reproduced}},
		{NotReproduced, []Verdict{Reproduced, NotReproduced, NotDecided}},
		{NotDecided, []Verdict{Reproduced, NotDecided}},
		{NotDecided, []Verdict{NotTestable, Reproduced}},
		{NotContradicted, []Verdict{Reproduced, NotContradicted}},
		{NotDecided, []Verdict{NotTestable, NotContradicted}},
		{NotReproduced, []Verdict{NotReproduced, NotContradicted}},
		{NotDecided, []Verdict{NoResult, Reproduced}},
		{NotTestable, []Verdict{NotTestable, NoResult}},
	} {
		if got := Worst(c.parts...); got != c.want {
			t.Errorf("%v: %s, want %s", c.parts, got, c.want)
		}
	}
}

func TestLedger(t *testing.T) {
	row := func(id string, with []string, verdicts ...Verdict) Row { // under paper, released, matched and standard
		r := Row{Claim: Claim{ID: id, With: with}}
		for i, v := range verdicts {
			o := Outcome{Protocol: []string{"paper", "released", "matched", "standard"}[i], Complete: true}
			o.Verdict, o.Evidence, o.Keys = v, "It is so.", []string{"both", "k" + id}
			r.Under = append(r.Under, o)
		}
		return r
	}
	ten := row("10", nil, Reproduced, NotReproduced, NotDecided)
	ten.Under[2].Complete, ten.Under[2].Changed = false, true
	rows := NewLedger([]Row{ten, row("2", nil, Reproduced, Reproduced, Reproduced),
		row("3", []string{"2", "10"}, Reproduced, Reproduced, Reproduced, Reproduced),
		row("4", []string{"2"}, NotTestable, NotReproduced, NotDecided, NotTestable), row("5", nil)})
	var ids []string
	of := map[string]Row{}
	for _, r := range rows {
		ids, of[r.ID] = append(ids, r.ID), r
	}
	if strings.Join(ids, " ") != "10 2 3 4 5" {
		t.Errorf("in the order %v", ids)
	}
	for id, want := range map[string][]Verdict{
		"2": {Reproduced, Reproduced, Reproduced},
		"3": {Reproduced, NotReproduced, NotDecided, NotDecided},
		// its own check decides nothing under paper, so claim 2 does
		"4": {Reproduced, NotReproduced, NotDecided, NotTestable},
		"5": nil,
	} {
		var got []Verdict
		for _, o := range of[id].Under {
			got = append(got, o.Verdict)
		}
		if !slices.Equal(got, want) {
			t.Errorf("claim %s: %v, want %v", id, got, want)
		}
	}
	if k := of["3"].Under[0].Keys; !slices.Equal(k, []string{"both", "k10", "k2", "k3"}) {
		t.Errorf("it rests on %v", k)
	}
	if o := of["3"].Under[2]; o.Complete || !o.Changed ||
		o.Evidence != "Its own part: reproduced. It is so. It also rests on claim 2: reproduced, claim 10: not "+
			"decided." {
		t.Errorf("a part is of an incomplete run with changed settings: %+v", o)
	}
	const count = "4 of 4 claims hold under paper, 1 of 4 under released, 1 of 4 under matched, 0 of 1 under standard"
	if got := rows.Count(); got != count {
		t.Errorf("counted %q", got)
	}
}

func TestSummaries(t *testing.T) {
	for want, verdicts := range map[string][]Verdict{
		"reproduced|reproduced under paper, released":                            {Reproduced, Reproduced},
		"reproduced|reproduced under released; not decided under paper":          {NotDecided, Reproduced},
		Some + "|reproduced under released; not reproduced under paper":          {NotReproduced, Reproduced},
		"not reproduced|not reproduced under released; not testable under paper": {NotTestable, NotReproduced},
		"not decided|not decided under paper; not testable under released":       {NotDecided, NotTestable},
		"no result|no result": nil,
	} {
		var under []Outcome
		for i, v := range verdicts {
			under = append(under, Outcome{Protocol: []string{"paper", "released"}[i], Verdict: v})
		}
		if outcome, text := overall(under); outcome+"|"+text != want {
			t.Errorf("%v: %s|%s, want %s", verdicts, outcome, text, want)
		}
	}
}
