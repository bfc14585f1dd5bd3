package cli

import (
	"bytes"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/record"
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
		panic("the target gave up")
	case t.fault == "slow":
		time.Sleep(20 * time.Millisecond)
	}
}

const toyConfig = `
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
protocols:
  paper:
  released: {methods: {svgd: {step: 0.2}}}
scales:
  smoke: {seeds: [1]}
`

type toyExperiment struct {
	*harness.Experiment
	scores atomic.Int64 // evaluations of the target
	onCall atomic.Pointer[func()]
}

func toy() *toyExperiment {
	x := &toyExperiment{}
	x.Experiment = &harness.Experiment{
		Name: "toy", Title: "Toy", Summary: "Small.", Config: []byte(toyConfig),
		Setup: func(t *harness.Trial) (*harness.Problem, error) {
			var o struct {
				Fault string `mapstructure:"fault"`
			}
			if err := harness.Decode(t.Config.Options, &o); err != nil {
				return nil, err
			}
			calls := func() {
				x.scores.Add(1)
				if f := x.onCall.Load(); f != nil {
					(*f)()
				}
			}
			return &harness.Problem{
				Target: normal{o.Fault, t.Seed, calls},
				Init:   func(dst sifg.Batch, r *rng.Stream) { r.Normal(dst.Data) },
				Measure: func(c *sifg.Cloud, sample sifg.Batch, put func(string, int, float64)) {
					for i, v := range sample.Data[:2] {
						put("first", i, float64(v))
					}
				},
			}, nil
		},
		Tables: []harness.Table{{Name: "ends", Title: "Ends", Make: func(s *record.Set) (*table.Table, error) {
			out := &table.Table{Columns: []table.Column{{Header: "method"}, {Header: "seed"}}}
			for _, t := range s.Trials {
				out.Rows = append(out.Rows, []table.Cell{table.Text(t.Method), table.Int(int(t.Seed))})
			}
			return out, nil
		}}},
		Claims: []harness.Claim{{ID: "1", Statement: "There are trials.", Rule: "more than none",
			Check: func(s *record.Set) harness.Outcome {
				return harness.Outcome{Verdict: harness.Reproduced, Evidence: fmt.Sprintf("There are %d.", len(s.Trials))}
			}}},
		Findings: []harness.Finding{{Title: "Protocols", Text: func(by map[string]*record.Set) string {
			return fmt.Sprintf("There are %d.", len(by))
		}}},
	}
	return x
}

// call runs the command line in a folder of its own and checks that what goes to stderr beside progress is at most one
// sentence.
func call(t *testing.T, dir string, x *toyExperiment, args ...string) (code int, stdout, sentence string) {
	t.Helper()
	t.Chdir(dir)
	var out, err bytes.Buffer
	code = Main(args, &out, &err, x.Experiment)
	for line := range strings.Lines(err.String()) {
		if s, ok := strings.CutPrefix(line, "sifg: "); ok {
			if sentence != "" {
				t.Errorf("two sentences: %q and %q", sentence, s)
			}
			sentence = s
		}
	}
	if (code == 0) != (sentence == "") {
		t.Errorf("%v: exit code %d with the sentence %q", args, code, sentence)
	}
	return code, out.String(), sentence
}

// want checks the exit code and that the sentence names each of the words.
func want(t *testing.T, what string, code, wantCode int, sentence string, words ...string) {
	t.Helper()
	if code != wantCode {
		t.Errorf("%s: exit code %d, want %d (%s)", what, code, wantCode, sentence)
	}
	for _, w := range words {
		if !strings.Contains(sentence, w) {
			t.Errorf("%s: %q does not name %q", what, sentence, w)
		}
	}
}

// files returns the bytes of the files under dir whose name ends so.
func files(t *testing.T, dir, suffix string) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, suffix) {
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
