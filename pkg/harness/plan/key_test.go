package plan

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/sifg/cpu"
)

func TestKeys(t *testing.T) {
	plain, quick := mustPlan(t), mustPlan(t, func(r *Request) { r.Scale = "quick" })
	seen := map[string]string{}
	for i, x := range plain.Trials {
		if old, ok := seen[x.Key]; ok || len(x.Key) != 20+1+8 {
			t.Errorf("%s and %s have the key %q", old, x.Name(), x.Key)
		}
		seen[x.Key] = x.Name()
		// quick changes small only: the name of the scale is no part of a key.
		if same := x.Key == quick.Trials[i].Key; same != (x.Problem == "wide") {
			t.Errorf("%s: same key at scale quick: %v", x.Name(), same)
		}
	}
	// Computed with Python: sha256 of json.dumps(…, sort_keys=True, separators=(",", ":")).
	if x := plain.Trials[0]; (x.Key == "a0da50573d8195f1c8c8-66c51cc7") != (cpu.Bits() == "") {
		t.Errorf("%s has the key %s, bits: %q", x.Name(), x.Key, cpu.Bits())
	}
	if os.Getenv(cpu.Env) == "" { // the same with kernels of other bits
		cmd := exec.Command(os.Args[0], "-test.run=^TestKeys$")
		cmd.Env = append(os.Environ(), cpu.Env+"=portable")
		if out, err := cmd.CombinedOutput(); err != nil && !errors.Is(err, syscall.ENOEXEC) { // emulated
			t.Errorf("with portable kernels: %v\n%s", err, out)
		}
	}
	for what, c := range map[string]struct {
		change func(r *Request)
		which  string // problems whose keys change
	}{
		"how the settings are written": {func(r *Request) {
			text := strings.Replace(toySettings, "step: 0.1}", "step: 1.0e-1}", 1)
			r.Experiments[0].Settings = []byte("# a comment\n" + text)
		}, ""},
		"the data set": {func(r *Request) { r.Data = tables{"table": "3"} }, "wide"},
		"the name of the data set": {func(r *Request) {
			r.Data = tables{"table": "1", "again": "1"}
			sets("problems.wide.data=again")(r)
		}, "wide"},
		"the experiment's version":   {func(r *Request) { r.Experiments[0].Version = "2" }, "small wide"},
		"the experiment's name":      {func(r *Request) { r.Experiments[0].Name = "b" }, "small wide"},
		"the title and the problems": {func(r *Request) { r.Experiments[0].Title = "New"; r.Problems = nil }, ""},
	} {
		other := mustPlan(t, c.change)
		for i, x := range plain.Trials {
			if changed := x.Key != other.Trials[i].Key; changed != strings.Contains(c.which, x.Problem) {
				t.Errorf("%s: the key of %s changed: %v", what, x.Name(), changed)
			}
		}
	}
	big := mustPlan(t, func(r *Request) { // JSON as float64 would not tell these seeds apart
		r.Seeds, r.Experiments[0].Check = []uint64{1<<64 - 1, 1<<64 - 2}, func(*harness.Trial) error { return nil }
	})
	if big.Trials[0].Key == big.Trials[1].Key {
		t.Error("two seeds have one key")
	}
	twice := mustPlan(t, func(r *Request) { r.Protocols = []string{All} })
	if n, u := len(twice.Trials), len(twice.Unique()); n != 20 || u != 12 {
		t.Errorf("%d trials, %d different; want 20 and 12: the protocols differ in svgd on small alone", n, u)
	}
}

// TestApart: a key has two parts. What is measured decides the second alone, what is drawn the first alone, and what
// decides nothing neither.
func TestApart(t *testing.T) {
	measures := func(r *Request) {
		e := r.Experiments[0]
		e.Measuring.Options = []string{"metrics", "at_end"}
		e.Check = func(*harness.Trial) error { return nil }
	}
	parts := func(change ...func(r *Request)) [2]string {
		x := mustPlan(t, append([]func(*Request){measures}, change...)...).Trials[0]
		draw, look, _ := strings.Cut(x.Key, "-")
		return [2]string{draw, look}
	}
	plain := parts()
	for what, c := range map[string]struct {
		change     func(r *Request)
		draw, look bool // whether they change
	}{
		"a metric":              {sets("options.metrics=[energy]"), false, true},
		"a checkpoint":          {sets("judge.every=3"), false, true},
		"a snapshot":            {sets("judge.snapshots=[3]"), false, true},
		"a snapshot beyond it":  {sets("judge.snapshots=[300]"), false, false},
		"no snapshots":          {sets("judge.snapshots=[]"), false, false},
		"no metrics":            {sets("options.at_end=[]"), false, false},
		"the sample":            {sets("judge.sample=fresh"), false, true},
		"the target":            {sets("options.dim=7"), true, false},
		"the sampler":           {sets("step=0.4"), true, false},
		"the metrics' version":  {func(r *Request) { r.Experiments[0].Measuring.Version = "2" }, false, true},
		"the drawing's version": {func(r *Request) { r.Experiments[0].Version = "2" }, true, false},
	} {
		got := parts(c.change)
		if draw, look := got[0] != plain[0], got[1] != plain[1]; draw != c.draw || look != c.look {
			t.Errorf("%s: the draw changes: %v, the look changes: %v", what, draw, look)
		}
	}
}

// TestRevive: a trial that was written as JSON is the same when it is read, and refused where it would be another.
func TestRevive(t *testing.T) {
	newer := toy()
	newer.Version = "2"
	for _, x := range mustPlan(t, sets("options.list=[1, 2.5, {a: 1.0e-7}]"), func(r *Request) {
		r.Experiments[0].Check, r.Seeds = func(*harness.Trial) error { return nil }, []uint64{1<<64 - 1}
	}).Trials {
		wide := x.Problem == "wide"
		for _, c := range []struct {
			e       *harness.Experiment
			data    string
			refused bool
		}{{toy(), "1", false}, {newer, "1", true}, {toy(), "2", wide}} {
			var y harness.Trial
			b, err := json.Marshal(x)
			if err = errors.Join(err, json.Unmarshal(b, &y)); err != nil {
				t.Fatal(err)
			}
			if ok := Revive(c.e, &y, tables{"table": c.data}); ok == c.refused || (y.Data != nil) != wide {
				t.Errorf("%s: %+v: %v", x.Name(), c, ok)
			}
		}
	}
}

func TestReferenceKey(t *testing.T) {
	e := toy()
	trials := mustPlan(t, func(r *Request) { r.Problems = []string{"wide"} }).Trials
	key := func(e *harness.Experiment, x *harness.Trial, draws int, data string) string {
		k, err := ReferenceKey(e, x, &harness.Reference{Config: map[string]int{"draws": draws}}, tables{"table": data})
		if err != nil {
			t.Fatal(err)
		}
		return k
	}
	first := key(e, &trials[0], 1, "a")
	if key(e, &trials[3], 1, "a") != first {
		t.Error("trials with equal references do not share one")
	}
	newer := toy()
	newer.Version = "2"
	for what, k := range map[string]string{
		"other settings":  key(e, &trials[0], 2, "a"),
		"other data":      key(e, &trials[0], 1, "b"),
		"another version": key(newer, &trials[0], 1, "a"),
	} {
		if k == first {
			t.Errorf("%s give the same key", what)
		}
	}
}
