package main

import (
	"fmt"
	"log"
	"math"
	"os"
	"path/filepath"

	old "convert/oldrecord"

	"github.com/semi-implicit/sifg/pkg/harness/record"
)

type row struct {
	protocol, problem, method string
	seed                      uint64
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

func main() {
	for _, name := range os.Args[3:] {
		dir := filepath.Join(os.Args[2], name)
		b, err := os.ReadFile(filepath.Join(dir, "trials.parquet"))
		check(err)
		trials, err := record.DecodeTrials(b)
		check(err)
		b, err = os.ReadFile(filepath.Join(dir, "trace.parquet"))
		check(err)
		traces, err := record.DecodeTraces(b)
		check(err)
		byKey := map[string][]record.Trace{}
		for _, t := range traces {
			byKey[t.Key] = append(byKey[t.Key], t)
		}
		now := map[row]record.Trial{}
		for _, t := range trials {
			now[row{t.Protocol, t.Problem, t.Method, t.Seed}] = t
		}
		n, values, differ := 0, 0, 0
		for _, p := range []string{"released", "paper", "matched", "standard"} {
			from := filepath.Join(os.Args[1], name, p)
			if _, err := os.Stat(from); err != nil {
				continue
			}
			ot, err := old.ReadTrials(filepath.Join(from, "trials.parquet"), "")
			check(err)
			otr, err := old.ReadTraces(filepath.Join(from, "trace.parquet"), "")
			check(err)
			oldBy := map[string][]old.Trace{}
			for _, t := range otr {
				oldBy[t.Key] = append(oldBy[t.Key], t)
			}
			for _, t := range ot {
				x, ok := now[row{p, t.Problem, t.Method, t.Seed}]
				delete(now, row{p, t.Problem, t.Method, t.Seed})
				if !ok {
					log.Fatal("missing ", p, t.Problem, t.Method, t.Seed)
				}
				if x.Config != t.Config || x.Status != t.Status || x.Iterations != t.Iterations || x.Dim != t.Dim {
					differ++
					log.Println("trial differs", p, t.Problem, t.Method, t.Seed)
				}
				a, b := byKey[x.Key], oldBy[t.Key]
				if len(a) != len(b) {
					differ++
					log.Println("length", p, t.Problem, t.Method, t.Seed, len(a), len(b))
					continue
				}
				for i := range a {
					if a[i].Iteration != b[i].Iteration || a[i].Metric != b[i].Metric || a[i].Index != b[i].Index ||
						math.Float64bits(a[i].Value) != math.Float64bits(b[i].Value) && !(math.IsNaN(a[i].Value) && math.IsNaN(b[i].Value)) {
						differ++
						log.Println("value", p, t.Problem, t.Method, t.Seed, a[i], b[i])
						break
					}
				}
				n++
				values += len(a)
			}
		}
		fmt.Printf("%s: %d trials, %d values compared; %d differ; %d new\n", name, n, values, differ, len(now))
	}
}
