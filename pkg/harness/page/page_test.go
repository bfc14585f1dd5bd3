package page

import (
	"net/url"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/report"
)

func render(t *testing.T, r *report.Report) string {
	t.Helper()
	page, err := Render(r, toyExperiments())
	if err != nil {
		t.Fatal(err)
	}
	return string(page)
}

func TestPage(t *testing.T) {
	page := render(t, toyReport())
	if render(t, toyReport()) != page {
		t.Error("other bytes the second time")
	}
	for _, want := range []string{
		"No claim holds for Gaussian mixtures.", "Some claims hold for Gaussian mixtures.",
		"Nothing was decided for Gaussian mixtures.",
		`<span class="verdict not-reproduced" title="1 not reproduced">1<`,
		"reproduced under second; not reproduced under first; not decided under third",
		"KL against iterations, n = 1.5.</p>", "2 trials: 1 diverged, 1 ok.", "72 min", "avx512",
		"Not drawn: no trials of Ada-GWG.", "SIFG &lt;ours&gt;", "a value &lt;i&gt; was not finite",
		"semi-implicit functional gradient flow, fixed σ", "The distance of a sample from the target.",
		"sifg report gmm --protocol first", "sifg run gmm --protocol third --scale quick --set p.iterations=3",
		`https://arxiv.org/abs/2410.17935`, "step at the lower &lt;edge&gt;",
		"<h3>Gaussian mixtures: grid “steps” of the protocol third",
		`<a class="self" href="#grid-gmm-steps-third"`, "Not shown: it is cut.",
		`<a href="grid/gmm-steps/third/tables/cells.csv">CSV</a>`,
		`<b>2d, SIFG</b> <a href="grid/gmm-steps/third/figures/2d-sifg.csv">data</a>`,
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	for _, no := range []string{"ZgotmplZ", "unused", "<ours>", "<no value>"} {
		if strings.Contains(page, no) {
			t.Errorf("the page has %q", no)
		}
	}
	empty := render(t, &report.Report{})
	if !strings.Contains(empty, "No trial has ended yet.") || strings.Count(empty, "<h3>") > 1 {
		t.Error("a page without results")
	}
}

// TestFirstScreen: it has the answers with every comparison, figures side by side, and the paper's claims apart from
// our own, which count for no verdict.
func TestFirstScreen(t *testing.T) {
	r := toyReport()
	r.Experiments[0].Protocols[1].Claims = nil
	r.Experiments[0].Findings[1].Protocol = "second"
	r.Answer = &report.Item{Title: "All in one", SVG: []byte(`<svg width="90pt"></svg>`)}
	top, rest, _ := strings.Cut(render(t, r), `<section id="claims">`)
	own := strings.Index(top, "<h2>What we asked beyond the paper</h2>")
	if at := strings.Index(top, `<a href="#claim-4">`); own < 0 || at < own {
		t.Errorf("our own claim is at %d, its list at %d", at, own)
	}
	for what, c := range map[string]struct {
		text, pattern string
		n             int
	}{
		"answer":              {top, `<a href="#finding-gmm-3">The answer</a> <span class="badge warn">quick`, 1},
		"answer's figure":     {top, `<h3>All in one.*<a href="answer.csv">data</a>`, 1},
		"drawings, two sizes": {top, `class="zoom (wide|narrow)"`, 2},
		"numbers":             {top, `<a href="comparisons.csv">CSV</a>`, 1},
		"side by side":        {top, `<figure class="under only (first|second)">`, 2},
		"data":                {top, `<a href="gmm/(first|second)/figures/figure3.csv">data</a>`, 2},
		"without claims":      {top, `<td>A second one\.</td>`, 1},
		"our own ledger":      {rest, `(?s)What we asked beyond the paper.*<li id="claim-4"`, 1},
		"outcomes":            {rest, `<b>1</b> (no result|not testable|not reproduced)</button>`, 3},
	} {
		if n := len(regexp.MustCompile(c.pattern).FindAllString(c.text, -1)); n != c.n {
			t.Errorf("%s: %d times, want %d", what, n, c.n)
		}
	}
}

// TestNotThePapersSettings: results at another scale or with changed settings are marked wherever they stand, with the
// settings that differ.
func TestNotThePapersSettings(t *testing.T) {
	const quick = ` <span class="badge warn">quick scale</span>`
	page := render(t, toyReport())
	for what, c := range map[string]struct {
		pattern string
		n       int
	}{
		"banner":         {`Gaussian mixtures, third: not the paper’s settings`, 1},
		"given":          {`<code>p.iterations=3</code>`, 1},
		"setting":        {`<td><code>iterations</code></td><td>all</td><td>3</td><td>2</td>`, 1},
		"main verdict":   {`</span></span>` + quick + ` <span class="badge warn">changed settings</span></td>`, 2},
		"chip":           {`third</span>` + quick, 3},
		"opinion":        {`<b>third</b> <span class="verdict [a-z-]+">[a-z ]+</span>` + quick, 3},
		"figure, table":  {`<b>third</b>` + quick, 5}, // of two figures, two tables, the run
		"finding":        {`<h4>A second one` + quick, 1},
		"paper's banner": {`mixtures, first: not`, 0},
	} {
		if n := len(regexp.MustCompile(c.pattern).FindAllString(page, -1)); n != c.n {
			t.Errorf("%s: %d times, want %d", what, n, c.n)
		}
	}
	r := toyReport()
	r.Experiments[0].Protocols = r.Experiments[0].Protocols[:2]
	if strings.Contains(render(t, r), `class="badge warn"`) {
		t.Error("the protocols' own settings at full scale are marked")
	}
}

// TestFindings: each has the marks of all protocols, every one once, and the address of its numbers.
func TestFindings(t *testing.T) {
	r := toyReport()
	for i, scale := range []string{"quick", "smoke", "quick"} {
		r.Experiments[0].Protocols[i].Scale = scale
	}
	page := render(t, r)
	const badges = ` <span class="badge warn">quick scale</span> <span class="badge warn">smoke scale</span> <a`
	if n := strings.Count(page, badges); n != 3 {
		t.Errorf("%d of three findings have both marks", n)
	}
	if strings.Contains(page, `warn"></span>`) || !strings.Contains(page, `<a href="gmm/findings/3.csv">CSV</a>`) {
		t.Error("an empty mark, or numbers without an address")
	}
}

// TestManyBanners: a page of a small scale says so once, and has the settings of each protocol in a part that opens.
func TestManyBanners(t *testing.T) {
	r := toyReport()
	for _, p := range r.Experiments[0].Protocols {
		p.Scale = "quick"
	}
	page := render(t, r)
	n := strings.Count(page, `class="banner"`)
	if n != 1 || !strings.Contains(page, "3 sets of results, and the settings that differ") {
		t.Errorf("%d banners for three protocols", n)
	}
}

// TestOneProtocol: an experiment that has one protocol of the page's is shown whichever is chosen.
func TestOneProtocol(t *testing.T) {
	always := regexp.MustCompile(`class="(under only|under) third( only)?"|class="item third only"`)
	if page := render(t, toyReport()); always.MatchString(strings.ReplaceAll(page, `"under third"`, "")) {
		t.Error("a protocol of several is always shown")
	}
	r := toyReport()
	r.Experiments[0].Protocols = r.Experiments[0].Protocols[2:]
	page := render(t, r)
	if n := len(always.FindAllString(strings.ReplaceAll(page, `"opinion under third"`, ""), -1)); n != 10 {
		t.Errorf("%d of two figures, two tables, each with its item, a run and all of them are always shown", n)
	}
}

// TestOwnTable: on a person's own data the words for a protocol are those that hold there, and no verdict is spoken of.
func TestOwnTable(t *testing.T) {
	all := toyExperiments()[:1]
	all[0].Note, all[0].Claims, all[0].Lead = "settings of another table", nil, nil
	r := toyReport()
	r.Experiments[0].Findings = nil
	for _, p := range r.Experiments[0].Protocols {
		p.Claims = nil
	}
	page, err := Render(r, all)
	if err != nil || strings.Count(string(page), "<small>settings of another table</small>") != 3 {
		t.Errorf("other words for the protocols (%v)", err)
	}
	for _, no := range []string{"did the paper hold up", "claim was checked", "each protocol found", "verdicts</th>"} {
		if strings.Contains(string(page), no) {
			t.Errorf("the page says %q", no)
		}
	}
}

// TestHidden: an item is shown under the protocols that have it, and an experiment under those with results of it,
// without a word under the others. What has no trials under a protocol is not there.
func TestHidden(t *testing.T) {
	r := toyReport()
	r.Experiments[0].Protocols[0].Figures = nil
	for _, p := range r.Experiments[0].Protocols[1:] {
		p.Figures[1].Problem = harness.ErrNoTrials.Error()
	}
	page := render(t, r)
	if !strings.Contains(page, `<section class="item first second third" id="gmm">`) {
		t.Error("an experiment is shown under a protocol that does not have it")
	}
	if strings.Contains(page, "Not drawn") || strings.Contains(page, "gmm-figure1") {
		t.Error("a figure is shown that no protocol has trials for")
	}
	if !strings.Contains(page, `<div class="item second third" id="gmm-figure3">`) ||
		strings.Contains(page, "no results under") {
		t.Error("a figure is shown under a protocol that does not have it")
	}
	hides := "body:has(#only-first:checked) :is(.under, .item):not(.first):not(.only)"
	if !strings.Contains(page, hides) {
		t.Error("nothing hides what the chosen protocol does not have")
	}
}

// outside are the addresses that may leave the page: the paper, the repository, and files beside the page.
var outside = regexp.MustCompile(`^(data:|https://arxiv\.org/abs/2410\.17935$|https://github\.com/semi-implicit/sifg|` +
	`comparisons\.csv$|(grid/)?gmm[\w/-]+\.(csv|parquet)$)`)

// TestOffline looks at every address on the page: none is loaded, and links leave it for known places alone.
func TestOffline(t *testing.T) {
	page := render(t, toyReport())
	root, err := html.Parse(strings.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	ids, targets := map[string]int{}, []string{}
	for n := range root.Descendants() {
		for _, a := range n.Attr {
			switch a.Key {
			case "id":
				ids[a.Val]++
			case "src", "href", "srcset", "action", "poster", "xlink:href":
				if strings.HasPrefix(a.Val, "#") {
					targets = append(targets, a.Val[1:])
				} else if !outside.MatchString(a.Val) || a.Key != "href" && !strings.HasPrefix(a.Val, "data:") {
					t.Errorf("<%s %s=%.80q> leaves the file", n.Data, a.Key, a.Val)
				}
			}
		}
	}
	for _, id := range targets {
		if ids[id] != 1 {
			t.Errorf("link to #%s, which %d elements have", id, ids[id])
		}
	}
	for id, n := range ids {
		if n > 1 {
			t.Errorf("%d elements have the id %s", n, id)
		}
	}
	loads := regexp.MustCompile(`url\(|@import|fetch\(|XMLHttpRequest|WebSocket|import\(`)
	for _, m := range loads.FindAllString(page, -1) {
		t.Errorf("the page holds %q", m)
	}
}

// TestPicture: the drawing comes out of the address as it went in, but for its quotes and line ends, and cannot leave
// its attribute.
func TestPicture(t *testing.T) {
	drawing := []byte("<svg width=\"72pt\">\n<text fill=\"#00f\" x='1'>50 % &amp; &lt;b&gt; \"> " +
		"<script>alert(1)</script></text></svg>")
	address, ok := strings.CutPrefix(string(picture(drawing)), `src="`)
	address, end := strings.CutSuffix(address, `" width="128"`)
	if !ok || !end || strings.ContainsAny(address, "\"#&\n") {
		t.Fatalf("%s", address)
	}
	back, err := url.PathUnescape(html.UnescapeString(strings.TrimPrefix(address, "data:image/svg+xml,")))
	if want := strings.NewReplacer(`"`, "'", "\n", " ").Replace(string(drawing)); err != nil || back != want {
		t.Errorf("%s, %v, want %s", back, err, want)
	}
}

// TestAbsentData: the first screen and the menu name the data sets that were not here.
func TestAbsentData(t *testing.T) {
	r := toyReport()
	r.Experiments[0].Protocols[0].Absent = []string{"meg"}
	page := render(t, r)
	for _, want := range []string{"trials on the data set meg are left out", "<small>without meg</small>"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	if strings.Contains(render(t, toyReport()), "left out") {
		t.Error("something is left out of a report that lacks nothing")
	}
}
