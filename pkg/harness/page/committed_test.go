package page

import (
	"bytes"
	"cmp"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

// results is the committed report. RESULTS=FOLDER takes another one.
var results = cmp.Or(os.Getenv("RESULTS"), "../../../results")

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// word is one of a text: what has a letter.
var word = regexp.MustCompile(`\S*\p{L}\S*`)

// unfolded are the words of a page that are read without opening anything, and the other pages that it links to.
func unfolded(t *testing.T, page []byte) (words int, links []string) {
	t.Helper()
	root := must(html.Parse(bytes.NewReader(page)))
	var walk func(n *html.Node, folded bool)
	walk = func(n *html.Node, folded bool) {
		for _, a := range n.Attr {
			if to, _, _ := strings.Cut(a.Val, "#"); a.Key == "href" && filepath.Ext(to) == ".html" {
				links = append(links, to)
			}
		}
		open := slices.ContainsFunc(n.Attr, func(a html.Attribute) bool { return a.Key == "open" })
		for c := range n.ChildNodes() {
			switch {
			case c.Type == html.TextNode && !folded && n.Data != "script" && n.Data != "style":
				words += len(word.FindAllString(c.Data, -1))
			default:
				walk(c, folded || n.Data == "details" && !open && c.Data != "summary")
			}
		}
	}
	walk(root, false)
	return words, links
}

// TestCommittedPages: pages are small, say little that is not asked for, and link to each other; the first has the
// figures and tables of the paper in its order.
func TestCommittedPages(t *testing.T) {
	names := must(filepath.Glob(filepath.Join(results, "*.html")))
	if len(names) < 8 {
		t.Errorf("the pages %q", names)
	}
	most := map[string]int{"index.html": 1300, "comparison.html": 2000}
	for _, name := range names {
		text := must(os.ReadFile(name))
		words, links := unfolded(t, text)
		if words > cmp.Or(most[filepath.Base(name)], 6000) || len(text) > 1<<20 {
			t.Errorf("%s has %d words and %d bytes", name, words, len(text))
		}
		if len(links) < len(names) {
			t.Errorf("%s links to %q", name, links)
		}
		for _, to := range links {
			if !slices.Contains(names, filepath.Join(results, to)) {
				t.Errorf("%s links to %s, which is not there", name, to)
			}
		}
		if bytes.Contains(text, []byte("Not made: /")) {
			t.Errorf("%s names a file of the machine that made it: a figure lacks what its trials do not record", name)
		}
	}
}
