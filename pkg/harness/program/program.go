// Package program runs targets and samplers that are programs in any language (docs/programs.md).
// A program is started because a person named it on the command line; what a store or a plan says
// of programs is shown and never started.
package program

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/semi-implicit/sifg/pkg/harness/internal/safe"
	"github.com/semi-implicit/sifg/pkg/harness/usage"
	"github.com/semi-implicit/sifg/pkg/sifg"
)

// Identity is what a result depends on of a program.
type Identity struct {
	Command []string `mapstructure:"command" json:"command" yaml:"command"`
	// Digest is of the files that the command names.
	Digest  string `mapstructure:"digest" json:"digest,omitempty" yaml:"digest,omitempty"`
	Version string `mapstructure:"version" json:"version,omitempty" yaml:"version,omitempty"`
}

// String returns the command as --program takes it.
func (id *Identity) String() string { return usage.Quote(id.Command) }

// Program is a program that a person named, with the processes that wait for work. They live until Close.
type Program struct {
	Identity
	First First // what it said of itself when it was started first

	sampler string // that it is known as; "": none
	startup time.Duration
	files   []int // the words of the command that are files

	idle []*process // running is locked for it
}

// maxFile bounds the files that a command names.
const maxFile = 1 << 30

// Start starts a program for its first line, before which it may be silent as long as startup. No shell reads the
// command. Its errors are a person's mistakes.
func Start(ctx context.Context, command string, startup time.Duration) (*Program, error) {
	words, err := split(command)
	p := &Program{Identity: Identity{Command: words}, startup: startup}
	switch {
	case err != nil:
		return nil, usage.Errorf("the program %q: %v", command, err)
	case len(words) == 0:
		return nil, usage.Errorf("a program's command is empty: want one such as \"python model.py\"")
	}
	if _, err := exec.LookPath(words[0]); err != nil {
		hint := ""
		if strings.HasSuffix(words[0], ".py") {
			hint = fmt.Sprintf("; did you mean \"python %s\"?", command)
		}
		return nil, usage.Errorf("the program %q cannot be started: %v%s", command, err, hint)
	}
	for i, word := range words {
		if (i > 0 || strings.Contains(word, "/")) && isFile(word) { // the first is looked for in PATH
			p.files = append(p.files, i)
		}
	}
	if p.Digest, err = p.digest(); err != nil {
		return nil, usage.Errorf("the program %q: %v", command, err)
	}
	first, err := p.spawn(ctx)
	if err != nil {
		return nil, usage.Errorf("%v", err)
	}
	p.Version, p.First, p.idle = first.said.Version, first.said, []*process{first}
	return p, nil
}

var (
	word   = regexp.MustCompile(`(?s)(?:[^\s'"\\]|\\.|'[^']*'|"(?:[^"\\]|\\.)*")+`)
	quoted = regexp.MustCompile(`(?s)\\.|'[^']*'|"(?:[^"\\]|\\.)*"`)
	inside = regexp.MustCompile("(?s)\\\\([$`\"\\\\])") // double quotes
)

// split splits a command into words as a shell does that expands nothing.
func split(command string) ([]string, error) {
	if strings.TrimSpace(word.ReplaceAllString(command, "")) != "" {
		return nil, errors.New("a quote is not closed, or the backslash at the end has nothing to quote")
	}
	all := word.FindAllString(command, -1)
	for i := range all {
		all[i] = quoted.ReplaceAllStringFunc(all[i], func(q string) string {
			switch q[0] {
			case '\\':
				return q[1:]
			case '\'':
				return q[1 : len(q)-1]
			}
			return inside.ReplaceAllString(q[1:len(q)-1], "$1")
		})
	}
	return all, nil
}

// digest returns the digest of the files that the command names, "" where it names none.
func (p *Program) digest() (string, error) {
	digest, all := "", sha256.New()
	for _, i := range p.files {
		text, err := safe.Read(p.Command[i], maxFile)
		if err != nil {
			return "", err
		}
		fmt.Fprintf(all, "%d %d\n%s", i, len(text), text)
		digest = fmt.Sprintf("%x", all.Sum(nil)[:10])
	}
	return digest, nil
}

// unchanged returns an error if a file that the command names is no longer what it was when the run began.
func (p *Program) unchanged() error {
	digest, err := p.digest()
	if err == nil && digest == p.Digest {
		return nil
	}
	var names []string
	for _, i := range p.files {
		names = append(names, p.Command[i])
	}
	text := strings.Join(names, " or ") + " changed since the run began"
	if err != nil {
		text += ": " + err.Error()
	}
	return errors.New(text)
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

var notName = regexp.MustCompile(`[^a-z0-9]+`)

// Name is a short name for the program: that of the file that its command names last, without folder and extension.
func (p *Program) Name() string {
	file := p.Command[0]
	for _, word := range p.Command[1:] {
		if isFile(word) {
			file = word
		}
	}
	base := filepath.Base(file)
	base = strings.ToLower(strings.TrimSuffix(base, filepath.Ext(base)))
	return cmp.Or(strings.Trim(notName.ReplaceAllString(base, "-"), "-"), "program")
}

// borrow returns a process of the program: one that waits for work, or a new one.
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
	if !reflect.DeepEqual(c.said, p.First) {
		c.kill()
		return nil, fmt.Errorf("the program %q says other things of itself than when it was started first: "+
			"it must always say the same", p)
	}
	return c, nil
}

// giveBack takes a process back that is between two pieces of work.
func (p *Program) giveBack(c *process) {
	running.Lock()
	defer running.Unlock()
	p.idle = append(p.idle, c)
}

// running are the programs that this command was given.
var running struct {
	sync.Mutex
	all []*Program
}

// Add makes a program known, for Find; a sampler has a name, for Of.
func Add(p *Program, name string) {
	running.Lock()
	defer running.Unlock()
	p.sampler = name
	running.all = append(running.all, p)
}

// Of returns the identity of the program that is the sampler of a name; nil if the sampler is no program.
func Of(sampler string) *Identity {
	running.Lock()
	defer running.Unlock()
	for _, p := range running.all {
		if p.First.Sampler != nil && p.sampler == sampler {
			return &p.Identity
		}
	}
	return nil
}

// Find returns the program of an identity if this command was given it, else an error that says how it is given.
func Find(id *Identity) (*Program, error) {
	running.Lock()
	defer running.Unlock()
	changed := false
	for _, p := range running.all {
		switch {
		case !slices.Equal(p.Command, id.Command):
		case p.Digest == id.Digest && p.Version == id.Version:
			return p, nil
		default:
			changed = true
		}
	}
	if changed {
		return nil, fmt.Errorf("the program %q changed since the run began", id)
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
		sifg.Samplers = slices.DeleteFunc(sifg.Samplers, func(s sifg.Sampler) bool { return s.Name == p.sampler })
	}
	running.all = nil
}
