package trust

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// Each promise of docs/trust.md names tests, and they exist.
func TestPromisesHaveTests(t *testing.T) {
	b := must(os.ReadFile("../../../docs/trust.md"))
	promises := regexp.MustCompile(`\n- P\d+: `).Split(string(b), -1)[1:]
	for _, promise := range promises {
		promise, _, _ = strings.Cut(promise, "\n\n")
		tests := regexp.MustCompile(`([\w-]+)\.((?:Test|Fuzz)\w+)`).FindAllStringSubmatch(promise, -1)
		if len(tests) == 0 {
			t.Errorf("no test proves this: %s", promise)
		}
		for _, name := range tests {
			if !defines(t, name[1], name[2]) {
				t.Errorf("there is no test %s", name[0])
			}
		}
	}
	if len(promises) != 11 {
		t.Errorf("%d promises, want 11", len(promises))
	}
}

// defines reports whether a package of the harness or the library, or an experiment, has the test.
func defines(t *testing.T, pkg, test string) bool {
	t.Helper()
	for _, folder := range []string{"..", "../internal", "../../../experiments", "../../sifg"} {
		paths := must(filepath.Glob(filepath.Join(folder, pkg, "*_test.go")))
		for _, path := range paths {
			b := must(os.ReadFile(path))
			if strings.Contains(string(b), "\nfunc "+test+"(") {
				return true
			}
		}
	}
	return false
}
