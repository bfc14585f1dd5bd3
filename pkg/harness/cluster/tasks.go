// Package cluster has Slurm or Kubernetes compute trials. A plan file lists the trials. Each worker computes one shard
// of them and knows nothing of the others; what is done is in the store, which they share.
package cluster

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"slices"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/internal/safe"
	"github.com/semi-implicit/sifg/pkg/harness/run"
	"github.com/semi-implicit/sifg/pkg/harness/usage"
)

const (
	maxPlanBytes = 1 << 28 // about 200,000 trials
	maxShards    = 1000    // the largest array of a Slurm that nobody configured otherwise
	shardSeconds = 20 * 60 // of computing that a shard gets by default
)

// Tasks are the trials that workers compute, each with the time that it is expected to take.
type Tasks struct {
	Trials []Task `json:"trials"`
}

// Task is one of them.
type Task struct {
	harness.Trial
	Seconds float64 // predicted
}

// New returns the tasks of trials with different keys. A trial that nothing comparable was measured of is taken to cost
// a microsecond per particle and iteration, which is about right for a network of 32 units.
func New(trials []harness.Trial, costs *run.Costs) *Tasks {
	p := &Tasks{}
	for _, t := range trials {
		seconds, ok := costs.Seconds(&t)
		if !ok {
			seconds = 1e-6 * float64(t.Config.Iterations+1) * float64(t.Config.Particles)
		}
		p.Trials = append(p.Trials, Task{t, seconds})
	}
	return p
}

// Read reads a plan file. That its trials are those of this program and its data is for plan.Revive to check.
func Read(path string) (*Tasks, error) {
	b, err := safe.Read(path, maxPlanBytes)
	if err != nil {
		return nil, usage.Errorf("the plan cannot be read: %v", err)
	}
	p := &Tasks{}
	if err := json.Unmarshal(b, p); err != nil || len(p.Trials) == 0 {
		return nil, usage.Errorf("%s is not a whole plan file with trials (%v): sifg submit writes one", path, err)
	}
	return p, nil
}

// ParseShard reads "i/n": shard i of n, counted from 0.
func ParseShard(text string) (i, n int, err error) {
	fmt.Sscanf(text, "%d/%d", &i, &n)
	if i < 0 || i >= n || text != fmt.Sprintf("%d/%d", i, n) {
		return 0, 0, usage.Errorf("--shard %q: want i/n, shard i of n counted from 0, such as 0/8", text)
	}
	return i, n, nil
}

// Shard returns the trials of shard i of n, the longest first. Trials are dealt by predicted cost: the longest first,
// each to the shard that has least so far. So no shard takes more than 4/3 of what the best split would (Graham 1969),
// and all workers agree.
func (p *Tasks) Shard(i, n int) []Task {
	order := slices.Clone(p.Trials)
	slices.SortStableFunc(order, func(a, b Task) int { return cmp.Compare(b.Seconds, a.Seconds) })
	loads := make([]float64, min(n, len(order))) // a later shard has none
	var out []Task
	for _, t := range order {
		least := slices.Index(loads, slices.Min(loads))
		loads[least] += max(0, t.Seconds) // a forged plan may say anything
		if least == i {
			out = append(out, t)
		}
	}
	return out
}

// Shards returns how many shards of about twenty minutes on this many cores the plan makes.
func (p *Tasks) Shards(cpus int) int {
	sum := 0.0
	for _, t := range p.Trials {
		sum += t.Seconds
	}
	n := math.Ceil(sum / (shardSeconds * float64(cpus)))
	return int(min(max(1, n), maxShards, float64(len(p.Trials))))
}
