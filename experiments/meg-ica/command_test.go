package megica

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/cli"
	"github.com/semi-implicit/sifg/pkg/harness/report"
)

// writeData writes a data set of four channels and n samples, and the file that describes it.
func writeData(t *testing.T, n int, change func(text string) string) {
	t.Helper()
	d := mixed(4, n)
	var b strings.Builder
	for a := range d.Rows {
		for i := range n {
			if i > 0 {
				b.WriteByte(',')
			}
			fmt.Fprintf(&b, "%.6g", d.X[a*n+i])
		}
		b.WriteByte('\n')
	}
	text := b.String()
	if change != nil {
		text = change(text)
	}
	for name, content := range map[string]string{
		"own.csv": text,
		"own.yaml": "datasets:\n  own:\n    files: [{name: own.csv}]\n    parse: {separator: comma}\n    target: none\n    task: " +
			"none\n    rows: 4\n",
	} {
		if err := os.WriteFile(name, []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// run runs the command on the simulated data, with short chains.
func run(t *testing.T, args ...string) (code int, out, errs string) {
	t.Helper()
	var o, e bytes.Buffer
	all := append([]string{"run", "meg-ica", "--scale", "smoke", "--datasets", "own.yaml", "--jobs", "2", "--set", "problems.*.data=own",
		"--set", "problems.*.options.channels=3", "--set", "reference.iterations=200", "--set", "reference.draws=100",
		"--set", "reference.leapfrog=5"}, args...)
	code = cli.Main(all, &o, &e, Experiment)
	return code, o.String(), e.String()
}

// TestRun: the experiment runs from end to end on a data set of one's own, under all protocols; every value is finite; figures and
// tables are made, claims decided; the second run finds everything.
func TestRun(t *testing.T) {
	t.Chdir(t.TempDir())
	writeData(t, 200, nil)
	code, _, errs := run(t, "--protocol", "all")
	if code != 0 {
		t.Fatalf("exit code %d: %s", code, errs)
	}
	got, err := report.Read("results/custom", []*harness.Experiment{Experiment})
	if err != nil {
		t.Fatal(err)
	}
	for _, protocol := range []string{"paper", "released", "matched"} {
		p := got.Experiment("meg-ica").Protocol(protocol)
		if p == nil {
			t.Fatalf("nothing of %s", protocol)
		}
		seen := map[string]bool{}
		for key, rows := range p.Records.Traces {
			for _, r := range rows {
				if seen[r.Metric] = true; math.IsNaN(r.Value) || math.IsInf(r.Value, 0) {
					t.Errorf("%s: %s[%d] is %g at iteration %d", key, r.Metric, r.Index, r.Value, r.Iteration)
				}
			}
		}
		for _, m := range Experiment.Metrics {
			if !seen[m.Name] || !seen["floor-energy"] || !seen["random-amari"] || !seen["reference-rhat"] {
				t.Errorf("%s: there is no metric %s", protocol, m.Name)
			}
		}
		for _, f := range p.Figures {
			if f.Problem != "" {
				t.Errorf("%s %s: %s", protocol, f.Name, f.Problem)
			}
		}
		for _, tab := range p.Tables {
			if tab.Problem != "" || strings.Contains(tab.Table.Markdown(), "NaN") {
				t.Errorf("%s %s: %s", protocol, tab.Name, tab.Problem)
			}
		}
	}
	code, out, errs := run(t, "--protocol", "all")
	if code != 0 || !strings.Contains(out, " 0 computed") {
		t.Errorf("the second run: exit code %d, %s%s", code, out, errs)
	}
}

// TestBadInput: what is wrong is said in one sentence, with the documented exit code, before a trial is computed.
func TestBadInput(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(string) string
		args   []string
		code   int
		words  []string
	}{
		{"another number of samples", func(s string) string { return s[:strings.LastIndexByte(s, ',')] + "\n" }, nil, 2, []string{"own.csv:4", "199 fields", "200"}},
		{"text among numbers", func(s string) string { return "abc" + s }, nil, 2, []string{"own.csv:1", "column 1", "abc"}},
		{"too many channels", nil, []string{"problems.*.options.channels=5"}, 2, []string{"options.channels", "5", "own", "4"}},
		{"a channel at most", nil, []string{"problems.*.options.channels=1"}, 2, []string{"options.channels", "2 or more"}},
		{"a singular start", nil, []string{"problems.*.options.init_sd=0"}, 2, []string{"options.init_sd", "singular"}},
		{"no prior", nil, []string{"problems.*.options.prior_sd=0"}, 2, []string{"options.prior_sd", "above 0"}},
		{"an unknown scaling", nil, []string{"problems.*.options.scaling=white"}, 2, []string{"options.scaling", "whitened"}},
		{"an unknown truth", nil, []string{"problems.*.options.truth=median"}, 2, []string{"options.truth", "aligned-mean"}},
		{"an unknown metric", nil, []string{"problems.*.options.metrics=[amary]"}, 2, []string{"options.metrics", "amary"}},
		{"no data", nil, []string{"problems.*.data=''"}, 2, []string{"data"}},
		{"a short reference", nil, []string{"reference.draws=101", "reference.iterations=100"}, 2, []string{"options.reference.draws", "101"}},
		{"an unknown start", nil, []string{"reference.start=zero"}, 2, []string{"options.reference.start", "prior"}},
		{"a late warm-up", nil, []string{"reference.warmup=150"}, 2, []string{"options.reference.warmup"}},
		{"a misspelt key", nil, []string{"reference.recomute=true"}, 2, []string{"recomute", "recompute"}},
		{"chains that cannot move", nil, []string{"reference.leapfrog=0"}, 2, []string{"options.reference.leapfrog", "1 or more"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			writeData(t, 200, c.change)
			var set []string
			for _, s := range c.args {
				set = append(set, "--set", s)
			}
			code, out, errs := run(t, set...)
			if code != c.code {
				t.Errorf("exit code %d, want %d: %s%s", code, c.code, out, errs)
			}
			last := errs[strings.LastIndexByte(strings.TrimSuffix(errs, "\n"), '\n')+1:]
			for _, w := range c.words {
				if !strings.Contains(last, w) {
					t.Errorf("%q does not name %q", last, w)
				}
			}
		})
	}
}
