// Package toy is a small experiment for the tests of the command.
package toy

import (
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/claim"
	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/harness/settings"
	"github.com/semi-implicit/sifg/pkg/harness/table"
	"github.com/semi-implicit/sifg/pkg/sifg"
	"github.com/semi-implicit/sifg/pkg/sifg/rng"
)

// normal is N(0, I) in two dimensions. In the trials that an option names it does something else.
type normal struct {
	fault string
	seed  uint64
	calls func() // at each score
}

func (normal) Dim() int { return 2 }

func (t normal) Score(dst, x sifg.Batch, iter int) {
	t.calls()
	for i, v := range x.Data {
		dst.Data[i] = -v
	}
	switch {
	case t.fault == "nan" && iter == 2:
		dst.Data[0] = float32(math.NaN())
	case t.fault == "panic" && t.seed == 2 && iter == 1:
		panic("the target \x1b[31mgave up")
	case t.fault == "slow":
		time.Sleep(20 * time.Millisecond)
	case t.fault == "crash":
		go func() { panic("nobody recovers this") }()
		select {}
	}
}

// Config are its settings.
const Config = `
base:
  seeds: [1, 2, 3]
  methods:
    svgd: {step: 0.1}
    sgld: {step: 0.01}
    sifg: {step: 0.05, hidden: 4}
  problems:
    small:
      particles: 6
      iterations: 8
      judge: {every: 4, snapshots: [4], track: 2, sample: fresh}
      options: {fault: none}
default: released
protocols:
  paper: {title: as in the text, claims: true}
  released: {claims: true, methods: {svgd: {step: 0.2}}}
scales:
  smoke: {seeds: [1]}
`

// Toy is an experiment whose trials take less than a millisecond.
type Toy struct {
	*harness.Experiment
	Calls  atomic.Int64 // evaluations of the target
	OnCall func()       // at each of them
}

// New returns the toy.
func New() *Toy {
	x := &Toy{OnCall: func() {}}
	x.Experiment = &harness.Experiment{
		Name: "toy", Title: "Toy", Summary: "Small.", Settings: []byte(Config), Version: "1",
		Scores:  []string{"first"},
		Metrics: []harness.Metric{{Name: "first", Unit: "nats", Meaning: "A number.", Components: 2}},
		Problem: func(t *harness.Trial) (*harness.Problem, error) {
			var o struct {
				Fault string `mapstructure:"fault"`
			}
			if err := settings.Decode(t.Config.Options, &o); err != nil {
				return nil, err
			}
			if o.Fault == "planning" {
				panic("oh")
			}
			return &harness.Problem{
				Target: normal{o.Fault, t.Seed, func() { x.Calls.Add(1); x.OnCall() }},
				Init:   func(dst sifg.Batch, r *rng.Stream) { r.Normal(dst.Data) },
				Measure: func(c *sifg.Cloud, sample sifg.Batch, put func(string, int, float64)) {
					for i, v := range sample.Data[:2] {
						put("first", i, float64(v))
					}
				},
			}, nil
		},
		Sections: append([]harness.Section{
			{ID: "ends", Title: "Ends", Table: func(s *record.Set) (*table.Table, error) {
				return &table.Table{
					Columns: []table.Column{{Header: "trials"}},
					Rows:    [][]table.Cell{{table.Int(len(s.Trials))}},
				}, nil
			}}}, harness.Claims([]claim.Claim{{ID: "T1", Statement: "There are trials.", Rule: "more than none",
			Check: func(s *record.Set) claim.Outcome {
				return claim.Outcome{Verdict: claim.Reproduced, Evidence: fmt.Sprintf("There are %d.", len(s.Trials))}
			}}})...),
	}
	return x
}

// Files returns the bytes of the files under dir by their path below it.
func Files(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		rel, _ := filepath.Rel(dir, path)
		out[rel] = string(b)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}
