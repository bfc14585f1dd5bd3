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
	"syscall"
	"testing"
	"time"

	"github.com/semi-implicit/sifg/pkg/harness/internal/safe"
	"github.com/semi-implicit/sifg/pkg/harness/record"
)

// Each flipped byte and each cut of each file of a trial and of a reference is named; no reader crashes or returns
// other values; once it is removed, it can be written again.
func TestEveryByteFlipped(t *testing.T) {
	s := must(Open(t.TempDir()))
	must(put(s, "sound", record.StatusOK))
	write := map[string]func(){
		"k": func() { must(put(s, "k", record.StatusOK)) },
		"r": func() {
			must(0, s.PutFiles(context.Background(), gmm("r"), map[string][]byte{"draws.npy": []byte("1.20")}))
		},
	}
	for key, again := range write {
		again()
		for _, n := range must(os.ReadDir(folderOf(s, key))) {
			path := filepath.Join(folderOf(s, key), n.Name())
			good := must(os.ReadFile(path))
			check := func(what string, at int) {
				t.Helper()
				if found, err := s.Verify(context.Background()); err != nil || len(found) != 1 ||
					found[0].Path != path {
					t.Fatalf("%s %s %d: found %v, error %v", n.Name(), what, at, found, err)
				}
				if readAny(s, n.Name()) {
					t.Fatalf("%s %s %d: read", n.Name(), what, at)
				}
			}
			f := must(os.OpenFile(path, os.O_RDWR, 0))
			for i := range good {
				if testing.Short() && i%7 != 0 { // all take two seconds
					continue
				}
				f.WriteAt([]byte{good[i] ^ 1<<(i%8)}, int64(i))
				check("flipped at", i)
				f.WriteAt(good[i:i+1], int64(i))
			}
			for i := 0; i < len(good); i += 1 + i/8 {
				f.Truncate(int64(i))
				check("cut to", i)
				f.WriteAt(good, 0)
			}
			f.WriteAt([]byte{0}, int64(len(good)))
			check("longer than", len(good))
			f.Close()
			must(0, os.RemoveAll(folderOf(s, key)))
			is(t, s, key, Missing)
			if found := must(s.Verify(context.Background())); len(found) != 0 {
				t.Errorf("once it is removed: %v", found)
			}
			again()
		}
	}
	is(t, s, "sound", record.StatusOK)
}

// readAny reads one file, named in the test above, of the trial k or the reference r by the method that is for it.
func readAny(s *Store, name string) bool {
	if name == refIndex || name == "draws.npy" {
		read, err := s.Files(gmm("r"))
		if err == nil {
			_, err = read("draws.npy")
		}
		return err == nil
	}
	e, err := s.Get(gmm("k"))
	if err == nil && name == traceName {
		_, err = e.Traces()
	} else if err == nil {
		_, err = e.Array("particles")
	}
	return err == nil
}

// What is damaged, missing or foreign is named, all of it, and nothing else.
func TestVerifyNamesAll(t *testing.T) {
	s := must(Open(t.TempDir()))
	for i := range 7 {
		must(put(s, fmt.Sprint("k", i), record.StatusOK))
	}
	must(0, s.PutFiles(context.Background(), gmm("r"), map[string][]byte{"draws": []byte("1"), "more": nil}))
	in := func(elem ...string) string { return filepath.Join(append([]string{s.dir}, elem...)...) }
	long := strings.Repeat("é", 127) // as long as file systems take
	for _, err := range []error{
		os.Remove(in(gmm("k0").dir(), traceName)),
		os.Truncate(in(gmm("k1").dir(), traceName), 10), os.Remove(in(gmm("k1").dir(), "particles.npy")),
		os.Remove(in(gmm("k2").dir(), trialIndex)),
		os.WriteFile(in(gmm("k3").dir(), "notes.txt"), nil, 0o666), os.WriteFile(in(gmm("k3").dir(), long), nil, 0o666),
		os.RemoveAll(in(gmm("k4").dir(), traceName)), os.Mkdir(in(gmm("k4").dir(), traceName), 0o777),
		os.Truncate(in(gmm("r").dir(), "draws"), 0),
		os.WriteFile(in("gmm", "notes.txt"), nil, 0o666), os.Mkdir(in("gmm", ".git"), 0o777),
		os.WriteFile(in("notes.txt"), nil, 0o666),
		os.Mkdir(in("gmm", "empty"), 0o777),
		os.Mkdir(in("lost+found"), 0o777),
	} {
		must(0, err)
	}
	want := []string{in("gmm", ".git"), in("gmm", "empty"), in(gmm("k0").dir(), traceName),
		in(gmm("k1").dir(), "particles.npy"), in(gmm("k1").dir(), traceName), in(gmm("k2").dir(), trialIndex),
		in(gmm("k3").dir(), "notes.txt"), in(gmm("k3").dir(), long), in(gmm("k4").dir(), traceName),
		in("gmm", "notes.txt"), in(gmm("r").dir(), "draws"),
		in("lost+found"), in("notes.txt")}
	var paths []string
	for _, d := range must(s.Verify(context.Background())) {
		paths = append(paths, d.Path)
		if d.Reason == "" {
			t.Errorf("%+v", d)
		}
	}
	if !slices.Equal(paths, want) {
		t.Errorf("found\n%s\nwant\n%s", strings.Join(paths, "\n"), strings.Join(want, "\n"))
	}
}

// forge returns what puts another trial "k" in place, under a right seal.
func forge(change func(h *head), files map[string][]byte) func(s *Store) {
	return func(s *Store) {
		trial := &result("k", record.StatusOK, 2).Trial
		h := head{Version: version, Trial: trial, Config: []byte("{}"), Timing: &record.Timing{Seconds: 1}}
		change(&h)
		must(0, s.root.RemoveAll(gmm("k").dir()))
		must(0, s.root.Mkdir(gmm("k").dir(), 0o777))
		must(0, (&Entry{s.root, gmm("k").dir(), trialIndex, h}).write(files))
	}
}

// A store that someone sent may say anything under a right seal. Nothing outside it is read or written, a made-up
// status or time is damage, no control sequence reaches the terminal, and the other trials are not affected.
func TestForgedStore(t *testing.T) {
	outside := t.TempDir()
	secret := filepath.Join(outside, "particles.npy")
	must(0, os.WriteFile(secret, []byte("secret"), 0o666))
	for name, spoil := range map[string]func(s *Store){
		"status":   forge(func(h *head) { h.Trial.Status = "OK" }, nil),
		"seconds":  forge(func(h *head) { h.Timing.Seconds = 1e308 }, nil),
		"escape":   forge(func(h *head) { h.Trial.Status, h.Trial.Method = "failed", "\x1b[2J" }, nil),
		"no trial": forge(func(h *head) { h.Trial = nil }, nil),
		"version":  forge(func(h *head) { h.Version++ }, nil), // of a later program: does not stop the others
		"key":      forge(func(h *head) { h.Trial.Key = "../../pwned" }, nil),
		"another": func(s *Store) { // copied under this key
			must(0, os.RemoveAll(folderOf(s, "k")))
			must(0, os.CopyFS(folderOf(s, "k"), os.DirFS(folderOf(s, "sound"))))
		},
		"another reference": func(s *Store) {
			must(0, errors.Join(os.RemoveAll(folderOf(s, "k")), s.PutFiles(context.Background(), gmm("r"), nil),
				os.Rename(folderOf(s, "r"), folderOf(s, "k"))))
			if read, err := s.Files(gmm("k")); read != nil || !errors.Is(err, safe.ErrDamaged) {
				t.Errorf("a reference under another key: error %v", err)
			}
		},
		"link": func(s *Store) {
			must(0, os.RemoveAll(folderOf(s, "k")))
			must(0, os.Symlink(outside, folderOf(s, "k")))
		},
		"linked file": func(s *Store) {
			must(0, os.Remove(filepath.Join(folderOf(s, "k"), "particles.npy")))
			must(0, os.Symlink(secret, filepath.Join(folderOf(s, "k"), "particles.npy")))
		},
		"pipe": func(s *Store) {
			must(0, os.Remove(filepath.Join(folderOf(s, "k"), trialIndex)))
			must(0, syscall.Mkfifo(filepath.Join(folderOf(s, "k"), trialIndex), 0o666))
		},
		"endless": func(s *Store) {
			must(0, os.Remove(filepath.Join(folderOf(s, "k"), traceName)))
			must(0, os.Symlink("/dev/zero", filepath.Join(folderOf(s, "k"), traceName)))
		},
		"file": func(s *Store) {
			must(0, os.RemoveAll(folderOf(s, "k")))
			must(0, os.WriteFile(folderOf(s, "k"), nil, 0o666))
		},
	} {
		s := must(Open(t.TempDir()))
		must(put(s, "k", record.StatusOK))
		must(put(s, "sound", record.StatusOK))
		spoil(s)
		found, err := s.Status([]ID{gmm("k"), gmm("sound")})
		indexed := name == "linked file" || name == "endless" // the index is as it was, and Verify finds the rest
		if err != nil || (found[0].Trial.Status != Damaged) != indexed || found[1].Trial.Status != record.StatusOK ||
			strings.Contains(found[0].Trial.Reason, "\x1b") {
			t.Errorf("%s: %+v, error %v", name, found, err)
		}
		if _, err := put(s, "k", record.StatusOK); errors.Is(err, safe.ErrDamaged) == indexed {
			t.Errorf("%s: written over: error %v", name, err)
		}
		tidy(t, s)
		if found := must(s.Verify(context.Background())); len(found) != 1 {
			t.Errorf("%s: found %v", name, found)
		}
		must(0, os.RemoveAll(folderOf(s, "k")))
		is(t, s, "k", Missing)
		must(put(s, "k", record.StatusOK))
		if b, err := os.ReadFile(secret); string(b) != "secret" || len(must(os.ReadDir(outside))) != 1 {
			t.Errorf("%s: outside there are %q, error %v", name, b, err)
		}
	}
}

// A forged reason is made printable, rows of another trial are damage, and a link in the place of an experiment is not
// followed.
func TestForgedTrial(t *testing.T) {
	s, outside := must(Open(t.TempDir())), t.TempDir()
	must(put(s, "k", record.StatusOK))
	trace := must(record.Encode([]record.Trace{{Key: "another"}}))
	forged := func(h *head) { h.Trial.Status, h.Trial.Reason = "failed", "\x1b[2Jall is well" }
	forge(forged, map[string][]byte{traceName: trace})(s)
	e := must(s.Get(gmm("k")))
	if _, err := e.Traces(); e.Trial.Reason != `\x1b[2Jall is well` || !errors.Is(err, safe.ErrDamaged) {
		t.Errorf("%+v, rows of another trial: error %v", e, err)
	}
	must(0, errors.Join(os.RemoveAll(filepath.Join(s.dir, "gmm")), os.Symlink(outside, filepath.Join(s.dir, "gmm"))))
	if _, err := put(s, "k", record.StatusOK); err == nil || len(must(os.ReadDir(outside))) != 0 {
		t.Errorf("a link out of the store was followed: error %v", err)
	}
}

// References are stored once, read through their digests, and their checkpoints are kept for the next process until
// then.
func TestReferences(t *testing.T) {
	s, ctx := must(Open(t.TempDir())), context.Background()
	if read, err := s.Files(gmm("r")); read != nil || err != nil {
		t.Fatal(err)
	}
	dir, release, err := s.Scratch(ctx, gmm("r"))
	must(0, errors.Join(err, os.WriteFile(filepath.Join(dir, "chain-0"), []byte("half"), 0o666)))
	short, cancel := context.WithTimeout(ctx, 50*time.Millisecond)
	defer cancel()
	if _, _, err := s.Scratch(short, gmm("r")); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a folder that another has was given away: error %v", err)
	}
	release()
	link := filepath.Join(dir, "chain-1")
	must(0, os.Symlink("/etc/passwd", link))
	if _, _, err := s.Scratch(ctx, gmm("r")); !errors.Is(err, safe.ErrDamaged) ||
		!strings.Contains(err.Error(), link) {
		t.Errorf("a link among checkpoints: error %v", err)
	}
	must(0, os.Remove(link))
	again, release, err := s.Scratch(ctx, gmm("r"))
	if b, _ := os.ReadFile(filepath.Join(again, "chain-0")); err != nil || again != dir || string(b) != "half" {
		t.Errorf("%s: %q, error %v", again, b, err)
	}
	must(0, s.PutFiles(context.Background(), gmm("r"), map[string][]byte{"draws.npy": []byte("1.20")}))
	must(0, s.PutFiles(context.Background(), gmm("r"), map[string][]byte{"draws.npy": []byte("9.99")}))
	release()
	read := must(s.Files(gmm("r")))
	if b, err := read("draws.npy"); string(b) != "1.20" || err != nil {
		t.Errorf("%q, error %v", b, err)
	}
	if _, err := read("../k/trial.json"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("error %v", err)
	}
	if found := must(s.Verify(context.Background())); len(found) != 0 {
		t.Error(found)
	}
	is(t, s, "r", Damaged) // it is no trial
	scratch := filepath.Join(s.dir, scratchName)
	must(0, errors.Join(os.RemoveAll(scratch), os.Symlink(t.TempDir(), scratch)))
	if _, _, err := s.Scratch(ctx, gmm("r2")); err == nil {
		t.Error("a link out of the store was followed")
	}
}

// FuzzTrial: whatever stands in trial.json under a right seal, the trial is read as one that a program of ours may have
// written, or is damaged; what is said of it is fit for a terminal.
func FuzzTrial(f *testing.F) {
	dir := f.TempDir()
	s := must(Open(dir))
	must(put(s, "k", record.StatusOK))
	index := filepath.Join(folderOf(s, "k"), trialIndex)
	whole := string(must(os.ReadFile(index)))
	body := whole[:len(whole)-len(seal(nil))]
	f.Add(body)
	for _, old := range []string{`"k"`, `"ok"`, `0.25`, `100`, `"trace.parquet"`, `"gmm-2d"`} {
		for _, now := range []string{`"../k"`, `null`, `-1`, `1e999`, `"\u001b[31m"`, `{}`, `[]`} {
			f.Add(strings.Replace(body, old, now, 1))
		}
	}
	f.Add(strings.Replace(body, `"trace.parquet"`, `"track.parquet"`, 1)) // one with another file, which is there
	must(0, os.Link(filepath.Join(folderOf(s, "k"), traceName), filepath.Join(folderOf(s, "k"), "track.parquet")))
	f.Fuzz(func(t *testing.T, body string) {
		must(0, os.WriteFile(index, []byte(body+seal([]byte(body))), 0o666))
		found := must(s.Verify(context.Background()))
		got, err := s.Get(gmm("k"))
		if got != nil && (got.Trial.Key != "k" || got.Trial.Check() != nil) {
			t.Errorf("read: %+v", got.Trial)
		}
		if err == nil && got != nil {
			_, err = got.Traces()
		}
		for _, d := range found {
			if strings.ContainsAny(d.Error(), "\x1b\n\r") {
				t.Errorf("%q", d.Error())
			}
		}
		if err != nil && !errors.Is(err, safe.ErrDamaged) {
			t.Errorf("not a damage: %v", err)
		}
	})
}

// An index that somebody sealed cannot name anything outside its folder, itself, or what no program of ours writes.
func TestForgedIndex(t *testing.T) {
	s := must(Open(t.TempDir()))
	must(put(s, "k", record.StatusOK))
	path := filepath.Join(folderOf(s, "k"), trialIndex)
	trial := &result("k", record.StatusOK, 2).Trial
	for _, x := range []file{{Name: "../a"}, {Name: "/etc/passwd"}, {Name: trialIndex}, {Name: "."}, {Name: "sub/b"},
		{Name: "a\x1b[2J"}, {Name: "a", Bytes: -1}, {Name: "a", Bytes: 40 << 30}, {Name: `a\..\b`}} {
		h := &head{Version: version, Trial: trial, Timing: &record.Timing{}, Files: []file{{Name: traceName}, x}}
		must(0, os.WriteFile(path, must(encode(h)), 0o666))
		_, err := s.Get(gmm("k"))
		if !errors.Is(err, safe.ErrDamaged) || !strings.Contains(err.Error(), "list of files") ||
			strings.Contains(err.Error(), "\x1b") {
			t.Errorf("%q: error %v", x.Name, err)
		}
	}
	if err := (&Entry{root: s.root, dir: "gmm"}).write(map[string][]byte{"../a": nil}); err == nil {
		t.Error("a name outside was written")
	}
}
