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
)

// made is a made-up set of records: a value for every problem, method, metric and seed; NaN leaves a row out.
type made struct {
	protocol string
	seeds    int
	methods  []string
	value    func(problem, method, metric string, seed int) float64
	m5       func(problem string, iteration int) float64
}

const last = 100 // iteration

// wobble differs from seed to seed, with mean 0 and standard deviation 1 over ten seeds or two, not alike for two methods.
func wobble(method string, seed int) float64 {
	v := []float64{-1.2, 1.2, 0.5, -0.5, 0.9, -0.9, -1.1, 1.1, 0.7, -0.7}
	return v[(seed+len(method))%len(v)] / 0.9781
}

// asInPrint has the printed means with spreads of 0.4 of the printed ones, and Figure 4 and 5 as the paper has them.
func asInPrint() *made {
	return &made{
		protocol: "released", seeds: 10, methods: []string{"sgld", "svgd", "svgd-slow", "l2-gf", "ada-gwg", "sifg", "sifg-wide", "ada-sifg", "ada-sifg-wide"},
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
		m5: func(string, int) float64 { return 1e5 },
	}
}

func (m *made) split() string {
	return map[bool]string{true: "released", false: "random"}[m.protocol == "released"]
}

func (m *made) set(t *testing.T) *record.Set {
	t.Helper()
	s := &record.Set{
		Experiment: "uci-bnn", Protocol: m.protocol, Scale: "full", Traces: map[string][]record.Trace{}, Incomparable: Experiment.Incomparable[m.protocol],
		Load: func(string, string) (*record.Array, error) { return nil, errors.New("no such trial") },
	}
	rmse := map[string]float64{"sifg": 2.6, "sifg-wide": 3, "ada-sifg": 2.61, "ada-sifg-wide": 2.7}
	for _, problem := range problems {
		for _, method := range m.methods {
			base := strings.TrimSuffix(strings.TrimSuffix(method, "-wide"), "-slow")
			if base != method && base != "svgd" && problem != "boston" {
				continue
			}
			c := settings.Config{Iterations: last, Data: problem, Options: map[string]any{"split": m.split()}, Sampler: sifg.Config{Sampler: base, Step: 5e-4}}
			if method == "svgd-slow" {
				c.Sampler.Step = 1e-4
			}
			if strings.HasSuffix(base, "sifg") {
				c.Sampler.Sigma, c.Sampler.Hidden = 0.01, 300
			}
			if strings.HasSuffix(method, "-wide") {
				c.Sampler.Sigma = 0.1
			}
			text, err := json.Marshal(c)
			if err != nil {
				t.Fatal(err)
			}
			for seed := range m.seeds {
				row := record.Trial{
					Key: fmt.Sprintf("%s-%s-%d", problem, method, seed), Problem: problem, Method: method, Seed: uint64(seed), Dim: 753,
					Status: record.StatusOK, Iterations: last, Config: string(text),
				}
				s.Trials = append(s.Trials, row)
				put := func(iteration int, metric string, index int, v float64) {
					if !math.IsNaN(v) {
						s.Traces[row.Key] = append(s.Traces[row.Key], record.Trace{Key: row.Key, Iteration: iteration, Metric: metric, Index: index, Value: v})
					}
				}
				for k := 0; k <= last; k += 5 {
					level, ok := rmse[method]
					if !ok {
						level = 2.8
					}
					put(k, "rmse", 0, level+0.02*wobble(method, seed)+5*math.Exp(-float64(k)/10)+0.01*wobble("", k/5))
					put(k, "m5", 0, m.m5(problem, k))
					if c.Sampler.Sigma > 0 {
						put(k, "sigma", 0, c.Sampler.Sigma*math.Exp(-float64(k)/last))
					}
					if k == 0 {
						for _, metric := range []string{"rmse", "nll"} {
							put(k, "constant-"+metric, 0, 20)
							put(k, "ols-"+metric, 0, m.value(problem, "svgd", "test-"+metric, 0))
						}
					}
				}
				for _, metric := range []string{"test-rmse", "test-nll", "dev-nll"} {
					put(last, metric, 0, m.value(problem, method, metric, seed))
				}
				if c.Sampler.Sigma > 0 {
					for k := range 5 {
						put(last, "repeat-rmse", k, rmse[base]+0.02*wobble(method, seed)+0.01*wobble("", k))
					}
				}
			}
		}
	}
	return s
}

// shift adds to the values of a method's metric on a problem ("" for all of them).
func (m *made) shift(problem, method, metric string, by float64) *made {
	old := m.value
	m.value = func(p, me, mt string, seed int) float64 {
		v := old(p, me, mt, seed)
		if (problem == "" || p == problem) && (method == "" || me == method) && mt == metric {
			v += by
		}
		return v
	}
	return m
}

// edit changes the values of a method's metric ("" for all methods) at the last iteration.
func edit(s *record.Set, method, metric string, f func(old float64) float64) {
	for _, t := range s.Trials {
		for i, r := range s.Traces[t.Key] {
			if (method == "" || t.Method == method) && r.Metric == metric && (r.Iteration == last || strings.HasPrefix(metric, "ols")) {
				s.Traces[t.Key][i].Value = f(r.Value)
			}
		}
	}
}

func verdict(t *testing.T, s *record.Set, id string) claim.Outcome {
	t.Helper()
	i := slices.IndexFunc(Experiment.Claims, func(c claim.Claim) bool { return c.ID == id })
	return Experiment.Claims[i].Check(s)
}
