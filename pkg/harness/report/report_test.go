package report

import (
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/claim"
	"github.com/semi-implicit/sifg/pkg/harness/figure"
	"github.com/semi-implicit/sifg/pkg/harness/internal/safe"
	"github.com/semi-implicit/sifg/pkg/harness/plan"
	"github.com/semi-implicit/sifg/pkg/harness/record"
)

// TestRoundTrip: what is read gives the same files as what was collected, without the store; a section that panics says
// so, and one without trials is left out.
func TestRoundTrip(t *testing.T) {
	f := newFixture(t)
	r, notes := f.write(t, f.plan)
	if len(notes) > 0 || len(r.Experiments) != 1 || len(r.Experiments[0].Sets) != 2 {
		t.Fatalf("%v, %+v", notes, r)
	}
	must(0, os.RemoveAll(filepath.Join(f.dir, "store")))
	if found := f.again(t); found != nil {
		t.Errorf("made again: %v", found)
	}
	back := must(Read(f.dir, []*harness.Experiment{f.e}))
	x := back.Experiment("toy")
	if x.Part("paper", "cloud").SVG == nil || x.Part("paper", "nothing") != nil || x.Part("paper", "one") != nil ||
		x.Part("released", "one") == nil || !strings.Contains(x.Part("paper", "broken").Failure, "no such figure") {
		t.Error("the sections are others")
	}
	set, last := x.Set("released"), record.View{Set: x.Set("released"), Problem: "p"}
	if set.Incomparable != "other data" || !slices.Equal(last.Final("svgd", "kl", 0), []float64{4, 5}) ||
		set.Timings[set.Trials[0].Key].Seconds != 1 || !set.Complete() || set.Changed() {
		t.Errorf("%+v", set)
	}
	ledger := back.Ledger([]*harness.Experiment{f.e})
	if got := ledger[0].Under[1]; got.Evidence != "4 trials" || got.Protocol != "released" || !got.Complete {
		t.Errorf("%+v", got)
	}
	if got := ledger[1].Under[0]; got.Verdict != claim.NotDecided || !strings.Contains(got.Evidence, "a hole") {
		t.Errorf("%+v", got)
	}
}

// TestDamagedArray: an array of the store that a section shows and that is cut is named, and no files are made.
func TestDamagedArray(t *testing.T) {
	f := newFixture(t)
	f.e.Sections = f.e.Sections[:1]
	paths := must(filepath.Glob(filepath.Join(f.dir, "store/toy/*/*/particles.npy")))
	for _, path := range paths {
		must(0, os.Truncate(path, 9))
	}
	all := []*harness.Experiment{f.e}
	r, _, err := must(Read(f.dir, all)).Collect(f.plan, f.store, all)
	must(0, err)
	if _, err := r.Files(); !errors.Is(err, safe.ErrDamaged) || !strings.Contains(err.Error(), "particles.npy") {
		t.Errorf("%d arrays are cut: %v", len(paths), err)
	}
}

// TestOtherTrials: the file that is named is the one that is wrong, and one of another version is not called damaged
// rows; where a folder cannot be made, the results folder is named.
func TestOtherTrials(t *testing.T) {
	f := newFixture(t)
	f.write(t, f.plan)
	for name, c := range map[string]struct {
		data []byte
		want string
	}{
		"toy/.next/trials.parquet": {[]byte("x"), ".next/trials.parquet: not a whole Parquet file"},
		"toy/trials.parquet":       {must(record.EncodeWith([]record.Trial{}, nil)), "another version of this program"},
	} {
		at := filepath.Join(f.dir, name)
		must(0, errors.Join(os.MkdirAll(filepath.Dir(at), 0o777), os.WriteFile(at, c.data, 0o666)))
		_, err := Read(f.dir, []*harness.Experiment{f.e})
		if !errors.Is(err, safe.ErrDamaged) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", name, err)
		}
		must(0, os.RemoveAll(filepath.Join(f.dir, "toy")))
	}
	must(0, os.Symlink(t.TempDir(), filepath.Join(f.dir, "toy")))
	r, _, err := new(Results).Collect(f.plan, f.store, []*harness.Experiment{f.e})
	must(0, err)
	if err := must(r.Files()).Write(f.dir); err == nil || !strings.Contains(err.Error(), f.dir) {
		t.Errorf("a link out of the results folder: %v", err)
	}
}

// TestLazy: claims draw no figure and make no table.
func TestLazy(t *testing.T) {
	f := newFixture(t)
	f.write(t, f.plan)
	for i := range f.e.Sections {
		if s := &f.e.Sections[i]; s.Draw != nil {
			s.Draw = func(*record.Set) (*figure.Figure, error) { t.Error("a figure is drawn"); return nil, nil }
		}
	}
	must(Read(f.dir, []*harness.Experiment{f.e})).Ledger([]*harness.Experiment{f.e})
}

// TestEveryByte: whatever byte of whatever file is changed, or the file is gone, that file is named.
func TestEveryByte(t *testing.T) {
	f := newFixture(t)
	f.write(t, f.plan)
	whole := folder(t, f.dir)
	if len(whole) < 9 {
		t.Fatalf("%d files", len(whole))
	}
	check := func() []safe.Damage {
		r, err := Read(f.dir, []*harness.Experiment{f.e})
		if d, ok := errors.AsType[*safe.Damage](err); ok {
			return []safe.Damage{*d}
		}
		must(0, err)
		files, err := r.Files()
		if d, ok := errors.AsType[*safe.Damage](err); ok {
			return []safe.Damage{*d}
		}
		must(0, err)
		return must(files.Check(f.dir))
	}
	for name, text := range whole {
		path := filepath.Join(f.dir, name)
		for _, at := range []int{0, len(text) / 3, len(text) / 2, len(text) - 1} {
			b := []byte(text)
			b[at] ^= 4
			must(0, os.WriteFile(path, b, 0o666))
			named := func(d safe.Damage) bool { return d.Path == path }
			if found := check(); !slices.ContainsFunc(found, named) {
				t.Errorf("byte %d of %s is changed: %v", at, name, found)
			}
		}
		must(0, os.Remove(path))
		if name == filepath.Join("toy", trialsName) { // without which there are no results
			must(0, os.WriteFile(path, []byte(text), 0o666))
			continue
		}
		if found := check(); !slices.ContainsFunc(found, func(d safe.Damage) bool { return d.Path == path }) {
			t.Errorf("%s is gone: %v", name, found)
		}
		must(0, os.WriteFile(path, []byte(text), 0o666))
	}
	if found := check(); found != nil {
		t.Errorf("whole again: %v", found)
	}
}

// TestLacks: other seeds take the place of as many; fewer of a method do not.
func TestLacks(t *testing.T) {
	trials := func(method string, seeds ...uint64) (out []record.Trial) {
		for _, seed := range seeds {
			out = append(out, record.Trial{Problem: "p", Method: method, Seed: seed, Scale: "full", Status: "ok"})
		}
		return out
	}
	old := &record.Set{Scale: "full", Trials: append(trials("a", 1, 2), trials("b", 1)...)}
	for what, c := range map[string]struct {
		rows []record.Trial
		may  bool
	}{
		"other seeds":       {append(trials("a", 8, 9), trials("b", 7)...), true},
		"one of a":          {append(trials("a", 1), trials("b", 1, 2)...), false},
		"more of one alone": {trials("a", 1, 2, 3, 4), false},
	} {
		var found []*record.Result
		for _, row := range c.rows {
			found = append(found, &record.Result{Trial: row})
		}
		if got := lacks(found, old); (got == "") != c.may {
			t.Errorf("%s: %q", what, got)
		}
	}
}

// TestLess: a protocol gives way only to one with as many that ended well. What the plan has no part in stays.
func TestLess(t *testing.T) {
	f := newFixture(t)
	f.write(t, f.plan)
	before := folder(t, f.dir)
	for what, change := range map[string]func(r *plan.Request){
		"one seed":   func(r *plan.Request) { r.Seeds = []uint64{1} },
		"one method": func(r *plan.Request) { r.Methods = []string{"sgld"} },
		"none":       func(r *plan.Request) { r.Seeds = []uint64{7} },
	} {
		if _, notes := f.write(t, planned(t, f.e, change)); len(notes) == 0 || !maps.Equal(folder(t, f.dir), before) {
			t.Errorf("%s took the place of more: %q", what, notes)
		}
	}
	more := planned(t, f.e, func(r *plan.Request) { r.Seeds, r.Protocols = []uint64{1, 2, 3}, []string{"paper"} })
	if _, notes := f.write(t, more); notes != nil {
		t.Errorf("more trials, two of which are missing: %q", notes)
	}
	back := must(Read(f.dir, []*harness.Experiment{f.e})).Experiment("toy")
	if set := back.Set("paper"); len(set.Missing) != 2 || set.Planned() != 6 || !set.Changed() {
		t.Errorf("%d missing of %d, changed %v", len(set.Missing), set.Planned(), set.Changed())
	}
	if len(back.Set("released").Trials) != 4 {
		t.Error("another protocol is not what it was")
	}
}

// TestSomethingElse: a folder that holds something else, or lies inside of results, is refused and stays.
func TestSomethingElse(t *testing.T) {
	f := newFixture(t)
	f.write(t, f.plan)
	site := t.TempDir()
	must(0, os.WriteFile(filepath.Join(site, "index.html"), []byte("mine"), 0o666))
	for dir, want := range map[string]string{
		site:                         "index.html",
		filepath.Join(f.dir, "toy"):  "inside of other results",
		filepath.Join(f.dir, "toy/"): "inside of other results",
	} {
		if err := Writable(dir); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", dir, err)
		}
	}
	page := filepath.Join(site, "index.html")
	if err := NewFiles().Write(site); err == nil || string(must(os.ReadFile(page))) != "mine" {
		t.Error("a site was overwritten")
	}
	for _, dir := range []string{f.dir, t.TempDir(), filepath.Join(site, "new"), filepath.Join(f.dir, "custom", "x")} {
		if err := Writable(dir); err != nil {
			t.Errorf("%s: %v", dir, err)
		}
	}
	own := []string{"toy/paper/notes.csv", "claims.html/a", "grids.html/a", "toy.html/a", "cloud.html/a", "mine.html/a",
		".cache.tmp-1/a"}
	for _, name := range own {
		at := filepath.Join(f.dir, name)
		must(0, errors.Join(os.MkdirAll(filepath.Dir(at), 0o777), os.WriteFile(at, []byte("mine"), 0o666)))
	}
	f.write(t, f.plan)
	for _, name := range own {
		if folder(t, f.dir)[name] != "mine" {
			t.Errorf("%s, which the program did not make, was changed", name)
		}
	}
	found := f.again(t)
	if len(found) != 1 || filepath.Base(found[0].Path) != "notes.csv" {
		t.Errorf("found %v", found)
	}
	f.e.Sections[0].Draw, f.e.Sections[0].Table = nil, f.e.Sections[3].Table // a table in the place of the cloud
	f.write(t, f.plan)
	if _, err := os.Stat(filepath.Join(f.dir, "toy", "paper", "cloud.svg")); !errors.Is(err, fs.ErrNotExist) {
		t.Error("the picture of a section that has none any more stays")
	}
}
