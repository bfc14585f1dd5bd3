package harness

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/semi-implicit/sifg/"

// imports returns, for each package that the patterns match, the packages of this project that it imports, directly or
// not (go list -deps), without the module prefix.
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

// TestImportsRunOneWay: leaves import nothing of ours but the compute core and the streams; the sampler library imports
// no target, nothing of the harness, and nothing from outside but gonum and golang.org/x; code that reports imports
// no experiment, and code that draws, tabulates and tests imports no sampler.
func TestImportsRunOneWay(t *testing.T) {
	lib := imports(t, module+"pkg/sifg/...")
	ours := func(deps []string) []string {
		var out []string
		for _, d := range deps {
			if strings.HasPrefix(d, module) {
				out = append(out, strings.TrimPrefix(d, module))
			}
		}
		return out
	}
	for pkg, deps := range lib {
		for _, d := range deps {
			first, _, _ := strings.Cut(d, "/")
			outside := strings.Contains(first, ".") && !strings.HasPrefix(d, module)
			if outside && !strings.HasPrefix(d, "gonum.org/v1/gonum/") && !strings.HasPrefix(d, "golang.org/x/") {
				t.Errorf("%s imports %s; the library needs gonum and golang.org/x only", pkg, d)
			}
			if strings.HasPrefix(d, module+"pkg/harness") || strings.HasPrefix(d, module+"experiments") {
				t.Errorf("%s imports %s", pkg, d)
			}
		}
	}
	allowed := []string{"pkg/sifg/internal/simd", "pkg/sifg/rng"}
	for _, leaf := range []string{"nn", "rng", "target", "metric", "internal/simd"} {
		for _, d := range ours(lib["pkg/sifg/"+leaf]) {
			if !slices.Contains(allowed, d) {
				t.Errorf("the leaf %s imports %s", leaf, d)
			}
		}
	}
	if slices.Contains(ours(lib["pkg/sifg"]), "pkg/sifg/target") {
		t.Error("pkg/sifg imports target")
	}
	for pkg, deps := range imports(t, module+"pkg/harness/...") {
		for _, d := range ours(deps) {
			if strings.HasPrefix(d, "experiments/") {
				t.Errorf("%s imports %s", pkg, d)
			}
			for _, quiet := range []string{"record", "store", "figure", "table", "stats", "report"} {
				if pkg == "pkg/harness/"+quiet && d == "pkg/sifg" {
					t.Errorf("%s imports the sampler library: report code never runs a sampler", pkg)
				}
			}
		}
	}
}
