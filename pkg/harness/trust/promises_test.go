package trust

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// Each promise of docs/trust.md names tests, and they exist.
func TestPromisesHaveTests(t *testing.T) {
	b, err := os.ReadFile("../../../docs/trust.md")
	if err != nil {
		t.Fatal(err)
	}
	promises := 0
	for line := range strings.Lines(string(b)) {
		if !strings.HasPrefix(line, fmt.Sprintf("| P%d |", promises+1)) {
			continue
		}
		promises++
		tests := regexp.MustCompile(`([\w-]+)\.((?:Test|Fuzz)\w+)`).FindAllStringSubmatch(line, -1)
		if len(tests) == 0 {
			t.Errorf("no test proves this: %s", line)
		}
		for _, name := range tests {
			if !defines(t, name[1], name[2]) {
				t.Errorf("there is no test %s", name[0])
			}
		}
	}
	if promises != 11 {
		t.Errorf("%d promises, want 11", promises)
	}
}

// defines reports whether a package of the harness or the library, or an experiment, has the test.
func defines(t *testing.T, pkg, test string) bool {
	t.Helper()
	for _, folder := range []string{"..", "../internal", "../../../experiments", "../../sifg"} {
		paths, err := filepath.Glob(filepath.Join(folder, pkg, "*_test.go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range paths {
			b, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if strings.Contains(string(b), "\nfunc "+test+"(") {
				return true
			}
		}
	}
	return false
}
