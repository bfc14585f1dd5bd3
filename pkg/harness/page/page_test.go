package page

import (
	"bytes"
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/claim"
	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/harness/report"
)

// render returns the pages of a report by name.
func render(t *testing.T, r *report.Report) map[string]string {
	t.Helper()
	pages, err := Render(r, toyExperiments())
	if err != nil {
		t.Fatal(err)
	}
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
	pages := render(t, twoReports())
	if !maps.Equal(render(t, twoReports()), pages) {
		t.Error("other bytes the second time")
	}
	if got := names(pages); got != "claims.html comparison.html gmm.html grids.html index.html toy.html" {
		t.Errorf("the pages %s", got)
	}
	alone := render(t, toyReport())
	if got := names(alone); got != "grids.html index.html" {
		t.Errorf("the pages of one experiment: %s", got)
	}
	for where, lacks := range map[string]struct {
		text string
		want []string
	}{
		"the first": {pages["index.html"], []string{
			"<h1>A paper</h1>", "It says much.", `href="https://arxiv.org/abs/2410.17935"`,
			`<img src="gmm/second/figures/figure3.svg" width="533" height="355" loading="lazy"`,
			"4 particles, 2 iterations, 2 seeds; step of SIFG ", `">by the text</a>`,
			`<a href="gmm.html#gmm-figure3-second">second</a>`, "4.8 h", "avx512",
			"1 reproduced only under some protocols, 1 not testable",
			"the pages of the experiments say what differs",
		}},
		"an experiment's": {pages["gmm.html"], []string{
			"Not made: no trials of Ada-GWG.", "SIFG &lt;ours&gt;", "a value &lt;i&gt; was not finite",
			"2 trials: 1 diverged, 1 ok.", "The distance of a sample from the target.",
			"sifg run gmm --protocol third --scale quick --set p.iterations=3", `<h3>by the text</h3>`,
			`<td><code>iterations</code></td><td>all</td><td>3</td><td>2</td>`, `<code>p.iterations=3</code>`,
			`<a href="claims.html#claim-1">`,
		}},
		"one experiment's alone": {alone["index.html"], []string{
			"<h1>Gaussian mixtures</h1>", "<h2>Figure 3: KL</h2>", `<li id="claim-4"`, "Five modes on a circle.",
			"semi-implicit functional gradient flow, fixed σ",
		}},
		"the claims'": {pages["claims.html"], []string{
			"reproduced under second; not reproduced under first; not decided under third",
			"sifg report gmm --protocol first", "<h2>What we asked beyond the paper</h2>", "paired by seed",
		}},
		"the comparison's": {pages["comparison.html"], []string{
			`<a href="gmm.html#finding-gmm-3">The answer</a>`, `<img src="comparisons.svg"`,
			`<a href="comparisons.csv">CSV</a>`, "semi-implicit functional gradient flow, fixed σ",
		}},
		"the grids'": {pages["grids.html"], []string{
			"step at the lower &lt;edge&gt;", "Not shown: it is cut.", `id="grid-gmm-steps-third"`,
			`<a href="grid/gmm-steps/third/tables/cells.csv">CSV</a>`, `src="grid/gmm-steps/third/figures/2d-sifg.svg"`,
		}},
		"a grid's alone": {render(t, &report.Report{Grids: toyReport().Grids[1:]})["grids.html"], []string{
			"<details open>",
		}},
		"that of nothing": {render(t, &report.Report{})["index.html"], []string{"No trial has ended yet."}},
	} {
		for _, want := range lacks.want {
			if !strings.Contains(lacks.text, want) {
				t.Errorf("%s page lacks %q", where, want)
			}
		}
		for _, no := range []string{"ZgotmplZ", "unused", "<ours>", "<no value>", "SIFG: did"} {
			if strings.Contains(lacks.text, no) {
				t.Errorf("%s page has %q", where, no)
			}
		}
	}
}

// TestPrinted: the parts of a paper stand in its order, each with the figures of the protocol that comes nearest, or of
// the first that there is, and its claims in the order of the text; a part without results is left out.
func TestPrinted(t *testing.T) {
	page := render(t, twoReports())["index.html"]
	at := -1
	for _, next := range []string{
		`id="Figure 3"`, `src="gmm/second/figures/figure3.svg"`,
		`also with <a href="gmm.html#gmm-figure3">by the text</a>`,
		`claims.html#claim-2"`, `claims.html#claim-1"`, `id="Table 1"`, "SIFG &lt;ours&gt;",
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
	const quick = ` <span class="badge warn">quick scale</span>`
	all := render(t, twoReports())
	for what, c := range map[string]struct {
		page, pattern string
		n             int
	}{
		"banner":   {"gmm.html", `Gaussian mixtures, third: not the paper’s settings`, 1},
		"chip":     {"claims.html", `third</span>` + quick, 3},
		"opinion":  {"claims.html", `<b>third</b> <span class="verdict [a-z-]+">[a-z ]+</span>` + quick, 3},
		"protocol": {"gmm.html", `<h3>third</h3>` + quick, 1},
		"finding":  {"gmm.html", `<h4>A second one` + quick, 1},
		"own":      {"gmm.html", `mixtures, first: not`, 0},
	} {
		if n := len(regexp.MustCompile(c.pattern).FindAllString(all[c.page], -1)); n != c.n {
			t.Errorf("%s: %d times, want %d", what, n, c.n)
		}
	}
	r := twoReports()
	r.Experiments[0].Protocols = r.Experiments[0].Protocols[:2]
	for name, page := range render(t, r) {
		if strings.Contains(page, `class="badge warn"`) || strings.Contains(page, "banner\"") {
			t.Errorf("%s: the protocols' own settings at full scale are marked", name)
		}
	}
	first := &r.Experiments[0].Protocols[0].Records.Trials[0]
	first.Config = strings.Replace(first.Config, `"step":0.01`, `"step":0.02`, 1) // as the settings once were
	page := render(t, r)["gmm.html"]
	for _, want := range []string{
		`<h3>by the text</h3> <span class="badge warn">settings of an earlier version</span>`,
		`<td><code>sampler.step</code></td><td>all</td><td>0.02</td><td>0.01</td>`,
	} {
		if !strings.Contains(page, want) {
			t.Errorf("no %s", want)
		}
	}
}

// TestInUse: amounts that a method does not share with most stand beside it.
func TestInUse(t *testing.T) {
	p := made("first", "full", claim.Reproduced)
	for i, m := range []string{"svgd", "sgld"} {
		p.Records.Trials = append(p.Records.Trials, record.Trial{Key: m, Problem: "p", Method: m, Seed: 1,
			Config: fmt.Sprintf(`{"particles":4,"iterations":%d,"sampler":{"step":0.5}}`, 2+8*i)})
	}
	p.Records.Trials[1].Problem = "other"
	const want = "4 particles, 2 iterations, 1 seed; step of SIFG 0.01, σ 0.1; SVGD 0.5; SGLD 0.5, 10 iterations."
	if got := inUse(p, "p"); got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if got := inUse(p, "none"); got != "" {
		t.Errorf("of nothing: %s", got)
	}
}

// TestOwnTable: on a person's own data the words for a protocol are those that hold there, tables come before figures,
// and no verdict is spoken of.
func TestOwnTable(t *testing.T) {
	all := toyExperiments()[:1]
	all[0].Note, all[0].Claims, all[0].Paper = "settings of another table", nil, nil
	r := toyReport()
	r.Experiments[0].Findings = nil
	r.Experiments[0].Protocols = r.Experiments[0].Protocols[:1]
	r.Experiments[0].Protocols[0].Claims = nil
	pages, err := Render(r, all)
	page := string(pages["index.html"])
	if err != nil || strings.Count(page, "settings of another table") != 1 {
		t.Errorf("other words for the protocol (%v)", err)
	}
	if strings.Index(page, "KL at the end") > strings.Index(page, "figures/figure3.svg") {
		t.Error("the figure comes before the table")
	}
	for _, no := range []string{"claim", "The paper", "verdict "} {
		if text := page[strings.Index(page, "<main>"):strings.Index(page, "<script>")]; strings.Contains(text, no) {
			t.Errorf("the page says %q", no)
		}
	}
}

// TestAbsent: what has no trials under a protocol is not there, and data sets that were not here are named.
func TestAbsent(t *testing.T) {
	r := twoReports()
	for _, p := range r.Experiments[0].Protocols {
		p.Figures[1].Problem = harness.ErrNoTrials.Error()
	}
	r.Experiments[0].Protocols[0].Absent = []string{"meg"}
	pages := render(t, r)
	if strings.Contains(pages["gmm.html"], "gmm-figure1") {
		t.Error("a figure is shown that no protocol has trials for")
	}
	const absent = "trials on the data set meg are left out"
	whole := render(t, twoReports())["index.html"]
	if !strings.Contains(pages["index.html"], absent) || strings.Contains(whole, absent) {
		t.Error("the first page names other data sets that were not here")
	}
}

// outside are the addresses that may leave the pages: the paper, the repository, and files beside them.
var outside = regexp.MustCompile(`^(data:|https://arxiv\.org/abs/2410\.17935$|https://github\.com/semi-implicit/sifg|` +
	`(comparisons|(grid/)?(gmm|toy)[\w/-]+)\.(csv|parquet|svg)$)`)

// TestAddresses looks at every address on every page: nothing is loaded but drawings beside the page, and links lead to
// elements of pages that are there, or to known places.
func TestAddresses(t *testing.T) {
	for _, pages := range []map[string]string{render(t, twoReports()), render(t, toyReport())} {
		ids, targets := map[string]int{}, map[string]string{} // by page#id
		for name, page := range pages {
			root, err := html.Parse(strings.NewReader(page))
			if err != nil {
				t.Fatal(err)
			}
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

// TestImage: a drawing is named by its file, with its size; no name leaves its attribute.
func TestImage(t *testing.T) {
	got := string(image(`a b/"x"`, []byte(`<svg width="72pt" height="36pt">`)))
	if want := `src="a%20b/%22x%22.svg" width="128" height="64" loading="lazy"`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if !bytes.Contains([]byte(image("x", nil)), []byte(`width="0"`)) {
		t.Error("a drawing without a size has one")
	}
}
