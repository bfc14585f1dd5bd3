// Package harness turns an experiment (data plus glue) into trials, runs them, keeps their records and reports them.
//
// Data flows one way: configuration → plan (trials) → run (target + sampler + loop) → records in the store → merged
// Parquet → tables, figures, claims, page. Every border is a file or a small value type.
package harness

import (
	"context"
	"io/fs"

	"github.com/semi-implicit/sifg/pkg/harness/dataset"
	"github.com/semi-implicit/sifg/pkg/sifg"
	"github.com/semi-implicit/sifg/pkg/sifg/rng"
)

// Experiment is what an experiment module registers: data plus glue, no loop, no file format, no statistics.
type Experiment struct {
	Name    string // as on the command line: gmm
	Title   string
	Summary string // one paragraph for the page
	Config  []byte // YAML: base, protocols, scales (docs/configuration.md)
	// Setup builds the problem of one trial. It must not draw from any stream but those it makes by name.
	// Without Check it is also called once a problem when a plan is made, so that what is wrong with the options is said
	// before anything runs: let it be quick, and leave what is slow to the first call of Measure.
	Setup  func(t *Trial) (*Problem, error)
	Check  func(t *Trial) error // checks a problem's options when a plan is made; nil: Setup does. Must not need data
	Source fs.FS                // the Go files that Setup and Measure consist of (embedded): part of the key of every trial
	Uses   []fs.FS              // the same of packages they use, beside those of every trial
	// Prepare makes what trials share and what takes too long for Setup, in the folder Trial.Shared, which outlives runs;
	// what a stopped call left there it continues. It is called before a run's trials of this experiment, with those; say
	// tells the user. nil: there is nothing to make.
	Prepare  func(ctx context.Context, trials []Trial, say func(string)) error
	Metrics  []string // that its options can ask for, for listings
	Grids    fs.FS    // grids/*.yaml, the grids that come with it; may be nil
	Figures  []Figure
	Tables   []Table
	Claims   []Claim
	Findings []Finding
	// Published are the numbers that the paper prints, as CSV; see ReadPublished. nil: none.
	Published []byte
	// Unlike says of protocols whose trials are not of what the published numbers are of why not: other data, say.
	Unlike map[string]string
	// Scores are the metrics that methods are compared by, the most telling first. Less is better in all of them.
	Scores []string
}

// Trial is one run of one method on one problem with one seed, with its configuration fully resolved.
type Trial struct {
	Key        string // hex digest of everything the result depends on
	Experiment string
	Protocol   string // paper, released, matched
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

// Problem is what an experiment gives the loop for one trial.
type Problem struct {
	Target sifg.Target
	Init   func(dst sifg.Batch, r *rng.Stream) // the start, the same for every method of a comparison
	// Measure judges a sample at a checkpoint: it adds rows to the trace by put. The sample must not be changed or kept.
	Measure func(c *sifg.Cloud, sample sifg.Batch, put func(metric string, index int, value float64))
}
