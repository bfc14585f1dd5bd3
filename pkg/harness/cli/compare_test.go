package cli

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/stats"
)

// publishing returns the toy experiment as if a paper printed the numbers of two cells: those that a run of it gave, to three
// decimals, moved by so much.
func publishing(t *testing.T, dir string, move float64) *toyExperiment {
	t.Helper()
	x := toy()
	x.Scores = []string{"first"}
	reports, err := harness.ReadReports(filepath.Join(dir, "results"), []*harness.Experiment{x.Experiment}, []string{"released"})
	if err != nil || len(reports) != 1 {
		t.Fatalf("%v, %d reports", err, len(reports))
	}
	text := "dataset,metric,method,mean,std,source,note\n"
	for _, m := range []string{"svgd", "sgld"} {
		var v []float64
		for _, c := range reports[0].Set.Curves("small", m, "first", 0) {
			v = append(v, c.Value[len(c.Value)-1])
		}
		text += fmt.Sprintf("small,first,%s,%.3f,%.2f,Table 1,a note\n", m, stats.Mean(v)+move, stats.SD(v))
	}
	x.Published = []byte(text)
	return x
}

func TestComparePublished(t *testing.T) {
	x, dir := toy(), t.TempDir()
	code, _, sentence := call(t, dir, x, "compare")
	want(t, "without a report", code, exitStopped, sentence, "no report in results")
	code, _, sentence = call(t, dir, x, "run", "toy", "--protocol", "all")
	want(t, "run", code, 0, sentence)
	code, out, sentence := call(t, dir, x, "compare", "--strict")
	want(t, "nothing is printed", code, exitStopped, sentence, "no cell", "toy released", "--against published")
	if !strings.Contains(out, "prints no numbers") || !strings.Contains(out, "There are trials.") {
		t.Errorf("without printed numbers: %q", out)
	}

	x = publishing(t, dir, 0)
	code, out, sentence = call(t, dir, x, "compare", "--strict")
	want(t, "its own numbers", code, 0, sentence)
	for _, words := range []string{"2 agree\n", "toy, protocol released, Table 1", "a note", "There are trials.", "1 claims: 1 reproduced"} {
		if !strings.Contains(out, words) {
			t.Errorf("the comparison does not say %q:\n%s", words, out)
		}
	}
	x.Unlike = map[string]string{"released": "other data"}
	code, _, sentence = call(t, dir, x, "compare", "--strict")
	want(t, "other data", code, exitStopped, sentence, "none of 2 cells can be compared: other data")
	x.Unlike = nil
	doctored := publishing(t, dir, 10)
	code, out, sentence = call(t, dir, doctored, "compare", "--strict")
	want(t, "doctored numbers", code, exitOutside, sentence, "2 of 2 cells are outside tolerance", "toy released small first svgd")
	if !strings.Contains(out, "2 differ\n") {
		t.Errorf("doctored numbers: %q", out)
	}
	code, _, sentence = call(t, dir, doctored, "compare")
	want(t, "doctored numbers, not strict", code, 0, sentence)

	code, _, sentence = call(t, dir, x, "compare", "--metric", "fisrt")
	want(t, "a misspelt metric", code, exitUsage, sentence, "--metric", "fisrt", `"first"`)
	code, _, sentence = call(t, dir, x, "compare", "--strict", "--metric", "sigma")
	want(t, "a metric that is not printed, strict", code, exitStopped, sentence, "no cell", "--metric sigma")
	code, out, sentence = call(t, dir, x, "compare", "--metric", "sigma")
	want(t, "a metric that is not printed", code, 0, sentence)
	if strings.Contains(out, "agree\n") {
		t.Errorf("a metric that is not printed: %q", out)
	}

	x.Published = append(x.Published, []byte("small,first,hmc,1.0,0.1,Table 1,\n")...)
	code, out, sentence = call(t, dir, x, "compare", "--strict", "--json")
	want(t, "a number of which there is no trial", code, exitStopped, sentence, "1 of 3 cells have no result", "hmc")
	var c struct {
		Printed []struct{ Method, Verdict, Why string }
		Claims  []harness.Row
	}
	if err := json.Unmarshal([]byte(out), &c); err != nil || len(c.Printed) != 3 || c.Printed[2].Why != "no trial of it" || len(c.Claims) != 1 {
		t.Errorf("JSON: %v, %+v", err, c)
	}
}

func TestCompareFoldersAndMethods(t *testing.T) {
	x, dir := toy(), t.TempDir()
	x.Scores = []string{"first"}
	for _, args := range [][]string{
		{"run"}, {"run", "--results", "same"}, {"run", "--results", "other", "--set", "methods.svgd.step=0.3"},
		{"run", "--results", "part", "--set", "methods.svgd.step=0.3", "--protocol", "paper"},
	} {
		code, _, sentence := call(t, dir, x, args...)
		want(t, strings.Join(args, " "), code, 0, sentence)
	}
	code, out, sentence := call(t, dir, x, "compare", "--against", "same", "--strict")
	want(t, "the same twice", code, 0, sentence)
	if !strings.Contains(out, "6 identical") {
		t.Errorf("the same twice: %q", out)
	}
	code, out, sentence = call(t, dir, x, "compare", "--against", "other", "--metric", "all")
	want(t, "another step", code, 0, sentence)
	if !strings.Contains(out, "sampler.step 0.2, theirs 0.3") || strings.Count(out, "identical") < 3 {
		t.Errorf("another step: %q", out)
	}
	code, _, sentence = call(t, dir, x, "compare", "--against", "part")
	want(t, "another protocol", code, exitUsage, sentence, "no report of these experiments under protocol released")
	code, _, sentence = call(t, dir, x, "compare", "--against", "sidg")
	want(t, "a word", code, exitUsage, sentence, "sidg", "sifg")
	code, _, sentence = call(t, dir, x, "compare", "--against", "same", "--metric", "frist")
	want(t, "a metric", code, exitUsage, sentence, "frist", "first")

	code, out, sentence = call(t, dir, x, "compare", "--against", "sifg")
	want(t, "methods", code, 0, sentence)
	if !strings.Contains(out, "too few seeds") || strings.Contains(out, "no average") {
		t.Errorf("methods: %q", out)
	}
	code, _, sentence = call(t, dir, x, "compare", "--against", "sifg", "--strict")
	want(t, "strict", code, exitUsage, sentence, "--strict")
	code, out, sentence = call(t, dir, x, "compare", "--against", "sifg", "--json")
	want(t, "methods, JSON", code, 0, sentence)
	var c struct {
		Pairs []struct{ Method, Base, Verdict string }
	}
	if err := json.Unmarshal([]byte(out), &c); err != nil || len(c.Pairs) != 2 || c.Pairs[0].Base != "sifg" {
		t.Errorf("JSON: %v, %+v", err, c)
	}
}

// TestFootnotes: what is said of several cells is said once.
func TestFootnotes(t *testing.T) {
	var f footnotes
	got := []string{f.mark("agrees"), f.mark("differs", "a copy."), f.mark("not comparable", "other data", ""), f.mark("not comparable", "other data", "a copy.")}
	if want := []string{"agrees", "differs (1)", "not comparable (2)", "not comparable (2, 1)"}; !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	var out strings.Builder
	f.write(&out)
	if out.String() != "(1) a copy.\n(2) other data.\n" {
		t.Errorf("%q", out.String())
	}
}
