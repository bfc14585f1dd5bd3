package cli

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"os"
	"sync/atomic"
	"time"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/claim"
	"github.com/semi-implicit/sifg/pkg/harness/program"
	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/harness/settings"
	"github.com/semi-implicit/sifg/pkg/harness/table"
	"github.com/semi-implicit/sifg/pkg/sifg"
	"github.com/semi-implicit/sifg/pkg/sifg/metric"
	"github.com/semi-implicit/sifg/pkg/sifg/npy"
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

// toySettings are its settings.
const toySettings = `
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

// toyExperiment is the command's only experiment: trials take less than a millisecond. It may be on a program.
type toyExperiment struct {
	*harness.Experiment
	Calls  atomic.Int64 // evaluations of the target
	OnCall func()       // at each of them
}

func toy() *toyExperiment {
	x := &toyExperiment{OnCall: func() {}}
	x.Experiment = &harness.Experiment{
		Name: "toy", Title: "Toy", Summary: "Small.", Settings: []byte(toySettings), Version: "1",
		Scores:  []string{"first"},
		Metrics: []harness.Metric{{Name: "first", Unit: "nats", Meaning: "A number.", Components: 2}},
		Custom:  &harness.Custom{Problem: "small", Program: true, Protocol: "paper"},
		Problem: func(t *harness.Trial) (*harness.Problem, error) {
			var o struct {
				Fault   string            `mapstructure:"fault"`
				Program *program.Identity `mapstructure:"program"`
				Values  []string          `mapstructure:"values"`
			}
			if err := settings.Decode(t.Config.Options, &o); err != nil {
				return nil, err
			}
			if o.Fault == "planning" {
				panic("oh")
			}
			var target sifg.Target = normal{o.Fault, t.Seed, func() { x.Calls.Add(1); x.OnCall() }}
			if o.Program != nil {
				target = asked{must(program.Find(o.Program)).Target(t.Programs)}
			}
			return &harness.Problem{
				Target: target,
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

// asked is a target that is a program.
type asked struct{ *program.Target }

func (t asked) Score(dst, x sifg.Batch, iter int) {
	points := metric.FromBatch(x)
	out := make([]float64, points.N*3)
	t.Evaluate(out, points.Data)
	for i := range points.N {
		dst.Data[2*i], dst.Data[2*i+1] = float32(out[3*i+1]), float32(out[3*i+2])
	}
}

// model is that program: N(0, I) in two dimensions.
func model() {
	fmt.Println(`{"sifg": 1, "target": {"dim": 2}}`)
	for in := bufio.NewReader(os.Stdin); ; {
		if _, err := in.ReadString('\n'); err != nil {
			return
		}
		head, rows := make([]byte, 128), 0
		io.ReadFull(in, head)
		fmt.Sscanf(string(head[bytes.Index(head, []byte("'shape': (")):]), "'shape': (%d,", &rows)
		x, out := make([]float64, rows*2), make([]float64, rows*3)
		binary.Read(in, binary.LittleEndian, x)
		for i := range rows {
			out[3*i+1], out[3*i+2] = -x[2*i], -x[2*i+1]
		}
		fmt.Println(`{"answer": "score", "array": true}`)
		os.Stdout.Write(npy.Encode([]int{rows, 3}, out))
	}
}
