package posteriors

import (
	"encoding/json"
	"fmt"
	"math"
	"path"
	"slices"
	"strings"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/figure"
	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/harness/settings"
	"github.com/semi-implicit/sifg/pkg/harness/stats"
	"github.com/semi-implicit/sifg/pkg/harness/table"
	"github.com/semi-implicit/sifg/pkg/sifg/hmc"
	"github.com/semi-implicit/sifg/pkg/sifg/metric"
	"github.com/semi-implicit/sifg/pkg/sifg/npy"
)

// own is the experiment on a posterior of a person's own, which is a program.
var own = &harness.Own{
	Problem: "program", Program: true, Protocol: "matched", Methods: []string{chainsName},
	Title: "A posterior of your own",
	Summary: "The answer is the draws of four chains of NUTS, which start in the modes that searches found and at " +
		"wide points. Other methods, which --methods names, start from the same particles in coordinates in which " +
		"those draws have mean 0 and covariance I, have the same number of gradients and the step that suits most " +
		"posteriors of posteriordb. The chains judge them.",
	Sections: []harness.Section{
		words.Table("values", valuesTable),
		words.Table("advice", advice),
		words.Table("wrong", wrong),
		ownErrors(),
		{ID: "draws", Title: "Draws", Files: draws},
	},
}

// ownErrors is the figure of errors under a title without the number of particles, of which there is but one, in one
// panel.
func ownErrors() harness.Section {
	f := errorFigure("1000")
	f.Title = "Error against gradients"
	draw := f.Draw
	f.Draw = func(s *record.Set) (*figure.Figure, error) {
		if len(besides(s)) == 0 {
			return nil, harness.ErrNoTrials
		}
		made, err := draw(s)
		if err == nil {
			made.Cols, made.Height = 1, 0
		}
		return made, err
	}
	return f
}

// besides are the methods besides the long chains.
func besides(s *record.Set) []string {
	problem, _ := ownProblem(s)
	return slices.DeleteFunc(s.Methods(problem), func(m string) bool { return m == chainsName })
}

// unsettled is the drift of a flow that has not converged: the limit of diagnose.Watch.
const unsettled = 0.1

// ownProblem is the one problem of the records, and what is known of the long chains: NaN where nothing is.
func ownProblem(s *record.Set) (problem string, fact func(name string, index int) float64) {
	facts := map[string]map[int]float64{}
	for _, t := range s.Trials {
		for _, r := range s.Traces[t.Key] {
			if name, ok := strings.CutPrefix(r.Metric, "reference-"); ok && r.Iteration == 0 {
				if facts[name] == nil {
					facts[name] = map[int]float64{}
				}
				facts[name][r.Index] = r.Value
			}
		}
		if len(facts) > 0 {
			break
		}
	}
	return s.Trials[0].Problem, func(name string, index int) float64 {
		if v, ok := facts[name][index]; ok {
			return v
		}
		return math.NaN()
	}
}

// advised says in words which of the other methods to take.
func advised(s *record.Set) []string {
	problem, _ := ownProblem(s)
	trusted := judgedOf(s).trusted()
	var out []string
	method, o := choice(s, problem)
	switch {
	case !trusted:
		out = append(out, "The methods cannot be judged, for the chains of NUTS are not to be trusted.")
	case method != "" && !math.IsInf(o.gradients, 1):
		out = append(out, fmt.Sprintf("%s is good, and its errors are below %.2g after %.0f gradients.",
			figure.Label(method), reached, o.gradients))
	case method != "":
		out = append(out, fmt.Sprintf("%s is good.", figure.Label(method)))
	default:
		out = append(out, "No other method is good at this number of gradients: take the draws of NUTS.")
	}
	if moved := drift(s, problem, method); moved >= unsettled {
		ran, _ := record.First(s, problem, method)
		out = append(out, fmt.Sprintf("%s has not converged: it still moved by %.2g standard deviations in the last "+
			"third of the run. Run longer: --set iterations=%d.",
			figure.Label(method), moved, 2*ran.Iterations))
	}
	for _, m := range besides(s) {
		e := record.Series{Set: s, Problem: problem}
		if share := e.Final(m, "lumps", 0); len(share) > 0 && stats.Median(share) > 0 {
			out = append(out, fmt.Sprintf("The sample of %s is separate lumps, %.0f %% of it in one: such shares come "+
				"from the start.", figure.Label(m), 100*stats.Median(share)))
		}
	}
	remarked := map[string]bool{}
	for _, t := range s.Trials {
		if t.Status == record.StatusOK && t.Reason != "" && !remarked[t.Method] {
			remarked[t.Method] = true
			out = append(out, figure.Label(t.Method)+": "+t.Reason+".")
		}
	}
	return out
}

func advice(s *record.Set) (*table.Table, error) {
	problem, _ := ownProblem(s)
	methods := besides(s)
	if len(methods) == 0 {
		return nil, harness.ErrNoTrials
	}
	taken, _ := choice(s, problem)
	trusted := judgedOf(s).trusted()
	t := &table.Table{Columns: table.Columns(1, "Method", "means", "standard deviations", "mean ratio of sds",
		"gradients", "still moved", "R-hat", "verdict")}
	for _, m := range methods {
		o := outcomeOf(s, problem, m)
		word := o.word(m == taken)
		if !trusted && o.ended == o.seeds {
			word = "not judged"
		}
		row := []table.Cell{table.Text(figure.Label(m)), multiple(o.mean), multiple(o.sd), table.Number(o.ratio, 2),
			table.Number(o.gradients, 2),
			table.Number(drift(s, problem, m), 2), table.Number(agreement(s, problem, m), 4), table.Text(word)}
		t.Rows = append(t.Rows, row)
	}
	t.Notes = advised(s)
	return t, nil
}

// drift is how far a flow still moved in the last third of its run, the mean or the standard deviation of a coordinate,
// median over seeds; NaN of other methods.
func drift(s *record.Set, problem, method string) float64 {
	e := record.Series{Set: s, Problem: problem}
	mean, sd := e.Final(method, "drift", 0), e.Final(method, "drift", 1)
	moved := make([]float64, len(mean))
	for i := range moved {
		moved[i] = max(mean[i], sd[i])
	}
	return stats.Median(moved)
}

// agreement is R-hat of the seeds' samples, the largest of any value; NaN of a single seed.
func agreement(s *record.Set, problem, method string) float64 {
	var samples []metric.Points
	for _, key := range (record.Series{Set: s, Problem: problem}).Keys(method) {
		if a, err := s.Load(key, "values"); err == nil { // a trial that did not end well has none
			samples = append(samples, metric.Points{N: a.Shape[0], D: a.Shape[1], Data: a.Double})
		}
	}
	if len(samples) < 2 {
		return math.NaN()
	}
	worst := math.NaN()
	for j := range samples[0].D {
		var runs [][]float64
		for _, x := range samples {
			runs = append(runs, x.Column(j))
		}
		if r := hmc.RankRHat(runs); r > worst || math.IsNaN(worst) { // NaN of a value that does not vary
			worst = r
		}
	}
	return worst
}

// word is the verdict on a method.
func (o outcome) word(taken bool) string {
	switch {
	case o.ended < o.seeds:
		return "diverged or failed"
	case taken:
		return "take"
	case o.good():
		return "good"
	case o.ratio < narrow:
		return "too narrow"
	}
	return "not accurate"
}

// valueNames are the names of the values of a trial's posterior.
func valueNames(t *record.Trial) ([]string, error) {
	var o Options
	c, err := settings.Of(*t)
	if err == nil {
		err = settings.Decode(c.Options, &o)
	}
	return o.Values, err
}

// ofFirst returns a metric of all values at an iteration (math.MaxInt: the last), of a method's first trial that ended
// well; nil of none.
func ofFirst(s *record.Set, method, metric string, iteration int) []float64 {
	problem, _ := ownProblem(s)
	first, _ := record.First(s, problem, method)
	return record.Series{Set: s, Problem: problem}.Components(method, metric, iteration)[first.Seed]
}

func wrong(s *record.Set) (*table.Table, error) {
	names, _, err := varying(s)
	if err != nil {
		return nil, err
	}
	if len(besides(s)) == 0 {
		return nil, harness.ErrNoTrials
	}
	t := &table.Table{Columns: table.Columns(1, "Method", "mean farthest off", "by", "sd farthest off", "ratio")}
	for _, m := range besides(s) {
		mean, sd := ofFirst(s, m, "value-mean", math.MaxInt), ofFirst(s, m, "value-sd", math.MaxInt)
		at, of := ofFirst(s, m, "reference-value-mean", 0), ofFirst(s, m, "reference-value-sd", 0)
		if len(mean) != len(names) {
			continue
		}
		far, odd := 0, 0
		off := func(j int) float64 { return math.Abs(mean[j]-at[j]) / of[j] }
		ratio := func(j int) float64 { return math.Abs(math.Log(sd[j] / of[j])) }
		for j := range names {
			if off(j) > off(far) {
				far = j
			}
			if ratio(j) > ratio(odd) {
				odd = j
			}
		}
		t.Rows = append(t.Rows, []table.Cell{table.Text(figure.Label(m)), table.Text(names[far]),
			table.Number(off(far), 2), table.Text(names[odd]), multiple(sd[odd] / of[odd])})
	}
	return t, nil
}

// valuesTable is the answer: each value by the chains, and what is to be said of them.
func valuesTable(s *record.Set) (*table.Table, error) {
	problem, fact := ownProblem(s)
	names, constant, err := varying(s)
	if err != nil {
		return nil, err
	}
	if math.IsNaN(fact("rhat", 0)) {
		return nil, fmt.Errorf("no trial began: %s", s.Trials[0].Reason)
	}
	t := &table.Table{Columns: table.Columns(1, "Value", "mean", "± MCSE", "sd", "5 %", "95 %", "R-hat", "ESS: bulk",
		"tail")}
	m, _ := choice(s, problem)
	var mean, sds []float64 // of the method to take
	if m != "" && judgedOf(s).trusted() {
		t.Columns = append(t.Columns, table.Columns(0, figure.Label(m)+": mean", "sd")...)
		mean, sds = ofFirst(s, m, "value-mean", math.MaxInt), ofFirst(s, m, "value-sd", math.MaxInt)
	}
	for j, name := range names {
		sd := fact("value-sd", j)
		place := 2 - int(math.Floor(math.Log10(sd))) // digits after the point: the third of the sd
		row := []table.Cell{table.Text(name), table.Fixed(fact("value-mean", j), place),
			table.Number(fact("value-mcse", j), 2), table.Number(sd, 3)}
		for _, quantile := range []string{"value-low", "value-high"} {
			row = append(row, table.Fixed(fact(quantile, j), place))
		}
		row = append(row, table.Fixed(fact("value-rhat", j), 3), table.Fixed(fact("value-bulk", j), 0),
			table.Fixed(fact("value-tail", j), 0))
		if mean != nil {
			row = append(row, table.Fixed(mean[j], place), table.Number(sds[j], 3))
		}
		t.Rows = append(t.Rows, row)
	}
	t.Above = judgedOf(s).say()
	if constant != nil {
		t.Notes = append(t.Notes, "Left out, for they do not vary or are not finite: "+strings.Join(constant, ", ")+".")
	}
	return t, nil
}

// draws are the values of the first seed's samples and of the long chains, for NumPy and for sifg.load of
// scripts/python.
func draws(s *record.Set) (map[string][]byte, error) {
	names, err := valueNames(&s.Trials[0])
	if err != nil {
		return nil, err
	}
	text, err := json.Marshal(names)
	if err != nil {
		return nil, err
	}
	out := map[string][]byte{}
	for _, t := range s.Trials {
		dir := path.Join("draws", t.Method)
		if t.Method == chainsName {
			dir = "draws/reference"
		}
		a, err := s.Load(t.Key, "values")
		if err != nil || out[path.Join(dir, "draws.npy")] != nil { // a trial that did not end well has none
			continue
		}
		out[path.Join(dir, "draws.npy")], out[path.Join(dir, "names.json")] = npy.Encode(a.Shape, a.Double), text
	}
	return out, nil
}
