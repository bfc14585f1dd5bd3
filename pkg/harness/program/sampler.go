package program

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/semi-implicit/sifg/pkg/harness/internal/safe"
	"github.com/semi-implicit/sifg/pkg/harness/usage"
	"github.com/semi-implicit/sifg/pkg/sifg"
	"github.com/semi-implicit/sifg/pkg/sifg/metric"
)

// Sampler is a sampler that is a program, as the mover of a flow: at each checkpoint it answers what the program asks
// until that tells its sample. Gradients are counted by the rows that it asks for, n an iteration as of any flow.
type Sampler struct {
	program *Program
	session *Session
	job     Job

	spent    int // rows that were asked for
	refused  int // questions past the budget
	evaluate func(dst, points []float64)
	points   []float64
}

// Job is what a sampler is given to do. Its flow sets Dim, Particles and Gradients.
type Job struct {
	Dim         int         `json:"dim"`
	Particles   int         `json:"particles"`
	Iterations  int         `json:"iterations"` // of a flow, n gradients each
	Gradients   int         `json:"gradients"`
	Seed        uint64      `json:"seed"`
	Checkpoints []int       `json:"checkpoints"` // iterations at which it tells its sample, the last included
	Settings    sifg.Config `json:"settings"`
}

// samplerName is what a method may be called.
var samplerName = regexp.MustCompile(`^[a-z0-9][a-z0-9_-]*$`)

// Register makes a program known as the sampler of that name.
func Register(name string, p *Program) error {
	info := p.First.Sampler
	taken, _ := sifg.ByName(name)
	switch {
	case !samplerName.MatchString(name):
		return usage.Errorf("--sampler %s: want a name of lower-case letters, digits, '-' and '_'", name)
	case taken != nil:
		return usage.Errorf("--sampler %s: the name is taken by a sampler of this program", name)
	case info == nil:
		return usage.Errorf("--sampler %s: the program %q is a target, not a sampler", name, p)
	}
	defaults, uses, err := info.settings()
	if err == nil {
		err = safe.Call(func() error { // Register panics on settings that it refuses
			sifg.Register(sifg.Sampler{
				Name:     name,
				Title:    cmp.Or(info.Title, name),
				Version:  1,
				Doc:      "the program " + p.String(),
				Defaults: defaults,
				Uses:     uses,
				Build: func(sifg.Config) (*sifg.Flow, error) {
					return &sifg.Flow{Field: sifg.Still{}, Mover: &Sampler{program: p}}, nil
				},
			})
			return nil
		})
	}
	if err != nil {
		return usage.Errorf("--sampler %s: the settings of its first line: %s", name,
			strings.TrimPrefix(err.Error(), fmt.Sprintf("panic: sifg: Register %q: ", name)))
	}
	running.Lock()
	defer running.Unlock()
	p.sampler = name
	return nil
}

// settings returns the defaults of a sampler's settings and their names.
func (i *SamplerInfo) settings() (defaults sifg.Config, uses []string, err error) {
	if i.Settings == nil {
		return defaults, nil, nil
	}
	var all map[string]any
	d := json.NewDecoder(bytes.NewReader(i.Settings))
	d.DisallowUnknownFields()
	err = d.Decode(&defaults)
	_ = json.Unmarshal(i.Settings, &all) // of what was just decoded
	uses = slices.Sorted(maps.Keys(all))
	if err == nil && slices.Contains(uses, "sampler") {
		err = fmt.Errorf("sampler is a setting of every method")
	}
	return defaults, uses, err
}

// Bind gives the sampler what it needs before its flow starts.
func (s *Sampler) Bind(session *Session, job Job) { s.session, s.job = session, job }

// Init implements sifg.Mover: the program is told what to do and where to start.
func (s *Sampler) Init(c *sifg.Cloud) {
	n, d := c.Z.Rows, c.Z.Cols
	s.evaluate = evaluator(c.Target)
	s.job.Dim, s.job.Particles, s.job.Gradients = d, n, n*s.job.Iterations
	s.job.Settings.Sampler = ""
	s.session.with(s.program, "its start", func(p *process) error {
		if s.evaluate == nil {
			return fmt.Errorf("is a sampler, which needs a log density, and the target has none")
		}
		p.midway = true
		return p.send(message{Sifg: protocol, Sampler: &s.job}, metric.FromBatch(c.Z).Data, d)
	})
}

// Move implements sifg.Mover.
func (s *Sampler) Move(c *sifg.Cloud) {
	at := c.Iter + 1
	if !slices.Contains(s.job.Checkpoints, at) {
		return
	}
	what := fmt.Sprintf("its sample at iteration %d", at)
	s.session.with(s.program, what, func(p *process) error {
		for {
			m, err := p.from.message()
			if err != nil {
				return err
			}
			switch {
			case m.Ask == "score" && m.Array:
				err = s.answer(p, c.Z.Cols, at, at*c.Z.Rows)
			case m.Tell == "draws" && m.Array:
				err = s.keep(p, c)
			case m.Tell == "sample" && m.Array && m.Iteration == at:
				p.midway = at < s.job.Iterations || m.End != ""
				return s.take(p, c)
			default:
				err = fmt.Errorf("said %v, where a question or "+
					`{"tell": "sample", "iteration": %d, "array": true} was due`, m, at)
			}
			if err != nil {
				return err
			}
		}
	})
}

// answer answers a question about the score before the sample at an iteration, until which there are most
// gradients. So no sample knows more than it may.
func (s *Sampler) answer(p *process, d, at, most int) (err error) {
	limit := max(1, 1<<24/d) // rows
	if s.points, err = p.from.array(s.points, 1, limit, d, "points of a question"); err != nil {
		return err
	}
	rows := len(s.points) / d
	switch left := most - s.spent; {
	case rows <= left:
	case at < s.job.Iterations:
		return fmt.Errorf("asked for %d gradients and had %d left until its sample at iteration %d, which comes first",
			rows, left, at)
	case s.refused > 1000:
		return fmt.Errorf("went on asking for gradients after {\"end\": \"gradients\"}")
	default:
		s.refused++
		return p.send(message{End: "gradients"}, nil, 0)
	}
	s.spent += rows
	values := make([]float64, rows*(1+d))
	s.evaluate(values, s.points)
	return p.send(message{Answer: "score"}, values, 1+d)
}

// take reads the sample that the program tells.
func (s *Sampler) take(p *process, c *sifg.Cloud) error {
	n, d := c.Z.Rows, c.Z.Cols
	x, err := p.from.array(nil, n, n, d, "its sample")
	if err != nil {
		return err
	}
	if c.Iter+1 == s.job.Iterations && s.spent < s.job.Gradients*9/10 {
		s.session.Remark = fmt.Sprintf("the program %q asked for %d of its %d gradients", s.program, s.spent,
			s.job.Gradients)
	}
	copy(c.Z.Data, metric.Points{N: n, D: d, Data: x}.Batch().Data)
	return nil
}

// keep reads draws that the program tells of besides its sample, for targets that want them.
func (s *Sampler) keep(p *process, c *sifg.Cloud) error {
	d := c.Z.Cols
	x, err := p.from.array(nil, 1, 1<<27/d, d, "its draws") // a gigabyte at most
	if err != nil {
		return err
	}
	draws := metric.Points{Data: x}.Batch().Data
	if k, ok := c.Target.(interface {
		Keep(draws func(d int) []float32)
	}); ok {
		k.Keep(func(int) []float32 { return draws })
	}
	return nil
}
