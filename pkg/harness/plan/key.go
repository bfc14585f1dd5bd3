package plan

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/dataset"
	"github.com/semi-implicit/sifg/pkg/harness/program"
	"github.com/semi-implicit/sifg/pkg/harness/settings"
	"github.com/semi-implicit/sifg/pkg/sifg"
	"github.com/semi-implicit/sifg/pkg/sifg/cpu"
)

// LoopVersion of package run is part of every key. Raise it when the same trial may give other numbers.
const LoopVersion = 1

// keys returns the function that gives trials their keys by their seeds, for trials that are like t in all else. A key
// has a part for what is drawn and one for what is measured of it. What decides nothing is in
// neither: an empty list of options or snapshots is as good as its absence.
func keys(e *harness.Experiment, t *harness.Trial, data Datasets) (of func(seed uint64) string, err error) {
	d, err := digestOf(data, t.Config.Data)
	if err != nil {
		return nil, err
	}
	s, err := sifg.ByName(t.Config.Sampler.Sampler)
	if err != nil {
		return nil, err
	}
	drawn, looked := apart(t.Config, e.Measuring.Options)
	config, err := canonical(drawn)
	if err != nil {
		return nil, err
	}
	look, err := canonical(map[string]any{"version": e.Measuring.Version, "config": looked})
	members := map[string]any{
		"experiment": t.Experiment, "problem": t.Problem, "method": t.Method, "data": d,
		"config": json.RawMessage(config),
		"versions": map[string]any{
			"numerics": numerics(), "experiment": e.Version, "loop": LoopVersion, "sampler": s.Version,
		},
	}
	return func(seed uint64) string {
		members["seed"] = seed
		b, _ := json.Marshal(members) // sorted by name
		return digest(b) + "-" + digest(look)[:8]
	}, err
}

// apart divides a configuration into what decides the draw and what decides the measurement. A program is told at which
// iterations it is measured, and may heed it.
func apart(c *settings.Config, measuring []string) (draw, measured settings.Config) {
	draw = *c
	measured.Judge = c.Judge
	if len(c.Judge.Snapshots) == 0 {
		measured.Judge.Snapshots = nil
	}
	draw.Judge = settings.Judge{}
	if c.Program != nil {
		draw.Judge = measured.Judge
	}
	draw.Options, measured.Options = map[string]any{}, map[string]any{}
	for key, value := range c.Options {
		list, isList := value.([]any)
		switch {
		case value == nil || isList && len(list) == 0:
		case slices.Contains(measuring, key):
			measured.Options[key] = value
		default:
			draw.Options[key] = value
		}
	}
	return draw, measured
}

// ReferenceKey returns the identity of a trial's reference: see harness.Reference. Trials with equal Config,
// data set and versions of numerics and experiment share it.
func ReferenceKey(e *harness.Experiment, t *harness.Trial, r *harness.Reference, data Datasets) (string, error) {
	d, err := digestOf(data, t.Config.Data)
	if err != nil {
		return "", err
	}
	b, err := canonical(map[string]any{
		"reference": r.Config, "experiment": t.Experiment, "data": d,
		"versions": map[string]any{"numerics": numerics(), "experiment": e.Version},
	})
	return digest(b), err
}

// numerics is sifg.Numerics; with the reason where results have other bits than those of vector kernels on amd64.
func numerics() any {
	if why := cpu.Bits(); why != "" {
		return fmt.Sprintf("%d %s", sifg.Numerics, why)
	}
	return sifg.Numerics
}

// canonical returns the JSON of v with members sorted at every level: the order of fields does not matter.
func canonical(v any) ([]byte, error) {
	b, err := json.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("plan: settings that cannot be stored: %w", err)
	}
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber() // an integer may be larger than a float64 holds
	var tree any
	_ = d.Decode(&tree) // what was just encoded
	return json.Marshal(tree)
}

// digest returns the first 20 hex digits of the SHA-256 of b.
func digest(b []byte) string { return fmt.Sprintf("%x", sha256.Sum256(b))[:20] }

// Revive gives a trial of records what it depends on. It is false where this program or its data give another key.
func Revive(e *harness.Experiment, t *harness.Trial, data Datasets) bool {
	if program.Of(t.Config.Sampler.Sampler) == nil {
		t.Config.Program = nil // one that the trial alone names is never started
	}
	t.Data = open(data, t.Config.Data)
	of, err := keys(e, t, data)
	return err == nil && of(t.Seed) == t.Key
}

// digestOf returns the digest of a data set, "" for no name.
func digestOf(data Datasets, name string) (string, error) {
	if name == "" {
		return "", nil
	}
	return data.Digest(name)
}

// open returns what reads a data set; nil for no name.
func open(data Datasets, name string) func() (*dataset.Data, error) {
	if name == "" {
		return nil
	}
	return func() (*dataset.Data, error) { return data.Load(name) }
}
