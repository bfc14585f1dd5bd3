package page

import (
	"net/url"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/semi-implicit/sifg/pkg/harness/internal/toypage"
	"github.com/semi-implicit/sifg/pkg/harness/report"
)

func render(t *testing.T, r *report.Report) string {
	t.Helper()
	page, err := Render(r, toypage.Experiments())
	if err != nil {
		t.Fatal(err)
	}
	return string(page)
}

func TestPage(t *testing.T) {
	page := render(t, toypage.Report())
	if render(t, toypage.Report()) != page {
		t.Error("other bytes the second time")
	}
	for _, want := range []string{
		"No claim holds on Gaussian mixtures.", "Some claims hold on Gaussian mixtures.", "Nothing was decided on Gaussian mixtures.",
		`<span class="verdict not-reproduced" title="1 not reproduced">1<`,
		"reproduced under released; not reproduced under paper; not decided under matched", "KL against iterations, n = 1.5.</p>", "2 trials: 1 diverged, 1 ok.", "72 min", "avx512",
		"Not drawn: no trials of Ada-GWG.", "SIFG &lt;ours&gt;", "a value &lt;i&gt; was not finite",
		"semi-implicit functional gradient flow, fixed σ", "The distance of a sample from the target.", "sifg report gmm --protocol paper",
		"sifg run gmm --protocol matched --scale quick --set p.iterations=3", `https://arxiv.org/abs/2410.17935`, `<b>1</b> no result`,
		"step at the lower &lt;edge&gt;", "<h3>gmm: steps, matched</h3>", "Not shown: it is cut.",
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
	if empty := render(t, &report.Report{}); !strings.Contains(empty, "No trial has ended yet.") || strings.Contains(empty, "<h3>") {
		t.Error("a page without results")
	}
}

// TestNotThePapersSettings: results at another scale or with changed settings are marked wherever they stand, with the settings that
// differ.
func TestNotThePapersSettings(t *testing.T) {
	page := render(t, toypage.Report())
	for what, c := range map[string]struct {
		pattern string
		n       int
	}{
		"banner":         {`Gaussian mixtures, matched: not the paper’s settings`, 1},
		"given":          {`<code>p.iterations=3</code>`, 1},
		"setting":        {`<td><code>iterations</code></td><td>all</td><td>3</td><td>2</td>`, 1},
		"main verdict":   {`not decided</span></span> <span class="badge warn">quick scale</span> <span class="badge warn">changed settings</span></td>`, 1},
		"chip":           {`matched</span> <span class="badge warn">quick scale</span>`, 2},
		"opinion":        {`<b>matched</b> <span class="verdict [a-z-]+">[a-z ]+</span> <span class="badge warn">quick scale</span>`, 2},
		"figure, table":  {`<b>matched</b> <span class="badge warn">quick scale</span>`, 5}, // two of figures, the lead's, a table, the run
		"paper's banner": {`mixtures, paper: not`, 0},
	} {
		if n := len(regexp.MustCompile(c.pattern).FindAllString(page, -1)); n != c.n {
			t.Errorf("%s: %d times, want %d", what, n, c.n)
		}
	}
	r := toypage.Report()
	r.Experiments[0].Protocols = r.Experiments[0].Protocols[:2]
	if strings.Contains(render(t, r), `class="badge warn"`) {
		t.Error("the protocols' own settings at full scale are marked")
	}
}

// TestManyBanners: a page of a small scale says so once, and has the settings of each protocol in a part that opens.
func TestManyBanners(t *testing.T) {
	r := toypage.Report()
	for _, p := range r.Experiments[0].Protocols {
		p.Scale = "quick"
	}
	page := render(t, r)
	if n := strings.Count(page, `class="banner"`); n != 1 || !strings.Contains(page, "3 sets of results, and the settings that differ") {
		t.Errorf("%d banners for three protocols", n)
	}
}

// TestOneProtocol: an experiment that has one protocol of the page's is shown whichever is chosen.
func TestOneProtocol(t *testing.T) {
	if page := render(t, toypage.Report()); strings.Contains(page, ` only"`) {
		t.Error("a protocol of several is always shown")
	}
	r := toypage.Report()
	r.Experiments[0].Protocols = r.Experiments[0].Protocols[2:]
	page := render(t, r)
	if n := strings.Count(page, `class="under matched only"`); n != 5 || strings.Contains(page, "no results under") { // as in figure, table above
		t.Errorf("%d figures, tables and runs are always shown", n)
	}
}

// TestOffline looks at every address on the page: the link to the paper is the only one that leaves it.
func TestOffline(t *testing.T) {
	page := render(t, toypage.Report())
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
				} else if !strings.HasPrefix(a.Val, "data:") && a.Val != "https://arxiv.org/abs/2410.17935" {
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
	for _, m := range regexp.MustCompile(`url\(|@import|fetch\(|XMLHttpRequest|WebSocket|import\(`).FindAllString(page, -1) {
		t.Errorf("the page holds %q", m)
	}
}

// TestPicture: the drawing comes out of the address as it went in, but for its quotes and line ends, and cannot leave its attribute.
func TestPicture(t *testing.T) {
	drawing := []byte("<svg width=\"72pt\">\n<text fill=\"#00f\" x='1'>50 % &amp; &lt;b&gt; \"> <script>alert(1)</script></text></svg>")
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
