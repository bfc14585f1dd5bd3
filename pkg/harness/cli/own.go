package cli

import (
	"os"
	"strings"

	"github.com/spf13/pflag"

	"github.com/semi-implicit/sifg/pkg/harness/dataset"
	"github.com/semi-implicit/sifg/pkg/harness/plan"
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
	f.StringVar(&c.Target, "target", "", "the `COLUMN` of a table that is predicted, or last")
	f.StringSliceVar(&c.Drop, "drop", nil, "`COLUMNS` of a table to leave out, such as names of its rows")
	f.StringSliceVar(&c.Encode, "encode", nil, "`COLUMNS` of text that become columns of 0 and 1")
	f.StringVar(&c.Missing, "missing", "", "drop: leave `ROWS` out in which a value is missing")
}

// use makes the request's experiments run on the data of the flags. This program then has no others, so that nothing of
// the paper is beside them.
func (o *own) use(e *env, r *plan.Request) error {
	target, err := o.programs.start(e)
	if err != nil {
		return err
	}
	r.Samplers, r.Program = o.programs.samplers, o.programs.target
	for _, name := range o.data {
		if _, err := os.Stat(name); err == nil {
			if name, err = e.data.Add(name, o.columns); err != nil {
				return err
			}
		} else if _, err := e.data.Entry(name); err != nil {
			return usage.Errorf("--data %s: there is no such file, and %v", name, err)
		}
		r.Own = append(r.Own, name)
	}
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
	experiments := r.Experiments
	r.Experiments = nil
	for _, x := range experiments {
		if x.Own != nil && !o.all.Changed("protocol") {
			r.Protocols = []string{x.Own.Protocol}
		}
		x, err := x.On(names, target)
		if err != nil {
			return usage.Errorf("%v; %s does", err, strings.Join(takers, " or "))
		}
		r.Experiments = append(r.Experiments, x)
	}
	e.experiments = r.Experiments
	return nil
}
