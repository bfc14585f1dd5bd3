package harness

import (
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/semi-implicit/sifg/"

// stages are the packages of the harness from the lowest up. A package imports only packages of lines above its own.
var stages = [][]string{
	{"stats", "internal/safe", "internal/disk", "internal/machine"},
	{"usage"},
	{"record", "table", "program"},
	{"figure", "settings"},
	{"dataset"},
	{"store", "claim"},
	{""}, // the root: what an author of an experiment fills in
	{"plan", "authors"},
	{"run"},
	{"report"},
	{"compare", "page", "grid"},
	{"cli"},
	{"browser"},
}

// imports returns, for each package that the patterns match, the packages of this project that it imports, directly or
// not, without the module prefix.
func imports(t *testing.T, patterns ...string) map[string][]string {
	t.Helper()
	args := append([]string{"list", "-f", "{{.ImportPath}} {{join .Deps \" \"}}"}, patterns...)
	out, err := exec.Command("go", args...).Output()
	if err != nil {
		t.Fatalf("go %s: %v", strings.Join(args, " "), err)
	}
	m := map[string][]string{}
	for line := range strings.Lines(string(out)) {
		f := strings.Fields(line)
		m[strings.TrimPrefix(f[0], module)] = f[1:]
	}
	return m
}

func ours(deps []string) []string {
	var out []string
	for _, d := range deps {
		if p, ok := strings.CutPrefix(d, module); ok {
			out = append(out, p)
		}
	}
	return out
}

// TestOneWay: every package of the harness has a stage, imports only lower ones, and imports no experiment.
func TestOneWay(t *testing.T) {
	level := func(pkg string) int {
		name := strings.TrimPrefix(strings.TrimPrefix(pkg, "pkg/harness"), "/")
		return slices.IndexFunc(stages, func(s []string) bool { return slices.Contains(s, name) })
	}
	for pkg, deps := range imports(t, module+"pkg/harness/...") {
		if level(pkg) < 0 {
			t.Errorf("%s has no stage: add it to the list in this test", pkg)
		}
		for _, d := range ours(deps) {
			if strings.HasPrefix(d, "experiments/") {
				t.Errorf("%s imports %s", pkg, d)
			}
			if strings.HasPrefix(d, "pkg/harness") && level(d) >= level(pkg) {
				t.Errorf("%s imports %s, which is not a lower stage", pkg, d)
			}
		}
	}
}

// TestLibraryStandsAlone: the sampler library imports nothing of the harness and nothing from outside but gonum, npyio
// and golang.org/x; its leaves import only the compute core and the streams; code that records, draws and reports runs
// no sampler.
func TestLibraryStandsAlone(t *testing.T) {
	lib := imports(t, module+"pkg/sifg/...")
	for pkg, deps := range lib {
		for _, d := range deps {
			first, _, _ := strings.Cut(d, "/")
			outside := strings.Contains(first, ".") && !strings.HasPrefix(d, module)
			allowed := []string{"gonum.org/v1/gonum/", "golang.org/x/", "github.com/sbinet/npyio/npy"}
			if outside &&
				!slices.ContainsFunc(allowed, func(prefix string) bool { return strings.HasPrefix(d, prefix) }) {
				t.Errorf("%s imports %s; the library needs gonum, npyio and golang.org/x only", pkg, d)
			}
		}
		for _, d := range ours(deps) {
			if !strings.HasPrefix(d, "pkg/sifg") {
				t.Errorf("%s imports %s", pkg, d)
			}
		}
	}
	for _, leaf := range []string{"nn", "rng", "target", "metric", "internal/simd"} {
		for _, d := range ours(lib["pkg/sifg/"+leaf]) {
			if d != "pkg/sifg/internal/simd" && d != "pkg/sifg/rng" {
				t.Errorf("the leaf %s imports %s", leaf, d)
			}
		}
	}
	if slices.Contains(ours(lib["pkg/sifg"]), "pkg/sifg/target") {
		t.Error("pkg/sifg imports target")
	}
}

// TestArchitectureIsTrue: docs/architecture.md names the packages that there are, no others, and is short.
func TestArchitectureIsTrue(t *testing.T) {
	b, err := os.ReadFile("../../docs/architecture.md")
	if err != nil {
		t.Fatal(err)
	}
	text := string(b)
	if n := strings.Count(text, "\n"); n > 45 {
		t.Errorf("docs/architecture.md has %d lines, 45 at most", n)
	}
	there, named := []string{}, []string{}
	for pkg := range imports(t, module+"pkg/harness/...") {
		if name, ok := strings.CutPrefix(pkg, "pkg/harness/"); ok && !strings.Contains(name, "/") &&
			name != "usage" && name != "browser" {
			there = append(there, name)
		}
	}
	_, list, _ := strings.Cut(text, "Below the root package")
	list, _, _ = strings.Cut(list, "A test holds the order")
	for _, name := range regexp.MustCompile("`([a-z]+)`").FindAllStringSubmatch(list, -1) {
		named = append(named, name[1])
	}
	slices.Sort(there)
	slices.Sort(named)
	if !slices.Equal(there, named) {
		t.Errorf("docs/architecture.md names the packages\n%v, and there are\n%v", named, there)
	}
}
