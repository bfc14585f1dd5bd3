package main

import (
	"encoding/json"
	"log"
	"math"
	"os"
	"path/filepath"

	old "convert/oldrecord"

	ucibnn "github.com/semi-implicit/sifg/experiments/uci-bnn"
	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/dataset"
	"github.com/semi-implicit/sifg/pkg/harness/grid"
	"github.com/semi-implicit/sifg/pkg/harness/plan"
	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/harness/store"
)

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

type id struct{ problem, method, config string }

func main() {
	from, to := os.Args[1], os.Args[2]
	ot, err := old.ReadTrials(filepath.Join(from, "trials.parquet"), "")
	check(err)
	otr, err := old.ReadTraces(filepath.Join(from, "trace.parquet"), "")
	check(err)
	otm, err := old.ReadTimings(filepath.Join(from, "timings.parquet"), "")
	check(err)
	e := ucibnn.Experiment
	text, err := e.Grids.(interface{ ReadFile(string) ([]byte, error) }).ReadFile("grids/one-at-a-time.yaml")
	check(err)
	spec, err := grid.ReadSpec("one-at-a-time.yaml", text)
	check(err)
	data, err := dataset.Open(dataset.Options{Mirror: os.Getenv("SIFG_DATASETS_MIRROR")})
	check(err)
	g, err := grid.New(plan.Request{Experiments: []*harness.Experiment{e}, Protocols: []string{"matched"}, Scale: "full", Data: data, Seeds: []uint64{1001}}, spec, "")
	check(err)
	planned := map[id]harness.Trial{}
	for _, t := range g.Trials {
		c, err := json.Marshal(t.Config)
		check(err)
		planned[id{t.Problem, t.Method, string(c)}] = t
	}
	dir, err := os.MkdirTemp("", "grid-")
	check(err)
	defer os.RemoveAll(dir)
	st, err := store.Open(dir)
	check(err)
	byKey := map[string][]record.Trace{}
	for _, t := range otr {
		byKey[t.Key] = append(byKey[t.Key], record.Trace{Iteration: t.Iteration, Metric: t.Metric, Index: t.Index, Value: t.Value})
	}
	timings := map[string]old.Timing{}
	for _, t := range otm {
		timings[t.Key] = t
	}
	for _, t := range ot {
		if t.Seed != 1001 {
			log.Fatal("seed ", t.Seed)
		}
		n, ok := planned[id{t.Problem, t.Method, t.Config}]
		if !ok {
			log.Fatal("not planned: ", t.Problem, t.Method, t.Config)
		}
		r := &record.Result{Trial: record.Trial{Key: n.Key, Experiment: e.Name, Protocol: "matched", Scale: "full", Problem: t.Problem, Method: t.Method, Seed: t.Seed,
			Status: t.Status, Reason: t.Reason, Particles: t.Particles, Dim: t.Dim, Iterations: t.Iterations, Config: t.Config}}
		for _, x := range byKey[t.Key] {
			x.Key = n.Key
			r.Traces = append(r.Traces, x)
		}
		if m, ok := timings[t.Key]; ok {
			r.Timing = record.Timing{Key: n.Key, Seconds: m.Seconds, CPU: m.CPU, Kernel: m.Kernel, Started: m.Started, Commit: m.Commit}
		}
		_, err := st.Put(r, []byte(t.Config))
		check(err)
	}
	result, err := g.Judge(st, "sifg grid uci-bnn --grid one-at-a-time --seeds 1001")
	check(err)
	_, _, err = result.Write(to)
	check(err)
	log.Print(len(ot), " trials; missing ", result.Missing())
	// compare
	b, err := os.ReadFile(filepath.Join(to, "matched", "trace.parquet"))
	check(err)
	rows, err := record.DecodeTraces(b)
	check(err)
	now := map[string][]record.Trace{}
	for _, x := range rows {
		now[x.Key] = append(now[x.Key], x)
	}
	values, differ := 0, 0
	for _, t := range ot {
		a, b := now[planned[id{t.Problem, t.Method, t.Config}].Key], byKey[t.Key]
		if len(a) != len(b) {
			log.Fatal("length ", len(a), " ", len(b))
		}
		for i := range a {
			values++
			if a[i].Metric != b[i].Metric || a[i].Index != b[i].Index || math.Float64bits(a[i].Value) != math.Float64bits(b[i].Value) {
				differ++
			}
		}
	}
	log.Print(values, " values, differ ", differ)
}
