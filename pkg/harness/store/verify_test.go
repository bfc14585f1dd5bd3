package store

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/semi-implicit/sifg/pkg/harness/record"
)

// Each flipped byte and each cut of each file of a trial is named; neither Verify nor a reader crashes or returns other
// values; after the repair the trial is absent, and it can be written again.
func TestEveryByteFlipped(t *testing.T) {
	s := mustOpen(t, t.TempDir())
	mustWrite(t, s, "sound", record.StatusOK)
	e := mustWrite(t, s, "k", record.StatusOK)
	names, err := os.ReadDir(e.Dir)
	if err != nil || len(names) != 3 {
		t.Fatalf("files %v, error %v", names, err)
	}
	for _, n := range names {
		path := filepath.Join(e.Dir, n.Name())
		good, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		f, err := os.OpenFile(path, os.O_RDWR, 0)
		if err != nil {
			t.Fatal(err)
		}
		check := func(what string, i int) {
			t.Helper()
			found, err := s.inspect("gmm", "k")
			if err != nil || len(found) != 1 || found[0].Path != path {
				t.Fatalf("%s %s %d: found %v, error %v", n.Name(), what, i, found, err)
			}
			if rows, err := e.Traces(); n.Name() == traceName && (err == nil || rows != nil) {
				t.Fatalf("%s %s %d: read", n.Name(), what, i)
			}
			if a, err := e.Array("particles"); n.Name() == "particles.npy" && (err == nil || a != nil) {
				t.Fatalf("%s %s %d: read", n.Name(), what, i)
			}
		}
		for i := range good {
			f.WriteAt([]byte{good[i] ^ 1<<(i%8)}, int64(i))
			check("flipped at", i)
			f.WriteAt(good[i:i+1], int64(i))
		}
		for i := 0; i < len(good); i += 1 + i/8 {
			f.Truncate(int64(i))
			check("cut to", i)
			if _, state, _ := s.Lookup("gmm", "k"); state != Damaged {
				t.Fatalf("%s cut to %d: Lookup does not see it", n.Name(), i)
			}
			f.WriteAt(good, 0)
		}
		f.WriteAt([]byte{0}, int64(len(good)))
		check("longer than", len(good))
		f.Close()

		found := mustVerify(t, s, true)
		if len(found) != 1 || found[0].Path != path || found[0].MovedTo == "" {
			t.Fatalf("verify: %v", found)
		}
		if moved, err := os.ReadFile(filepath.Join(found[0].MovedTo, n.Name())); err != nil || len(moved) != len(good)+1 {
			t.Errorf("the damaged file is not where Verify said: error %v", err)
		}
		mustState(t, s, "k", Absent)
		if found := mustVerify(t, s, false); len(found) != 0 {
			t.Errorf("after the repair: %v", found)
		}
		e = mustWrite(t, s, "k", record.StatusOK)
	}
	mustState(t, s, "sound", Whole)
}

// What is damaged, missing or foreign is named, all of it, and only damaged trials are lost by the repair.
func TestVerifyNamesAll(t *testing.T) {
	s := mustOpen(t, t.TempDir())
	for i := range 7 {
		mustWrite(t, s, fmt.Sprint("k", i), record.StatusOK)
	}
	in := func(elem ...string) string { return filepath.Join(append([]string{s.dir}, elem...)...) }
	for _, err := range []error{
		os.Remove(in("gmm", "k0", traceName)),
		os.Truncate(in("gmm", "k1", traceName), 10), os.Remove(in("gmm", "k1", "particles.npy")),
		os.Remove(in("gmm", "k2", trialName)),
		os.WriteFile(in("gmm", "k3", "notes.txt"), nil, 0o666),
		os.RemoveAll(in("gmm", "k4", traceName)), os.Mkdir(in("gmm", "k4", traceName), 0o777),
		os.WriteFile(in("gmm", "notes.txt"), nil, 0o666), os.Mkdir(in("gmm", ".git"), 0o777),
		os.WriteFile(in("notes.txt"), nil, 0o666), os.Mkdir(in("gmm", "empty"), 0o777),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	want := []string{in("gmm", ".git"), in("gmm", "empty", trialName), in("gmm", "k0", traceName),
		in("gmm", "k1", "particles.npy"), in("gmm", "k1", traceName), in("gmm", "k2", trialName),
		in("gmm", "k3", "notes.txt"), in("gmm", "k4", traceName), in("gmm", "notes.txt"), in("notes.txt")}
	for _, repair := range []bool{false, true} {
		found := mustVerify(t, s, repair)
		var paths []string
		for _, d := range found {
			paths = append(paths, d.Path)
			if d.Reason == "" || repair != (d.MovedTo != "") {
				t.Errorf("repair %v: %+v", repair, d)
			}
			if _, err := os.Stat(d.MovedTo); repair && err != nil {
				t.Error(err)
			}
		}
		if !slices.Equal(paths, want) {
			t.Errorf("repair %v: found\n%s\nwant\n%s", repair, strings.Join(paths, "\n"), strings.Join(want, "\n"))
		}
		if _, damages, err := s.List("gmm"); err != nil || !repair && len(damages) != 5 || repair && len(damages) != 0 {
			t.Errorf("repair %v: list names %v, error %v", repair, damages, err)
		}
	}
	for i, state := range []State{Absent, Absent, Absent, Whole, Absent, Whole, Whole} {
		mustState(t, s, fmt.Sprint("k", i), state)
	}
	if found := mustVerify(t, s, false); len(found) != 0 {
		t.Error(found)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := s.Verify(ctx, false); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: error %v", err)
	}
}

// A trial.json that cannot be read keeps nobody from the other trials, and the repair moves its trial aside.
func TestUnreadableRecord(t *testing.T) {
	for name, spoil := range map[string]func(path string) error{
		"a folder":           func(path string) error { return os.Mkdir(path, 0o777) },
		"a loop of links":    func(path string) error { return os.Symlink(trialName, path) },
		"a link to nowhere":  func(path string) error { return os.Symlink("none", path) },
		"a name never taken": func(path string) error { return os.Symlink(strings.Repeat("x", 300), path) }, // as without permission: an error of the system
	} {
		t.Run(name, func(t *testing.T) {
			s := mustOpen(t, t.TempDir())
			path := filepath.Join(mustWrite(t, s, "k", record.StatusOK).Dir, trialName)
			mustWrite(t, s, "sound", record.StatusOK)
			if err := errors.Join(os.Remove(path), spoil(path)); err != nil {
				t.Fatal(err)
			}
			if name != "a name never taken" {
				mustState(t, s, "k", Damaged)
				if entries, damages, err := s.List("gmm"); err != nil || len(entries) != 1 || len(damages) != 1 || damages[0].Path != path {
					t.Errorf("list: %d entries, %v, error %v", len(entries), damages, err)
				}
			}
			for _, repair := range []bool{false, true} {
				if found := mustVerify(t, s, repair); len(found) != 1 || found[0].Path != path || repair != (found[0].MovedTo != "") {
					t.Errorf("repair %v: %+v", repair, found)
				}
			}
			mustState(t, s, "k", Absent)
			mustState(t, s, "sound", Whole)
		})
	}
	s := mustOpen(t, t.TempDir())
	if err := os.MkdirAll(filepath.Join(s.dir, "gmm"), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(s.dir, "gmm", "k"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	mustState(t, s, "k", Damaged) // a file in the place of the trial
}

// A foreign file may have as long a name as the file system takes.
func TestQuarantineOfLongNames(t *testing.T) {
	s := mustOpen(t, t.TempDir())
	e := mustWrite(t, s, "k", record.StatusOK)
	long := strings.Repeat("é", 127)
	for _, path := range []string{filepath.Join(s.dir, long), filepath.Join(s.dir, "gmm", long), filepath.Join(e.Dir, long)} {
		if err := os.WriteFile(path, nil, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	found := mustVerify(t, s, true)
	for _, d := range found {
		if _, err := os.Stat(d.MovedTo); err != nil {
			t.Error(err)
		}
	}
	if again := mustVerify(t, s, false); len(found) != 3 || len(again) != 0 {
		t.Errorf("found %v, and then %v", found, again)
	}
}
