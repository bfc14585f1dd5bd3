package posteriors

import (
	"cmp"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/semi-implicit/sifg/pkg/harness/claim"
	"github.com/semi-implicit/sifg/pkg/harness/figure"
	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/harness/settings"
	"github.com/semi-implicit/sifg/pkg/harness/table"
	"github.com/semi-implicit/sifg/pkg/harness/usage"
	"github.com/semi-implicit/sifg/pkg/study/rule"
)

// paperClaim is a sentence of a paper with one rule. Metrics are measured at the last iteration.
type paperClaim struct {
	ID      string       `yaml:"id"` // absent: its place in the list, from 1
	Says    string       `yaml:"says"`
	Smaller *smallerRule `yaml:"smaller"`
	Lowest  *lowestRule  `yaml:"lowest"`
	Within  *withinRule  `yaml:"within"`
}

type (
	// smallerRule: the method has less of the metric on the problem than another one.
	smallerRule struct {
		Metric  string `yaml:"metric"`
		Problem string `yaml:"problem"`
		Method  string `yaml:"method"`
		Than    string `yaml:"than"`
	}
	// lowestRule: the method has less of the metric than all others on so many of the problems: "2 of 3 problems".
	lowestRule struct {
		Metric string `yaml:"metric"`
		Method string `yaml:"method"`
		Of     string `yaml:"of"`
	}
	// withinRule: the metric of the method on the problem is at most a bound.
	withinRule struct {
		Metric  string   `yaml:"metric"`
		Problem string   `yaml:"problem"`
		Method  string   `yaml:"method"`
		Bound   *float64 `yaml:"bound"`
	}
)

var kOfN = regexp.MustCompile(`^(\d{1,4}) of (\d{1,4})( problems?)?$`)

// claim checks the i-th claim, whose names have to be there, and makes it.
func (p *paper) claim(c *paperClaim, i int, file *settings.File) (claim.Claim, error) {
	out := claim.Claim{ID: cmp.Or(c.ID, strconv.Itoa(i+1)), Statement: c.Says}
	where := fmt.Sprintf("%s: claim %s", p.path, out.ID)
	for _, other := range p.Claims[:i] {
		if c.ID != "" && other.ID == c.ID {
			return out, usage.Errorf("%s is there twice", where)
		}
	}
	if strings.TrimSpace(c.Says) == "" {
		return out, usage.Errorf("%s: says is missing: want the sentence of the paper", where)
	}
	known := func(key, metric string, problems []string, methods ...string) error {
		err := cmp.Or(p.e.Metrics.Known(metric, where+", "+key+".metric"),
			usage.Among("problem", problems, where+", "+key+".problem", file.Problems),
			usage.Among("method", methods, where+", "+key, file.Methods),
			usage.Twice(where+", "+key+": the method", methods))
		for i := 0; err == nil && i < len(problems); i++ {
			err = p.measures(metric, problems[i], where+", "+key+".metric")
		}
		return err
	}
	var problems []string
	switch s, l, w := c.Smaller, c.Lowest, c.Within; {
	case s != nil && l == nil && w == nil:
		if err := known("smaller", s.Metric, []string{s.Problem}, s.Method, s.Than); err != nil {
			return out, err
		}
		out.Rule, out.Check, problems = "final "+s.Metric+" lower, "+rule.Paired, s.check, []string{s.Problem}
	case l != nil && s == nil && w == nil:
		if err := known("lowest", l.Metric, nil, l.Method); err != nil {
			return out, err
		}
		for _, problem := range file.Problems {
			if p.measures(l.Metric, problem, "") == nil {
				problems = append(problems, problem)
			}
		}
		m := kOfN.FindStringSubmatch(l.Of)
		if m == nil || m[2] != strconv.Itoa(len(problems)) {
			return out, usage.Errorf("%s, lowest.of: want how many of the %d problems with %s, such as "+
				"\"%[2]d of %[2]d problems\", found %[4]q", where, len(problems), l.Metric, l.Of)
		}
		k, _ := strconv.Atoi(m[1])
		if k < 1 || k > len(problems) {
			return out, usage.Errorf("%s, lowest.of: %q is not possible: want 1 to %d", where, l.Of, len(problems))
		}
		out.Rule = fmt.Sprintf("on at least %s final %s lower than that of every other method, each %s", l.Of, l.Metric,
			rule.Paired)
		out.Check = func(s *record.Set) claim.Outcome { return l.check(s, problems, k) }
	case w != nil && s == nil && l == nil:
		if err := known("within", w.Metric, []string{w.Problem}, w.Method); err != nil {
			return out, err
		}
		if w.Bound == nil || math.IsNaN(*w.Bound) || math.IsInf(*w.Bound, 0) {
			return out, usage.Errorf("%s, within.bound: want a finite number", where)
		}
		out.Rule = fmt.Sprintf("final %s at most %s, for each seed%s", w.Metric, table.Num(*w.Bound), rule.MostText)
		out.Check, problems = w.check, []string{w.Problem}
	default:
		return out, usage.Errorf("%s: want one rule: smaller, lowest or within", where)
	}
	about := ""
	if c.Lowest == nil {
		about = problems[0]
	}
	p.about[about] = append(p.about[about], out.ID)
	return rule.And(out, func(s *record.Set) string { return doubts(s, problems) }), nil
}

// doubts says which problems have a reference that is not to be trusted; "" if none has.
func doubts(s *record.Set, problems []string) string {
	var out []string
	for _, problem := range problems {
		if r := reported(s, problem); r != nil && !r.Trusted() {
			out = append(out, fmt.Sprintf("The reference of %s is not to be trusted: %s", problem, reasons(r)[0]))
		}
	}
	return strings.Join(out, " ")
}

// final is a metric, or a component of one, at the last iteration.
func final(s *record.Set, problem, method, metric string) record.Sample {
	name, index, _ := record.Component(metric)
	return record.View{Set: s, Problem: problem}.Last(method, name, index)
}

// exactScore says what exact draws score by a metric, or a component of one, where they were measured.
func exactScore(s *record.Set, problem, method, metric string) string {
	name, index, _ := record.Component(metric)
	return rule.Exact(record.View{Set: s, Problem: problem}, method, name, index)
}

func (r *smallerRule) check(s *record.Set) claim.Outcome {
	out := rule.Smaller(record.View{Set: s, Problem: r.Problem}, "final "+r.Metric, r.Method,
		final(s, r.Problem, r.Method, r.Metric), r.Than, final(s, r.Problem, r.Than, r.Metric))
	out.Evidence += exactScore(s, r.Problem, r.Method, r.Metric)
	return out
}

func (r *lowestRule) check(s *record.Set, problems []string, k int) claim.Outcome {
	var out claim.Outcome
	var text []string
	won, lost, tested := 0, 0, 0
	for _, problem := range problems {
		var verdicts []claim.Verdict
		var means []string
		for _, m := range s.Methods(problem) {
			numbers := final(s, problem, m, r.Metric)
			means = append(means, figure.Label(m)+" "+rule.Spread(numbers))
			if m != r.Method && m != chainsName {
				one := (&smallerRule{r.Metric, problem, r.Method, m}).check(s)
				verdicts = append(verdicts, one.Verdict)
				out.Keys = append(out.Keys, one.Keys...)
			}
		}
		verdict := claim.Worst(verdicts...)
		text = append(text, fmt.Sprintf("%s: %s (%s)%s", problem, strings.Join(means, ", "), verdict,
			exactScore(s, problem, r.Method, r.Metric)))
		switch verdict {
		case claim.Reproduced:
			won++
		case claim.NotReproduced:
			lost++
		}
		if verdict > claim.NotTestable {
			tested++
		}
	}
	slices.Sort(out.Keys)
	out.Keys = slices.Compact(out.Keys)
	out.Verdict = claim.Decide(won >= k, len(problems)-lost < k)
	if tested == 0 {
		out.Verdict = claim.NotTestable
	}
	out.Number = fmt.Sprintf("%d of %d", won, len(problems))
	out.Evidence = "final " + r.Metric + ", " + strings.Join(text, "; ")
	return out
}

func (r *withinRule) check(s *record.Set) claim.Outcome {
	var holds []bool
	sample := final(s, r.Problem, r.Method, r.Metric)
	for _, v := range sample {
		if v.Tried() {
			holds = append(holds, !v.Lost() && v.Number <= *r.Bound)
		}
	}
	out := rule.InMost(holds, fmt.Sprintf("%s of %s on %s: %s", r.Metric, figure.Label(r.Method), r.Problem,
		rule.Spread(sample))+exactScore(s, r.Problem, r.Method, r.Metric))
	out.Keys = record.View{Set: s, Problem: r.Problem}.Keys(r.Method)
	return out
}
