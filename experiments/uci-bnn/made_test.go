package ucibnn

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/semi-implicit/sifg/pkg/harness/claim"
	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/harness/settings"
	"github.com/semi-implicit/sifg/pkg/sifg"
	"github.com/semi-implicit/sifg/pkg/study"
)

// made is a made-up set of records: a value for every problem, method, metric and seed; NaN leaves a row out.
type made struct {
	protocol string
	value    func(problem, method, metric string, seed int) float64
	m5       func(iteration int) float64
}

const last = 100 // iteration

// wobble differs from seed to seed, with mean 0 and standard deviation 1 over ten seeds or two, not alike for two
// methods.
func wobble(method string, seed int) float64 {
	v := []float64{-1.2, 1.2, 0.5, -0.5, 0.9, -0.9, -1.1, 1.1, 0.7, -0.7}
	return v[(seed+len(method))%len(v)] / 0.9781
}

// asInPrint has the printed means with spreads of 0.4 of the printed ones, and Figure 4 and 5 as the paper has them.
func asInPrint() *made {
	return &made{
		protocol: "released",
		value: func(problem, method, metric string, seed int) float64 {
			p := inPrint(problem, metric, strings.TrimSuffix(strings.TrimSuffix(method, "-slow"), "-wide"))
			if method == "sifg" || method == "sifg-wide" {
				p = inPrint(problem, metric, "ada-sifg")
			}
			switch {
			case p.Text != "":
				return p.Mean + 0.4*p.AtMost()*wobble(method, seed)
			case metric == "dev-nll":
				return 0.3
			}
			return math.NaN()
		},
		m5: func(int) float64 { return 1e5 },
	}
}

// but changes the values: f is given what they were.
func (m *made) but(f func(old float64, problem, method, metric string, seed int) float64) *made {
	old := m.value
	m.value = func(problem, method, metric string, seed int) float64 {
		return f(old(problem, method, metric, seed), problem, method, metric, seed)
	}
	return m
}

// shift adds to the values of a method's metric on a problem ("" for all of them).
func (m *made) shift(problem, method, metric string, by float64) *made {
	return m.but(func(v float64, p, me, mt string, _ int) float64 {
		if (problem == "" || p == problem) && (method == "" || me == method) && mt == metric {
			v += by
		}
		return v
	})
}

// set makes the records: ten seeds of all methods.
func (m *made) set(t *testing.T) *record.Set {
	t.Helper()
	file, err := settings.Read("uci-bnn", study.Read(files, "uci-bnn.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	s := &record.Set{Experiment: "uci-bnn", Protocol: m.protocol, Scale: "full", Traces: map[string][]record.Trace{},
		Incomparable: file.Protocol(m.protocol).Incomparable,
		Problems:     problems, Title: "every method at its own best",
		Load: func(string, string) (*record.Array, error) { return nil, errors.New("no such trial") }}
	for _, problem := range problems {
		for _, method := range []string{
			"sgld", "svgd", "l2-gf", "ada-gwg", "sifg", "sifg-wide", "ada-sifg", "ada-sifg-wide",
		} {
			if strings.HasSuffix(method, "-wide") && problem != "boston" {
				continue
			}
			c := settings.Config{Iterations: last, Data: problem, Options: map[string]any{"split": "random"}}
			if m.protocol == "released" {
				c.Options["split"] = "released"
			}
			c.Sampler = sifg.Config{
				Sampler: strings.TrimSuffix(method, "-wide"),
				Step:    5e-4,
			}
			switch {
			case strings.HasSuffix(method, "-wide"):
				c.Sampler.Sigma = 0.1
			case strings.HasSuffix(method, "sifg"):
				c.Sampler.Sigma = 0.01
			}
			text, err := json.Marshal(c)
			if err != nil {
				t.Fatal(err)
			}
			for seed := range 10 {
				row := record.Trial{
					Key: fmt.Sprintf("%s-%s-%d", problem, method, seed), Problem: problem, Method: method,
					Seed: uint64(seed), Status: record.StatusOK, Iterations: last, Config: string(text),
				}
				s.Trials, s.Traces[row.Key] = append(s.Trials, row), m.traces(row, c.Sampler)
			}
		}
	}
	return s
}

// traces are the rows of one trial.
func (m *made) traces(t record.Trial, c sifg.Config) (out []record.Trace) {
	put := func(iteration int, metric string, index int, v float64) {
		if !math.IsNaN(v) {
			out = append(out, record.Trace{Key: t.Key, Iteration: iteration, Metric: metric, Index: index, Value: v})
		}
	}
	level, ok := map[string]float64{"sifg": 2.6, "sifg-wide": 3, "ada-sifg": 2.61, "ada-sifg-wide": 2.7}[t.Method]
	if !ok {
		level = 2.8
	}
	own := 0.02 * wobble(t.Method, int(t.Seed))
	for k := 0; k <= last; k += 5 {
		put(k, "rmse", 0, level+own+5*math.Exp(-float64(k)/10)+0.01*wobble("", k/5))
		put(k, "m5", 0, m.m5(k))
		if c.Sigma > 0 {
			put(k, "sigma", 0, c.Sigma*math.Exp(-float64(k)/last))
		}
	}
	for _, metric := range []string{"rmse", "nll"} {
		put(0, "constant-"+metric, 0, 20)
		put(0, "ols-"+metric, 0, m.value(t.Problem, "svgd", "test-"+metric, 0))
	}
	for _, metric := range []string{"test-rmse", "test-nll", "dev-nll"} {
		put(last, metric, 0, m.value(t.Problem, t.Method, metric, int(t.Seed)))
	}
	for k := 0; k < 5 && c.Sigma > 0; k++ {
		put(last, "repeat-rmse", k, level+own+0.01*wobble("", k))
	}
	return out
}

// edit changes the values of a method's metric ("" for all methods) at the last iteration.
func edit(s *record.Set, method, metric string, f func(old float64) float64) {
	for _, t := range s.Trials {
		for i, r := range s.Traces[t.Key] {
			if (method == "" || t.Method == method) && r.Metric == metric &&
				(r.Iteration == last || strings.HasPrefix(metric, "ols")) {
				s.Traces[t.Key][i].Value = f(r.Value)
			}
		}
	}
}

func verdict(t *testing.T, s *record.Set, id string) claim.Outcome {
	t.Helper()
	all := Experiment.Claims()
	return all[slices.IndexFunc(all, func(c *claim.Claim) bool { return c.ID == id })].Check(s)
}
