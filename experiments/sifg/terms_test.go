package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// terms are expressions of our own, each with the field's. A word with an ordinary use, such as start or move, stands
// here in the phrases that were ours alone. Names of keys, packages and files stand in code, which is not read: judge,
// sifg-blind, kde-flow, ols-rmse, dev-nll, blur-kl, reference_law, the grids printed and surface.
var terms = map[string]string{
	`blind|eyeless|nothing to learn`:                   "ablation with an uninformative network",
	`no score|own[- ]clock|pushed`:                     "without the repulsive term; equal wall-clock time",
	`judg(ed|es|ing)|judge`:                            "evaluate",
	`(first|early|a|each) look|\d looks`:               "checkpoint, interim analysis",
	`sees|not seen by`:                                 "minimum detectable effect; insensitive",
	`tries|(a|one|each|every|the) try`:                 "run",
	`lost (a|every|all|trials?|runs?|seeds?)`:          "failed run",
	`“open”|open comparisons?|verdict open`:            "inconclusive",
	`(a|no|the|true|smallest) lead`:                    "difference",
	`rivals?`:                                          "baseline",
	`nearer|farther|farthest|farther off`:              "smaller or larger error",
	`(best|chosen|which|better) cells?|no cell can`:    "configuration",
	`as they are|against now`:                          "current settings",
	`in print|(is|are|be|as) printed|less printed`:     "published",
	`printed (number|mean|value|cell|table|one|cop)s?`: "published",
	`(papers?|text|they)( do(es)? not)? prints?`:       "publishes",
	`text's|scripts'`:                                  "the paper's, the code's",
	`(far|own|best|wider?|2-D|SVGD's) starts?`:         "initialisation",
	`starts? of λ`:                                     "initial λ",
	`[^g ] ?rate of σ`:                                 "learning rate",
	`laws?`:                                            "distribution",
	`as many (exact|independent) draws`:                "i.i.d. samples of equal size",
	`clouds?`:                                          "particles, sample",
	`splits? of (one|a) table|a split of its own`:      "train/test split",
	`development (rows?|part|set)`:                     "validation set",
	`least squares`:                                    "linear regression",
	`(a|one|each|every|per|last|first|more) moves?`:    "iteration",
	`chance of 80|margin 0`:                            "power; without equivalence margin",
	`one to take|take:|take these`:                     "recommended",
	`none is good|good: both|good (method|run)s?`:      "acceptable",
	`score cards?|seal(s|ed)?|ledger`:                  "heat map; checksum; table of claims",
	`quieter|at rest|blur(s|red)?|hangs? on`:           "lower variance; stationary; over-smoothing; depends on",
}

// prose matches what is no prose of a document: code, addresses, and names of files and keys.
var prose = regexp.MustCompile("(?ms)^```.*?^```|^ {4}.*?$|`[^`]*`|\\]\\([^)]*\\)")

// readable returns the texts that people read, by where they stand: documents, help, captions, messages.
func readable(t *testing.T) map[string]string {
	t.Helper()
	out := map[string]string{}
	for path, text := range documents(t) {
		if path == "README.md" || strings.HasPrefix(path, "docs/") {
			out[path] = prose.ReplaceAllString(text, " ")
		}
	}
	for _, m := range regexp.MustCompile(`(?m)^  (\w+) +\w.*$`).FindAllStringSubmatch(command(t, "--help"), -1) {
		out["sifg "+m[1]+" --help"] = command(t, m[1], "--help")
	}
	captions := append(must(filepath.Glob("../*/words.yaml")), "../../pkg/study/density/words.yaml")
	for _, path := range append(captions, must(filepath.Glob("../*/*.yaml"))...) {
		var file any
		if err := yaml.Unmarshal(must(os.ReadFile(path)), &file); err != nil {
			t.Fatal(err)
		}
		out[path] = strings.Join(captioned(file), "\n")
	}
	for _, s := range sources(t) {
		if !s.test && !strings.HasPrefix(s.name, "scripts/") {
			out[s.name] = strings.Join(messages(t, s), "\n")
		}
	}
	return out
}

// captioned returns the values of the keys whose values people read.
func captioned(v any) (out []string) {
	switch v := v.(type) {
	case []any:
		for _, x := range v {
			out = append(out, captioned(x)...)
		}
	case map[string]any:
		for key, x := range v {
			text, ok := x.(string)
			if ok && slices.Contains([]string{"title", "caption", "meaning", "note"}, key) {
				out = append(out, text)
			}
			out = append(out, captioned(x)...)
		}
	}
	return out
}

// messages returns the strings of a file that have a space, as sentences and labels have.
func messages(t *testing.T, s source) (out []string) {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), s.name, s.text, 0)
	if err != nil {
		t.Fatal(err)
	}
	ast.Inspect(file, func(n ast.Node) bool {
		if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING && !strings.HasPrefix(lit.Value, "`") {
			text := must(strconv.Unquote(lit.Value))
			if strings.Contains(strings.TrimSpace(text), " ") {
				out = append(out, text)
			}
		}
		return true
	})
	return out
}

// TestTerms: what people read is in the field's terms.
func TestTerms(t *testing.T) {
	texts := readable(t)
	for _, path := range []string{"README.md", "docs/findings.md", "sifg run --help", "../gmm/words.yaml"} {
		if len(texts[path]) < 100 {
			t.Errorf("%s is not read", path)
		}
	}
	for _, pattern := range slices.Sorted(maps.Keys(terms)) {
		re := regexp.MustCompile(`(?i)(?:^|[^\w-])(?:` + strings.ReplaceAll(pattern, " ", `\s+`) + `)(?:[^\w-]|$)`)
		for path, text := range texts {
			text = strings.NewReplacer("power law", "", "judge:", "", "judge.", "").Replace(text)
			for _, at := range re.FindAllStringIndex(text, -1) {
				around := text[max(0, at[0]-30):min(len(text), at[1]+30)]
				t.Errorf("%s: %q; the field says: %s", path, around, terms[pattern])
			}
		}
	}
}
