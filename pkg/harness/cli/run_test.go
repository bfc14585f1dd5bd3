package cli

import (
	"bytes"
	"io"
	"os"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/harness/settings"
	toys "github.com/semi-implicit/sifg/pkg/harness/testdata/toy"
)

func TestRunAndAgain(t *testing.T) {
	t.Chdir(t.TempDir())
	x := toy()
	// svgd differs between the protocols; the six trials of sgld and sifg are shared, so 12 and not 18 are computed.
	x.want(t, "run toy --protocol all", 0, "12 trials: 0 already there, 12 computed",
		"page: results/index.html")
	first := files(t, "results", "")
	names := []string{"sifg-results.txt", "toy/trials.parquet", "toy/trace.parquet", "toy/timings.parquet",
		"toy/paper/ends.md"}
	for _, name := range names {
		if first[name] == "" {
			t.Errorf("there is no results/%s", name)
		}
	}
	if page := first["index.html"]; !strings.Contains(page, "There are trials.") {
		t.Error("the page lacks the claim")
	}
	before := x.Calls.Load()
	x.want(t, "run all --protocol paper --protocol released -j 1", 0, "12 trials: 12 already there, 0 computed")
	if x.Calls.Load() != before {
		t.Error("the second run evaluated the target")
	}
	again := files(t, "results", "")
	for name := range first {
		if again[name] != first[name] {
			t.Errorf("the second run changed results/%s", name)
		}
	}
}

func TestFailuresAreRows(t *testing.T) {
	t.Chdir(t.TempDir())
	x := toy()
	const panics = "run --protocol paper --name mine --set problems.small.options.fault=panic"
	said := x.want(t, panics, 3, "3 of 9 trials failed", "seed 2", "failed: panic: the target", "gave up",
		"9 computed", "2 of 3")
	if strings.Contains(said, "\x1b") {
		t.Errorf("a reason controls the terminal: %q", said)
	}
	b := must(os.ReadFile("results/custom/mine/toy/trials.parquet"))
	rows, err := record.Decode[record.Trial](b)
	failed := 0
	for _, r := range rows {
		if r.Status == record.StatusFailed && r.Seed == 2 && strings.Contains(r.Reason, "gave up") {
			failed++
		}
	}
	if err != nil || len(rows) != 9 || failed != 3 {
		t.Errorf("%d rows, %d of them failed with their reason, want 9 and 3 (%v)", len(rows), failed, err)
	}
	x.want(t, panics, 3, "6 already there, 3 computed")
	for _, computed := range []string{"9 computed", "0 computed"} { // what diverged never is tried again
		x.want(t, "run --protocol paper --set problems.small.options.fault=nan", 0,
			"9 trials diverged, which counts as a result", computed)
	}
	x.want(t, strings.Replace(panics, "run", "plan", 1), 0, "3 to compute", "seed 2",
		"failed: panic: the target")
	x.want(t, "run --protocol paper --scale smoke --timeout 30ms --set problems.small.options.fault=slow", 3,
		"timeout", "30ms")
}

// TestReportsStayApart: no choice of settings or scale replaces the report of another.
func TestReportsStayApart(t *testing.T) {
	t.Chdir(t.TempDir())
	x := toy()
	for _, flags := range []string{"", " --scale smoke", " --set step=0.3", " --set step=0.3 --scale smoke", " --set " +
		"step=0.4", " --methods svgd", " --seeds 7",
		" --set step=0.4 --name mine"} {
		x.want(t, "run"+flags, 0)
		x.want(t, "plan"+flags, 0, " 0 to compute")
	}
	pages := files(t, "results", "index.html")
	if len(pages) != 8 {
		t.Errorf("%d pages, want one of each of 8 runs", len(pages))
	}
	for name, page := range pages { // and each says what of it is not the protocols'
		custom := strings.Contains(name, "custom")
		if marked := strings.Contains(page, `class="badge warn">changed settings`); marked != custom {
			t.Errorf("%s is marked: %v", name, marked)
		}
	}
	x.want(t, "claims T1 --name mine", 0, "There are 9.")
	x.want(t, "verify", 0, "intact")
}

// TestCustomName: folders have the names of models, data and programs, and a digest where those do not tell all.
func TestCustomName(t *testing.T) {
	t.Chdir(t.TempDir())
	put(t, "logit.py", "")
	put(t, "deep/logit.py", "")
	for _, c := range []struct{ scale, set, want string }{
		{"full", "--program python logit.py", "logit$"},
		{"smoke", "--program python ./logit.py", "smoke_logit$"},
		{"full", "--program python deep/logit.py", "logit-[0-9a-f]{6}$"},
		{"full", "--program python logit.py 3", "logit-[0-9a-f]{6}$"},
		{"full", "--program python logit.py|--methods sifg,svgd", "logit_methods-sifg-svgd-[0-9a-f]{6}$"},
		{"quick", "--data rent", "quick_rent$"},
		{"full", "--data rent", "rent$"},
		{"full", "--data rent,rent2", "rent-rent2-[0-9a-f]{6}$"},
		{"quick", "--sampler mine=/tmp/x/bin/python mala.py", "quick_sampler-mine-tmp-x-bin-[a-z.-]*[0-9a-f]{6}$"},
	} {
		s := &selection{own: own{changed: strings.Split(c.set, "|")}}
		s.Scale = c.scale
		if got := s.customName(); !regexp.MustCompile("^" + c.want).MatchString(got) {
			t.Errorf("%s at %s: %s, want %s", c.set, c.scale, got, c.want)
		}
	}
}

// TestAbsentData: trials whose data are not here are left out, and the others get their report.
func TestAbsentData(t *testing.T) {
	t.Setenv("SIFG_DATASETS_MIRROR", "")
	t.Chdir(t.TempDir())
	x := toy()
	problems := "  problems:\n    good: {particles: 6, iterations: 2, data: boston}\n" +
		"    lost: {particles: 6, iterations: 2, data: meg}\n"
	x.Settings = []byte(strings.Replace(toys.Config, "  problems:\n", problems, 1))
	x.want(t, "run --protocol paper", 75,
		"27 trials: 0 already there, 18 to compute, 9 left out because data are missing",
		"9 of 27", "the data set meg", "sifg data fetch", "18 computed", "page:")
	put(t, "datasets/cache/meg-ica/MEG_data_reduced.csv", "cut")
	x.want(t, "data list", 5, "MEG_data_reduced.csv")
}

// TestLineAMinute: without a terminal a line a minute says how far a run is.
func TestLineAMinute(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		todo := []harness.Trial{{Config: &settings.Config{Iterations: 100}}}
		p := newProgress(&out, todo, map[string][]float64{}, 1)
		p.Start(&todo[0])
		for i := range 100 {
			time.Sleep(2 * time.Second)
			p.Step(&todo[0], i)
		}
		if n := strings.Count(out.String(), "0 of 1 trials, 1 running\n"); n != 3 {
			t.Errorf("%d lines in 200 s: %s", n, &out)
		}
	})
}

// TestTimeLeft: what is left takes as long as the mean of the trials of the same problem and method; nothing is said
// where a kind has none.
func TestTimeLeft(t *testing.T) {
	trial := func(problem, key string) harness.Trial {
		return harness.Trial{
			Experiment: "e", Problem: problem, Method: "m", Key: key,
			Config: &settings.Config{Particles: 1, Iterations: 10},
		}
	}
	todo := []harness.Trial{trial("p", "a"), trial("p", "b"), trial("q", "c"), trial("q", "d")}
	p := newProgress(io.Discard, todo, map[string][]float64{}, 2)
	defer p.close()
	wants := func(want string) {
		t.Helper()
		if got := p.state(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	wants("0 of 4 trials, 0 running")
	p.Start(&todo[0])
	p.End(&todo[0], record.StatusOK, "", time.Minute)
	wants("1 of 4 trials, 0 running") // nothing is known of q
	p.times["e/q/m"] = []float64{20, 40}
	wants("1 of 4 trials, 0 running, about 60 s left") // 60 and twice 30 s, two at once
	p.Start(&todo[2])
	p.Step(&todo[2], 5)
	wants("1 of 4 trials, 1 running, about 52 s left")
	if got := p.fraction(); got != 0.375 {
		t.Errorf("%g of the run is over, want 0.375", got)
	}
}
