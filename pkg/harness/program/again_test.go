package program

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

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
		x := p.Target(s)
		x.Evaluate(make([]float64, 3), make([]float64, 2))
		return s, s.Err()
	}
	s, err := score()
	if err != nil || p.Name() != "model" {
		t.Fatal(err, p.Name())
	}
	write(t, script, "# two\nexec "+command("well"))
	want := script + " changed since the run began"
	if _, err := score(); err == nil || err.Error() != want {
		t.Errorf("another process: %v, want %s", err, want)
	}
	planned := p.Identity
	s.End()
	Close()
	started(t, p.String())
	if _, err := Find(&planned); err == nil || !strings.Contains(err.Error(), "as it was then") {
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

// TestLaterProcess: a process that says that what it hangs on changed does no work.
func TestLaterProcess(t *testing.T) {
	folder := t.TempDir()
	script, how := filepath.Join(folder, "model.sh"), filepath.Join(folder, "how")
	write(t, script, "exec "+os.Args[0]+" behave `cat "+how+"`")
	write(t, how, "well")
	p := started(t, "sh "+script)
	for edited, want := range map[string]string{"well": "", "depends": "data.csv changed since the run began"} {
		for _, c := range p.idle {
			c.kill()
		}
		write(t, how, edited)
		s := Begin(context.Background())
		x := p.Target(s)
		x.Evaluate(make([]float64, 6), []float64{1, 2, 3, 4})
		if err := s.Err(); (err == nil) != (want == "") || err != nil && err.Error() != want {
			t.Errorf("%s: %v, want %s", edited, err, want)
		}
		s.End()
	}
}

// TestNamedFiles: which files of a command are looked at, and that an edit of each makes another digest.
func TestNamedFiles(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "d.txt", "1")
	write(t, "run", "1")
	if err := errors.Join(os.Mkdir("data", 0o777), os.Symlink("d.txt", "link")); err != nil {
		t.Fatal(err)
	}
	for command, want := range map[string]string{
		"sh -c true --data=d.txt":                      "d.txt",
		"./run d.txt data absent":                      "./run d.txt",
		"run link":                                     "link", // an edit behind a link is seen too
		"sh -c true data x=data --data=absent --x= -m": "",
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
	if err := os.Truncate("d.txt", maxFile+1); err != nil { // a hole
		t.Fatal(err)
	}
	_, err := Start(context.Background(), "", "sh model.sh d.txt")
	if err == nil || !strings.Contains(err.Error(), "read d.txt: has at least 1073741825 bytes") {
		t.Errorf("a file that is too large: %v", err)
	}
}
