package harness

import (
	"context"
	"fmt"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/semi-implicit/sifg/pkg/harness/store"
)

// BenchmarkOverhead measures what the harness adds to a trial: the time of a run less that of computing, and the processor
// time, per trial. Trials of 10 ms are written while the next is computed; tiny ones have nothing to hide behind. The
// store is on the disk of the temporary files.
func BenchmarkOverhead(b *testing.B) {
	for _, x := range []struct {
		name, fault string
		jobs        int
	}{{"tiny", "none", 1}, {"tiny two at once", "none", 2}, {"of 10 ms", "slow", 1}} {
		b.Run(x.name, func(b *testing.B) {
			p, err := NewPlan(Request{Experiments: []*Experiment{trouble()}, Scale: "full", Set: []Override{
				{Text: "problems.any.iterations=2", From: "--set"}, {Text: "problems.any.options.fault=" + x.fault, From: "--set"}}})
			if err != nil {
				b.Fatal(err)
			}
			todo := make([]Trial, b.N)
			for i := range todo {
				todo[i] = p.Trials[0]
				todo[i].Key = fmt.Sprint("k", i)
			}
			s, err := store.Open(b.TempDir())
			if err != nil {
				b.Fatal(err)
			}
			watch := &clock{}
			r := &Runner{Store: s, Jobs: x.jobs, Threads: 1, Watch: watch}
			before := processorTime()
			b.ResetTimer()
			if n, err := r.Run(context.Background(), context.Background(), p.Experiments, todo); n != b.N || err != nil {
				b.Fatal(n, err)
			}
			each := b.Elapsed() / time.Duration(b.N)
			computing := time.Duration(watch.computing.Load()) / time.Duration(b.N*x.jobs)
			b.ReportMetric(1e3*(each-computing).Seconds(), "ms-overhead/trial")
			b.ReportMetric(1e3*(processorTime()-before).Seconds()/float64(b.N), "ms-processor/trial")
		})
	}
}

// clock sums the time of computing.
type clock struct {
	unseen
	computing atomic.Int64
}

func (c *clock) End(_ *Trial, _, _ string, took time.Duration) { c.computing.Add(int64(took)) }

// processorTime is that of this process.
func processorTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
