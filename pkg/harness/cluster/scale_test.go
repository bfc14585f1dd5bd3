package cluster_test

import (
	"bytes"
	"container/heap"
	"crypto/sha256"
	"encoding/csv"
	"encoding/hex"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/cluster"
	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/harness/store"
	"github.com/semi-implicit/sifg/pkg/sifg"
)

var update = flag.Bool("update", false, "write the generated table of docs/cluster.md")

// measured are trials that ran, with their times: those of the toy experiments at full scale under three protocols.
type measured struct {
	harness.Trial
	seconds, estimate float64 // estimate is the mean of those that differ in their seed alone
}

func costs(t *testing.T) []measured {
	t.Helper()
	f, err := os.Open(filepath.Join("testdata", "costs.csv"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var out []measured
	sum, n := map[string]float64{}, map[string]float64{}
	cell := func(m *measured) string { return m.Experiment + m.Protocol + m.Problem + m.Method }
	for _, r := range rows[1:] {
		m := measured{Trial: harness.Trial{Experiment: r[0], Protocol: r[1], Problem: r[2], Method: r[3], Scale: "full"}}
		if m.seconds, err = strconv.ParseFloat(r[5], 64); err != nil {
			t.Fatal(err)
		}
		out = append(out, m)
		sum[cell(&m)] += m.seconds
		n[cell(&m)]++
	}
	for i := range out {
		out[i].estimate = sum[cell(&out[i])] / n[cell(&out[i])]
	}
	return out
}

// grid returns n trials such as a large grid has: cells of five seeds, each cell with a configuration of its own, with
// the times of the measured ones.
func grid(t *testing.T, n int) (trials []harness.Trial, estimates, seconds []float64) {
	t.Helper()
	from := costs(t)
	for i := range n {
		m := from[i%len(from)]
		tr := m.Trial
		sum := sha256.Sum256([]byte(strconv.Itoa(i)))
		tr.Key, tr.Seed = hex.EncodeToString(sum[:10]), uint64(i%5+1)
		tr.Config = harness.TrialConfig{Particles: 1000, Iterations: 2000, Options: map[string]any{"target": "gmm-10d", "reference": 1000,
			"metrics": []any{"knn-kl", "coverage"}, "init_mean": []any{1, 0}, "cell": i / 5},
			Sampler: sifg.Config{Sampler: "sifg", Step: 0.01 * float64(i/5), Hidden: 128, Inner: 5, LR: 1e-3, Optimizer: "nesterov"},
			Judge:   harness.JudgeConfig{Every: 50, Sample: "perturbed", Snapshots: []int{0, 1600, 2000}, Track: 50}}
		trials, estimates, seconds = append(trials, tr), append(estimates, m.estimate), append(seconds, m.seconds)
	}
	return trials, estimates, seconds
}

// fill puts every k-th trial into a store: the folder of one that was written is copied, with another key in trial.json.
func fill(t *testing.T, dir string, trials []harness.Trial, k int) (n int) {
	t.Helper()
	s, err := store.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	const key = "00000000000000000000"
	p, err := s.Begin("gmm", key)
	if err != nil {
		t.Fatal(err)
	}
	if err := p.WriteArray("particles", []int{2, 2}, []float32{1, 2, 3, 4}); err != nil {
		t.Fatal(err)
	}
	e, err := p.Commit(store.Meta{Trial: record.Trial{Key: key, Experiment: "gmm", Status: record.StatusOK, Config: `{"particles":1000}`}})
	if err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(filepath.Join(e.Dir, "trial.json"))
	if err != nil {
		t.Fatal(err)
	}
	array, err := os.ReadFile(filepath.Join(e.Dir, "particles.npy"))
	if err != nil {
		t.Fatal(err)
	}
	body, _, _ := bytes.Cut(b, []byte(",\n  \"sha256\": "))
	for _, name := range []string{"gmm", "monomial-gamma"} {
		if err := os.MkdirAll(filepath.Join(dir, name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for i := 0; i < len(trials); i += k {
		to := filepath.Join(dir, trials[i].Experiment, trials[i].Key)
		text := bytes.ReplaceAll(body, []byte(key), []byte(trials[i].Key))
		text = bytes.ReplaceAll(text, []byte(`"experiment": "gmm"`), []byte(`"experiment": "`+trials[i].Experiment+`"`))
		text = fmt.Appendf(nil, "%s,\n  \"sha256\": \"%x\"\n}\n", text, sha256.Sum256(text))
		if err := os.Mkdir(to, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(to, "particles.npy"), array, 0o644); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(to, "trial.json"), text, 0o644); err != nil {
			t.Fatal(err)
		}
		n++
	}
	return n
}

// computing returns the seconds that this process has computed: on a machine that does other work too the clock says little.
func computing(t *testing.T) float64 {
	t.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		t.Fatal(err)
	}
	return float64(u.Utime.Nano()+u.Stime.Nano()) / 1e9
}

// A plan of 100,000 trials is compared with a store, frozen, read, packed and rendered within one gigabyte. It logs what it
// took, about three seconds of computing; the bound is for a step whose time grows with the square of the trials, which would
// take an hour, and holds under the race detector too. docs/cluster.md has what it takes with all trials there (CLUSTER_TEST_ALL_THERE=1).
func TestHundredThousandTrials(t *testing.T) {
	const n = 100_000
	every := 50
	if os.Getenv("CLUSTER_TEST_ALL_THERE") != "" {
		every = 1
	}
	trials, estimates, _ := grid(t, n)
	dir := t.TempDir()
	there := fill(t, filepath.Join(dir, "store"), trials, every)
	s, err := store.OpenReadOnly(filepath.Join(dir, "store"))
	if err != nil {
		t.Fatal(err)
	}
	began, busy := time.Now(), computing(t)
	lap := func(what string) {
		t.Logf("%-10s %6.2f s since the start, %6.2f s of computing", what, time.Since(began).Seconds(), computing(t)-busy)
	}
	survey, _, err := harness.Glance(s, &harness.Plan{Trials: trials}, "")
	if err != nil {
		t.Fatal(err)
	}
	if got := len(survey.Is(record.StatusOK)); got != there {
		t.Errorf("%d trials are there, want %d", got, there)
	}
	lap("compared")
	b, err := cluster.Encode(cluster.Header{Binary: strings.Repeat("0", 64)}, trials, estimates)
	if err != nil {
		t.Fatal(err)
	}
	lap("frozen")
	p, err := cluster.Decode(cluster.PlanPath(dir, b), b)
	if err != nil {
		t.Fatal(err)
	}
	lap("read")
	shards := cluster.Pack(p.Seconds(), 1000)
	lap("packed")
	x, err := cluster.NewPaths(p, dir, dir)
	if err != nil {
		t.Fatal(err)
	}
	script := cluster.Site{}.Script(p, x, len(shards))
	lap("rendered")
	took := computing(t) - busy
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	t.Logf("%d trials, %d of them there: plan of %.1f MB, %.0f MB of memory from the system", n, there, float64(len(b))/1e6, float64(m.Sys)/1e6)
	if took > 120 || m.Sys > 1e9 {
		t.Errorf("it took %.1f s of computing and %d bytes", took, m.Sys)
	}
	if p.Trials != n || !strings.Contains(script, "--array=0-999") {
		t.Errorf("%d trials in the plan, script:\n%s", p.Trials, script)
	}
	// Every trial is in one shard, and the shards are as even as the longest trial allows.
	seen := make([]bool, n)
	least, most, longest := 1e18, 0.0, 0.0
	for _, shard := range shards {
		sum := 0.0
		for _, i := range shard {
			if seen[i] {
				t.Fatalf("trial %d is in two shards", i)
			}
			seen[i] = true
			sum, longest = sum+estimates[i], max(longest, estimates[i])
		}
		least, most = min(least, sum), max(most, sum)
	}
	if strings.Contains(fmt.Sprint(seen), "false") {
		t.Error("a trial is in no shard")
	}
	if most-least > longest {
		t.Errorf("shards cost from %v to %v s, the longest trial %v s", least, most, longest)
	}
}

// Costs beside computing, for the simulation: the time from a free slot to the first trial of a task on the private Slurm
// of the tests, reading a plan of 100,000 trials included, and the time to store a trial.
const (
	startSeconds = 2.0
	storeSeconds = 0.05 // pessimistic: fifty requests to a file server at a millisecond each
)

// makespan simulates shards that are started in their order on the nodes that become free, one trial at once on each.
func makespan(shards [][]int, seconds []float64, nodes int) float64 {
	free := make(times, nodes)
	for _, shard := range shards {
		sum := startSeconds
		for _, i := range shard {
			sum += seconds[i] + storeSeconds
		}
		free[0] += sum
		heap.Fix(&free, 0)
	}
	last := 0.0
	for _, f := range free {
		last = max(last, f)
	}
	return last
}

// times is a heap of times.
type times []float64

func (l times) Len() int           { return len(l) }
func (l times) Swap(i, j int)      { l[i], l[j] = l[j], l[i] }
func (l times) Less(i, j int) bool { return l[i] < l[j] }
func (l *times) Push(any)          {}
func (l *times) Pop() any          { return nil }

// The table of docs/cluster.md is what the simulation gives: go test -run TestScaleTable -update writes it.
func TestScaleTable(t *testing.T) {
	const n = 100_000
	_, estimates, seconds := grid(t, n)
	sum, longest := 0.0, 0.0
	for _, s := range seconds {
		sum, longest = sum+s, max(longest, s)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%d trials of %.1f s on average (%.0f s at most), %.0f core hours.\n\n", n, sum/n, longest, sum/3600)
	b.WriteString("| cores at once | 100 shards | 1,000 shards | 10,000 shards |\n| ---: | ---: | ---: | ---: |\n")
	efficiency := map[[2]int]float64{}
	for _, nodes := range []int{1, 10, 100, 1000} {
		fmt.Fprintf(&b, "| %d ", nodes)
		for _, k := range []int{100, 1000, 10_000} {
			span := makespan(cluster.Pack(estimates, k), seconds, nodes)
			efficiency[[2]int{nodes, k}] = sum / float64(nodes) / span
			fmt.Fprintf(&b, "| %s, %.1f %% ", harness.Span(span), 100*sum/float64(nodes)/span)
		}
		b.WriteString("|\n")
	}
	if efficiency[[2]int{1000, 10_000}] < 0.9 || efficiency[[2]int{10, 1000}] < 0.95 || efficiency[[2]int{1000, 100}] > 0.1 {
		t.Errorf("efficiency by cores and shards: %v", efficiency)
	}
	path := filepath.Join("..", "..", "..", "docs", "cluster.md")
	doc, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	const from, to = "<!-- generated by TestScaleTable -->\n", "<!-- end -->\n"
	head, rest, ok1 := strings.Cut(string(doc), from)
	old, tail, ok2 := strings.Cut(rest, to)
	switch {
	case !ok1 || !ok2:
		t.Fatalf("%s has no place for the table", path)
	case *update:
		if err := os.WriteFile(path, []byte(head+from+b.String()+to+tail), 0o644); err != nil {
			t.Fatal(err)
		}
	case old != b.String():
		t.Errorf("the table of %s is not what the simulation gives (-update writes it):\n%s", path, b.String())
	}
}
