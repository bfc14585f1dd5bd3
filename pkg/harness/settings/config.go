// Package settings turns an experiment's YAML and what a person lays over it into exact, checked values.
package settings

import "github.com/semi-implicit/sifg/pkg/sifg"

// Protocols and Scales are the names that a settings file may use, in order of presentation.
var (
	Protocols = []string{"paper", "released", "matched", "standard"}
	Scales    = []string{"full", "quick", "smoke"}
)

// Samples are the values of Judge.Sample.
var Samples = []string{"particles", "perturbed", "fresh"}

// Config is the resolved configuration of a trial: the whole input of its result. It is stored with the result.
type Config struct {
	Particles  int            `mapstructure:"particles" json:"particles"`
	Iterations int            `mapstructure:"iterations" json:"iterations"`
	Data       string         `mapstructure:"data" json:"data,omitempty"` // name of a data set
	Options    map[string]any `mapstructure:"options" json:"options"`     // the experiment's own keys; see Decode
	Sampler    sifg.Config    `mapstructure:"sampler" json:"sampler"`
	Judge      Judge          `mapstructure:"judge" json:"judge"`
}

// Judge says when a trial is measured and what is kept of it.
type Judge struct {
	Every     int    `mapstructure:"every" json:"every"`         // iterations between checkpoints; the first and the last are always judged
	Sample    string `mapstructure:"sample" json:"sample"`       // particles | perturbed (x of this iteration, before the move) | fresh
	Snapshots []int  `mapstructure:"snapshots" json:"snapshots"` // iterations whose judged sample is kept
	Track     int    `mapstructure:"track" json:"track"`         // number of particles whose path is kept at every checkpoint
}
