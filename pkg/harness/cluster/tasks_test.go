package cluster

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/run"
	"github.com/semi-implicit/sifg/pkg/harness/settings"
	"github.com/semi-implicit/sifg/pkg/sifg"
)

// planOf returns a plan whose trials take these seconds; 0: it is not known.
func planOf(seconds ...float64) (p Tasks) {
	for i, s := range seconds {
		t := harness.Trial{
			Key:        fmt.Sprintf("%020x", i),
			Experiment: "toy",
			Config:     &settings.Config{Particles: 10, Iterations: 99},
		}
		p = append(p, Task{t, s})
	}
	return p
}

// load returns the seconds of a shard.
func load(tasks []Task) (sum float64) {
	for _, t := range tasks {
		sum += t.Seconds
	}
	return sum
}

// Each trial is in one shard, each shard begins with its longest, and none takes more than Graham's bound.
func TestShard(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{1, 2, 7, 40, 100} {
		var seconds []float64
		sum, longest := 0.0, 0.0
		for range 60 {
			s := r.ExpFloat64() + 0.01
			seconds, sum, longest = append(seconds, s), sum+s, max(longest, s)
		}
		p := planOf(seconds...)
		seen := map[string]int{}
		for i := range n {
			shard := p.Shard(i, n)
			for _, x := range shard {
				seen[x.Key]++
			}
			if !slices.IsSortedFunc(shard, func(a, b Task) int { return int(1e6 * (b.Seconds - a.Seconds)) }) {
				t.Errorf("shard %d of %d does not begin with its longest trials", i, n)
			}
			// No split is better than both bounds of best.
			if best := max(sum/float64(n), longest); load(shard) > (4.0/3-1/(3*float64(n)))*best+longest/3 {
				t.Errorf("shard %d of %d takes %g s, the best split %g s or more", i, n, load(shard), best)
			}
		}
		if len(seen) != 60 {
			t.Errorf("%d shards have %d of 60 trials", n, len(seen))
		}
		for key, times := range seen {
			if times != 1 {
				t.Errorf("trial %s is in %d of %d shards", key, times, n)
			}
		}
	}
	// By hand: 7 6 5 4 3 2 in three shards are 7 2, 6 3, 5 4.
	for i, want := range [][]float64{{7, 2}, {6, 3}, {5, 4}} {
		var got []float64
		for _, x := range planOf(5, 7, 2, 4, 6, 3).Shard(i, 3) {
			got = append(got, x.Seconds)
		}
		if !slices.Equal(got, want) {
			t.Errorf("shard %d: %v, want %v", i, got, want)
		}
	}
	if x := planOf(1).Shard(1<<60, 1<<61); x != nil {
		t.Errorf("a shard beyond the trials has %v", x)
	}
}

// Costs come from measured trials like them. Where there are none, work decides.
func TestCosts(t *testing.T) {
	var costs run.Costs
	of := func(experiment string, particles int) harness.Trial {
		return harness.Trial{Experiment: experiment, Problem: "small", Method: "sgld",
			Config: &settings.Config{Particles: particles, Iterations: 100, Sampler: sifg.Config{Sampler: "sgld"}}}
	}
	measured := of("toy", 10)
	costs.Add(&measured, 2, "", 50)
	p := New([]harness.Trial{of("toy", 20), of("other", 40)}, &costs)
	if p[0].Seconds != 100 || p[1].Seconds != 4040e-6 {
		t.Errorf("%v", p)
	}
	plans := map[int]Tasks{
		1: planOf(0, 0, 0),
		3: planOf(shardSeconds, shardSeconds, shardSeconds),
		2: planOf(9e9, 9e9),
	}
	for want, p := range plans {
		if got := p.Shards(1); got != want {
			t.Errorf("%d shards, want %d", got, want)
		}
	}
	if n := planOf(shardSeconds, shardSeconds, shardSeconds, shardSeconds).Shards(2); n != 2 {
		t.Errorf("%d shards of two cores, want 2", n)
	}
	if n := planOf(slices.Repeat([]float64{9e9}, 2*maxShards)...).Shards(1); n != maxShards {
		t.Errorf("%d shards, want %d", n, maxShards)
	}
}

func TestParseShard(t *testing.T) {
	if i, n, err := ParseShard("3/8"); i != 3 || n != 8 || err != nil {
		t.Error(i, n, err)
	}
	for _, text := range []string{"", "3", "8/8", "-1/8", "x/8", "3/", "/8", "1/0", "0/99999999999999999999", "1/2/3"} {
		if _, _, err := ParseShard(text); err == nil || !strings.Contains(err.Error(), "want i/n") {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// A plan file that is cut or forged is refused with a sentence that names it.
func TestRead(t *testing.T) {
	p := planOf(1, 2)
	b, err := json.Marshal(p)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "plan.json")
	read := func(text string) error {
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		_, err := Read(path)
		return err
	}
	whole := string(b)
	if err := read(whole); err != nil {
		t.Fatal(err)
	}
	for n := range len(whole) {
		if err := read(whole[:n]); err == nil || !strings.Contains(err.Error(), path) {
			t.Fatalf("cut after %d bytes: %v", n, err)
		}
	}
	for _, text := range []string{`{}`, `[]`, "[1]"} {
		if err := read(text); err == nil || !strings.Contains(err.Error(), "not a whole plan file") {
			t.Errorf("%s: %v", text, err)
		}
	}
	if _, err := Read(t.TempDir()); err == nil || !strings.Contains(err.Error(), "not a regular file") {
		t.Errorf("a folder: %v", err)
	}
}

// TestComputations: computations, and trials of which nothing is known, are dealt one after another.
func TestComputations(t *testing.T) {
	var trials []harness.Trial
	for i := range 40 {
		trials = append(trials, harness.Trial{Key: fmt.Sprint(i), Experiment: "theory", Config: &settings.Config{}})
	}
	for what, p := range map[string]Tasks{
		"not measured": New(trials, &run.Costs{}), "of no cost": planOf(make([]float64, 40)...),
	} {
		for i := range 4 {
			if n := len(p.Shard(i, 4)); n != 10 {
				t.Errorf("%s: shard %d of 4 has %d of 40 trials", what, i, n)
			}
		}
	}
	if n := New(trials, &run.Costs{}).Shards(1); n != 2 {
		t.Errorf("40 computations of a minute are %d shards of twenty minutes", n)
	}
}
