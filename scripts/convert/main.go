// Command convert takes the committed results of the earlier format over: it gives every trial the key that the present program
// gives it, and puts it into a store. Before that it computes a random sample of the trials of each experiment and protocol again, and
// refuses where one value differs in one bit.
//
//	convert OLD-RESULTS STORE EXPERIMENT SAMPLE
package main

import (
	"context"
	"encoding/json"
	"log"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"time"

	old "convert/oldrecord"

	"github.com/semi-implicit/sifg/experiments/gmm"
	megica "github.com/semi-implicit/sifg/experiments/meg-ica"
	monomialgamma "github.com/semi-implicit/sifg/experiments/monomial-gamma"
	ucibnn "github.com/semi-implicit/sifg/experiments/uci-bnn"
	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/dataset"
	"github.com/semi-implicit/sifg/pkg/harness/plan"
	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/harness/run"
	"github.com/semi-implicit/sifg/pkg/harness/settings"
	"github.com/semi-implicit/sifg/pkg/harness/store"
)

type id struct {
	problem, method string
	seed            uint64
}

type quiet struct{}

func (quiet) Note(line string)         { log.Print(line) }
func (quiet) Start(*harness.Trial)     {}
func (quiet) Step(*harness.Trial, int) {}
func (quiet) End(t *harness.Trial, status, reason string, took time.Duration) {
	log.Print(t.Name(), " ", status, " ", reason, " ", took)
}

func main() {
	results, dir, name := os.Args[1], os.Args[2], os.Args[3]
	sample, err := strconv.Atoi(os.Args[4])
	check(err)
	var e *harness.Experiment
	for _, x := range []*harness.Experiment{gmm.Experiment, monomialgamma.Experiment, ucibnn.Experiment, megica.Experiment} {
		if x.Name == name {
			e = x
		}
	}
	data, err := dataset.Open(dataset.Options{Mirror: os.Getenv("SIFG_DATASETS_MIRROR")})
	check(err)
	st, err := store.Open(dir)
	check(err)
	timings := map[string]old.Timing{}
	rows, err := old.ReadTimings(filepath.Join(results, name, "timings.parquet"), "")
	check(err)
	for _, t := range rows {
		timings[t.Key] = t
	}
	for _, protocol := range settings.Protocols {
		from := filepath.Join(results, name, protocol)
		if _, err := os.Stat(from); err != nil {
			continue
		}
		trials, err := old.ReadTrials(filepath.Join(from, "trials.parquet"), "")
		check(err)
		traces, err := old.ReadTraces(filepath.Join(from, "trace.parquet"), "")
		check(err)
		byKey := map[string][]record.Trace{}
		for _, t := range traces {
			byKey[t.Key] = append(byKey[t.Key], record.Trace{Iteration: t.Iteration, Metric: t.Metric, Index: t.Index, Value: t.Value})
		}
		p, err := plan.New(plan.Request{Experiments: []*harness.Experiment{e}, Protocols: []string{protocol}, Scale: "full", Data: data})
		check(err)
		planned := map[id]harness.Trial{}
		for _, t := range p.Trials {
			planned[id{t.Problem, t.Method, t.Seed}] = t
		}
		if len(trials) != len(planned) {
			log.Fatalf("%s/%s: %d trials, %d are planned", name, protocol, len(trials), len(planned))
		}
		for _, t := range trials {
			n, ok := planned[id{t.Problem, t.Method, t.Seed}]
			if !ok {
				log.Fatalf("%s/%s: %s %s %d is not planned", name, protocol, t.Problem, t.Method, t.Seed)
			}
			config, err := json.Marshal(n.Config)
			check(err)
			if string(config) != t.Config {
				log.Fatalf("%s/%s: %s %s %d: the configuration is another:\n%s\n%s", name, protocol, t.Problem, t.Method, t.Seed, t.Config, config)
			}
		}
		recompute(e, data, trials, planned, byKey, sample)
		for _, t := range trials {
			n := planned[id{t.Problem, t.Method, t.Seed}]
			config, _ := json.Marshal(n.Config)
			own := byKey[t.Key]
			r := &record.Result{Trial: record.Trial{
				Key: n.Key, Experiment: name, Protocol: protocol, Scale: "full", Problem: t.Problem, Method: t.Method, Seed: t.Seed, Status: t.Status,
				Reason: t.Reason, Particles: t.Particles, Dim: t.Dim, Iterations: t.Iterations, Config: string(config),
			}, Traces: make([]record.Trace, len(own))}
			for i, x := range own {
				x.Key = n.Key
				r.Traces[i] = x
			}
			if m, ok := timings[t.Key]; ok {
				r.Timing = record.Timing{Key: n.Key, Seconds: m.Seconds, CPU: m.CPU, Kernel: m.Kernel, Started: m.Started, Commit: m.Commit}
			}
			_, err := st.Put(r, config)
			check(err)
		}
		log.Printf("%s/%s: %d trials taken over", name, protocol, len(trials))
	}
}

// recompute computes a sample again in a store of its own and compares every value.
func recompute(e *harness.Experiment, data *dataset.Library, trials []old.Trial, planned map[id]harness.Trial, byKey map[string][]record.Trace, sample int) {
	if sample == 0 {
		return
	}
	dir, err := os.MkdirTemp("", "convert-")
	check(err)
	defer os.RemoveAll(dir)
	st, err := store.Open(dir)
	check(err)
	order := rand.New(rand.NewPCG(20261122, uint64(len(trials)))).Perm(len(trials))[:min(sample, len(trials))]
	var todo []harness.Trial
	for _, i := range order {
		todo = append(todo, planned[id{trials[i].Problem, trials[i].Method, trials[i].Seed}])
	}
	_, err = run.Run(context.Background(), context.Background(), st, []*harness.Experiment{e}, todo,
		run.Options{Jobs: 2, Threads: 1, Data: data, Progress: quiet{}})
	check(err)
	for k, i := range order {
		entry, err := st.Get(store.ID{Experiment: todo[k].Experiment, Key: todo[k].Key})
		check(err)
		got, err := entry.Traces()
		check(err)
		want := byKey[trials[i].Key]
		if len(got) != len(want) {
			log.Fatalf("REFUSED: %s: %d values, were %d", todo[k].Name(), len(got), len(want))
		}
		for j, w := range want {
			g := got[j]
			if g.Iteration != w.Iteration || g.Metric != w.Metric || g.Index != w.Index ||
				math.Float64bits(g.Value) != math.Float64bits(w.Value) && !(math.IsNaN(g.Value) && math.IsNaN(w.Value)) {
				log.Fatalf("REFUSED: %s: %+v, was %+v", todo[k].Name(), g, w)
			}
		}
		log.Printf("same bits: %s, %d values", todo[k].Name(), len(want))
	}
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
