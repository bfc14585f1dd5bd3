package store

import (
	"context"
	"errors"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/semi-implicit/sifg/pkg/harness/record"
)

const long = "0123456789abcdef0123" // a key as trials have them

// flatten moves a trial to where older programs put it, and write it still.
func flatten(s *Store, id ID) {
	flat, _ := id.flat()
	must(0, s.root.Rename(id.dir(), flat))
}

// A store of older programs is read as it is, continued, verified and repaired.
func TestOldStore(t *testing.T) {
	s := must(Open(t.TempDir()))
	must(put(s, long, record.StatusOK))
	flatten(s, gmm(long))
	if got := must(filepath.Glob(filepath.Join(s.dir, "gmm", long, "*"))); len(got) != 3 {
		t.Fatalf("an older program leaves %v", got)
	}
	s = must(Open(s.dir))
	is(t, s, long, record.StatusOK)
	if rows, err := must(s.Get(gmm(long))).Traces(); err != nil || len(rows) != 60 {
		t.Errorf("%d rows, error %v", len(rows), err)
	}
	if got, err := put(s, long, record.StatusOK); err != nil || got.Status != record.StatusOK {
		t.Errorf("%+v, error %v", got, err)
	}
	if _, err := s.root.Lstat(gmm(long).dir()); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a trial that is there was written again: error %v", err)
	}
	if found := must(s.Verify(context.Background(), false)); len(found) != 0 {
		t.Error(found)
	}
	must(put(s, long[1:], record.StatusOK))
	if ids := must(s.Find("gmm", "")); !slices.Equal(ids, []ID{gmm(long), gmm(long[1:])}) {
		t.Errorf("found %v", ids)
	}
	must(0, os.Truncate(filepath.Join(s.dir, "gmm", long, traceName), 1))
	is(t, s, long, Damaged)
	if _, err := put(s, long, record.StatusOK); !errors.Is(err, record.ErrDamaged) {
		t.Errorf("a damaged trial was written over: error %v", err)
	}
	if moved := must(s.Verify(context.Background(), true)); len(moved) != 1 || moved[0].Moved == "" {
		t.Errorf("moved %v", moved)
	}
	must(put(s, long, record.StatusOK))
	is(t, s, long, record.StatusOK)
	tidy(t, s)
}

// Older programs and this one fill one store at once: whatever either leaves of a trial, it has the status that is
// final, and a trial that failed gives way.
func TestBothPlaces(t *testing.T) {
	for _, c := range []struct{ older, here, want string }{
		{record.StatusOK, record.StatusOK, record.StatusOK},
		{record.StatusOK, record.StatusFailed, record.StatusOK},
		{record.StatusFailed, record.StatusOK, record.StatusOK},
		{record.StatusFailed, record.StatusTimeout, record.StatusTimeout},
	} {
		s := must(Open(t.TempDir()))
		must(put(s, long, c.older))
		must(0, s.root.Rename(gmm(long).dir(), "aside"))
		must(put(s, long, c.here))
		flat, _ := gmm(long).flat()
		must(0, s.root.Rename("aside", flat)) // as by a program that wrote it at the same time
		is(t, s, long, c.want)
		if ids := must(s.Find("gmm", long[:5])); len(ids) != 1 {
			t.Errorf("found %v", ids)
		}
		if found := must(s.Verify(context.Background(), false)); len(found) != 0 {
			t.Error(found)
		}
		must(put(s, long, record.StatusOK))
		is(t, s, long, record.StatusOK)
	}
	s := must(Open(t.TempDir()))
	must(put(s, long, record.StatusFailed))
	flatten(s, gmm(long))
	if got := must(put(s, long, record.StatusOK)); got.Status != record.StatusOK {
		t.Errorf("%+v", got)
	}
	is(t, s, long, record.StatusOK)
	tidy(t, s)
}

// Find takes what a person typed as it is, and names trials alone.
func TestFind(t *testing.T) {
	s := must(Open(t.TempDir()))
	for _, key := range []string{"ab1", "ab2", "cd1", "a"} {
		must(put(s, key, record.StatusOK))
	}
	must(0, s.PutFiles(context.Background(), gmm("ab3"), nil)) // a reference
	for prefix, want := range map[string][]ID{
		"":    {gmm("a"), gmm("ab1"), gmm("ab2"), gmm("cd1")},
		"a":   {gmm("a"), gmm("ab1"), gmm("ab2")},
		"ab2": {gmm("ab2")},
		"[":   nil, "*": nil, "..": nil, "ab/": nil,
	} {
		if got, err := s.Find("gmm", prefix); err != nil || !slices.Equal(got, want) {
			t.Errorf("%q: %v, error %v; want %v", prefix, got, err, want)
		}
	}
	if got, err := s.Find("none", ""); err != nil || got != nil {
		t.Errorf("an experiment that has no trials: %v, error %v", got, err)
	}
}

// A folder that holds trials, in either layout and without anything of the store's own, is a store: trials may have
// been copied there.
func TestCopiedTrials(t *testing.T) {
	for _, old := range []bool{false, true} {
		s := must(Open(t.TempDir()))
		must(put(s, long, record.StatusOK))
		if old {
			flatten(s, gmm(long))
		}
		must(0, os.RemoveAll(filepath.Join(s.dir, tmpName)))
		is(t, must(OpenReadOnly(s.dir)), long, record.StatusOK)
		must(Open(s.dir))
	}
	deep := t.TempDir()
	must(0, os.MkdirAll(filepath.Join(deep, "a", "b", "c", "d"), 0o777))
	must(0, os.WriteFile(filepath.Join(deep, "a", "b", "c", "d", trialIndex), nil, 0o666))
	if _, err := Open(deep); err == nil {
		t.Error("a folder of other things was taken for a store")
	}
}

// An array that is the same as another is stored once and read by both names.
func TestSharedArrays(t *testing.T) {
	s := must(Open(t.TempDir()))
	r := result("k", record.StatusOK, 20)
	r.Trial.Iterations = 7
	r.Arrays["particles-5"] = &record.Array{Shape: []int{1}, Data: []float32{5}}
	r.Arrays["sample-3"] = &record.Array{Shape: []int{1}, Data: []float32{3}}
	must(s.Put(context.Background(), r))
	e := must(s.Get(gmm("k")))
	for name, want := range map[string]int{
		"particles": 20, "particles-7": 20, "sample-7": 20, "particles-5": 1, "sample-5": 1, "sample-3": 1,
	} {
		if a, err := e.Array(name); err != nil || len(a.Data) != want {
			t.Errorf("%s: %v, error %v; want %d values", name, a, err, want)
		}
	}
	for _, name := range []string{"particles-3", "sample-4", "particles-77"} {
		if _, err := e.Array(name); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: error %v", name, err)
		}
	}
}

// TestDoubles: values that float32 would round come back as they were.
func TestDoubles(t *testing.T) {
	s := must(Open(t.TempDir()))
	r, want := result("k", record.StatusOK, 20), []float64{2459123.4567, 292608179, 1e200, math.Inf(1)}
	r.Arrays["draws"] = &record.Array{Shape: []int{2, 2}, Double: want}
	must(s.Put(context.Background(), r))
	a, err := must(s.Get(gmm("k"))).Array("draws")
	if err != nil || !slices.Equal(a.Double, want) || a.Data != nil || !slices.Equal(a.Shape, []int{2, 2}) {
		t.Errorf("%+v, error %v", a, err)
	}
}
