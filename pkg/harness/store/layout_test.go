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

// earlier is a trial that may be stored under an earlier key.
var earlier = ID{Experiment: "gmm", Key: long + "-01234567", Earlier: long}

// A trial is found under its earlier key, with the key that it has now, and is not written again by that.
func TestEarlierKey(t *testing.T) {
	s := must(Open(t.TempDir()))
	must(put(s, long, record.StatusOK))
	got := must(s.Result(earlier))
	if got.Trial.Key != earlier.Key || got.Timing.Key != earlier.Key || len(got.Traces) != 60 ||
		got.Traces[59].Key != earlier.Key {
		t.Errorf("%+v", got.Trial)
	}
	if e := must(s.Get(gmm(earlier.Key))); e != nil {
		t.Error("a trial without an earlier key is found")
	}
	if found := must(s.Status([]ID{earlier})); found[0].Status != record.StatusOK || found[0].ID != earlier {
		t.Errorf("%+v", found)
	}
	must(0, os.Truncate(filepath.Join(s.dir, gmm(long).dir(), traceName), 1))
	if found := must(s.Status([]ID{earlier})); found[0].Status != Damaged {
		t.Errorf("%+v", found)
	}
}

// Of a trial that is there under both keys, what ended well counts.
func TestBothKeys(t *testing.T) {
	for _, c := range []struct{ before, now, want string }{
		{record.StatusOK, record.StatusFailed, record.StatusOK},
		{record.StatusFailed, record.StatusOK, record.StatusOK},
		{record.StatusFailed, record.StatusTimeout, record.StatusTimeout},
	} {
		s := must(Open(t.TempDir()))
		must(put(s, long, c.before))
		must(put(s, earlier.Key, c.now))
		if found := must(s.Status([]ID{earlier})); found[0].Status != c.want {
			t.Errorf("%+v: %+v", c, found)
		}
		tidy(t, s)
	}
}

// Trials with the same draw are found by each other.
func TestAlike(t *testing.T) {
	s := must(Open(t.TempDir()))
	for _, key := range []string{long, long + "-00000000", long + "-11111111", long[:19] + "-1-00000000"} {
		must(put(s, key, record.StatusOK))
	}
	if got := s.Alike(earlier); !slices.Equal(got, []ID{gmm(long + "-00000000"), gmm(long + "-11111111")}) {
		t.Errorf("%v", got)
	}
	if got := s.Alike(gmm(long)); got != nil {
		t.Errorf("a computation is like %v", got)
	}
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

// A folder that holds trials, without anything of the store's own, is a store: trials may have been copied there.
func TestCopiedTrials(t *testing.T) {
	s := must(Open(t.TempDir()))
	must(put(s, long, record.StatusOK))
	must(0, os.RemoveAll(filepath.Join(s.dir, tmpName)))
	is(t, must(OpenReadOnly(s.dir)), long, record.StatusOK)
	must(Open(s.dir))
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
