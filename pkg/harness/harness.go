// Package harness turns an experiment (data plus glue) into trials, runs them, keeps their records and reports them.
//
// Data flows one way: configuration → plan (trials) → run (target + sampler + loop) → records in the store → merged
// Parquet → tables, figures, claims, page. Every border is a file or a small value type.
package harness

import (
	"context"
	"io/fs"

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

// Problem is what an experiment gives the loop for one trial.
type Problem struct {
	Target sifg.Target
	Init   func(dst sifg.Batch, r *rng.Stream) // the start, the same for every method of a comparison
	// Measure judges a sample at a checkpoint: it adds rows to the trace by put. The sample must not be changed or kept.
	Measure func(c *sifg.Cloud, sample sifg.Batch, put func(metric string, index int, value float64))
}
