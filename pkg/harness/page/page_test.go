package page

import (
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/report"
)

// render returns the pages of records by name.
func render(t *testing.T, of map[string]*report.Records, grids []report.Grid) map[string]string {
	t.Helper()
	all := toyExperiments()
	return rendered(t, written(t, all, of), grids, all)
}

func rendered(t *testing.T, r *report.Results, grids []report.Grid, all []*harness.Experiment) map[string]string {
	t.Helper()
	pages := must(Render(r, grids, all))
	out := map[string]string{}
	for name, text := range pages {
		out[name] = string(text)
	}
	return out
}

// names of pages, in order of the alphabet.
func names(pages map[string]string) string {
	return strings.Join(slices.Sorted(maps.Keys(pages)), " ")
}

// TestPages: what stands on which page, for several experiments and for one, and nothing of none.
func TestPages(t *testing.T) {
	pages := render(t, twoRecords(), toyGrids())
	if !maps.Equal(render(t, twoRecords(), toyGrids()), pages) {
		t.Error("other bytes the second time")
	}
	if got := names(pages); got != "claims.html comparison.html gmm.html grids.html index.html toy.html" {
		t.Errorf("the pages %s", got)
	}
	alone := render(t, toyRecords(), toyGrids())
	if got := names(alone); got != "grids.html index.html" {
		t.Errorf("the pages of one experiment: %s", got)
	}
	for where, lacks := range map[string]struct {
		text string
		want []string
	}{
		"the first": {pages["index.html"], []string{
			"<h1>A paper</h1>", "It says much.", `href="https://arxiv.org/abs/2410.17935"`,
			`<img src="gmm/second/figure3.svg" width="`,
			`">first</a>, <a `, `<a href="gmm.html#gmm-figure3-second">second</a>`, "<b>first</b>: by the text",
			"0 of 1 claims hold under first, 1 of 1 under second", "<li>gmm, third ", "<code>p.iterations=3</code>",
		}},
		"an experiment's": {pages["gmm.html"], []string{
			"Not made: no trials of Ada-GWG.", "SIFG &lt;ours&gt;", "a value &lt;i&gt; was not finite",
			"2 trials: 1 diverged, 1 ok.", "The distance of a sample from the target.", `<h3>by the text</h3>`,
			"sifg run gmm --protocol third --scale quick --set p.iterations=3", `<a href="claims.html#claim-1">`,
			`<a class="data" href="gmm/first/figure3.csv">data</a>`, `id="gmm-third-only"`,
			"1 value not shown: not finite, or outside the axes.",
		}},
		"one experiment's alone": {alone["index.html"], []string{
			"<h1>Gaussian mixtures</h1>", "<h2>Figure 3: KL <a", `<li id="claim-4"`, "Five modes on a circle.",
			"semi-implicit functional gradient flow, fixed σ", "<code>p.iterations=3</code>",
		}},
		"the claims'": {pages["claims.html"], []string{
			"reproduced under second; not reproduced under first</",
			"<h2>What we asked beyond the paper</h2>", "paired by seed", "SIFG 1.31, L2-GF 6.61 &lt;b&gt;.",
		}},
		"the comparison's": {pages["comparison.html"], []string{
			`<a href="gmm.html#gmm-compare-p-third">p: KL of each seed</a>`, `<img src="gmm/third/compare-p.svg"`,
			`<img src="toy/study/compare-p.svg"`, "SIFG &lt;ours&gt;",
			"semi-implicit functional gradient flow, fixed σ",
		}},
		"the grids'": {pages["grids.html"], []string{
			"step &lt;0.1&gt;", "Not shown: it is cut.", `id="grid-gmm-steps-third"`,
			`<a href="grid/steps/gmm/third/cells.csv">CSV</a>`, `src="grid/steps/gmm/third/best.svg"`,
		}},
		"a grid's alone":  {render(t, nil, toyGrids()[1:])["grids.html"], []string{"<details open>", ": min energy<"}},
		"that of nothing": {render(t, nil, nil)["index.html"], []string{"No trial has ended yet."}},
	} {
		for _, want := range lacks.want {
			if !strings.Contains(lacks.text, want) {
				t.Errorf("%s page lacks %q", where, want)
			}
		}
		for _, no := range []string{"ZgotmplZ", "unused", "<ours>", "<no value>", "SIFG: did", "Of another problem"} {
			if strings.Contains(lacks.text, no) {
				t.Errorf("%s page has %q", where, no)
			}
		}
	}
}

// TestPrinted: the parts of a paper stand in its order, each with the section of the protocol that comes nearest, or of
// the first that there is, and its claims in the order of the text; a part without results is left out.
func TestPrinted(t *testing.T) {
	page := render(t, twoRecords(), nil)["index.html"]
	at := -1
	for _, next := range []string{
		`id="figure-3"`, `src="gmm/second/figure3.svg"`, `also <a href="gmm.html#gmm-figure3">first</a>`,
		`claims.html#claim-2"`, `claims.html#claim-1"`, `id="table-1"`, "SIFG &lt;ours&gt;",
	} {
		i := strings.Index(page, next)
		if i < at || i < 0 {
			t.Errorf("%s stands at %d, after what stands at %d", next, i, at)
		}
		at = i
	}
	if strings.Contains(page, "Figure 9") || strings.Contains(page, "toy/study") {
		t.Error("a part without results, or a study, is on the first page")
	}
}

// TestNotThePapersSettings: results at another scale or with changed settings are marked wherever they stand.
func TestNotThePapersSettings(t *testing.T) {
	const quick = ` <span class="badge warn">quick scale</span> <span class="badge warn">changed settings</span>`
	pages := render(t, twoRecords(), nil)
	for what, c := range map[string]struct {
		page, pattern string
		n             int
	}{
		"banner":     {"index.html", `<li>gmm, third` + quick, 1},
		"rehearsal":  {"index.html", `A rehearsal at quick scale: .*</p>`, 1},
		"claim":      {"claims.html", `<b>third</b>`, 0}, // none is decided by a rehearsal
		"protocol":   {"gmm.html", `<h3>third</h3>` + quick, 1},
		"comparison": {"comparison.html", `p: KL of each seed</a> <a [^>]*>↑</a>` + quick, 1},
		"own":        {"index.html", `<li>gmm, first`, 0},
	} {
		if n := len(regexp.MustCompile(c.pattern).FindAllString(pages[c.page], -1)); n != c.n {
			t.Errorf("%s: %d times, want %d", what, n, c.n)
		}
	}
	d := report.NewRecords()
	ran(d, "gmm", "first", "full")
	for name, page := range render(t, map[string]*report.Records{"gmm": d}, nil) {
		if strings.Contains(page, `class="badge warn"`) || strings.Contains(page, "banner\"") {
			t.Errorf("%s: the protocol's own settings at full scale are marked", name)
		}
	}
}

// TestOwnData: on a person's own data the words for a protocol are those that hold there, and neither the paper nor a
// claim is spoken of.
func TestOwnData(t *testing.T) {
	gmm := toyExperiments()[0]
	gmm.Custom = &harness.Custom{Problem: "p", Title: "My mixtures", Summary: "What is mine.",
		Sections: gmm.Sections[:4]}
	mine, err := gmm.On([]string{"mine"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	d := report.NewRecords()
	ran(d, "gmm", "first", "quick", "--data mine")
	all := []*harness.Experiment{mine}
	page := rendered(t, written(t, all, map[string]*report.Records{"gmm": d}), nil, all)["index.html"]
	for _, want := range []string{
		"<h1>My mixtures: p</h1>", // by the problems of the records
		"the settings of p, not tuned for your data", "What is mine.", "quick scale", "KL at the end",
	} {
		if strings.Count(page, want) < 1 {
			t.Errorf("the page lacks %q", want)
		}
	}
	main := page[strings.Index(page, "<main"):strings.Index(page, "<script>")]
	for _, no := range []string{"claim", "he paper", "verdict ", "by the text", "changed settings"} {
		if strings.Contains(main, no) {
			t.Errorf("the page says %q", no)
		}
	}
}

// outside are the addresses that may leave the pages: the paper, the repository, and files beside them.
var outside = regexp.MustCompile(`^(data:|https://arxiv\.org/abs/2410\.17935$|https://github\.com/semi-implicit/sifg|` +
	`(grid/|gmm|toy)[\w/-]+\.(csv|parquet|svg)$)`)

// TestAddresses looks at every address on every page: nothing is loaded but drawings beside the page, and links lead to
// elements of pages that are there, or to known places.
func TestAddresses(t *testing.T) {
	for _, pages := range []map[string]string{
		render(t, twoRecords(), toyGrids()), render(t, toyRecords(), toyGrids()),
	} {
		ids, targets := map[string]int{}, map[string]string{} // by page#id
		for name, page := range pages {
			root := must(html.Parse(strings.NewReader(page)))
			for n := range root.Descendants() {
				for _, a := range n.Attr {
					switch to, id, _ := strings.Cut(a.Val, "#"); {
					case a.Key == "id":
						ids[name+"#"+a.Val]++
					case !slices.Contains([]string{"src", "href", "srcset", "action", "poster", "xlink:href"}, a.Key):
					case a.Key == "href" && (to == "" || path.Ext(to) == ".html"):
						if to == "" {
							to = name
						}
						targets[strings.TrimSuffix(to+"#"+id, "#")] = name
					case !outside.MatchString(a.Val) || a.Key != "href" && path.Ext(a.Val) != ".svg":
						t.Errorf("%s: <%s %s=%.80q> leads elsewhere", name, n.Data, a.Key, a.Val)
					}
				}
			}
			loads := regexp.MustCompile(`url\(|@import|fetch\(|XMLHttpRequest|WebSocket|import\(`)
			for _, m := range loads.FindAllString(page, -1) {
				t.Errorf("%s holds %q", name, m)
			}
		}
		for to, from := range targets {
			if _, page := pages[to]; !page && ids[to] != 1 {
				t.Errorf("%s links to %s, which %d elements have", from, to, ids[to])
			}
		}
		for id, n := range ids {
			if n > 1 {
				t.Errorf("%d elements are %s", n, id)
			}
		}
	}
}
