package store

import (
	"context"
	"errors"
	"io/fs"
	"math"
	"slices"
	"testing"

	"github.com/semi-implicit/sifg/pkg/harness/record"
)

const long = "0123456789abcdef0123" // a key as trials have them

// Trials with the same draw are found by each other.
func TestAlike(t *testing.T) {
	s := must(Open(t.TempDir()))
	for _, key := range []string{long, long + "-00000000", long + "-11111111", long[:19] + "-1-00000000"} {
		must(put(s, key, record.StatusOK))
	}
	want := []ID{gmm(long + "-00000000"), gmm(long + "-11111111")}
	if got := s.Alike(gmm(long + "-01234567")); !slices.Equal(got, want) {
		t.Errorf("%v", got)
	}
	if got := s.Alike(gmm(long)); got != nil {
		t.Errorf("a computation is like %v", got)
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
