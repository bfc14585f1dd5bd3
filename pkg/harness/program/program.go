// Package program runs targets and samplers that are programs in any language (docs/programs.md). A program is started
// because a person named it on the command line; what a store or a plan says of programs is shown and never started.
package program

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"syscall"

	"github.com/semi-implicit/sifg/pkg/harness/usage"
	"github.com/semi-implicit/sifg/pkg/sifg"
)

// Identity is what a result depends on of a program.
type Identity struct {
	Command []string `mapstructure:"command" json:"command" yaml:"command"`
	// Digest is of the files that the command names, and of what the program says that it hangs on.
	Digest  string `mapstructure:"digest" json:"digest,omitempty" yaml:"digest,omitempty"`
	Version string `mapstructure:"version" json:"version,omitempty" yaml:"version,omitempty"`
}

// String returns the command as --program takes it.
func (id *Identity) String() string { return usage.Quote(id.Command) }

// Program is a program that a person named, with the processes that wait for work. They live until Close.
type Program struct {
	Identity
	dir   string // in which it runs; "": the working folder
	First First  // what it said of itself when it was started first

	depends depends // of its first process

	// running is locked for what follows.
	sampler string // that it is known as; "": none
	idle    []*process
}

// Start starts a program in a folder, "" for the working folder, for its first line, and makes it known, for Find. No
// shell reads the command. Its errors are a person's mistakes. The folder is no part of its identity.
func Start(ctx context.Context, dir, command string) (*Program, error) {
	words, err := split(command)
	p := &Program{Identity: Identity{Command: words}, dir: dir}
	switch {
	case err != nil:
		return nil, usage.Errorf("the program %q: %v", command, err)
	case len(words) == 0:
		return nil, usage.Errorf("a program's command is empty: want one such as \"python model.py\"")
	}
	patient, release := signal.NotifyContext(ctx, os.Interrupt)
	first, err := p.spawn(patient)
	interrupted := patient.Err() != nil && ctx.Err() == nil
	release()
	if interrupted { // spawn has ended what the program has started; now this program ends as if nobody had waited
		syscall.Kill(os.Getpid(), syscall.SIGINT)
	}
	if err != nil {
		return nil, usage.Errorf("%v", err)
	}
	p.Version, p.First, p.idle = first.said.Version, first.said, []*process{first}
	p.depends, p.Digest = first.depends, first.depends.digest()
	slog.Debug("a key covers", "program", p.String(), "files", p.depends.names())
	running.Lock()
	defer running.Unlock()
	running.all = append(running.all, p)
	return p, nil
}

// Stem is the name, without folder and extension, of the file that a command names last, or else of its first word;
// plain is that the command ends with a file of the working folder.
func Stem(command string) (stem string, plain bool) {
	words, err := split(command)
	if err != nil || len(words) == 0 {
		return command, false
	}
	file := words[0]
	for _, word := range words[1:] {
		if info, err := os.Stat(word); err == nil && info.Mode().IsRegular() {
			file = word
		}
	}
	base := filepath.Base(file)
	plain = file == words[len(words)-1] && filepath.Clean(file) == base
	return strings.TrimSuffix(base, filepath.Ext(base)), plain
}

// Name is the program's stem in small letters and digits.
func (p *Program) Name() string {
	stem, _ := Stem(p.String())
	return cmp.Or(usage.Name(stem), "program")
}

// borrow returns a process of the program: one that waits for work, or a new one, which has to hang on the same as the
// first, and to say the same of itself.
func (p *Program) borrow(ctx context.Context) (*process, error) {
	running.Lock()
	for len(p.idle) > 0 {
		last := p.idle[len(p.idle)-1]
		p.idle = p.idle[:len(p.idle)-1]
		if last.ended.Err() == nil {
			running.Unlock()
			return last, nil
		}
		last.kill()
	}
	running.Unlock()
	c, err := p.spawn(ctx)
	if err != nil {
		return nil, err
	}
	switch changed := c.depends.changed(p.depends); {
	case changed != "":
		err = fmt.Errorf("%s changed since the run began", clean(changed))
	case !reflect.DeepEqual(c.said, p.First):
		err = fmt.Errorf("the program %q says other things of itself than when it was started first: "+
			"it must always say the same", p)
	default:
		return c, nil
	}
	c.kill()
	return nil, err
}

// running are the programs that this command was given.
var running struct {
	sync.Mutex
	all []*Program
}

// Of returns the identity of the program that is the sampler of a name; nil if the sampler is no program.
func Of(sampler string) *Identity {
	running.Lock()
	defer running.Unlock()
	for _, p := range running.all {
		if p.sampler == sampler {
			return &p.Identity
		}
	}
	return nil
}

// Find returns the program of an identity if this command was given it; else an error says how it is given.
func Find(id *Identity) (*Program, error) {
	running.Lock()
	defer running.Unlock()
	for _, p := range running.all {
		if reflect.DeepEqual(p.Identity, *id) {
			return p, nil
		}
	}
	return nil, fmt.Errorf("the program %q, as it was then, is not among those that this command was given "+
		"(--program, --sampler)", id)
}

// Close ends all processes of the programs that this command was given, and forgets them.
func Close() {
	running.Lock()
	defer running.Unlock()
	for _, p := range running.all {
		for _, c := range p.idle {
			c.kill()
		}
		sifg.Unregister(p.sampler)
	}
	running.all = nil
}
