package main

import (
	"bytes"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
)

// TestLibraryDocumentation builds the Go code of docs/library.md and of the README in a module of its own, as somebody
// does who has the library alone, and runs the program.
func TestLibraryDocumentation(t *testing.T) {
	long(t, "builds a program")
	blocks := func(name string) (out []string) {
		for _, m := range regexp.MustCompile("(?s)```go\n(.*?)```").FindAllStringSubmatch(document(t, name), -1) {
			out = append(out, m[1])
		}
		return out
	}
	guide, readme := blocks("docs/library.md"), blocks("README.md")
	if len(guide) != 1 || len(readme) != 1 {
		t.Fatalf("%d and %d blocks of Go", len(guide), len(readme))
	}
	const library = "github.com/semi-implicit/sifg/pkg/sifg"
	dir := outside(t, map[string]string{
		"main.go": guide[0],
		"readme.go": "package main\n\nimport (\n\t\"context\"\n\t\"fmt\"\n\n\t\"" + library + "\"\n\t\"" + library +
			"/diagnose\"\n)\n\n" +
			"func readme(ctx context.Context, target sifg.Target) error {\n" + readme[0] + "return err\n}\n",
	})
	cmd := exec.Command("go", "run", ".")
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=mod", "GOPROXY=off")
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		t.Fatalf("%v\n%s", err, errs.String())
	}
	if text := out.String(); !strings.Contains(text, "Nothing looks wrong where the particles are.") ||
		!strings.Contains(text, "500 particles") || !strings.Contains(text, "\nconverged: ") {
		t.Errorf("the program printed %q, want two summaries without warnings", text)
	}
	body := guide[0][strings.Index(guide[0], "func main"):]
	if n := strings.Count(body, "\n"); n > 20 {
		t.Errorf("the program has %d lines besides its imports, want 20 at most", n)
	}
}
