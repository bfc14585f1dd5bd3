package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestLibraryDocumentation builds the Go code of docs/library.md and of the README in a module of its own, as somebody
// does who has the library alone, and runs the program.
func TestLibraryDocumentation(t *testing.T) {
	long(t, "builds a program")
	root, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
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
	sums, err := os.ReadFile(filepath.Join(root, "pkg/sifg/go.sum"))
	if err != nil {
		t.Fatal(err)
	}
	versions, err := os.ReadFile(filepath.Join(root, "pkg/sifg/go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	_, require, _ := strings.Cut(string(versions), "require (")
	require, _, _ = strings.Cut(require, ")")
	dir := t.TempDir()
	const library = "github.com/semi-implicit/sifg/pkg/sifg"
	for name, text := range map[string]string{
		"go.mod": "module example.org/mine\n\ngo 1.26.0\n\nrequire (\n\t" + library + " v0.0.0\n" + require +
			")\n\nreplace " + library + " => " +
			filepath.Join(root, "pkg/sifg") + "\n",
		"go.sum":  string(sums),
		"main.go": guide[0],
		"readme.go": "package main\n\nimport (\n\t\"context\"\n\t\"fmt\"\n\n\t\"" + library + "\"\n\t\"" + library +
			"/diagnose\"\n)\n\n" +
			"func readme(ctx context.Context, target sifg.Target) error {\n" + readme[0] + "return err\n}\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command("go", "run", ".")
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=mod", "GOPROXY=off")
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		t.Fatalf("%v\n%s", err, errs.String())
	}
	if text := out.String(); !strings.Contains(text, "Nothing looks wrong where the particles are.") ||
		!strings.Contains(text, "500 particles") {
		t.Errorf("the program printed %q, want a summary without warnings", text)
	}
	body := guide[0][strings.Index(guide[0], "func main"):]
	if n := strings.Count(body, "\n"); n > 15 {
		t.Errorf("the program has %d lines besides its imports, want 15 at most", n)
	}
}
