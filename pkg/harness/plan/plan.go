// Package plan lists the trials that a request implies, each with its key.
package plan

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/dataset"
	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/harness/settings"
	"github.com/semi-implicit/sifg/pkg/harness/usage"
	"github.com/semi-implicit/sifg/pkg/sifg"
)

// Datasets knows data sets by name; *dataset.Library is one.
type Datasets interface {
	// Digest identifies everything that decides the data, without reading them.
	Digest(name string) (string, error)
	Load(name string) (*dataset.Data, error)
}

// Request says which trials are wanted, as it was asked.
type Request struct {
	Experiments []*harness.Experiment
	// Protocols are those that are wanted, All for every one; nil: each experiment's default. An experiment that has
	// none of them is left out if another has one.
	Protocols []string
	Scale     string
	Overrides []settings.Override
	Problems  []string // nil: all
	Methods   []string // nil: all
	Seeds     []uint64 // in place of those of the settings; nil: those
	Data      Datasets
	Custom    []string // data sets of a person's own that the experiments run on (harness.Experiment.On)
	Samplers  []string // programs that are methods, NAME=COMMAND
	Program   string   // the command of a target of a person's own

	// Widen puts more methods in the settings, such as the cells of a grid; nil: none.
	Widen func(*settings.Settings) error
}

// Plan is the trials of a request, in order of experiment, protocol, problem, method, seed.
//
// Two trials may have the same key: a trial is computed once however many protocols or scales ask for it, since its key
// is made from its resolved configuration alone. The names of protocol and scale are labels of the plan, not of the
// result.
type Plan struct {
	Experiments []*harness.Experiment
	Scale       string
	Set         []string // the overrides, then the selections as flags: --problems a,b
	Trials      []harness.Trial
	LeftOut     []string // says of each experiment without such a trial that it is left out
}

// Known refuses names that no settings file has.
func (r Request) Known() error {
	_, _, err := r.files()
	return err
}

// files reads the settings files, one an experiment, and refuses names that none of them has. methods are those of all.
func (r *Request) files() (files []*settings.File, methods []string, err error) {
	protocols, problems := []string{All}, []string(nil)
	for _, e := range r.Experiments {
		f, err := e.File()
		if err != nil {
			return nil, nil, err
		}
		files = append(files, f)
		protocols = append(protocols, f.Protocols...)
		problems = append(problems, f.Problems...)
		methods = append(methods, f.Methods...)
	}
	samplers := slices.Clone(methods)
	for _, s := range sifg.Samplers() {
		samplers = append(samplers, s.Name)
	}
	return files, methods, cmp.Or(
		known("scale", []string{r.Scale}, settings.Scales),
		known("protocol", r.Protocols, protocols),
		known("problem", r.Problems, problems),
		known("method", r.Methods, samplers),
		usage.Twice("data set", r.Custom),
	)
}

// known refuses names that are not among those that there are, or twice.
func known(kind string, names, have []string) error {
	have = slices.Compact(slices.Sorted(slices.Values(have)))
	return cmp.Or(usage.Among(kind, names, "", have), usage.Twice(kind, names))
}

// New makes the plan of a request. It resolves the configuration of every trial and checks it, the experiment's own
// options included, so that what is wrong is said before anything runs.
func New(r Request) (*Plan, error) {
	files, methods, err := r.files()
	if err != nil {
		return nil, err
	}
	p := &Plan{Scale: r.Scale, Set: r.Set()}
	for i, e := range r.Experiments {
		had := len(p.Trials)
		other := func(m string) bool { return slices.Contains(methods, m) && !slices.Contains(files[i].Methods, m) }
		f := files[i].For(r.wants, slices.DeleteFunc(slices.Concat(r.Added(), r.Methods), other))
		for _, protocol := range r.protocols(f) {
			trials, err := r.trials(e, f, protocol)
			if err != nil {
				return nil, err
			}
			p.Trials = append(p.Trials, trials...)
		}
		if len(p.Trials) > had {
			p.Experiments = append(p.Experiments, e)
		} else {
			p.LeftOut = append(p.LeftOut, fmt.Sprintf("%s is left out: it has no such trials; its protocols are %s",
				e.Name, strings.Join(files[i].Protocols, ", ")))
		}
	}
	if len(p.Trials) == 0 {
		return nil, usage.Errorf("there are no such trials: %s", strings.Join(p.Set, " "))
	}
	return p, r.idle(p.Trials)
}

// idle refuses a problem or method that was asked for and that none of the trials has.
func (r *Request) idle(trials []harness.Trial) error {
	for _, name := range slices.Concat(r.Problems, r.Methods) {
		has := func(t harness.Trial) bool { return t.Problem == name || t.Method == name }
		if !slices.ContainsFunc(trials, has) {
			return usage.Errorf("none of these trials has %s; sifg plan --protocol all shows what runs where", name)
		}
	}
	return nil
}

// All stands for every protocol.
const All = "all"

// protocols returns those of an experiment that are wanted.
func (r *Request) protocols(f *settings.File) []string {
	if r.Protocols == nil {
		return []string{f.Default}
	}
	return slices.DeleteFunc(slices.Clone(f.Protocols), func(p string) bool {
		return !slices.Contains(r.Protocols, p) && !slices.Contains(r.Protocols, All)
	})
}

// Added are the names of the programs that are methods.
func (r *Request) Added() (names []string) {
	for _, text := range r.Samplers {
		name, _, _ := strings.Cut(text, "=")
		names = append(names, name)
	}
	return names
}

// Set lists the overrides and selections as the user gave them.
func (r *Request) Set() (out []string) {
	add := func(flag, value string) {
		if value != "" {
			out = append(out, "--"+flag+" "+value)
		}
	}
	add("program", r.Program)
	for _, text := range r.Samplers {
		add("sampler", text)
	}
	for _, o := range r.Overrides {
		out = append(out, o.Text)
	}
	add("data", strings.Join(r.Custom, ","))
	add("problems", strings.Join(r.Problems, ","))
	add("methods", strings.Join(r.Methods, ","))
	add("seeds", strings.Trim(strings.ReplaceAll(fmt.Sprint(r.Seeds), " ", ","), "[]"))
	return out
}

// wants reports whether the request selects a method on a problem. A sampler that it adds is always selected.
func (r *Request) wants(problem, method string) bool {
	has := func(list []string, name string) bool { return list == nil || slices.Contains(list, name) }
	return has(r.Problems, problem) && (has(r.Methods, method) || slices.Contains(r.Added(), method))
}

// Unique returns the trials with different keys, in order.
func (p *Plan) Unique() []harness.Trial {
	seen := make(map[string]bool, len(p.Trials))
	return slices.DeleteFunc(slices.Clone(p.Trials), func(t harness.Trial) bool {
		again := seen[t.Key]
		seen[t.Key] = true
		return again
	})
}

// Shard keeps part i of n of the trials, counted from 0: every n-th, each once. It does not depend on what the store
// has, so that processes that start one after the other share the work without a word.
func (p *Plan) Shard(i, n int) {
	all := p.Unique()
	p.Trials = nil
	for ; i < len(all); i += n {
		p.Trials = append(p.Trials, all[i])
	}
}

// Command is the command line that computes the trials of a set of records.
func Command(of *record.Set) string {
	args := []string{"sifg", "run", of.Experiment, "--protocol", of.Protocol}
	own := func(s string) bool { return strings.HasPrefix(s, "--data ") } // whose scale is another by default
	if of.Scale != "full" || slices.ContainsFunc(of.Overrides, own) {
		args = append(args, "--scale", of.Scale)
	}
	for _, s := range of.Overrides {
		if flag, value, ok := strings.Cut(s, " "); ok && strings.HasPrefix(s, "--") {
			args = append(args, flag, value)
		} else {
			args = append(args, "--set", s)
		}
	}
	return usage.Quote(args)
}
