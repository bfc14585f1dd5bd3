package posteriors

import (
	"cmp"
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
	"github.com/semi-implicit/sifg/pkg/harness/table"
	"github.com/semi-implicit/sifg/pkg/sifg/judge"
	"github.com/semi-implicit/sifg/pkg/sifg/npy"
)

// own is the experiment on a posterior of a person's own, which is a program.
var own = &harness.Custom{
	Problem: "program", Program: true, Protocol: "tuned", Methods: []string{chainsName},
	Title: "A posterior of your own",
	Summary: "The answer is the draws of four chains of NUTS, which start in the modes that searches found and at " +
		"wide points. Other methods, which --methods names, start from the same particles in coordinates in which " +
		"those draws have mean 0 and covariance I, have the same number of gradients and the step that suits most " +
		"posteriors of posteriordb. The chains are their reference.",
	Folder: Paper,
	Sections: []harness.Section{
		words.Table("values", valuesTable),
		words.Figure("marginals", marginals),
		words.Figure("ranks", ranks),
		words.Figure("pair", pair),
		words.Table("advice", advice),
		words.Figure("errors", customErrors),
		{ID: "draws", Title: "Draws", Files: draws},
	},
}

// customErrors is the figure of errors in one panel.
func customErrors(s *record.Set) (*figure.Figure, error) {
	if len(besides(s)) == 0 {
		return nil, harness.ErrNoTrials
	}
	f, err := errorPanels(s, "1000")
	f.Cols = 1
	return f, err
}

// programOf is 1 of a method that is a program of a person's own, else 0.
func programOf(s *record.Set, method string) int {
	for _, t := range s.Trials {
		if c, err := settings.Of(t); t.Method == method && err == nil && c.Program != nil {
			return 1
		}
	}
	return 0
}

// besides are the methods besides the long chains, a person's own first.
func besides(s *record.Set) []string {
	problem, _ := answer(s)
	methods := slices.DeleteFunc(s.Methods(problem), func(m string) bool { return m == chainsName })
	slices.SortStableFunc(methods, func(a, b string) int { return cmp.Compare(programOf(s, b), programOf(s, a)) })
	return methods
}

// answer is the problem of the records, and what is known of the long chains; nil where no trial began.
func answer(s *record.Set) (problem string, r *judge.Report) {
	problem = s.Trials[0].Problem
	return problem, reported(s, problem)
}

// reported is what is known of the reference draws of a problem; nil where no trial began.
func reported(s *record.Set, problem string) *judge.Report {
	for _, t := range s.Trials {
		if t.Problem != problem {
			continue
		}
		told := map[string][]number{}
		for _, row := range s.Traces[t.Key] { // in the order of their indices
			if name, ok := strings.CutPrefix(row.Metric, "reference-"); ok && row.Iteration == 0 {
				told[name] = append(told[name], number(row.Value))
			}
		}
		if len(told) > 0 {
			return reportOf(told, valueNames(&t))
		}
	}
	return nil
}

// reasons says what reference draws are worth.
func reasons(r *judge.Report) []string {
	if r.Moves > 0 {
		return r.Reasons()
	}
	return []string{"Exact draws, which the program makes; its gradient was checked."}
}

// valueNames are the names of the values of a trial's posterior; of one without names those of package judge.
func valueNames(t *record.Trial) []string {
	var o Options
	if c, err := settings.Of(*t); err == nil {
		_ = settings.Decode(c.Options, &o) // they were decoded when the trial ran
	}
	for j := 0; len(o.Values) <= j && j < t.Dim; j++ {
		o.Values = append(o.Values, fmt.Sprintf("x[%d]", j+1))
	}
	return o.Values
}

// advice is the other methods by the long chains.
func advice(s *record.Set) (*table.Table, error) {
	problem, r := answer(s)
	methods := besides(s)
	if len(methods) == 0 || r == nil {
		return nil, harness.ErrNoTrials
	}
	taken, _ := choice(s, problem)
	t := table.Of(methods)
	t.Words("Method", figure.Label)
	of := func(m string) outcome { return outcomeOf(s, problem, m) }
	t.Words("verdict", func(m string) string { return verdict(of(m), m == taken, r.Trusted()) })
	t.Column("means", func(m string) table.Cell { return multiple(of(m).mean) })
	t.Column("standard deviations", func(m string) table.Cell { return multiple(of(m).sd) })
	t.Column("mean ratio of sds", func(m string) table.Cell { return multiple(of(m).ratio) })
	t.Column("gradients", func(m string) table.Cell { return table.Number(of(m).gradients, 2) })
	for _, m := range methods {
		if said, ok := record.First(s, problem, m); ok && said.Reason != "" {
			t.Notes = append(t.Notes, figure.Label(m)+": "+said.Reason+".")
		}
	}
	return &t.Table, nil
}

// verdict is the one on a method, in a word.
func verdict(o outcome, taken, trusted bool) string {
	switch {
	case o.ended < o.seeds:
		return "diverged or failed"
	case !trusted:
		return "not evaluated"
	case taken:
		return "acceptable, with the fewest gradients"
	case o.good():
		return "acceptable"
	}
	return "not accurate"
}

// valuesTable is the answer: each value by the chains, and what is to be said of them.
func valuesTable(s *record.Set) (*table.Table, error) {
	_, r := answer(s)
	if r == nil {
		return nil, fmt.Errorf("no trial began: %s", s.Trials[0].Reason)
	}
	t := &table.Table{Columns: table.Columns(1, "Value", "mean", "± MCSE", "sd", "5 %", "95 %", "R-hat", "ESS: bulk",
		"tail"), Above: reasons(r)}
	for j, v := range r.Values {
		place := 2 - int(math.Floor(math.Log10(v.SD))) // digits after the point: the third of the sd
		quantile := func(q, standardError float64) table.Cell {
			if standardError > 0 { // the second of its error
				return table.Fixed(q, 1-int(math.Floor(math.Log10(standardError))))
			}
			return table.Fixed(q, place)
		}
		mcse := table.Number(v.MCSE, 2)
		if slices.Contains(r.Means, j) {
			mcse = table.Text("not known")
		}
		row := []table.Cell{table.Text(r.Names[j]), table.Fixed(v.Mean, place), mcse, table.Number(v.SD, 3),
			quantile(v.Low, v.LowError), quantile(v.High, v.HighError), table.Fixed(v.RHat, 3),
			table.Fixed(v.BulkESS, 0), table.Fixed(v.TailESS, 0)}
		t.Rows = append(t.Rows, row)
	}
	var constant []string
	for _, j := range r.Constant {
		constant = append(constant, r.AllNames[j])
	}
	if constant != nil {
		t.Notes = append(t.Notes, "Left out, for they do not vary or are not finite: "+strings.Join(constant, ", ")+".")
	}
	return t, nil
}

// draws are the values of the first seed's samples and of the long chains, for NumPy and sifg.load.
func draws(s *record.Set) (map[string][]byte, error) {
	text, err := json.Marshal(valueNames(&s.Trials[0]))
	if err != nil {
		return nil, err
	}
	out := map[string][]byte{}
	for _, t := range s.Trials {
		dir := path.Join("draws", t.Method)
		if t.Method == chainsName {
			dir = "draws/reference"
		}
		if t.Status != record.StatusOK || out[path.Join(dir, "draws.npy")] != nil {
			continue
		}
		a, err := s.Load(t.Key, "values")
		if err != nil {
			return nil, err
		}
		out[path.Join(dir, "draws.npy")], out[path.Join(dir, "names.json")] = npy.Encode(a.Shape, a.Double), text
		if w, err := s.Load(t.Key, "weights"); err == nil { // see judge.Result
			out[path.Join(dir, "weights.npy")] = npy.Encode(w.Shape, w.Double)
		}
	}
	return out, nil
}
