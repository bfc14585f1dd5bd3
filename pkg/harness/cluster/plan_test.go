package cluster

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/semi-implicit/sifg/pkg/harness"
)

// frozen writes a plan of one trial into a folder of its own under dir.
func frozen(t *testing.T, dir string) *Plan {
	t.Helper()
	program := filepath.Join(t.TempDir(), "program")
	if err := os.WriteFile(program, []byte("#!/bin/sh\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	sha, err := Digest(program)
	if err != nil {
		t.Fatal(err)
	}
	b, err := Encode(Header{Binary: sha}, []harness.Trial{{Key: "k", Experiment: "toy", Seed: 1}}, []float64{1})
	if err != nil {
		t.Fatal(err)
	}
	p, err := Decode(PlanPath(dir, b), b)
	if err != nil {
		t.Fatal(err)
	}
	if err := Write(p, b, program); err != nil {
		t.Fatal(err)
	}
	return p
}

// A folder may be called anything: what is in its name is no pattern.
func TestFolderOfAnyName(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a[b")
	p := frozen(t, dir)
	if found := Find(dir); len(found) != 1 || found[0] != p.Path {
		t.Errorf("found %q, want %s", found, p.Path)
	}
	if q, err := Read(p.Folder()); err != nil || q.Path != p.Path || q.Trials != 1 {
		t.Errorf("read %+v, error %v", q, err)
	}
	Begin(p, 0, 1).End("", 1, nil)
	if a := attempts(p); len(a) != 1 || a[0].Computed != 1 || a[0].Ended == "" {
		t.Errorf("attempts %+v", a)
	}
}

// Scripts cannot have every character, also where it is in the folder that they are made in.
func TestScriptsNameTheirFolder(t *testing.T) {
	p := frozen(t, t.TempDir())
	here := filepath.Join(t.TempDir(), `a"b`)
	if err := os.Mkdir(here, 0o777); err != nil {
		t.Fatal(err)
	}
	t.Chdir(here)
	if _, err := NewPaths(p, "results", "store"); err == nil || !strings.Contains(err.Error(), `a\"b`) {
		t.Errorf("error %v", err)
	}
}

// The job that reports finds a data set of one's own as the workers do, and takes none of their other flags.
func TestReportHasDatasets(t *testing.T) {
	p := frozen(t, t.TempDir())
	script := Site{}.collectScript(p, Paths{Results: "/r", Store: "/s", Flags: []string{"--jobs=2", "--datasets=/own 1.yaml", "--datasets=/own2.yaml"}})
	if !strings.HasSuffix(script, "--results /r --store /s '--datasets=/own 1.yaml' --datasets=/own2.yaml\n") {
		t.Error(script)
	}
}

// The copy of a program can be run, also where a call was killed just before it could be.
func TestProgramCanBeRun(t *testing.T) {
	p := frozen(t, t.TempDir())
	for _, mode := range []os.FileMode{0o755, 0o644} {
		if err := os.Chmod(p.Program(), mode); err != nil {
			t.Fatal(err)
		}
		if err := copyProgram("nothing is read", p.Binary, p.Folder()); err != nil {
			t.Error(err)
		}
		if info, err := os.Stat(p.Program()); err != nil || info.Mode().Perm() != 0o755 {
			t.Errorf("mode %v, error %v", info.Mode(), err)
		}
	}
}
