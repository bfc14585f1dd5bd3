package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/semi-implicit/sifg/pkg/harness/cli"
	"github.com/semi-implicit/sifg/pkg/harness/dataset"
)

// command runs a command line and fails the test where it does not end with exit code 0.
func command(t *testing.T, args ...string) (stdout string) {
	t.Helper()
	var out, errs bytes.Buffer
	if code := cli.Main(args, &out, &errs, experiments...); code != 0 {
		t.Errorf("sifg %s: exit code %d\n%s", strings.Join(args, " "), code, errs.String())
	}
	return out.String()
}

// TestLeftOut: an experiment that was named and has no trial of the plan is named again, with its protocols.
func TestLeftOut(t *testing.T) {
	const want = "funnel is left out: it has no such trials; its protocols are one-step"
	plan := []string{"plan", "gmm", "funnel", "--scale", "smoke", "--store", t.TempDir(), "--protocol"}
	if out := command(t, append(plan, "tuned")...); !strings.Contains(out, want) {
		t.Errorf("%s\nwhere it must say: %s", out, want)
	}
	if out := command(t, append(plan, "tuned,one-step")...); strings.Contains(out, "left out") {
		t.Errorf("nothing is left out, but %s", out)
	}
	for _, args := range [][]string{
		{"plan", "uci-bnn", "--methods", "sifg,psgld"},
		{"grid", "uci-bnn", "--grid", "printed", "--dry-run", "--methods", "sgld,l2-gf"},
		{"run"}, // without a name, which nothing runs on
	} {
		var out, errs bytes.Buffer
		code := cli.Main(append(args, "--store", t.TempDir()), &out, &errs, experiments...)
		if code != 2 || !regexp.MustCompile("psgld|l2-gf|which experiment.*meg-ica").MatchString(errs.String()) {
			t.Errorf("%v: exit code %d, %s", args, code, errs.String())
		}
	}
}

// long skips a test under -short: what it does takes a second or more.
func long(t *testing.T, does string) {
	t.Helper()
	if testing.Short() {
		t.Skip(does)
	}
}

// document returns a text file of the repository.
func document(t *testing.T, name string) string {
	t.Helper()
	b := must(os.ReadFile(filepath.Join("..", "..", name)))
	return string(b)
}

// fetched reports whether MEG's recordings, which are no part of the program, can be had without a network.
func fetched(t *testing.T) bool {
	t.Helper()
	mirror := os.Getenv("SIFG_DATASETS_MIRROR")
	cache := must(filepath.Abs("../../datasets/cache"))
	if _, err := os.Stat(cache); mirror == "" && err == nil {
		mirror = cache
		t.Setenv("SIFG_DATASETS_MIRROR", mirror)
	}
	data := must(dataset.Open(dataset.Options{Mirror: mirror}))
	return data.Absent("meg") == nil
}

// shown matches a command in a document: in a block, in a line of a terminal, or in backquotes.
var shown = regexp.MustCompile("(?m)(?:^ {4}|^|`)((?:SIFG_[A-Z_]+=\\S+ )?(?:bin/)?sifg [a-z][^`\n]*)")

// elsewhere are commands whose documents and examples have tests of their own, or none, and why.
var elsewhere = map[string]string{
	"grid":       "TestGridDocumentation",
	"help":       "",
	"completion": "the shells' own words",
}

// small makes a documented command one that ends in seconds.
func small(line string) string {
	line, _, _ = strings.Cut(line, " #")
	line = strings.TrimSpace(strings.Replace(line, "bin/", "", 1))
	line = strings.ReplaceAll(line, "--scale quick", "--scale smoke")
	for _, verb := range []string{"run", "claims", "verify", "compare", "report", "grid"} {
		if strings.HasPrefix(line, "sifg "+verb) && !strings.Contains(line, "--scale") &&
			!strings.Contains(line, "--results") {
			line = strings.Replace(line, "sifg "+verb, "sifg "+verb+" --scale smoke", 1)
		}
	}
	// it would make reference draws, for minutes
	if strings.Contains(line, "reference.") || strings.Contains(line, "meg-ica") {
		line = strings.Replace(line, "sifg run", "sifg plan", 1)
	}
	return line
}

// rents writes rent.csv, the table of docs/datasets.md with more rows.
func rents(t *testing.T) {
	t.Helper()
	text := "id,area,rooms,city,rent\n"
	for i := range 40 {
		text += fmt.Sprintf("a%d,%d.5,%d,Ulm,%d\n", i, 30+i, 1+i/12, 300+11*i)
	}
	must(0, os.WriteFile("rent.csv", []byte(text), 0o666))
}

// TestDocumentedCommands runs every command line that README, the documents and the help of every command show, at
// smoke scale, one after another in one folder. TestProgramsDocument and TestOwnPaper run those that need Python.
func TestDocumentedCommands(t *testing.T) {
	long(t, "runs every command of the documents")
	var texts [][2]string // with their names
	for _, name := range []string{
		"README.md", "docs/command.md", "docs/configuration.md", "docs/compare.md", "docs/library.md",
		"docs/results.md", "docs/datasets.md", "docs/uci-bnn.md", "docs/meg-ica.md",
	} {
		texts = append(texts, [2]string{name, document(t, name)})
	}
	for _, m := range regexp.MustCompile(`(?m)^  (\w+) +\w.*$`).FindAllStringSubmatch(command(t, "--help"), -1) {
		if _, skip := elsewhere[m[1]]; skip && m[1] != "grid" {
			continue
		}
		_, help, _ := strings.Cut(command(t, m[1], "--help"), "Examples:\n")
		texts = append(texts, [2]string{m[1] + " --help", strings.ReplaceAll("\n"+help, "\n  sifg ", "\nsifg ")})
		if !strings.Contains(help, "  sifg ") {
			t.Errorf("sifg %s --help shows no example", m[1])
		}
	}
	var lines []string
	for _, text := range texts {
		for _, m := range shown.FindAllStringSubmatch(text[1], -1) {
			line := small(m[1])
			_, skip := elsewhere[strings.Fields(line)[1]]
			skip = skip && !strings.HasSuffix(text[0], " --help")
			if !skip && !unrunnable.MatchString(line) && !slices.Contains(lines, line) {
				lines = append(lines, line)
			}
		}
	}
	if len(lines) < 30 {
		t.Fatalf("only %d commands found: %q", len(lines), lines)
	}
	all := fetched(t)
	t.Chdir(t.TempDir())
	rents(t)
	command(t, "run", "gmm", "--scale", "smoke", "--protocol", "all") // what is there to be looked at
	command(t, "run", "uci-bnn", "--scale", "smoke", "--problems", "boston", "--results", "results/smoke", "--store",
		"results/store")
	for _, line := range lines {
		t.Run(line, func(t *testing.T) {
			if !all && regexp.MustCompile("run all|data fetch").MatchString(line) {
				t.Skip("its data sets are not here: sifg data fetch, or SIFG_DATASETS_MIRROR")
			}
			if env, rest, ok := strings.Cut(line, " sifg "); ok {
				name, value, _ := strings.Cut(env, "=")
				t.Setenv(name, value)
				line = "sifg " + rest
			}
			command(t, words(line)[1:]...)
		})
	}
}

// unrunnable matches commands that name no experiment or folder that there is, need Python, or take long and are run by
// TestGridDocumentation.
var unrunnable = regexp.MustCompile(`EXPERIMENT|"python |\./mypaper|--grid tuned`)

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// words splits a line as a shell does, as far as quotes go.
func words(line string) []string {
	var out []string
	var word strings.Builder
	quote := rune(0)
	for _, r := range line + " " {
		switch {
		case quote == 0 && (r == '\'' || r == '"'):
			quote = r
		case r == quote:
			quote = 0
		case r == ' ' && quote == 0:
			if word.Len() > 0 {
				out = append(out, word.String())
			}
			word.Reset()
		default:
			word.WriteRune(r)
		}
	}
	return out
}
