package harness

import (
	"encoding/json"
	"slices"

	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/harness/store"
)

// assemble reads the records of trials from the store, and those that it lacks from an earlier report, labels them and counts them. It
// adds to timings those of the store's.
func assemble(s *store.Store, earlier *kept, plan *Plan, part []Trial, timings map[string]record.Timing) (*record.Set, *RunInfo, error) {
	first := part[0]
	set := &record.Set{Experiment: first.Experiment, Protocol: first.Protocol, Scale: first.Scale, Load: loader(s, first.Experiment)}
	info := &RunInfo{
		Experiment: first.Experiment, Protocol: first.Protocol, Scale: first.Scale, Set: plan.Set,
		Planned: len(part), Counts: map[string]int{},
	}
	again, timeless := false, false // some are the report's; of some it has lost the times
	for i := range part {
		t := &part[i]
		info.Seeds = with(info.Seeds, t.Seed)
		if n := len(info.Settings); n == 0 || info.Settings[n-1].Problem != t.Problem || info.Settings[n-1].Method != t.Method {
			info.Settings = append(info.Settings, Setting{t.Problem, t.Method, t.Config})
		}
		meta, traces, reported, err := pick(s, earlier, t)
		if err != nil {
			return nil, nil, err
		}
		if meta == nil {
			info.Counts[Missing]++
			continue
		}
		row, timing := meta.Trial, meta.Timing
		info.Counts[row.Status]++
		if err := relabel(&row, traces, t); err != nil {
			return nil, nil, err
		}
		set.Trials, set.Traces = append(set.Trials, row), append(set.Traces, traces...)
		if reported {
			again, timeless = true, timeless || timing.Key == ""
		} else {
			timings[t.Key] = timing
			info.Builds = with(info.Builds, Build{meta.Provenance.Go, meta.Provenance.Platform, meta.Provenance.Threads})
		}
		if timing.Key != "" {
			info.Seconds += timing.Seconds
			info.since(timing.Started)
			info.Machines = with(info.Machines, Machine{timing.CPU, timing.Kernel, timing.Commit})
		}
	}
	if again { // a report does not say whose is which
		info.Builds = with(info.Builds, earlier.info.Builds...)
	}
	if timeless { // run.json has the sum of them
		info.Seconds = max(info.Seconds, earlier.info.Seconds)
		info.since(earlier.info.Started)
		info.Machines = with(info.Machines, earlier.info.Machines...)
	}
	return set, info, nil
}

// pick returns the record of a trial and its traces: the store's, or the earlier report's, where the store has none or one that did not
// end well as that did. meta is nil if neither has one.
func pick(s *store.Store, earlier *kept, t *Trial) (meta *store.Meta, traces []record.Trace, reported bool, err error) {
	meta, traces, err = load(s, t)
	if err != nil || meta != nil && Final(meta.Trial.Status) {
		return meta, traces, false, err
	}
	if m, rows := earlier.meta(t.Key); m != nil && (meta == nil || Final(m.Trial.Status)) {
		return m, rows, true, nil
	}
	return meta, traces, false, nil
}

// with appends those values that are not there yet.
func with[T comparable](to []T, values ...T) []T {
	for _, v := range values {
		if !slices.Contains(to, v) {
			to = append(to, v)
		}
	}
	return to
}

// since notes when a trial was begun, if none was before.
func (info *RunInfo) since(started string) {
	if started != "" && (info.Started == "" || started < info.Started) {
		info.Started = started
	}
}

// relabel puts the labels of a plan's trial on its records: it may have been stored under those of another.
func relabel(row *record.Trial, traces []record.Trace, t *Trial) error {
	config, err := json.Marshal(t.Config)
	if err != nil {
		return err
	}
	row.Key, row.Experiment, row.Protocol, row.Scale = t.Key, t.Experiment, t.Protocol, t.Scale
	row.Problem, row.Method, row.Seed, row.Particles, row.Config = t.Problem, t.Method, t.Seed, t.Config.Particles, string(config)
	for j := range traces {
		r := &traces[j]
		r.Key, r.Experiment, r.Protocol, r.Scale = t.Key, t.Experiment, t.Protocol, t.Scale
		r.Problem, r.Method, r.Seed = t.Problem, t.Method, t.Seed
	}
	return nil
}
