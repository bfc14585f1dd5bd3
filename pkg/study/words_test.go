package study

import (
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/semi-implicit/sifg/pkg/harness"
)

const someWords = `
metrics:
  - name: kl
    unit: nats
    meaning: A divergence.
figures:
  one: {title: First, caption: &both Of both.}
  two: {title: Second, caption: *both}
tables:
  bare: {title: Alone}
claims:
  "7": {says: It holds., rule: "for each seed{all}", with: ["5"]}
`

func TestWords(t *testing.T) {
	w := ReadWords(fstest.MapFS{"words.yaml": {Data: []byte(someWords)}})
	if len(w.Metrics) != 1 || w.Metrics[0] != (harness.Metric{Name: "kl", Unit: "nats", Meaning: "A divergence."}) {
		t.Errorf("metrics %+v", w.Metrics)
	}
	f, tab := w.Figure("two", nil), w.Table("bare", nil)
	if f.ID != "two" || f.Title != "Second" || f.Text != "Of both." {
		t.Errorf("figure %+v", f)
	}
	if tab.ID != "bare" || tab.Title != "Alone" || tab.Text != "" {
		t.Errorf("table %+v", tab)
	}
	c := w.Claim("7", nil)
	if c.ID != "7" || c.Statement != "It holds." || c.With[0] != "5" || c.Custom ||
		!strings.HasPrefix(c.Rule, "for each seed; not reproduced if that holds in half") {
		t.Errorf("claim %+v", c)
	}
}

// TestWordsRefused: what is misspelt or missing is named.
func TestWordsRefused(t *testing.T) {
	for _, c := range []struct {
		old, new string
		want     []string
	}{
		{"unit", "units", []string{"units"}},
		{"name: kl", "name: ''", []string{"metrics", "name"}},
		{"meaning: A divergence.", "meaning: ''", []string{"kl", "meaning"}},
		{"title: Second", "titel: Second", []string{"titel"}},
		{"title: Second, ", "", []string{"figures.two", "title"}},
		{"title: Alone", "", []string{"tables.bare", "title"}},
		{"tables", "table", []string{"table"}},
		{"two:", "one:", []string{"one", "already defined"}},
		{"two:", "too:", []string{"figures.two", "title"}},
		{"bare:", "bear:", []string{"tables.bare", "title"}},
		{`"7":`, `"8":`, []string{"claims.7", "says"}},
		{"{all}", "{al}", []string{"claims.7", "{al}"}},
	} {
		text := strings.Replace(someWords, c.old, c.new, 1)
		said := panics(func() {
			w := ReadWords(fstest.MapFS{"words.yaml": {Data: []byte(text)}})
			w.Figure("two", nil)
			w.Table("bare", nil)
			w.Claim("7", nil)
		})
		for _, want := range append(c.want, "words.yaml") {
			if !strings.Contains(said, want) {
				t.Errorf("%q in place of %q: %q, want it to name %q", c.new, c.old, said, want)
			}
		}
	}
}

func panics(f func()) (said string) {
	defer func() { said = fmt.Sprint(recover()) }()
	f()
	return ""
}
