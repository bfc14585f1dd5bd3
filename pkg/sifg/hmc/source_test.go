package hmc

import (
	"io/fs"
	"os"
	"slices"
	"strings"
	"testing"
)

// Source has every file of the package but the tests and what holds no code that computes.
func TestSourceIsWhole(t *testing.T) {
	got := must(fs.Glob(Source, "*"))
	var want []string
	for _, e := range must(os.ReadDir(".")) {
		name := e.Name()
		if strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go") && name != "doc.go" && name != "source.go" {
			want = append(want, name)
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("Source has %q, the folder %q", got, want)
	}
}
