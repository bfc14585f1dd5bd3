package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestBinaries: from a checkout of the tag, what .goreleaser.yaml says builds the command, which knows its version and
// its commit; and the files are there that go with it.
func TestBinaries(t *testing.T) {
	checkout := released(t)
	b, err := os.ReadFile(filepath.Join(checkout, ".goreleaser.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	all := func(pattern string) (values []string) {
		for _, found := range regexp.MustCompile(pattern).FindAllStringSubmatch(string(b), -1) {
			values = append(values, strings.Split(found[1], ", ")...)
		}
		if values == nil {
			t.Fatalf(".goreleaser.yaml does not match %s", pattern)
		}
		return values
	}
	for _, src := range all(`src: ([^,]+),`) {
		if _, err := os.Stat(filepath.Join(checkout, src)); err != nil {
			t.Error(err)
		}
	}
	sifg := filepath.Join(t.TempDir(), "sifg")
	args := append([]string{"build", "-o", sifg}, all(` flags: \[(.*)\]`)...)
	args = append(args, "-ldflags="+all(`ldflags: \[([^{]*)\]`)[0]) // the same bytes at any time
	dist := filepath.Join(checkout, "dist")                         // which goreleaser makes first
	if err := errors.Join(os.Mkdir(dist, 0o777), os.WriteFile(dist+"/config.yaml", nil, 0o666)); err != nil {
		t.Fatal(err)
	}
	build := exec.Command("go", append(args, all(`main: (\S+)`)...)...)
	build.Dir, build.Env = checkout, append(os.Environ(), all(`env: \[(.*)\]`)...)
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %v\n%s", build, err, out)
	}
	head := exec.Command("git", "rev-parse", "HEAD")
	head.Dir = checkout
	commit, err := head.Output()
	if err != nil {
		t.Fatal(err)
	}
	r, err := read(checkout)
	if err != nil {
		t.Fatal(err)
	}
	said, err := exec.Command(sifg, "--version").Output()
	if want := "sifg " + r.version + ", commit " + string(commit); !strings.HasPrefix(string(said), want) {
		t.Errorf("--version says %q, error %v, want %q first", said, err, want)
	}
}

// TestWorkflows: actions are named by commits; a job that runs .ci/run or makes the site, by programs of others, can
// write nothing; and one that can takes the commit that another has tested.
func TestWorkflows(t *testing.T) {
	files, err := filepath.Glob("../../.github/workflows/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d workflows, error %v", len(files), err)
	}
	for _, file := range files {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, action := range regexp.MustCompile(`uses: .*`).FindAllString(string(b), -1) {
			if !regexp.MustCompile(`@[0-9a-f]{40} # v`).MatchString(action) {
				t.Errorf("%s: %s", file, action)
			}
		}
		before, jobs, _ := strings.Cut(string(b), "\njobs:\n")
		if strings.Contains(before, ": write") {
			t.Errorf("%s: all jobs can write", file)
		}
		for _, job := range regexp.MustCompile(`(?m)^  \w+:`).Split(jobs, -1) {
			write := strings.Contains(job, ": write")
			if regexp.MustCompile("run: (.ci/run|make site)").MatchString(job) &&
				(write || !strings.Contains(job, "persist-credentials: false")) {
				t.Errorf("%s: a job with programs of others can write", file)
			}
			if write && strings.Contains(job, "/checkout@") &&
				!strings.Contains(job, `ref: "${{ needs.test.outputs.commit }}"`) {
				t.Errorf("%s: what is published may not be what was tested", file)
			}
		}
	}
}

// TestScriptsArePortable: older sed, grep and awk, as macOS has them, take \t for t.
func TestScriptsArePortable(t *testing.T) {
	scripts, _ := filepath.Glob("../*.sh")
	for _, file := range append(scripts, "../../Makefile", "../../.ci/run") {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if found := regexp.MustCompile(`(?m)^.*(sed|grep|awk) .*\\[tsw+?|].*$`).Find(b); found != nil {
			t.Errorf("%s: %s", file, found)
		}
	}
}
