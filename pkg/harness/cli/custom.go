package cli

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/dataset"
	"github.com/semi-implicit/sifg/pkg/harness/plan"
	"github.com/semi-implicit/sifg/pkg/harness/program"
	"github.com/semi-implicit/sifg/pkg/harness/usage"
)

// openPaper puts the experiment of a paper's folder in the place of all others, so that nothing of another paper is
// beside it, and its name in the place of the folder among the arguments.
func (e *env) openPaper(args []string) error {
	var reads, tables *harness.Experiment
	for _, x := range e.experiments {
		switch {
		case x.Custom == nil:
		case x.Custom.Folder != nil:
			reads = x
		case !x.Custom.Program:
			tables = x
		}
	}
	folder := func(arg string) bool {
		_, absent := os.Stat(filepath.Join(arg, "paper.yaml"))
		return (absent == nil || strings.Contains(arg, "/")) && !slices.Contains(append(e.names(), "all"), arg)
	}
	k := slices.IndexFunc(args, folder)
	if reads == nil || k < 0 {
		return nil
	}
	x, err := reads.Custom.Folder(args[k], e.data, tables)
	if err != nil {
		return err
	}
	e.paper, args[k], e.experiments = x.Name, x.Name, []*harness.Experiment{x}
	return nil
}

// own is the flags of a person's own data and programs (docs/programs.md). No other programs are started.
type own struct {
	data     []string
	table    dataset.Table
	parse    []string // of the table
	samplers []string
	program  string
	all      *pflag.FlagSet // of the command
	changed  []string       // what was chosen by flags: see plan.Request.Set
}

func (o *own) flags(cmd *cobra.Command) {
	f := cmd.Flags()
	o.all = f
	f.StringArrayVar(&o.data, "data", nil,
		"your own data, in place of the experiment's: a table in `FILE` or the name of a data set; repeatable")
	f.StringVar(&o.table.Target, "target", "", "the `COLUMN` of a table that is predicted, by its name, or last")
	f.StringArrayVar(&o.parse, "parse", nil,
		"how a table is read, `KEY=VALUE`, such as drop=id,city or missing=drop; repeatable (docs/datasets.md)")
	f.StringArrayVar(&o.samplers, "sampler", nil,
		"a program that is a sampler, as one method more, `NAME=COMMAND`; repeatable")
	f.StringVar(&o.program, "program", "",
		"a program that is a posterior, in place of the experiment's, by its `COMMAND`: \"python model.py\"")
	cmd.MarkFlagsMutuallyExclusive("data", "program")
}

// use makes the request's experiments run on the data or the program of the flags, and chooses scale, seeds and methods
// where the flags do not. The command then has no other experiments, so that nothing of the paper is beside them.
func (o *own) use(e *env, r *plan.Request) error {
	target, err := o.start()
	if err != nil {
		return err
	}
	said, err := o.read(e, r)
	if err != nil {
		return err
	}
	r.Samplers, r.Program = o.samplers, o.program
	o.changed = r.Set()
	names := r.Custom
	if target != nil {
		names = []string{target.Name() + harness.ProgramSuffix}
	}
	if names == nil {
		return nil
	}
	r.Experiments = slices.Clone(r.Experiments)
	for i, x := range r.Experiments {
		if x, err = x.On(names, target); err != nil {
			return err
		}
		r.Experiments[i] = x
		if !o.all.Changed("protocol") {
			r.Protocols = []string{x.Custom.Protocol}
		}
		if target == nil {
			said = append(said, x.Note)
			x.Note = strings.Join(said, "; ") // for its page
		}
		o.methods(r, x.Custom.Methods, target != nil)
	}
	e.experiments = r.Experiments
	if target == nil && !o.all.Changed("scale") {
		r.Scale = "quick"
		said = append(said, "quick scale (few iterations): use --scale full for final numbers")
	}
	for _, text := range said {
		fmt.Fprintln(e.err, text)
	}
	return nil
}

// methods adds those that run on a program besides what was chosen, and on data unless some were.
func (o *own) methods(r *plan.Request, usual []string, program bool) {
	chosen := r.Methods
	if chosen == nil {
		chosen = r.Added()
	}
	if o.all.Lookup("grid") != nil || !program && r.Methods != nil { // a grid names its own
		return
	}
	if program && len(chosen) == 0 && r.Seeds == nil { // those alone do not depend on it
		r.Seeds = []uint64{1}
	}
	isUsual := func(name string) bool { return slices.Contains(usual, name) }
	r.Methods = slices.Concat(usual, slices.DeleteFunc(slices.Clone(chosen), isUsual))
}

// read reads the tables of the flags, names the data sets in the request, and says how they are read.
func (o *own) read(e *env, r *plan.Request) (said []string, err error) {
	for _, text := range o.parse {
		if err := o.table.Set(text); err != nil {
			return nil, err
		}
	}
	described := o.parse != nil || o.table.Target != ""
	if described && o.data == nil {
		return nil, usage.Errorf("--target and --parse say how a table is read: --data FILE names it")
	}
	for _, name := range o.data {
		_, absent := os.Stat(name)
		_, unknown := e.data.Entry(name)
		switch {
		case absent == nil:
			name, err = e.data.Add(name, o.table)
		case unknown != nil:
			err = usage.Errorf("--data %s: there is no such file, and %v", name, unknown)
		case described:
			err = usage.Errorf("--data %s is described already: leave --target and --parse out", name)
		}
		if err != nil {
			return nil, err
		}
		r.Custom = append(r.Custom, name)
		if d, err := e.data.Load(name); err == nil { // else it is to be fetched
			said = append(said, fmt.Sprintf("%s: %s", name, d.Read))
		}
	}
	return said, nil
}

// start starts the programs and makes the samplers known. target is nil without one.
func (o *own) start() (target *program.Program, err error) {
	for _, text := range o.samplers {
		name, command, ok := strings.Cut(text, "=")
		if !ok {
			return nil, usage.Errorf("--sampler %s: want NAME=COMMAND, such as nuts=\"python nuts.py\"", text)
		}
		x, err := program.Start(context.Background(), "", command)
		if err == nil {
			err = program.Register(name, x)
		}
		if err != nil {
			return nil, err
		}
	}
	if o.program == "" {
		return nil, nil
	}
	target, err = program.Start(context.Background(), "", o.program)
	switch {
	case err != nil:
		return nil, err
	case target.First.Target == nil:
		return nil, usage.Errorf("--program %q is a sampler: it goes with --sampler NAME=COMMAND", o.program)
	}
	program.Add(target, "")
	return target, nil
}
