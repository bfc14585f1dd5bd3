package harness

import (
	"encoding/json"
	"fmt"

	"github.com/semi-implicit/sifg/pkg/harness/dataset"
	"github.com/semi-implicit/sifg/pkg/harness/program"
	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/harness/settings"
)

// Trial is one run of one method on one problem with one seed.
type Trial struct {
	// Key is a hex digest of all that the particles depend on, "-", and one of what is measured.
	Key string

	Experiment string
	Protocol   string // as its settings declare it
	Scale      string // full, quick, smoke
	Problem    string // gmm-2d, …
	Method     string // label in figures and tables: sifg, …
	Cell       string // of a grid: "step=0.01,sigma=0.1"; "" outside of cells
	Seed       uint64
	Config     *settings.Config // shared by the trials of a method on a problem: not to be changed

	// Data reads the data set Config.Data; nil where the trial has none.
	Data func() (*dataset.Data, error) `json:"-"`
	// Reference reads a file of the trial's reference; nil where the trial has none.
	Reference func(name string) ([]byte, error) `json:"-"`
	// Programs are the processes of programs that the trial uses; nil before it is computed.
	Programs *program.Session `json:"-"`
}

// Name says in words which trial this is.
func (t *Trial) Name() string {
	return fmt.Sprintf("%s/%s %s %s seed %d", t.Experiment, t.Protocol, t.Problem, t.Row().Method, t.Seed)
}

// Row returns the trial's row of trials.parquet, less how it ended.
func (t *Trial) Row() record.Trial {
	config, _ := json.Marshal(t.Config) // as for its key
	method := t.Method
	if t.Cell != "" {
		method += "@" + t.Cell
	}
	return record.Trial{
		Key:        t.Key,
		Experiment: t.Experiment,
		Protocol:   t.Protocol,
		Scale:      t.Scale,
		Problem:    t.Problem,
		Method:     method,
		Seed:       t.Seed,
		Particles:  t.Config.Particles,
		Config:     string(config),
	}
}
