package store

import (
	"context"
	"errors"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/semi-implicit/sifg/pkg/harness/internal/disk"
	"github.com/semi-implicit/sifg/pkg/harness/record"
)

const someConfig = `{ "a": "<b> & \u003c", "n": 1e-05 }`

// result is a trial that left 60 rows and an array of n values.
func result(key, status string, n int) *record.Result {
	r := &record.Result{
		Trial: record.Trial{
			Key: key, Experiment: "gmm", Protocol: "released", Scale: "smoke", Problem: "gmm-2d",
			Method: "sifg", Seed: 1<<64 - 1, Status: status, Config: someConfig, Particles: 100, Dim: 2,
			Iterations: 50,
		},
		Timing: record.Timing{
			Seconds: 0.25, CPU: "some CPU", Kernel: "avx2", Started: "2026-01-02T03:04:05Z", Commit: "c0ffee",
		},
		Arrays: map[string]*record.Array{"particles": {Shape: []int{n / 2, 2}, Data: make([]float32, n)}},
	}
	for i := range 60 {
		r.Traces = append(r.Traces, record.Trace{Key: key, Metric: "knn-kl", Iteration: i, Value: float64(i) / 3})
	}
	for i := range r.Arrays["particles"].Data {
		r.Arrays["particles"].Data[i] = float32(i)
	}
	return r
}

func put(s *Store, key, status string) (record.Trial, error) {
	return s.Put(context.Background(), result(key, status, 20))
}

func gmm(key string) ID { return ID{Experiment: "gmm", Key: key} }

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// folderOf is where a trial of the test's is.
func folderOf(s *Store, key string) string { return filepath.Join(s.dir, gmm(key).dir()) }

// is fails the test where the store has something else of a trial.
func is(t *testing.T, s *Store, key, want string) {
	t.Helper()
	if got := must(s.Status([]ID{gmm(key)}))[0].Trial; got.Status != want {
		t.Fatalf("trial %s: %s (%s), want %s", key, got.Status, got.Reason, want)
	}
}

// tidy fails the test if a writer left something in .tmp.
func tidy(t *testing.T, s *Store) {
	t.Helper()
	if names, err := os.ReadDir(filepath.Join(s.dir, tmpName)); err != nil || len(names) != 0 {
		t.Errorf("in %s: %v, error %v", tmpName, names, err)
	}
}

func TestRoundTrip(t *testing.T) {
	s := must(Open(filepath.Join(t.TempDir(), "results", "store")))
	if e, err := s.Get(gmm("k1")); e != nil || err != nil {
		t.Fatal(e, err)
	}
	want := result("k1", record.StatusOK, 20)
	got, err := s.Put(context.Background(), want)
	want.Trial.Config, want.Timing.Key = `{"a":"<b> & \u003c","n":1e-05}`, "k1"
	if err != nil || got != want.Trial {
		t.Errorf("%+v, error %v", got, err)
	}
	e := must(s.Get(gmm("k1")))
	if *e.Trial != want.Trial || *e.Timing != want.Timing || len(e.Files) != 2 {
		t.Errorf("got %+v\nwant %+v", e, want)
	}
	if found, err := s.Verify(context.Background()); found != nil || err != nil {
		t.Error(found, err)
	}
	if rows, err := e.Traces(); err != nil || !slices.Equal(rows, want.Traces) {
		t.Errorf("%d traces, error %v", len(rows), err)
	}
	a, err := e.Array("particles")
	if err != nil || !slices.Equal(a.Shape, []int{10, 2}) || !slices.Equal(a.Data, want.Arrays["particles"].Data) {
		t.Errorf("array %v, error %v", a, err)
	}
	if _, err := e.Array("none"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("array that is not there: error %v", err)
	}
	tidy(t, s)

	failed := result("k0", record.StatusFailed, 2)
	failed.Trial.Reason, failed.Traces, failed.Arrays = "panic: \xff\x1b[2J", nil, nil
	if _, err := s.Put(context.Background(), failed); err != nil {
		t.Fatal(err)
	}
	if found := must(s.Status([]ID{gmm("k1"), gmm("none"), gmm("k0")})); found[0].Timing.Seconds != 0.25 ||
		found[1].Trial.Status != Missing || found[2].Trial.Status != record.StatusFailed ||
		found[2].Trial.Reason != `panic: \xff\x1b[2J` {
		t.Errorf("%+v", found)
	}
}

func TestOpen(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	must(0, os.WriteFile(file, nil, 0o666))
	for _, in := range []string{file, filepath.Join(file, "store"), dir} { // dir has a file and no trial
		if _, err := Open(in); err == nil || !strings.Contains(err.Error(), in) {
			t.Errorf("%s: error %v", in, err)
		}
	}
	if _, err := OpenReadOnly(filepath.Join(dir, "none")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("store that is not there: error %v", err)
	}
}

// A trial that failed is replaced, one that ended is not.
func TestReplace(t *testing.T) {
	s := must(Open(t.TempDir()))
	for _, x := range []struct{ put, stays string }{
		{record.StatusFailed, record.StatusFailed}, {record.StatusTimeout, record.StatusTimeout},
		{record.StatusDiverged, record.StatusDiverged}, {record.StatusOK, record.StatusDiverged},
		{record.StatusFailed, record.StatusDiverged},
	} {
		if got, err := put(s, "k", x.put); got.Status != x.stays || err != nil {
			t.Errorf("put %s: %s is returned, want %s; error %v", x.put, got.Status, x.stays, err)
		}
		is(t, s, "k", x.stays)
		tidy(t, s)
	}
	if found := must(s.Verify(context.Background())); len(found) != 0 {
		t.Error(found)
	}
}

func TestMisuse(t *testing.T) {
	s := must(Open(t.TempDir()))
	broken := result("k", record.StatusOK, 2)
	broken.Trial.Config = "{"
	_, err := s.Put(context.Background(), broken)
	if err == nil || !strings.Contains(err.Error(), "gmm/k") {
		t.Errorf("a configuration that is not JSON: error %v", err)
	}
	if _, err := put(s, "k", "fine"); err == nil {
		t.Error("a status that nobody knows was taken")
	}
	for _, name := range []string{"", "..", ".tmp", "a/b", "../a", "-x", "a b", strings.Repeat("x", 200)} {
		_, err := put(s, name, record.StatusOK)
		for _, id := range []ID{gmm(name), {Experiment: name, Key: "k"}} {
			if _, bad := s.Get(id); bad == nil || s.PutFiles(context.Background(), id, nil) == nil || err == nil {
				t.Errorf("%v was taken", id)
			}
		}
	}
	tidy(t, s)
	is(t, s, "k", Missing)
}

// A trial that failed is replaced under the lock of the store. A writer that waits for the lock stops when its context
// ends, and leaves what was there.
func TestPutObeysContext(t *testing.T) {
	s := must(Open(t.TempDir()))
	must(put(s, "k", record.StatusFailed))
	ctx, cancel := context.WithTimeout(context.Background(), 100*time.Millisecond)
	defer cancel()
	unlock := must(disk.Lock(context.Background(), s.dir))
	_, err := s.Put(ctx, result("k", record.StatusOK, 20))
	unlock()
	if !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), s.dir) {
		t.Errorf("error %v", err)
	}
	is(t, s, "k", record.StatusFailed)
	tidy(t, s)
}

// An array that is the same as another is stored once and read by both names.
func TestSharedArrays(t *testing.T) {
	s := must(Open(t.TempDir()))
	r := result("k", record.StatusOK, 20)
	r.Trial.Iterations = 7
	r.Arrays["particles-5"] = &record.Array{Shape: []int{1}, Data: []float32{5}}
	r.Arrays["sample-3"] = &record.Array{Shape: []int{1}, Data: []float32{3}}
	draws := []float64{2459123.4567, 292608179, 1e200, math.Inf(1)} // which float32 would round
	r.Arrays["draws"] = &record.Array{Shape: []int{2, 2}, Double: draws}
	must(s.Put(context.Background(), r))
	e := must(s.Get(gmm("k")))
	for name, want := range map[string]int{
		"particles": 20, "particles-7": 20, "sample-7": 20, "particles-5": 1, "sample-5": 1, "sample-3": 1,
	} {
		if a, err := e.Array(name); err != nil || len(a.Data) != want {
			t.Errorf("%s: %v, error %v; want %d values", name, a, err, want)
		}
	}
	if a, err := e.Array("draws"); err != nil || !slices.Equal(a.Double, draws) || a.Data != nil {
		t.Errorf("%+v, error %v", a, err)
	}
	for _, name := range []string{"particles-3", "sample-4", "particles-77"} {
		if _, err := e.Array(name); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: error %v", name, err)
		}
	}
}

// Open removes the folders of dead writers only.
func TestSweep(t *testing.T) {
	s := must(Open(t.TempDir()))
	alive := must(s.temporary())
	old := time.Now().Add(-2 * youngest)
	must(0, errors.Join(s.root.Mkdir(".tmp/dead", 0o777), s.root.WriteFile(".tmp/dead/"+traceName, nil, 0o666),
		s.root.Mkdir(".tmp/young", 0o777), s.root.Chtimes(".tmp/dead", old, old)))
	must(Open(s.dir))
	for name, stays := range map[string]bool{alive: true, ".tmp/young": true, ".tmp/dead": false} {
		if _, err := s.root.Stat(name); (err == nil) != stays {
			t.Errorf("%s: there is %v, want %v", name, err == nil, stays)
		}
	}
}
