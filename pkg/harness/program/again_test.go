package program

import (
	"bytes"
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// remarks runs trials of a sampler, one after another, and returns what is said of each.
func remarks(t *testing.T, how string, trials int) (said []string) {
	p := started(t, command("sampler-"+how))
	for range trials {
		s := sampled(context.Background(), p, iterations)
		if err := s.Settle(); err != nil {
			t.Fatal(err)
		}
		said = append(said, s.Remark())
		s.End()
	}
	return said
}

// TestReplay: a sampler that hangs on the clock is marked from its first trial on, and one whose state stays from trial
// to trial from its second: the first of every process is the same.
func TestReplay(t *testing.T) {
	const marked = "not reproducible: does it use problem.seed?"
	for how, from := range map[string]int{"well": 3, "by-clock": 0, "stateful": 1} {
		for k, said := range remarks(t, how, 3) {
			if strings.HasPrefix(said, marked) != (k >= from) || (said == "") != (k < from) {
				t.Errorf("%s, trial %d: %s", how, k, said)
			}
		}
	}
}

// write writes a file.
func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

// TestEdited: after its file was edited no process of a program is started, and what was planned is not found where the
// program is started anew.
func TestEdited(t *testing.T) {
	script := filepath.Join(t.TempDir(), "model.sh")
	write(t, script, "# one\nexec "+command("well"))
	p := started(t, "sh "+script)
	score := func() (*Session, error) {
		s := Begin(context.Background())
		t.Cleanup(s.End)
		x, _ := p.Target(s)
		x.Evaluate(make([]float64, 3), make([]float64, 2))
		return s, s.Err()
	}
	s, err := score()
	if err != nil || p.Name() != "model" {
		t.Fatal(err, p.Name())
	}
	write(t, script, "# two\nexec "+command("well"))
	if err := s.Settle(); err != nil || s.Remark() != "" {
		t.Errorf("a process that read it before: %v, %s", err, s.Remark())
	}
	want := script + " changed since the run began"
	if _, err := score(); err == nil || err.Error() != want {
		t.Errorf("another process: %v, want %s", err, want)
	}
	planned := p.Identity
	s.End()
	Close()
	started(t, p.String())
	if _, err := Find(&planned); err == nil || !strings.Contains(err.Error(), "changed since the run began") {
		t.Errorf("the program that was planned: %v", err)
	}
}

// TestMidway: a sampler in the middle of a trial that ended does not go on to the next.
func TestMidway(t *testing.T) {
	p := started(t, command("sampler-well"))
	for _, until := range []int{halfway, iterations, iterations} {
		s := sampled(context.Background(), p, until)
		if err := s.Err(); err != nil {
			t.Errorf("until iteration %d: %v", until, err)
		}
		s.End()
		if idle := len(p.idle); idle != until/iterations {
			t.Errorf("after iteration %d of %d, %d processes wait for work", until, iterations, idle)
		}
	}
}

// TestLaterProcess: a process that answers the run's first question otherwise than the first process is marked, and so
// is one that says that what it hangs on changed.
func TestLaterProcess(t *testing.T) {
	folder := t.TempDir()
	script, how := filepath.Join(folder, "model.sh"), filepath.Join(folder, "how")
	write(t, script, "exec "+os.Args[0]+" behave `cat "+how+"`")
	write(t, how, "well")
	p := started(t, "sh "+script)
	asked := func() (*Session, string) {
		s := Begin(context.Background())
		x, _ := p.Target(s)
		x.Evaluate(make([]float64, 6), []float64{1, 2, 3, 4})
		if err := s.Settle(); err != nil {
			t.Fatal(err)
		}
		return s, s.Remark()
	}
	first, said := asked()
	t.Cleanup(first.End)
	if said != "" {
		t.Error(said)
	}
	for edited, want := range map[string]string{
		"twice":   "not reproducible: the program",
		"depends": "data.csv changed since the run began",
	} {
		write(t, how, edited)
		later, said := asked()
		t.Cleanup(later.End)
		if !strings.HasPrefix(said, want) {
			t.Errorf("%s: %s, want %s", edited, said, want)
		}
	}
}

// TestStuck: what sends no byte and does not compute is ended, sooner where the run is to end, and a person is told
// before; what computes, or says something, is not.
func TestStuck(t *testing.T) {
	before := []time.Duration{stuck, hurried, slow}
	defer func() {
		stuck, hurried, slow = before[0], before[1], before[2]
		Watch(context.Background(), nil)
	}()
	ended, end := context.WithCancel(context.Background())
	end()
	const awaited = "was killed while the answer to score was awaited"
	for _, c := range []struct {
		how                  string
		soft                 context.Context
		stuck, hurried, slow time.Duration
		idle                 bool
	}{
		{"hangs", context.Background(), time.Second, time.Hour, time.Hour, true},
		{"hangs", ended, 10 * time.Second, time.Second, time.Hour, true},
		{"spins", context.Background(), time.Second, time.Second, time.Second, false},
		{"whispers", context.Background(), time.Second, time.Second, time.Second, false},
	} {
		stuck, hurried, slow = c.stuck, c.hurried, c.slow
		told := ""
		Watch(c.soft, func(line string) { told = line })
		said := ask(t, c.how, 3*time.Second)
		want := awaited
		if c.idle {
			want += ": it sent no byte, on stderr either, and did not compute for 1s"
		}
		if !strings.Contains(said, want) || !c.idle && strings.Contains(said, "compute") {
			t.Errorf("%s: %s, want %s", c.how, said, want)
		}
		if (told != "") == c.idle || told != "" && !strings.Contains(told, "the answer to score is awaited since") {
			t.Errorf("%s: told %q", c.how, told)
		}
	}
}

// TestNamedFiles: which files of a command are looked at, and that an edit of each makes another digest.
func TestNamedFiles(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, dir := range []string{"mine/deep", "mine/.git", "data/deep", "big"} {
		if err := os.MkdirAll(dir, 0o777); err != nil {
			t.Fatal(err)
		}
	}
	for _, path := range strings.Fields("mine/model.py mine/.git/HEAD d.txt data/s data/deep/t mine/__main__.py") {
		write(t, path, "1")
	}
	if err := os.Symlink("data", "link"); err != nil {
		t.Fatal(err)
	}
	for command, want := range map[string]string{
		"python3 -m mine.model":            "mine/model.py",
		"python3 -m mine":                  "mine/__main__.py mine/model.py",
		"sh -c true --data=d.txt":          "d.txt",
		"sh -c true d.txt data":            "d.txt data/deep/t data/s",
		"sh -c true x=data":                "data/deep/t data/s",
		"sh -c true link":                  "link/deep/t link/s", // an edit behind a link is seen too
		"sh -c true --data=absent --x= -m": "",
	} {
		words, err1 := split(command)
		before, err2 := named("", words)
		if err1 != nil || err2 != nil {
			t.Fatal(err1, err2)
		}
		got := before.names()
		if strings.Join(got, " ") != want {
			t.Errorf("%s: %q, want %q", command, got, want)
		}
		for _, path := range got {
			write(t, path, "2")
			after, _ := named("", words)
			write(t, path, "1")
			if after.changed(before) != path || after.digest() == before.digest() {
				t.Errorf("%s: an edit of %s is not seen", command, path)
			}
		}
	}
	write(t, "big/x", "")
	if err := os.Truncate("big/x", maxFile+1); err != nil { // a hole
		t.Fatal(err)
	}
	var said bytes.Buffer
	defer slog.SetDefault(slog.Default())
	slog.SetDefault(slog.New(slog.NewTextHandler(&said, nil)))
	write(t, "model.sh", "exec "+command("well"))
	p := started(t, "sh model.sh big")
	if note := "big (too large to look into)"; !slices.Contains(p.depends.names(), note) ||
		strings.Count(said.String(), note) != 1 || !strings.Contains(said.String(), "another version") {
		t.Errorf("a folder that is too large: %v, %s", p.depends, &said)
	}
	_, err := Start(context.Background(), "", "sh model.sh big/x")
	if err == nil || !strings.Contains(err.Error(), "read big/x: has at least 1073741825 bytes") {
		t.Errorf("a file that is too large: %v", err)
	}
}

// TestForShell: words that only a shell reads are refused where no quotes say that the program reads them.
func TestForShell(t *testing.T) {
	for command, want := range map[string]string{
		"python s.py 2>err.log":             "2>err.log",
		"python s.py | tee log":             "|",
		"python s.py > log":                 ">",
		"~/python s.py":                     "~/python",
		"$HOME/bin/python s.py":             "$HOME/bin/python",
		"VAR=1 python s.py":                 "VAR=1",
		"cd x && python s.py":               "cd",
		"python s.py & true":                "&",
		"python s.py; true":                 "s.py;",
		"python s.py data/*.csv":            "data/*.csv",
		"python s.py `date`":                "`date`",
		"python s.py --x=~/y --url=a?b=1&c": "",
		"python s.py '2>err.log' \"|\" '$HOME' \\~ '~/x' \"*\" -p=a*b": "",
		"env VAR=1 python s.py": "",
	} {
		if got := forShell(command); got != want {
			t.Errorf("%s: %q, want %q", command, got, want)
		}
	}
	for command, want := range map[string]string{
		"python3 s.py 2>err.log": "sifg starts no shell, which 2>err.log is for",
		"model.py --rows 3":      `did you mean "python model.py --rows 3"?`,
	} {
		if _, err := Start(context.Background(), "", command); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}
