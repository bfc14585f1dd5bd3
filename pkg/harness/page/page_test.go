package page

import (
	"fmt"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/claim"
	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/harness/report"
	"github.com/semi-implicit/sifg/pkg/harness/table"
)

const drawing = `<svg xmlns="http://www.w3.org/2000/svg" width="300pt" height="200pt" viewBox="0 0 300 200"><path d="M0 0l300 200" stroke="#00f"/><text x="9" y="99">50 %% of %s &amp; &quot;more&quot;</text></svg>`

func experiments() []*harness.Experiment {
	return []*harness.Experiment{
		{Name: "gmm", Title: "Gaussian mixtures", Summary: "Five modes on a circle.", Lead: []string{"figure3", "1"},
			Metrics: []harness.Metric{{Name: "knn-kl", Unit: "nats", Meaning: "The distance of a sample from the target."}, {Name: "unused"}},
			Settings: []byte("base:\n  problems: {p: {particles: 4, iterations: 2}}\n  methods: {sifg: {sampler: sifg}}\n  seeds: [1]\n" +
				"protocols: {paper: {}, released: {}, matched: {}}\n"),
			Claims: []claim.Claim{{ID: "1", Statement: "SIFG reaches a lower KL than the other flows on the mixture in ten dimensions.", Rule: "paired by seed"},
				{ID: "2", Statement: "Ada-SIFG moves σ to the right scale.", Rule: "σ at the end"}}},
		{Name: "toy", Title: "Toy <b>", Claims: []claim.Claim{{ID: "3", Statement: "Nobody looked."}}, Settings: []byte("base: {}\n")},
	}
}

// made is results of the first experiment.
func made(name, scale string, verdict claim.Verdict, set ...string) *report.Protocol {
	tab := &table.Table{
		Columns: []table.Column{{Header: "method"}, {Header: "KL", Align: table.Right}, {Header: "mode coverage", Align: table.Right}},
		Rows: [][]table.Cell{{table.Text("L2-GF"), table.PlusMinus(6.61, 0.31), table.Fixed(0.4, 2)},
			{table.Text("SIFG <ours>"), table.PlusMinus(1.31, 0.12), table.Fixed(1, 2)}},
		Notes: []string{"mean ± standard deviation over 5 seeds"},
	}
	for range 12 {
		tab.Columns = append(tab.Columns, table.Column{Header: "and one more", Align: table.Right})
		for i := range tab.Rows {
			tab.Rows[i] = append(tab.Rows[i], table.Number(1234.5, 5))
		}
	}
	key := fmt.Sprintf("%020x", len(name))
	return &report.Protocol{
		Name: name, Scale: scale, Set: set, Planned: 2,
		Records: &record.Set{Experiment: "gmm", Protocol: name, Scale: scale,
			Trials: []record.Trial{{Key: key, Problem: "p", Method: "sifg", Seed: 1, Status: record.StatusOK,
				Config: fmt.Sprintf(`{"particles":4,"iterations":%d,"options":{},"sampler":{"sampler":"sifg"},"judge":{"every":1,"sample":"fresh","snapshots":null,"track":0}}`, 2+len(set))},
				{Key: "f" + key, Problem: "p", Method: "sifg", Seed: 2, Status: record.StatusDiverged, Reason: "a value <i> was not finite",
					Config: `{"sampler":{"sampler":"sifg"}}`}},
			Traces:  map[string][]record.Trace{key: {{Key: key, Metric: "knn-kl"}}},
			Timings: map[string]record.Timing{key: {Seconds: 4320, CPU: "A processor", Kernel: "avx512", Commit: "f199ae1"}}},
		Figures: []report.Item{{Name: "figure3", Title: "Figure 3", Caption: "KL against iterations, n = 1.5. The band is the range.", SVG: fmt.Appendf(nil, drawing, name)},
			{Name: "figure1", Title: "Figure 1", Problem: "no trials of Ada-GWG"}},
		Tables: []report.Item{{Name: "kl", Title: "KL at the end", Table: tab}},
		Claims: []claim.Result{{ID: "1", Outcome: claim.Outcome{Verdict: verdict, Evidence: "SIFG 1.31, L2-GF 6.61 <b>.", Keys: []string{key}}},
			{ID: "2", Outcome: claim.Outcome{Verdict: claim.NotTestable, Evidence: "No trial of Ada-SIFG."}}},
	}
}

func toyReport() *report.Report {
	return &report.Report{Experiments: []*report.Experiment{{
		Name:      "gmm",
		Protocols: []*report.Protocol{made("paper", "full", claim.NotReproduced), made("released", "full", claim.Reproduced), made("matched", "quick", claim.NotDecided, "p.iterations=3")},
		Findings: []harness.Statement{{Title: "Dividing by n decides", Text: "It is so.", Lead: true, Table: &table.Table{Columns: []table.Column{{Header: "n"}}, Rows: [][]table.Cell{{table.Int(7)}}}},
			{Title: "A second one", Text: "It matters less."}},
	}}, Grids: []report.Grid{{Name: "grid/gmm-sigma/paper", Problem: "it is cut"}, {Name: "steps", Experiment: "gmm", Protocol: "matched", Command: "sifg grid",
		Best: &table.Table{Columns: []table.Column{{Header: "note"}}, Rows: [][]table.Cell{{table.Text("step at the lower <edge>")}}}}}}
}

func render(t *testing.T, r *report.Report) string {
	t.Helper()
	page, err := Render(r, experiments())
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
	page := render(t, toyReport())
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
	r := toyReport()
	r.Experiments[0].Protocols = r.Experiments[0].Protocols[:2]
	if strings.Contains(render(t, r), `class="badge warn"`) {
		t.Error("the protocols' own settings at full scale are marked")
	}
}

// TestManyBanners: a page of a small scale says so once, and has the settings of each protocol in a part that opens.
func TestManyBanners(t *testing.T) {
	r := toyReport()
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
	if page := render(t, toyReport()); strings.Contains(page, ` only"`) {
		t.Error("a protocol of several is always shown")
	}
	r := toyReport()
	r.Experiments[0].Protocols = r.Experiments[0].Protocols[2:]
	page := render(t, r)
	if n := strings.Count(page, `class="under matched only"`); n != 5 || strings.Contains(page, "no results under") { // as in figure, table above
		t.Errorf("%d figures, tables and runs are always shown", n)
	}
}

// TestOffline looks at every address on the page: the link to the paper is the only one that leaves it.
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
