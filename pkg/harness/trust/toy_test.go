package trust

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/claim"
	"github.com/semi-implicit/sifg/pkg/harness/program"
	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/harness/settings"
	"github.com/semi-implicit/sifg/pkg/sifg"
	"github.com/semi-implicit/sifg/pkg/sifg/metric"
	"github.com/semi-implicit/sifg/pkg/sifg/npy"
	"github.com/semi-implicit/sifg/pkg/sifg/rng"
)

// normal is N(0, I) in two dimensions; an evaluation takes a pause where fault is slow.
type normal struct{ fault string }

func (normal) Dim() int { return 2 }

func (t normal) Score(dst, x sifg.Batch, iter int) {
	for i, v := range x.Data {
		dst.Data[i] = -v
	}
	if t.fault == "slow" {
		time.Sleep(20 * time.Millisecond)
	}
}

const config = `
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
default: released
protocols:
  paper: {claims: true}
  released: {claims: true, methods: {svgd: {step: 0.2}}}
scales:
  smoke: {seeds: [1]}
`

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

// toy is an experiment whose trials take less than a millisecond.
func toy() *harness.Experiment {
	return &harness.Experiment{
		Name: "toy", Title: "Toy", Summary: "Small.", Settings: []byte(config), Version: "1",
		Metrics: []harness.Metric{{Name: "first", Unit: "nats", Meaning: "A number."}},
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
			target := sifg.Target(normal{o.Fault})
			if o.Program != nil {
				p, err := program.Find(o.Program)
				if err != nil {
					return nil, err
				}
				x, err := p.Target(t.Programs)
				if err != nil {
					return nil, err
				}
				target = asked{x}
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
		Sections: harness.Claims([]claim.Claim{{ID: "1", Statement: "There are trials.", Rule: "more than none",
			Check: func(s *record.Set) claim.Outcome {
				return claim.Outcome{Verdict: claim.Reproduced, Evidence: fmt.Sprintf("There are %d.", len(s.Trials))}
			}}}),
	}
}

// files returns the bytes of the files under dir.
func files(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		out[strings.TrimPrefix(path, dir+"/")] = string(b)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}
