package authors

import (
	"math"
	"slices"

	"github.com/semi-implicit/sifg/pkg/harness/claim"
	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/harness/stats"
)

// Row is a curve or a cell: a metric of a method on a problem, of the scripts and ours.
type Row struct {
	Figure string // of the paper
	record.Cell
	Curve        bool
	Script, Ours []float64 // one a seed: last values; of a curve its mean over the checkpoints that both have

	ScriptLost, OursLost int // runs with a number that is not finite

	Difference, From, To float64 // of the means, ours less the script's, with its 95 % interval
	Area                 float64 // between the mean curves, divided by their length; of a cell NaN
	P, Holm              float64 // NaN: there are too few runs for a test
	Sees                 float64 // the smallest true difference told with a chance of 80 %; NaN: none can be told
	Differs              bool
}

// Compare sets what the scripts gave beside our records of the protocol released, one set an experiment. What only one
// side has is left out.
func Compare(scripts *record.Set, released []*record.Set) []Row {
	var rows []Row
	var tests []*test
	for _, s := range all(scripts) {
		has := func(set *record.Set) bool { return len(set.Methods(s.problem)) > 0 }
		at := slices.IndexFunc(released, has)
		if at < 0 {
			continue
		}
		set := released[at]
		r := Row{
			Figure: parts[s.part].name, Curve: parts[s.part].curve,
			Cell: record.Cell{Problem: s.problem, Metric: s.metric, Method: s.method},
		}
		script, lost := finite(scripts.Curves(s.problem, s.method, s.metric, 0))
		ours, lostToo := finite(set.Curves(s.problem, s.method, s.metric, 0))
		well, all := record.View{Set: set, Problem: s.problem}.Ended(s.method)
		r.ScriptLost, r.OursLost = lost, lostToo+all-well
		t := newTest(script, ours, r.Curve)
		if t == nil {
			continue
		}
		t.fill(&r)
		rows, tests = append(rows, r), append(tests, t)
	}
	p := make([]float64, len(rows))
	for i, r := range rows {
		p[i] = r.P
	}
	for i, corrected := range stats.Holm(p) {
		r := &rows[i]
		r.Holm = corrected
		if r.Curve {
			r.Differs, r.Sees = corrected <= stats.Level, tests[i].seesArea(len(rows))
		} else {
			se := tests[i].se()
			r.Differs, r.Sees = math.Abs(r.Difference) > claim.Errors*se, (claim.Errors+power)*se
		}
	}
	return rows
}
