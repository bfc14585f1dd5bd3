package cli

import (
	"context"
	"fmt"
	"os"
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
		if x.Custom != nil && x.Custom.Folder != nil {
			reads = x
		}
		if x.Custom != nil && !x.Custom.Program {
			tables = x
		}
	}
	folder := func(arg string) bool {
		info, err := os.Stat(arg)
		return (err == nil && info.IsDir() || strings.Contains(arg, "/")) && !slices.Contains(e.names(), arg)
	}
	k := slices.IndexFunc(args, folder)
	if reads == nil || k < 0 {
		return nil
	}
	for i, arg := range args {
		if i != k && (folder(arg) || slices.Contains(e.names(), arg)) {
			return usage.Errorf("the paper in %s stands alone: leave %s out", args[k], arg)
		}
	}
	x, err := reads.Custom.Folder(args[k], e.data, tables)
	if err != nil {
		return err
	}
	e.paper, args[k], e.experiments = x.Name, x.Name, []*harness.Experiment{x}
	return nil
}

// own is the flags of a person's own data and programs.
type own struct {
	data     []string
	table    dataset.Table
	parse    []string // of the table
	programs programs
	all      *pflag.FlagSet // of the command
	usual    []string       // selections that no flag made, as plan.Plan.Set has them
}

func (o *own) flags(cmd *cobra.Command) {
	f := cmd.Flags()
	o.all = f
	f.StringArrayVar(&o.data, "data", nil,
		"your own data, in place of the experiment's: a table in `FILE` or the name of a data set; repeatable")
	f.StringVar(&o.table.Target, "target", "", "the `COLUMN` of a table that is predicted, by its name, or last")
	f.StringArrayVar(&o.parse, "parse", nil,
		"how a table is read, `KEY=VALUE`, such as drop=id,city or missing=drop; repeatable (docs/datasets.md)")
	o.programs.flags(f)
	cmd.MarkFlagsMutuallyExclusive("data", "program")
}

// use makes the request's experiments run on the data or the program of the flags. This program then has no others, so
// that nothing of the paper is beside them.
func (o *own) use(e *env, r *plan.Request) error {
	target, err := o.programs.start(e)
	if err != nil {
		return err
	}
	r.Samplers, r.Program = o.programs.samplers, o.programs.target
	for _, text := range o.parse {
		if err := o.table.Set(text); err != nil {
			return err
		}
	}
	if o.data == nil && (o.parse != nil || o.table.Target != "") {
		return usage.Errorf("--target and --parse say how a table is read: --data FILE names it")
	}
	// Experiments keep this list. Files in it are read last, so that what takes no tables says so first.
	r.Custom = slices.Clone(o.data)
	names := r.Custom
	if target != nil {
		names = []string{target.Name() + harness.ProgramSuffix}
	}
	if names == nil {
		return nil
	}
	var takers []string // experiments that run on such things
	for _, x := range e.experiments {
		if x.Custom != nil && x.Custom.Program == (target != nil) {
			takers = append(takers, x.Name)
		}
	}
	r.Experiments = slices.Clone(r.Experiments)
	for i, x := range r.Experiments {
		if x.Custom != nil && !o.all.Changed("protocol") {
			r.Protocols = []string{x.Custom.Protocol}
		}
		if r.Experiments[i], err = x.On(names, target); err != nil {
			if takers == nil { // as where a paper is all that there is
				return err
			}
			return usage.Errorf("%v; %s does", err, strings.Join(takers, " or "))
		}
	}
	e.experiments = r.Experiments
	if target != nil {
		o.useProgram(r)
		return nil
	}
	return o.useData(e, r)
}

// useProgram adds the methods that always run on a program to those that are named, and to the samplers of the flags.
func (o *own) useProgram(r *plan.Request) {
	if o.all.Lookup("grid") != nil { // a grid names its own
		return
	}
	named := r.Methods
	if named == nil {
		named = r.Added()
	}
	if len(named) == 0 && !o.all.Changed("seeds") { // those alone do not depend on it
		r.Seeds = []uint64{1}
		o.usual = append(o.usual, "--seeds 1")
	}
	for _, x := range r.Experiments {
		r.Methods = slices.Clone(x.Custom.Methods)
		for _, name := range named {
			if !slices.Contains(r.Methods, name) {
				r.Methods = append(r.Methods, name)
			}
		}
	}
	if len(named) == 0 {
		o.usual = append(o.usual, "--methods "+strings.Join(r.Methods, ","))
	}
}

// useData reads the data sets, puts their names in the place of files, and chooses scale and methods where the flags do
// not. It says how tables are read and what was chosen.
func (o *own) useData(e *env, r *plan.Request) error {
	var read []string
	for i, name := range r.Custom {
		var err error
		if r.Custom[i], err = o.read(e, name); err != nil {
			return err
		}
		if d, err := e.data.Load(r.Custom[i]); err == nil { // else it is to be fetched
			read = append(read, fmt.Sprintf("%s: %s", r.Custom[i], d.Read))
		}
	}
	chosen := func(flag string) bool { return o.all.Changed(flag) || o.all.Lookup(flag) == nil }
	for _, x := range r.Experiments {
		said := append(slices.Clone(read), x.Note)
		x.Note = strings.Join(said, "; ") // for its page
		if !chosen("scale") {
			r.Scale = "quick"
			said = append(said, "quick scale (few iterations): use --scale full for final numbers")
		}
		if o.all.Lookup("grid") == nil && !chosen("methods") { // a grid names its own
			r.Methods = slices.Concat(x.Custom.Methods, r.Added())
			o.usual = []string{"--methods " + strings.Join(r.Methods, ",")}
			said = append(said, fmt.Sprintf("running %s: choose others with --methods", strings.Join(r.Methods, ", ")))
		}
		for _, text := range said {
			fmt.Fprintln(e.err, text)
		}
	}
	return nil
}

// read returns the name of the data set that a value of --data names, or of that which a file becomes.
func (o *own) read(e *env, name string) (string, error) {
	_, absent := os.Stat(name)
	_, err := e.data.Entry(name)
	switch {
	case absent == nil:
		return e.data.Add(name, o.table)
	case err != nil:
		return "", usage.Errorf("--data %s: there is no such file, and %v", name, err)
	case o.parse != nil || o.table.Target != "":
		return "", usage.Errorf("--data %s is described already: leave --target and --parse out", name)
	}
	return name, nil
}

// programs is the flags that name programs of a person's own (docs/programs.md). No others are started.
type programs struct {
	samplers []string
	target   string
}

func (p *programs) flags(f *pflag.FlagSet) {
	f.StringArrayVar(&p.samplers, "sampler", nil,
		"a program that is a sampler, as one method more, `NAME=COMMAND`; repeatable")
	f.StringVar(&p.target, "program", "",
		"a program that is a posterior, in place of the experiment's, by its `COMMAND`: \"python model.py\"")
}

// start starts the programs and makes the samplers known. target is nil without one.
func (p *programs) start(e *env) (target *program.Program, err error) {
	for _, text := range p.samplers {
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
	if p.target == "" {
		return nil, nil
	}
	target, err = program.Start(context.Background(), "", p.target)
	switch {
	case err != nil:
		return nil, err
	case target.First.Target == nil:
		return nil, usage.Errorf("--program %q is a sampler: it goes with --sampler NAME=COMMAND", p.target)
	}
	program.Add(target, "")
	return target, nil
}
