// Package settings turns an experiment's YAML and what a person lays over it into exact, checked values.
package settings

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/semi-implicit/sifg/pkg/harness/program"
	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/sifg"
)

// Scales are the names of scales, in order of presentation.
var Scales = []string{"full", "quick", "smoke"}

// Protocol is what a settings file says of one of its protocols.
type Protocol struct {
	// Title says how its settings were chosen, in a few words.
	Title string `mapstructure:"title"`
	// Note says what it is, in a sentence without its full stop.
	Note string `mapstructure:"note"`
	// Claims: it checks the claims of the paper.
	Claims bool `mapstructure:"claims"`
	// Incomparable says why its numbers must not be set beside the printed ones; "": they may.
	Incomparable string `mapstructure:"incomparable"`
	// From is the protocol that its settings are laid over; "": none.
	From string `mapstructure:"from"`
}

// Samples are the values of Judge.Sample.
var Samples = []string{"particles", "perturbed", "fresh"}

// Config is the resolved configuration of a trial: the whole input of its result. It is stored with the result.
type Config struct {
	Particles  int            `mapstructure:"particles"  json:"particles"`
	Iterations int            `mapstructure:"iterations" json:"iterations"`
	Data       string         `mapstructure:"data"       json:"data,omitempty"` // name of a data set
	Options    map[string]any `mapstructure:"options"    json:"options"`        // the experiment's own keys; see Decode
	Sampler    sifg.Config    `mapstructure:"sampler"    json:"sampler"`
	Judge      Judge          `mapstructure:"judge"      json:"judge"`

	// Program identifies the sampler where that is a program; a plan sets it.
	Program *program.Identity `mapstructure:"-" json:"program,omitempty"`
}

// Computation reports whether the trial is a computation: a problem without a sampler (harness.Computation).
func (c *Config) Computation() bool { return c.Sampler.Sampler == "" }

// MarshalJSON implements json.Marshaler. A computation has options, and perhaps data, alone.
func (c Config) MarshalJSON() ([]byte, error) {
	if c.Computation() {
		return json.Marshal(struct {
			Data    string         `json:"data,omitempty"`
			Options map[string]any `json:"options"`
		}{c.Data, c.Options})
	}
	type run Config // without this method
	return json.Marshal(run(c))
}

// Judge says when a trial is measured and what is kept of it.
type Judge struct {
	// iterations between checkpoints; the first and the last are always judged
	Every int `mapstructure:"every"     json:"every"`
	// particles | perturbed (x of this iteration, before the move) | fresh
	Sample    string `mapstructure:"sample"    json:"sample"`
	Snapshots []int  `mapstructure:"snapshots" json:"snapshots"` // iterations whose judged sample is kept
	// number of particles whose path is kept at every checkpoint
	Track int `mapstructure:"track"     json:"track"`
}

// Bounds far above what can be computed, and far below what files hold exactly.
const (
	maxCount     = 1_000_000_000
	maxParticles = 10_000_000
)

// normalise checks the values, puts defaults in place, and cuts what exceeds the run: a snapshot after the last
// iteration, a track of more particles than there are. So a smaller scale need not repeat them.
func (c *Config) normalise() error {
	j := &c.Judge
	if j.Sample == "" {
		j.Sample = Samples[0]
	}
	if c.Particles < 2 || c.Particles > maxParticles {
		return fmt.Errorf("particles: must be 2 to %d, got %d", maxParticles, c.Particles)
	}
	if c.Iterations < 1 || c.Iterations > maxCount {
		return fmt.Errorf("iterations: must be 1 to %d, got %d", maxCount, c.Iterations)
	}
	for key, n := range map[string]int{"judge.every": j.Every, "judge.track": j.Track} {
		if n < 0 || n > maxCount {
			return fmt.Errorf("%s: must be 0 to %d, got %d", key, maxCount, n)
		}
	}
	if !slices.Contains(Samples, j.Sample) {
		return fmt.Errorf("judge.sample: %q is unknown: want one of %s", j.Sample, strings.Join(Samples, ", "))
	}
	j.Track = min(j.Track, c.Particles)
	j.Snapshots = slices.DeleteFunc(slices.Clone(j.Snapshots), func(k int) bool { return k > c.Iterations })
	slices.Sort(j.Snapshots)
	j.Snapshots = slices.Compact(j.Snapshots)
	if len(j.Snapshots) > 0 && j.Snapshots[0] < 0 {
		return fmt.Errorf("judge.snapshots: must not be negative, got %d", j.Snapshots[0])
	}
	return nil
}

// Of returns the resolved configuration of a trial.
func Of(t record.Trial) (Config, error) {
	var c Config
	if err := json.Unmarshal([]byte(t.Config), &c); err != nil {
		return c, fmt.Errorf("the configuration of trial %s: %w", t.Key, err)
	}
	return c, nil
}

// Flatten returns the values of a configuration in JSON by dotted key, text without its quotes; nothing of what is no
// object.
func Flatten(config []byte) map[string]string {
	out := map[string]string{}
	var walk func(at string, v json.RawMessage)
	walk = func(at string, v json.RawMessage) {
		var members map[string]json.RawMessage
		var text string
		switch {
		case json.Unmarshal(v, &members) == nil && members != nil:
			for key, member := range members {
				walk(strings.TrimPrefix(at+"."+key, "."), member)
			}
		case json.Unmarshal(v, &text) == nil && string(v) != "null":
			out[at] = text
		case at != "" && string(v) != "null":
			out[at] = string(v)
		}
	}
	walk("", config)
	return out
}
