package harness

import (
	"cmp"
	"encoding/json"
	"errors"
	"io/fs"
	"maps"
	"slices"
	"time"

	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/harness/store"
)

// save puts a trial's result into the store and returns what the store has then, which is another process's result if
// that was first. Where a sweep took away what was being written (the clock of another machine jumped) it writes again.
func save(s *store.Store, t *Trial, x ended, started time.Time) (status, reason string, err error) {
	for try := 1; ; try++ {
		e, err := write(s, t, x, started)
		switch {
		case err == nil:
			return e.Meta.Trial.Status, e.Meta.Trial.Reason, nil
		case try == 3 || !errors.Is(err, fs.ErrNotExist):
			return "", "", err
		}
	}
}

func write(s *store.Store, t *Trial, x ended, started time.Time) (*store.Entry, error) {
	p, err := s.Begin(t.Experiment, t.Key)
	if err != nil {
		return nil, err
	}
	defer p.Abort()
	config, err := json.Marshal(t.Config)
	if err != nil {
		return nil, err
	}
	slices.SortStableFunc(x.trace, func(a, b record.Trace) int {
		return cmp.Or(cmp.Compare(a.Iteration, b.Iteration), cmp.Compare(a.Metric, b.Metric), cmp.Compare(a.Index, b.Index))
	})
	if err := p.WriteTrace(x.trace); err != nil {
		return nil, err
	}
	for _, name := range slices.Sorted(maps.Keys(x.arrays)) {
		if err := p.WriteArray(name, x.arrays[name].Shape, x.arrays[name].Data); err != nil {
			return nil, err
		}
	}
	m := ThisMachine()
	return p.Commit(store.Meta{
		Trial: record.Trial{
			Key: t.Key, Experiment: t.Experiment, Protocol: t.Protocol, Scale: t.Scale, Problem: t.Problem, Method: t.Method,
			Seed: t.Seed, Status: x.status, Reason: x.reason, Particles: t.Config.Particles, Dim: x.dim,
			Iterations: x.iterations, Config: string(config),
		},
		Timing: record.Timing{
			Seconds: x.took.Seconds(), CPU: m.CPU, Kernel: m.Kernel, Commit: m.Commit,
			Started: started.UTC().Format(time.RFC3339),
		},
	})
}
