package cli

import (
	"context"
	"os"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/semi-implicit/sifg/pkg/harness/dataset"
	"github.com/semi-implicit/sifg/pkg/harness/plan"
	"github.com/semi-implicit/sifg/pkg/harness/program"
	"github.com/semi-implicit/sifg/pkg/harness/usage"
)

// own is the flags of a person's own data and programs.
type own struct {
	data     []string
	columns  dataset.Columns
	programs programs
	all      *pflag.FlagSet // of the command
}

func (o *own) flags(f *pflag.FlagSet) {
	o.all = f
	f.StringArrayVar(&o.data, "data", nil,
		"your own data, in place of the experiment's: a table in `FILE` or the name of a data set; repeatable")
	tableFlags(f, &o.columns)
	o.programs.flags(f)
}

func tableFlags(f *pflag.FlagSet, c *dataset.Columns) {
	f.StringVar(&c.Target, "target", "", "the `COLUMN` of a table that is predicted, by its name, or last")
	f.StringSliceVar(&c.Drop, "drop", nil, "`COLUMNS` of a table to leave out, such as names of its rows")
	f.StringSliceVar(&c.Encode, "encode", nil, "`COLUMNS` of text that become columns of 0 and 1")
	f.StringVar(&c.Missing, "missing", "", "`drop`: leave out the rows in which a value is missing")
}

// use makes the request's experiments run on the data of the flags. This program then has no others, so that nothing of
// the paper is beside them.
func (o *own) use(e *env, r *plan.Request) error {
	target, err := o.programs.start(e)
	if err != nil {
		return err
	}
	r.Samplers, r.Program = o.programs.samplers, o.programs.target
	if o.data == nil && !reflect.ValueOf(o.columns).IsZero() {
		return usage.Errorf("--target, --drop, --encode and --missing say how a table is read: --data FILE names it")
	}
	// Experiments keep this list. Files in it are read last, so that what takes no tables says so first.
	r.Own = slices.Clone(o.data)
	names := r.Own
	if target != nil {
		names = []string{target.Name() + "-1000"}
	}
	switch {
	case target != nil && r.Own != nil:
		return usage.Errorf("--program and --data exclude each other")
	case names == nil:
		return nil
	}
	var takers []string // experiments that run on such things
	for _, x := range e.experiments {
		if x.Own != nil && x.Own.Program == (target != nil) {
			takers = append(takers, x.Name)
		}
	}
	r.Experiments = slices.Clone(r.Experiments)
	for i, x := range r.Experiments {
		if x.Own != nil && !o.all.Changed("protocol") {
			r.Protocols = []string{x.Own.Protocol}
		}
		if r.Experiments[i], err = x.On(names, target); err != nil {
			return usage.Errorf("%v; %s does", err, strings.Join(takers, " or "))
		}
	}
	e.experiments = r.Experiments
	return o.read(e, r.Own)
}

// read puts the names of data sets in the place of files, and checks names.
func (o *own) read(e *env, data []string) error {
	for i, name := range data {
		_, absent := os.Stat(name)
		entry, err := e.data.Entry(name)
		switch {
		case absent == nil:
			data[i], err = e.data.Add(name, o.columns)
		case err != nil:
			err = usage.Errorf("--data %s: there is no such file, and %v", name, err)
		case !o.columns.Of(entry):
			err = usage.Errorf("--data %s is described already: leave --target and the like out", name)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// programs is the flags that name programs of a person's own (docs/programs.md). No others are started.
type programs struct {
	samplers []string
	target   string
	startup  time.Duration
}

func (p *programs) flags(f *pflag.FlagSet) {
	f.StringArrayVar(&p.samplers, "sampler", nil,
		"a program that is a sampler, as one method more, `NAME=COMMAND`; repeatable")
	f.StringVar(&p.target, "program", "",
		"a program that is a posterior, in place of the experiment's, by its `COMMAND`, such as \"python model.py\"")
	f.DurationVar(&p.startup, "startup", 2*time.Minute,
		"how long a program may print nothing, on stderr either, before its first line")
}

// start starts the programs and makes the samplers known. target is nil without one.
func (p *programs) start(e *env) (target *program.Program, err error) {
	for _, text := range p.samplers {
		name, command, ok := strings.Cut(text, "=")
		if !ok {
			return nil, usage.Errorf("--sampler %s: want NAME=COMMAND, such as nuts=\"python nuts.py\"", text)
		}
		x, err := program.Start(context.Background(), command, p.startup)
		if err == nil {
			err = program.Register(name, x)
		}
		if err != nil {
			return nil, err
		}
		e.programs = append(e.programs, "--sampler", text)
	}
	if p.samplers != nil || p.target != "" {
		e.programs = append(e.programs, "--startup", p.startup.String())
	}
	if p.target == "" {
		return nil, nil
	}
	target, err = program.Start(context.Background(), p.target, p.startup)
	switch {
	case err != nil:
		return nil, err
	case target.First.Target == nil:
		return nil, usage.Errorf("--program %q is a sampler: it goes with --sampler NAME=COMMAND", p.target)
	}
	program.Add(target, "")
	e.programs = append(e.programs, "--program", p.target)
	return target, nil
}
