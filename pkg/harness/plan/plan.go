// Package plan lists the trials that a request implies, each with its key.
package plan

import (
	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/dataset"
	"github.com/semi-implicit/sifg/pkg/harness/settings"
)

// LoopVersion identifies the loop in package run: it is part of the key of every trial. Raise it when the same trial may give
// other numbers.
const LoopVersion = 1

// Datasets knows data sets by name; *dataset.Library is one.
type Datasets interface {
	// Digest identifies everything that decides the data, without reading them.
	Digest(name string) (string, error)
	Load(name string) (*dataset.Data, error)
}

// Request says which trials are wanted.
type Request struct {
	Experiments []*harness.Experiment
	Protocols   []string // nil: all that an experiment has
	Scale       string
	Overrides   []settings.Override
	Problems    []string // nil: all
	Methods     []string // nil: all
	Seeds       []uint64 // in place of those of the settings; nil: those
	Data        Datasets
	// Lenient leaves an experiment out of a protocol that it lacks, if another of the request has it; otherwise that is an error.
	Lenient bool
}

// Plan is the trials of a request, in order of experiment, protocol, problem, method, seed.
//
// Two trials may have the same key: a trial is computed once however many protocols or scales ask for it, since its key is made
// from its resolved configuration alone. The names of protocol and scale are labels of the plan, not of the result.
type Plan struct {
	Experiments []*harness.Experiment
	Scale       string
	Set         []string // the overrides and selections, as they were given
	Trials      []harness.Trial
}

// New resolves the configuration of every trial and checks it, the experiment's own options included, so that what is wrong is
// said before anything runs.
func New(r Request) (*Plan, error) { panic("to be written") }

// Unique returns the trials with different keys, in order.
func (p *Plan) Unique() []harness.Trial { panic("to be written") }

// Only keeps the trials whose key begins with prefix, which must be those of one key.
func (p *Plan) Only(prefix string) error { panic("to be written") }

// Key returns the identity of a trial's result: the digest of all that it depends on (docs/architecture.md, "What identifies a
// result"). data is the digest of the trial's data set, "" for none.
func Key(e *harness.Experiment, t *harness.Trial, data string) (string, error) {
	panic("to be written")
}

// Revive gives a trial that came from another process what it depends on, and refuses it where this program or its data would
// give it another key.
func Revive(t *harness.Trial, experiments []*harness.Experiment, data Datasets) (*harness.Experiment, error) {
	panic("to be written")
}

// ReferenceKey returns the identity of a trial's reference; see Key.
func ReferenceKey(e *harness.Experiment, t *harness.Trial, r *harness.Reference, data string) (string, error) {
	panic("to be written")
}
