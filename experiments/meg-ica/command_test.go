package megica

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/cli"
	"github.com/semi-implicit/sifg/pkg/harness/dataset"
	"github.com/semi-implicit/sifg/pkg/harness/report"
	"github.com/semi-implicit/sifg/pkg/harness/settings"
)

// run runs all protocols on a data set of one's own, four channels of 200 samples, with short chains.
func run(t *testing.T) (out string) {
	t.Helper()
	d := mixed(200)
	var text strings.Builder
	for i := range 122 {
		for j := range d.Cols {
			fmt.Fprintf(&text, "%.6g ", d.X[i%d.Rows*d.Cols+j])
		}
		fmt.Fprintln(&text)
	}
	const folder = "datasets/cache/meg-ica"
	if err := errors.Join(os.MkdirAll(folder, 0o777),
		os.WriteFile(folder+"/MEG_art.txt", []byte(text.String()), 0o666)); err != nil {
		t.Fatal(err)
	}
	var o, e bytes.Buffer
	args := []string{"run", "meg-ica", "--protocol", "all", "--scale", "smoke", "--jobs", "2"}
	for _, change := range []string{"data=meg-full", "options.channels=3", "options.reference.iterations=200",
		"options.reference.draws=100", "options.reference.leapfrog=5"} {
		args = append(args, "--set", "problems.meg-*."+change)
	}
	if code := cli.Main(args, &o, &e, Experiment); code != 0 {
		t.Fatalf("exit code %d: %s%s", code, o.String(), e.String())
	}
	return o.String()
}

// TestRun: the experiment runs from end to end on a data set of one's own, under all protocols. Every value is finite,
// figures and tables are made. The second run finds everything.
func TestRun(t *testing.T) {
	if testing.Short() {
		t.Skip("runs all methods under three protocols: three seconds")
	}
	t.Chdir(t.TempDir())
	run(t)
	folders, err := filepath.Glob("results/custom/*/meg-ica")
	if err != nil || len(folders) != 1 {
		t.Fatalf("reports %q (%v), want one", folders, err)
	}
	got, err := report.Read(filepath.Dir(folders[0]), []*harness.Experiment{Experiment})
	if err != nil {
		t.Fatal(err)
	}
	for _, protocol := range []string{"paper", "released", "tuned"} {
		x := got.Experiment("meg-ica")
		set := x.Set(protocol)
		if set == nil {
			t.Fatalf("nothing of %s", protocol)
		}
		seen := map[string]bool{}
		for key, rows := range set.Traces { // of all protocols
			for _, r := range rows {
				if seen[r.Metric] = true; math.IsNaN(r.Value) || math.IsInf(r.Value, 0) {
					t.Errorf("%s: %s[%d] is %g at iteration %d", key, r.Metric, r.Index, r.Value, r.Iteration)
				}
			}
		}
		for _, m := range Experiment.Metrics {
			if strings.HasPrefix(m.Name, truthMetric) && protocol == "paper" {
				continue
			}
			if !seen[m.Name] || !seen["floor-energy"] || !seen["random-amari"] || !seen["reference-rhat"] {
				t.Errorf("%s: there is no metric %s", protocol, m.Name)
			}
		}
		for _, part := range x.Parts(protocol) {
			if part.Failure != "" || part.Made != nil && strings.Contains(part.Made.Markdown(), "NaN") {
				t.Errorf("%s %s: %s", protocol, part.ID, part.Failure)
			}
		}
	}
	if out := run(t); !strings.Contains(out, " 0 computed") {
		t.Errorf("the second run: %s", out)
	}
}

// TestRefusals: wrong options are refused when a plan is made, by an error that names them.
func TestRefusals(t *testing.T) {
	good := ReferenceOptions{Chains: 2, Iterations: 100, Leapfrog: 5, Start: "mode", Draws: 100}
	if err := good.check(); err != nil {
		t.Fatal(err)
	}
	for want, change := range map[string]func(r *ReferenceOptions){
		"reference.chains: must be 1 or more":           func(r *ReferenceOptions) { r.Chains = 0 },
		"reference.iterations: must be 24 or more":      func(r *ReferenceOptions) { r.Iterations = 23 },
		"reference.leapfrog: must be 1 or more":         func(r *ReferenceOptions) { r.Leapfrog = 0 },
		"reference.warmup: must end within the first":   func(r *ReferenceOptions) { r.Warmup = 51 },
		"reference.start: \"zero\" is unknown":          func(r *ReferenceOptions) { r.Start = "zero" },
		"reference.draws: must be 2 to 100, the number": func(r *ReferenceOptions) { r.Draws = 101 },
	} {
		bad := good
		if change(&bad); bad.check() == nil || !strings.Contains(bad.check().Error(), want) {
			t.Errorf("%v, want %q", bad.check(), want)
		}
	}
	for _, c := range []struct {
		key   string
		value any
		words string
	}{
		{"channels", 5, "data set mixed has 4"}, {"channels", 1, "2 or more"}, {"init_sd", 0, "singular"},
		{"prior_sd", 0, "above 0"},
		{"scaling", "white", "whitened"}, {"truth", "median", "aligned-mean"},
		{"metrics", []any{"amary"}, "amari-mode"}, {"chanels", 3, "channels"},
	} {
		trial := harness.Trial{Data: func() (*dataset.Data, error) {
			return mixed(50), nil
		}, Config: &settings.Config{Data: "mixed",
			Options: map[string]any{c.key: c.value, "reference": map[string]any{
				"chains": 2, "iterations": 100, "leapfrog": 5, "start": "mode", "draws": 100}}}}
		if err := check(&trial); err == nil || !strings.Contains(err.Error(), c.key) ||
			!strings.Contains(err.Error(), c.words) {
			t.Errorf("%s = %v: %v", c.key, c.value, err)
		}
	}
}
