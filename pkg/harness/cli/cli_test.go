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
      options: {fault: none}
default: released
protocols:
  paper: {title: as in the text, claims: true}
  released: {claims: true, methods: {svgd: {step: 0.2}}}
scales:
  smoke: {seeds: [1]}
`

type toyExperiment struct {
	*harness.Experiment
	scores atomic.Int64 // evaluations of the target
	onCall func()
}

func toy() *toyExperiment {
	x := &toyExperiment{onCall: func() {}}
	x.Experiment = &harness.Experiment{
		Name: "toy", Title: "Toy", Summary: "Small.", Settings: []byte(toyConfig), Version: "1",
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
				Target: normal{o.Fault, t.Seed, func() { x.scores.Add(1); x.onCall() }},
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

// call runs a command line in the working folder. What goes to stderr besides progress is at most one sentence.
func (x *toyExperiment) call(t *testing.T, args ...string) (code int, stdout, sentence string) {
	t.Helper()
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
	return code, out.String() + err.String(), sentence
}

// want runs a command line, whose words are separated by spaces, and checks its exit code and that it says all of the
// words.
func (x *toyExperiment) want(t *testing.T, line string, wantCode int, words ...string) (said string) {
	t.Helper()
	code, said, _ := x.call(t, strings.Fields(line)...)
	if code != wantCode {
		t.Errorf("%s: exit code %d, want %d (%s)", line, code, wantCode, said)
	}
	for _, w := range words {
		if !strings.Contains(said, w) {
			t.Errorf("%s: does not say %q: %s", line, w, said)
		}
	}
	return said
}

// files returns the bytes of the files under dir whose path has the pattern in it.
func files(t *testing.T, dir, pattern string) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.Contains(path, pattern) {
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

// same compares files but for those that hold times.
func same(t *testing.T, what string, got, want map[string]string) {
	t.Helper()
	for name := range want {
		if got[name] != want[name] && !timed(name) {
			t.Errorf("%s: %s is another", what, name)
		}
	}
}

// timed reports whether a file hangs on how long trials took.
func timed(name string) bool {
	base := filepath.Base(name)
	return base == "timings.parquet" || base == "trials.parquet" || strings.HasSuffix(base, ".html")
}

// put writes a file, in the place of whatever is there.
func put(t *testing.T, path, text string) {
	t.Helper()
	os.RemoveAll(path)
	must(0, os.MkdirAll(filepath.Dir(path), 0o777))
	must(0, os.WriteFile(path, []byte(text), 0o666))
}

// glob returns the paths of a pattern, of which there must be n.
func glob(t *testing.T, pattern string, n int) []string {
	t.Helper()
	found, err := filepath.Glob(pattern)
	if err != nil || len(found) != n {
		t.Fatalf("%s: %d paths, want %d (%v)", pattern, len(found), n, err)
	}
	return found
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
