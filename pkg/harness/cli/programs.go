package cli

import (
	"context"
	"strings"

	"github.com/spf13/pflag"

	"github.com/semi-implicit/sifg/pkg/harness/program"
	"github.com/semi-implicit/sifg/pkg/harness/usage"
)

// programs is the flags that name programs of a person's own (docs/programs.md). No others are started.
type programs struct {
	samplers []string
	target   string
}

func (p *programs) flags(f *pflag.FlagSet) {
	f.StringArrayVar(&p.samplers, "sampler", nil,
		"a program that is a sampler, as one method more, `NAME=COMMAND`; repeatable")
	f.StringVar(&p.target, "program", "",
		"a program that is a posterior, in place of the experiment's, by its `COMMAND`, such as \"python model.py\"")
}

// start starts the programs and makes the samplers known. target is nil without one.
func (p *programs) start(e *env) (target *program.Program, err error) {
	for _, text := range p.samplers {
		name, command, ok := strings.Cut(text, "=")
		if !ok {
			return nil, usage.Errorf("--sampler %s: want NAME=COMMAND, such as nuts=\"python nuts.py\"", text)
		}
		x, err := program.Start(context.Background(), command)
		if err == nil {
			err = program.Register(name, x)
		}
		if err != nil {
			return nil, err
		}
		e.programs = append(e.programs, "--sampler", text)
	}
	if p.target == "" {
		return nil, nil
	}
	target, err = program.Start(context.Background(), p.target)
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
