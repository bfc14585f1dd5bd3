package harness

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/semi-implicit/sifg/pkg/harness/dataset"
	"github.com/semi-implicit/sifg/pkg/sifg"
)

// Trial is one run of one method on one problem with one seed, with its configuration fully resolved.
type Trial struct {
	Key        string // hex digest of everything the result depends on
	Experiment string
	Protocol   string // paper, released, matched, standard
	Scale      string // full, quick, smoke
	Problem    string // gmm-2d, gmm-10d, …
	Method     string // label in figures and tables: sifg, ada-sifg, …
	Label      string // what sets a cell of a grid apart: step 0.01, sigma 0.1; "" outside grids
	Seed       uint64
	Config     TrialConfig
	// Load reads the data set Config.Data, checked against its digests; nil where that is "".
	Load func() (*dataset.Data, error) `json:"-"`
	// Shared is the experiment's own folder in the store, see Experiment.Prepare; no part of the key.
	Shared string
}

// TrialConfig is the resolved configuration of a trial: the whole input of its result, stored beside it.
type TrialConfig struct {
	Particles  int            `mapstructure:"particles" json:"particles"`
	Iterations int            `mapstructure:"iterations" json:"iterations"`
	Data       string         `mapstructure:"data" json:"data,omitempty"` // name of a data set
	Options    map[string]any `mapstructure:"options" json:"options"`     // the experiment's own keys, decoded by Decode
	Sampler    sifg.Config    `mapstructure:"sampler" json:"sampler"`
	Judge      JudgeConfig    `mapstructure:"judge" json:"judge"`
}

// JudgeConfig says when a trial is measured and what is kept.
type JudgeConfig struct {
	Every     int    `mapstructure:"every" json:"every"`         // iterations between checkpoints; 0 and the last are always judged
	Sample    string `mapstructure:"sample" json:"sample"`       // particles | perturbed (x of this iteration, before the move) | fresh
	Snapshots []int  `mapstructure:"snapshots" json:"snapshots"` // iterations whose judged sample is kept
	Track     int    `mapstructure:"track" json:"track"`         // number of particles whose path is kept at every checkpoint
}

// Data returns the names of the data sets that trials need, in order of first use.
func Data(trials []Trial) []string {
	var names []string
	for _, t := range trials {
		if t.Config.Data != "" && !slices.Contains(names, t.Config.Data) {
			names = append(names, t.Config.Data)
		}
	}
	return names
}

// key returns the identity of the trial's result: the digest of everything it depends on.
func (t *Trial) key(code, data string) (string, error) {
	b, err := json.Marshal(struct { // a struct's fields in order, a map's keys sorted: canonical
		Experiment, Problem, Method string
		Seed                        uint64
		Config                      TrialConfig
		Code                        string
		Data                        string `json:",omitempty"`
	}{t.Experiment, t.Problem, t.Method, t.Seed, t.Config, code, data})
	if err != nil {
		return "", fmt.Errorf("the configuration of %s cannot be stored: %w", t.Name(), err)
	}
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:10]), nil
}

// Name says which trial this is, in words.
func (t *Trial) Name() string {
	method := t.Method
	if t.Label != "" {
		method += " (" + t.Label + ")"
	}
	return fmt.Sprintf("%s/%s %s %s seed %d", t.Experiment, t.Protocol, t.Problem, method, t.Seed)
}
