// Package harness is what the author of an experiment fills in. An experiment is data plus glue: its settings, the
// problem of a trial, figures, tables and claims. It has no loop, no file format and no statistics of its own.
//
// A run takes one way through the packages below this one, each arrow one call with values in and out
// (docs/architecture.md):
//
//	settings → plan → run → store → report → page
package harness

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"strings"

	"github.com/semi-implicit/sifg/pkg/harness/claim"
	"github.com/semi-implicit/sifg/pkg/harness/dataset"
	"github.com/semi-implicit/sifg/pkg/harness/internal/safe"
	"github.com/semi-implicit/sifg/pkg/harness/program"
	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/harness/settings"
	"github.com/semi-implicit/sifg/pkg/harness/usage"
	"github.com/semi-implicit/sifg/pkg/sifg"
	"github.com/semi-implicit/sifg/pkg/sifg/metric"
	"github.com/semi-implicit/sifg/pkg/sifg/npy"
	"github.com/semi-implicit/sifg/pkg/sifg/rng"
)

// Experiment is what an experiment's module registers with the command.
type Experiment struct {
	Name     string // as on the command line: gmm
	Title    string
	Summary  string // one paragraph for the page
	Note     string // what its protocols are, in place of what its settings say; "": that
	Settings []byte // YAML: base, protocols, scales (docs/configuration.md)

	// Version identifies the code that draws: targets, starts, computations. It is part of the key of every trial:
	// raise it when the same settings may give other particles, and only then. The metrics' is that of Measuring.
	Version   string
	Measuring Measuring

	// Problem builds the problem of one trial. It may draw only from random streams that it makes by name. Where
	// numbers are computed in one go, such as a rate or a bound, the method's sampler is none, and Problem.Measure
	// computes them.
	Problem func(t *Trial) (*Problem, error)
	// Check refuses wrong options when a plan is made, where the data may be absent: dataset.ErrAbsent refuses nothing.
	// Of the trials of a method on a problem it gets those of the smallest and the largest seed. nil: Problem checks,
	// and must be quick.
	Check func(t *Trial) error
	// Reference returns what a trial is judged by; nil: trials of this experiment need no reference.
	Reference func(t *Trial) (*Reference, error)

	Metrics Metrics // that its trials can measure, for listings
	// metrics that methods are compared by, the most telling first; less is better in all of them
	Scores []string
	// Baselines are predictors without a sampler that its trials measure too, shown beside the methods.
	Baselines []Baseline
	Grids     fs.FS     // grids/*.yaml that come with it; may be nil
	Sections  []Section // what its page has, in order; IDs are unique

	// Paper is the paper that it reproduces a part of, which experiments share; nil: none.
	Paper *Paper

	// Custom says how it runs on data sets of a person's own; nil: it does not.
	Custom *Custom

	// Published are the numbers that the paper prints; nil: none.
	Published []claim.Published

	own   func(f *settings.File) // what On changes in the settings; nil: nothing
	plain string                 // the title without what it is on; "" of one that is on nothing of a person's own
}

// File reads and checks the settings.
func (e *Experiment) File() (*settings.File, error) {
	f, err := settings.Read(e.Name, e.Settings)
	if err == nil && e.own != nil {
		e.own(f)
	}
	return f, err
}

// ByName returns the experiment of a name, nil if there is none.
func ByName(all []*Experiment, name string) *Experiment {
	for _, e := range all {
		if e.Name == name {
			return e
		}
	}
	return nil
}

// Custom is an experiment on data sets of a person's own, or on their program. Nothing of it is about the paper.
type Custom struct {
	Problem  string         // whose settings every data set takes, or the program
	Program  bool           // on a program; false: on data sets
	Protocol string         // unless one is chosen
	Methods  []string       // unless some are chosen, and on a program beside these; nil: all
	Options  map[string]any // of the problem, that a data set has in place of Problem's
	Title    string         // in place of the experiment's, before the names of data sets or program; "": that
	Summary  string
	Sections []Section
	// Folder reads the folder of a paper of a person's own as an experiment. Its tables become data sets, which the
	// experiment tables computes on; nil: none does.
	Folder func(dir string, data *dataset.Library, tables *Experiment) (*Experiment, error)
}

// On returns the experiment with a problem of its own for each of these data sets, in place of its problems, and
// without claims. On a program there is one, whose name stands in place of a data set's.
func (e *Experiment) On(data []string, target *program.Program) (*Experiment, error) {
	if e.Custom == nil || e.Custom.Program != (target != nil) {
		what := map[bool]string{false: "--data", true: "--program"}[target != nil]
		return nil, usage.Errorf("experiment %s does not take %s", e.Name, what)
	}
	options := e.Custom.Options
	if target != nil {
		options = map[string]any{"program": target.Identity, "values": target.First.Target.Names}
		if values := target.First.Target.Values; values != nil {
			options["values"] = values
		}
	}
	out := e.Shown(data)
	out.own = func(f *settings.File) { f.On(e.Custom.Problem, data, target == nil, options) }
	return out, nil
}

// Shown returns the experiment as results on what is a person's own show it, whose problems have these names: with the
// sections of Custom, and nothing of a paper.
func (e *Experiment) Shown(problems []string) *Experiment {
	out := *e
	named := strings.Join(problems, ", ")
	if out.Note = "the settings of " + e.Custom.Problem + ", not tuned for your data"; e.Custom.Program {
		out.Note, named = "", strings.TrimSuffix(named, ProgramSuffix)
	}
	out.plain = cmp.Or(e.plain, e.Custom.Title, e.Title)
	out.Title = out.plain + ": " + named
	out.Summary, out.Sections = e.Custom.Summary, e.Custom.Sections
	out.Paper, out.Published = nil, nil
	out.own = func(*settings.File) {}
	return &out
}

// ProgramSuffix follows the name of a program in that of its problem.
const ProgramSuffix = "-1000"

// OnCustom reports whether the experiment is on what is a person's own.
func (e *Experiment) OnCustom() bool { return e.own != nil }

// Problem is one trial's problem.
type Problem struct {
	Target sifg.Target
	// Init draws the initial particles. It is the same for every method of a comparison.
	Init func(dst sifg.Batch, r *rng.Stream)
	// Measure judges a sample at a checkpoint and adds rows to the trace by put. It must neither change nor keep the
	// sample. Where it takes long it ends early once Trial.Programs.Context has ended.
	Measure func(c *sifg.Cloud, sample sifg.Batch, put func(metric string, index int, value float64))
	// Keep returns arrays that stay with the trial, made of its last sample; nil: none but the particles.
	Keep func(sample sifg.Batch) map[string]*record.Array
}

// Measuring says what of an experiment's trials is measured, apart from what is drawn: the second part of their keys.
type Measuring struct {
	// Version identifies the code of Problem.Measure and Keep: raise it when the same particles may give other numbers.
	Version string
	Options []string // those of the settings that decide only what is measured, and nothing of what is drawn
}

// Reference is what trials of a problem are judged by and what takes too long to make for each of them: draws of long
// HMC chains, say. It is stored, sealed and verified like a trial.
type Reference struct {
	// Config is everything that the reference depends on besides the data set and the experiment's version, as a value
	// with a canonical JSON form. Trials with equal Config share one reference.
	Config any
	// Make makes the files. dir is a folder for checkpoints: what a stopped call left there, the next one continues.
	Make func(ctx context.Context, dir string, progress func(done, total int)) (map[string][]byte, error)
}

// ReadPoints reads an NPY file of a reference, whose last dimension holds coordinates. read is Trial.Reference.
func ReadPoints(read func(name string) ([]byte, error), name string) (p metric.Points, err error) {
	b, err := read(name)
	if err != nil {
		return p, err
	}
	shape, data, err := npy.Decode[float64](b)
	if err != nil {
		return p, fmt.Errorf("%s of the reference: %w: %v", name, safe.ErrDamaged, err)
	}
	d := shape[len(shape)-1]
	return metric.Points{N: len(data) / d, D: d, Data: data}, nil
}

// ReadJSON reads a JSON file of a reference into v. read is Trial.Reference.
func ReadJSON(read func(name string) ([]byte, error), name string, v any) error {
	b, err := read(name)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(b, v); err != nil {
		return fmt.Errorf("%s of the reference: %w: %v", name, safe.ErrDamaged, err)
	}
	return nil
}

// ReadPublished reads the published numbers of a file, all of which the experiment can measure.
func (e *Experiment) ReadPublished(file string) ([]claim.Published, error) {
	text, err := safe.Read(file, 1<<20)
	if err != nil {
		return nil, err
	}
	out, err := claim.ReadPublished(file, text)
	if err != nil {
		return nil, err
	}
	f, err := e.File()
	for _, p := range out {
		err = cmp.Or(err, usage.Among("data set", []string{p.Problem}, file, f.Problems),
			e.Metrics.Known(p.Metric, file), usage.Among("method", []string{p.Method}, file, f.Methods))
	}
	return out, err
}

// Baseline is a predictor without a sampler.
type Baseline struct {
	Name    string   // in words: least squares
	Metrics []string // that have its values, one for each of Experiment.Scores
}

// Claims returns the claims that it checks.
func (e *Experiment) Claims() (out []*claim.Claim) {
	for _, s := range e.Sections {
		if s.Claim != nil {
			out = append(out, s.Claim)
		}
	}
	return out
}

// None is the sampler of computations: it leaves the particles where they start.
var None = sifg.Sampler{
	Name:    settings.None,
	Title:   "None",
	Doc:     "no sampler: particles stay where they start, for numbers that are computed in one go",
	Version: 1,
	Build: func(sifg.Config) (*sifg.Flow, error) {
		return &sifg.Flow{Field: sifg.Still{}, Mover: &sifg.Euler{Step: 1}}, nil
	},
}

func init() { sifg.Register(None) }
