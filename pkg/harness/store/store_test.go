package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/semi-implicit/sifg/pkg/harness/record"
)

func traceOf(key string) []record.Trace {
	rows := make([]record.Trace, 60)
	for i := range rows {
		rows[i] = record.Trace{Key: key, Experiment: "gmm", Metric: "knn-kl", Iteration: i, Value: float64(i) / 3}
	}
	return rows
}

func arrayOf(n int) []float32 {
	data := make([]float32, n)
	for i := range data {
		data[i] = float32(i)
	}
	return data
}

func metaOf(key, status string) Meta {
	return Meta{
		Trial: record.Trial{Key: key, Experiment: "gmm", Protocol: "released", Scale: "smoke", Problem: "gmm-2d",
			Method: "sifg", Seed: 1<<64 - 1, Status: status, Particles: 100, Dim: 2, Iterations: 50,
			Config: `{"a":"<b> & \u003c","n":1e-05}`},
		Timing: record.Timing{Seconds: 0.25, CPU: "some CPU", Kernel: "avx2", Started: "2026-01-02T03:04:05Z", Commit: "c0ffee"},
	}
}

// write commits one trial: a trace and an array of 100,000 values, which takes several writes.
func write(s *Store, key, status string, n int) (*Entry, error) {
	p, err := s.Begin("gmm", key)
	if err != nil {
		return nil, err
	}
	defer p.Abort()
	if err := p.WriteTrace(traceOf(key)); err != nil {
		return nil, err
	}
	if err := p.WriteArray("particles", []int{n / 2, 2}, arrayOf(n)); err != nil {
		return nil, err
	}
	return p.Commit(metaOf(key, status))
}

func mustOpen(t *testing.T, dir string) *Store {
	t.Helper()
	s, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func mustWrite(t *testing.T, s *Store, key, status string) *Entry {
	t.Helper()
	e, err := write(s, key, status, 20)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func mustVerify(t *testing.T, s *Store, repair bool) []Damage {
	t.Helper()
	found, err := s.Verify(context.Background(), repair)
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func mustState(t *testing.T, s *Store, key string, want State) *Entry {
	t.Helper()
	e, state, err := s.Lookup("gmm", key)
	if state != want || (err != nil) != (want == Damaged) || (e != nil) != (want == Whole) {
		t.Fatalf("trial %s: state %d, want %d; error %v", key, state, want, err)
	}
	return e
}

// scratchIsEmpty fails the test if a writer left something in .tmp.
func scratchIsEmpty(t *testing.T, s *Store) {
	t.Helper()
	names, err := os.ReadDir(filepath.Join(s.dir, tmpName))
	if err != nil || len(names) != 0 {
		t.Errorf("in %s: %v, error %v", tmpName, names, err)
	}
}

func TestRoundTrip(t *testing.T) {
	s := mustOpen(t, filepath.Join(t.TempDir(), "results", "store"))
	mustState(t, s, "k1", Absent)
	mustWrite(t, s, "k1", record.StatusOK)
	e := mustState(t, s, "k1", Whole)
	if err := e.Check(); err != nil {
		t.Error(err)
	}
	want := metaOf("k1", record.StatusOK)
	want.Timing.Key = "k1"
	if e.Meta.Trial != want.Trial || e.Meta.Timing != want.Timing {
		t.Errorf("got %+v\nwant %+v", e.Meta, want)
	}
	if e.Meta.Provenance.Go == "" || e.Meta.Provenance.Platform == "" || e.Meta.Provenance.Threads < 1 {
		t.Errorf("provenance %+v", e.Meta.Provenance)
	}
	if rows, err := e.Traces(); err != nil || !slices.Equal(rows, traceOf("k1")) {
		t.Errorf("%d traces, error %v", len(rows), err)
	}
	a, err := e.Array("particles")
	if err != nil || !slices.Equal(a.Shape, []int{10, 2}) || !slices.Equal(a.Data, arrayOf(20)) {
		t.Errorf("array %v, error %v", a, err)
	}
	if _, err := e.Array("none"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("array that is not there: error %v", err)
	}
	scratchIsEmpty(t, s)
	if n := len(seal) + 64 + len(sealEnd); n != 83 {
		t.Errorf("the digest takes the last %d bytes of trial.json, docs/results.md says 83", n)
	}

	// A failed trial without files is a whole trial, and so is one without a configuration.
	p, err := s.Begin("gmm", "k0")
	if err != nil {
		t.Fatal(err)
	}
	m := metaOf("k0", record.StatusFailed)
	m.Trial.Reason, m.Trial.Config = "panic: \xff", ""
	if _, err := p.Commit(m); err != nil {
		t.Fatal(err)
	}
	p.Abort() // harmless
	e = mustState(t, s, "k0", Whole)
	if rows, err := e.Traces(); len(rows) != 0 || err != nil {
		t.Errorf("%d traces of a trial without one, error %v", len(rows), err)
	}
	if e.Meta.Trial.Reason != "panic: \uFFFD" || e.Meta.Trial.Config != "" {
		t.Errorf("%+v", e.Meta.Trial)
	}

	r, err := OpenReadOnly(s.Dir())
	if err != nil {
		t.Fatal(err)
	}
	entries, damages, err := r.List("gmm")
	if err != nil || len(damages) != 0 || len(entries) != 2 || entries[0].Meta.Trial.Key != "k0" {
		t.Errorf("list: %d entries, %v, error %v", len(entries), damages, err)
	}
	if names, err := r.Experiments(); err != nil || !slices.Equal(names, []string{"gmm"}) {
		t.Errorf("experiments %v, error %v", names, err)
	}
	if found := mustVerify(t, r, false); len(found) != 0 {
		t.Errorf("damages of a sound store: %v", found)
	}
	if _, err := r.Begin("gmm", "k2"); err == nil {
		t.Error("a store that is open for reading took a trial")
	}
	if _, err := OpenReadOnly(filepath.Join(s.Dir(), "none")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("store that is not there: error %v", err)
	}
}

// What the store did not write is neither an experiment nor a trial.
func TestForeignNames(t *testing.T) {
	s := mustOpen(t, t.TempDir())
	mustWrite(t, s, "k", record.StatusOK)
	for _, name := range []string{"my notes", "lost+found", ".git", "gmm/my notes", "gmm/.git"} {
		if err := os.Mkdir(filepath.Join(s.dir, name), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"notes", "gmm/notes", "gmm/.DS_Store"} {
		if err := os.WriteFile(filepath.Join(s.dir, name), nil, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if names, err := s.Experiments(); err != nil || !slices.Equal(names, []string{"gmm"}) {
		t.Errorf("experiments %q, error %v", names, err)
	}
	if keys, err := s.Keys("gmm"); err != nil || !slices.Equal(keys, []string{"k"}) {
		t.Errorf("keys %q, error %v", keys, err)
	}
	if keys, err := s.Keys("none"); err != nil || len(keys) != 0 {
		t.Errorf("keys of an experiment without trials %q, error %v", keys, err)
	}
	if _, err := s.Keys("my notes"); err == nil {
		t.Error("keys of what is no name")
	}
}

func TestAbortAndMisuse(t *testing.T) {
	s := mustOpen(t, t.TempDir())
	p, err := s.Begin("gmm", "k")
	if err != nil {
		t.Fatal(err)
	}
	if err := p.WriteTrace(nil); err != nil {
		t.Fatal(err)
	}
	if err := p.WriteTrace(nil); err == nil {
		t.Error("a second trace was taken")
	}
	if _, err := p.Commit(metaOf("k", record.StatusOK)); err == nil {
		t.Error("a trial was committed after a failed write")
	}
	scratchIsEmpty(t, s)
	p, _ = s.Begin("gmm", "k")
	if _, err := p.Commit(metaOf("other", record.StatusOK)); err == nil {
		t.Error("a trial was committed under another key")
	}
	if _, err := p.Commit(metaOf("k", record.StatusOK)); err == nil {
		t.Error("a dropped trial was committed")
	}
	p, _ = s.Begin("gmm", "k")
	m := metaOf("k", record.StatusOK)
	m.Trial.Config = "{"
	if _, err := p.Commit(m); err == nil {
		t.Error("a configuration that is not JSON was taken")
	}
	for _, name := range []string{"", ".", "..", ".tmp", "a/b", "../a", "-x", "a b", strings.Repeat("x", 200)} {
		if _, err := s.Begin(name, "k"); err == nil {
			t.Errorf("experiment %q was taken", name)
		}
		if _, err := s.Begin("gmm", name); err == nil {
			t.Errorf("key %q was taken", name)
		}
		if _, _, err := s.Lookup("gmm", name); err == nil {
			t.Errorf("key %q was looked up", name)
		}
	}
	scratchIsEmpty(t, s)
	mustState(t, s, "k", Absent)
}

// A trial that failed or timed out is replaced by a new attempt, one that ended is not.
func TestReplace(t *testing.T) {
	s := mustOpen(t, t.TempDir())
	steps := []struct {
		commit, stays string
		attempt       int
	}{
		{record.StatusFailed, record.StatusFailed, 0}, {record.StatusTimeout, record.StatusTimeout, 2},
		{record.StatusDiverged, record.StatusDiverged, 3}, {record.StatusOK, record.StatusDiverged, 3},
		{record.StatusFailed, record.StatusDiverged, 3},
	}
	for _, x := range steps {
		e := mustWrite(t, s, "k", x.commit)
		if got := e.Meta.Trial.Status; got != x.stays {
			t.Errorf("committed %s: %s is returned, want %s", x.commit, got, x.stays)
		}
		if m := mustState(t, s, "k", Whole).Meta; m.Trial.Status != x.stays || m.Attempt != x.attempt {
			t.Errorf("committed %s: %s, attempt %d, is in the store, want %s, %d", x.commit, m.Trial.Status, m.Attempt, x.stays, x.attempt)
		}
		scratchIsEmpty(t, s)
	}
	if found := mustVerify(t, s, false); len(found) != 0 {
		t.Error(found)
	}
}

// A trial copied under another key is not that trial.
func TestWrongPlace(t *testing.T) {
	s := mustOpen(t, t.TempDir())
	e := mustWrite(t, s, "k1", record.StatusOK)
	if err := os.CopyFS(filepath.Join(s.dir, "gmm", "k2"), os.DirFS(e.Dir)); err != nil {
		t.Fatal(err)
	}
	mustState(t, s, "k2", Damaged)
	if found := mustVerify(t, s, false); len(found) != 1 || !strings.Contains(found[0].Path, "k2") {
		t.Errorf("found %v", found)
	}
}

// A trial that is replaced while it is copied, a failed one by one that ended, is not put together of both.
func TestImportOfReplaced(t *testing.T) {
	from, to := mustOpen(t, t.TempDir()), mustOpen(t, t.TempDir())
	commit := func(status string, arrays ...string) *Entry {
		p, err := from.Begin("gmm", "k")
		if err == nil {
			err = p.WriteTrace(traceOf("k"))
		}
		for _, name := range arrays {
			err = errors.Join(err, p.WriteArray(name, []int{2}, arrayOf(2)))
		}
		if err != nil {
			t.Fatal(err)
		}
		e, err := p.Commit(metaOf("k", status))
		if err != nil {
			t.Fatal(err)
		}
		return e
	}
	seen := commit(record.StatusFailed)
	commit(record.StatusOK, "particles")
	if copied, err := to.Import(seen); copied || err == nil || !strings.Contains(err.Error(), "replaced") {
		t.Errorf("copied %v, error %v", copied, err)
	}
	mustState(t, to, "k", Absent)
	scratchIsEmpty(t, to)
}

func TestCommitOverDamaged(t *testing.T) {
	s := mustOpen(t, t.TempDir())
	e := mustWrite(t, s, "k", record.StatusOK)
	if err := os.Truncate(filepath.Join(e.Dir, traceName), 1); err != nil {
		t.Fatal(err)
	}
	if _, err := write(s, "k", record.StatusOK, 20); !errors.Is(err, record.ErrDamaged) || !strings.Contains(err.Error(), e.Dir) {
		t.Errorf("error %v", err)
	}
	scratchIsEmpty(t, s)
	mustState(t, s, "k", Damaged)
}

// A trial.json of a later version is not damage, and the repair leaves it alone.
func TestLaterVersion(t *testing.T) {
	s := mustOpen(t, t.TempDir())
	e := mustWrite(t, s, "k", record.StatusOK)
	e.Meta.Version++
	b, err := e.Meta.marshal()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(e.Dir, trialName), b, 0o666); err != nil {
		t.Fatal(err)
	}
	if _, state, err := s.Lookup("gmm", "k"); state != Absent || err == nil || errors.Is(err, record.ErrDamaged) {
		t.Errorf("state %d, error %v", state, err)
	}
	if _, err := s.Verify(context.Background(), true); err == nil {
		t.Error("Verify took it")
	}
}

// The overhead of a small trial on this disk.
func BenchmarkCommit(b *testing.B) {
	s, err := Open(b.TempDir())
	if err != nil {
		b.Fatal(err)
	}
	rows, data := traceOf("k"), arrayOf(200)
	i := 0
	for b.Loop() {
		key := fmt.Sprint("k", i)
		i++
		p, err := s.Begin("gmm", key)
		if err == nil {
			err = p.WriteTrace(rows)
		}
		if err == nil {
			err = p.WriteArray("particles", []int{100, 2}, data)
		}
		if err == nil {
			_, err = p.Commit(metaOf(key, record.StatusOK))
		}
		if err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkLookup(b *testing.B) {
	s, err := Open(b.TempDir())
	if err != nil {
		b.Fatal(err)
	}
	if _, err := write(s, "k", record.StatusOK, 20); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, state, err := s.Lookup("gmm", "k"); state != Whole {
			b.Fatal(err)
		}
	}
}
