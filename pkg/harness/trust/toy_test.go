package trust

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/claim"
	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/harness/settings"
	"github.com/semi-implicit/sifg/pkg/sifg"
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

// toy is an experiment whose trials take less than a millisecond.
func toy() *harness.Experiment {
	return &harness.Experiment{
		Name: "toy", Title: "Toy", Summary: "Small.", Settings: []byte(config), Version: "1",
		Metrics: []harness.Metric{{Name: "first", Unit: "nats", Meaning: "A number."}},
		Problem: func(t *harness.Trial) (*harness.Problem, error) {
			var o struct {
				Fault string `mapstructure:"fault"`
			}
			if err := settings.Decode(t.Config.Options, &o); err != nil {
				return nil, err
			}
			return &harness.Problem{
				Target: normal{o.Fault},
				Init:   func(dst sifg.Batch, r *rng.Stream) { r.Normal(dst.Data) },
				Measure: func(c *sifg.Cloud, sample sifg.Batch, put func(string, int, float64)) {
					for i, v := range sample.Data[:2] {
						put("first", i, float64(v))
					}
				},
			}, nil
		},
		Claims: []claim.Claim{{ID: "1", Statement: "There are trials.", Rule: "more than none",
			Check: func(s *record.Set) claim.Outcome {
				return claim.Outcome{Verdict: claim.Reproduced, Evidence: fmt.Sprintf("There are %d.", len(s.Trials))}
			}}},
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
