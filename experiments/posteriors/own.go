package posteriors

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"path"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/figure"
	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/harness/settings"
	"github.com/semi-implicit/sifg/pkg/harness/stats"
	"github.com/semi-implicit/sifg/pkg/harness/table"
	"github.com/semi-implicit/sifg/pkg/sifg"
	"github.com/semi-implicit/sifg/pkg/sifg/hmc"
	"github.com/semi-implicit/sifg/pkg/sifg/metric"
	"github.com/semi-implicit/sifg/pkg/sifg/npy"
	"github.com/semi-implicit/sifg/pkg/study"
)

// own is the experiment on a posterior of a person's own, which is a program.
var own = &harness.Own{
	Problem: "program", Program: true, Protocol: "matched",
	Summary: "A posterior of your own. Every method starts from the same particles in the coordinates of the Laplace " +
		"approximation, has the same number of gradients and the step that suits most posteriors of posteriordb. " +
		"Long chains of HMC judge them.",
	Figures: []harness.Figure{ownErrors()},
	Tables: []harness.Table{
		words.Table("advice", advice),
		words.Table("wrong", wrong),
		words.Table("values", valuesTable),
	},
	Files: draws,
}

// ownErrors is the figure of errors under a title without the number of particles, of which there is but one.
func ownErrors() harness.Figure {
	f := errorFigure("1000")
	f.Title = "Error against gradients"
	return f
}

// Limits of the long chains' diagnostics; the first three are those of Stan's documents.
const (
	mostRHat   = 1.01
	leastESS   = 400
	leastEBFMI = 0.3

	mostDivergent = 0.002 // of the moves

	farthest = 1000 // from 0, of chains where no mode was found

	unsettled = 0.1 // of a flow's drift: the limit of sifg.Watch
)

// ownProblem is the one problem of the records.
func ownProblem(s *record.Set) (problem string, fact func(name string) float64) {
	first := s.Trials[0]
	return first.Problem, func(name string) float64 {
		for _, t := range s.Trials {
			for _, r := range s.Traces[t.Key] {
				if r.Metric == "reference-"+name && r.Index == 0 {
					return r.Value
				}
			}
		}
		return math.NaN()
	}
}

// verdict says in words which sampler to take, and whether what judges them can be trusted.
func verdict(s *record.Set) []string {
	problem, fact := ownProblem(s)
	if math.IsNaN(fact("rhat")) {
		return []string{"Nothing was judged: " + s.Trials[0].Reason}
	}
	chains := fmt.Sprintf("R-hat %.3f, at least %.0f effective draws, E-BFMI %.2f, %.2g %% divergent",
		fact("rhat"), fact("ess"), fact("ebfmi"), 100*fact("divergences"))
	var out []string
	method, o := choice(s, problem)
	trusted := fact("rhat") <= mostRHat && fact("ess") >= leastESS
	switch {
	case !trusted:
		out = append(out, "None can be trusted: the long chains of HMC that would judge them do not agree or are too "+
			"short ("+chains+").")
	case method != "" && !math.IsInf(o.gradients, 1):
		out = append(out, fmt.Sprintf("Take %s: it is good, and its errors are below %.2g after %.0f gradients. The "+
			"long chains: %s.", figure.Label(method), reached, o.gradients, chains))
	case method != "":
		out = append(out, fmt.Sprintf("Take %s: it is good. The long chains: %s.", figure.Label(method), chains))
	default:
		out = append(out,
			"No method is good at this number of gradients: take the draws of the long chains ("+chains+").")
	}
	switch {
	case !trusted && fact("laplace") == 0 && fact("far") > farthest:
		out = append(out, fmt.Sprintf("The long chains went as far as %.2g from 0: %s", fact("far"), signWrong))
	case fact("ebfmi") < leastEBFMI || fact("divergences") > mostDivergent:
		out = append(out, "The long chains diverged or moved too little in energy: where the width of one coordinate "+
			"depends on another, as in a hierarchy, write the model non-centred. Until then tails may be missed by "+
			"all.")
	}
	if fact("laplace") == 0 {
		out = append(out, "No mode with a positive curvature was found from 0, so the coordinates are those of the "+
			"model, not of a Laplace approximation.")
	}
	if moved := drift(s, problem, method); moved >= unsettled {
		ran, _ := record.First(s, problem, method)
		out = append(out, fmt.Sprintf("%s has not converged: it still moved by %.2g standard deviations in the last "+
			"third of the run. Run longer: --set iterations=%d.",
			figure.Label(method), moved, 2*ran.Iterations))
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
	taken, _ := choice(s, problem)
	t := &table.Table{Columns: table.Columns(1, "Method", "means", "standard deviations", "mean ratio of sds",
		"gradients", "seconds", "still moved", "R-hat", "verdict")}
	for _, m := range s.Methods(problem) {
		o := outcomeOf(s, problem, m)
		row := []table.Cell{table.Text(figure.Label(m)), multiple(o.mean), multiple(o.sd), table.Number(o.ratio, 2),
			table.Number(o.gradients, 2), table.Number(study.Seconds(s, problem, m), 2),
			table.Number(drift(s, problem, m), 2), table.Number(agreement(s, problem, m), 4),
			table.Text(o.word(m == taken))}
		t.Rows = append(t.Rows, row)
	}
	t.Notes = verdict(s)
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
			n, d := a.Shape[0], a.Shape[1]
			samples = append(samples, metric.FromBatch(sifg.Batch{Rows: n, Cols: d, Stride: d, Data: a.Data}))
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

// column returns a metric of all values at a trial's last iteration.
func column(s *record.Set, key, metric string) (out []float64) {
	last := map[int]float64{}
	for _, r := range s.Traces[key] {
		if r.Metric == metric {
			last[r.Index] = r.Value
		}
	}
	for j := range len(last) {
		out = append(out, last[j])
	}
	return out
}

func wrong(s *record.Set) (*table.Table, error) {
	names, err := valueNames(&s.Trials[0])
	if err != nil {
		return nil, err
	}
	t := &table.Table{Columns: table.Columns(1, "Method", "mean farthest off", "by", "sd farthest off", "ratio")}
	seen := map[string]bool{}
	for i := range s.Trials {
		trial := &s.Trials[i]
		mean, sd := column(s, trial.Key, "value-mean"), column(s, trial.Key, "value-sd")
		of, at := column(s, trial.Key, "reference-value-sd"), column(s, trial.Key, "reference-value-mean")
		if seen[trial.Method] || trial.Status != record.StatusOK || len(mean) != len(names) {
			continue
		}
		seen[trial.Method] = true
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
		t.Rows = append(t.Rows, []table.Cell{table.Text(figure.Label(trial.Method)), table.Text(names[far]),
			table.Number(off(far), 2), table.Text(names[odd]), multiple(sd[odd] / of[odd])})
	}
	return t, nil
}

func valuesTable(s *record.Set) (*table.Table, error) {
	problem, _ := ownProblem(s)
	names, err := valueNames(&s.Trials[0])
	if err != nil {
		return nil, err
	}
	t := &table.Table{Columns: table.Columns(1, "Value", "mean", "sd", "5 %", "95 %")}
	key := "" // of a trial that got as far as the start, where the chains' values are
	for _, t := range s.Trials {
		if key == "" && column(s, t.Key, "reference-value-mean") != nil {
			key = t.Key
		}
	}
	if key == "" {
		return nil, errors.New("no trial began")
	}
	columns := []string{"reference-value-mean", "reference-value-sd", "reference-value-low", "reference-value-high"}
	keys := []string{key, key, key, key}
	if m, _ := choice(s, problem); m != "" {
		t.Columns = append(t.Columns, table.Columns(0, figure.Label(m)+": mean", "sd")...)
		taken := (record.Series{Set: s, Problem: problem}).Keys(m)[0]
		columns, keys = append(columns, "value-mean", "value-sd"), append(keys, taken, taken)
	}
	for j, name := range names {
		row := []table.Cell{table.Text(name)}
		for i, metric := range columns {
			row = append(row, table.Number(column(s, keys[i], metric)[j], 4))
		}
		t.Rows = append(t.Rows, row)
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
		for name, dir := range map[string]string{"values": dir, "reference": "draws/reference"} {
			a, err := s.Load(t.Key, name)
			if err != nil || out[path.Join(dir, "draws.npy")] != nil { // a trial that did not end well has none
				continue
			}
			out[path.Join(dir, "draws.npy")], out[path.Join(dir, "names.json")] = npy.Encode(a.Shape, a.Data), text
		}
	}
	return out, nil
}
