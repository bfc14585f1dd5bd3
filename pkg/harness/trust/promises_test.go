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
			if !strings.Contains(testsOf(name[1]), "\nfunc "+name[2]+"(") {
				t.Errorf("there is no test %s", name[0])
			}
		}
	}
	if len(promises) != 11 {
		t.Errorf("%d promises, want 11", len(promises))
	}
}

// testsOf is the text of the tests of a package of the harness or the library, or of an experiment.
func testsOf(pkg string) (text string) {
	for _, folder := range []string{"..", "../internal", "../../../experiments", "../../sifg"} {
		for _, path := range must(filepath.Glob(filepath.Join(folder, pkg, "*_test.go"))) {
			text += string(must(os.ReadFile(path)))
		}
	}
	return text
}
