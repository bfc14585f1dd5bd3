package page

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/semi-implicit/sifg/pkg/harness/figure"
	"github.com/semi-implicit/sifg/pkg/harness/table"
	"golang.org/x/net/html"
)

// toyPage is a page of two experiments under three protocols, one of them at quick scale, one not complete.
func toyPage(t *testing.T, dir string) Page {
	t.Helper()
	x := make([]float64, 100)
	y := make([]float64, 100)
	for i := range x {
		x[i], y[i] = float64(i), 10/(1+float64(i))
	}
	curve := &figure.Figure{Cols: 2}
	wide := &figure.Figure{Cols: 4}
	for _, m := range []string{"l2-gf", "ada-gwg", "sifg", "ada-sifg"} {
		p := figure.Panel{Title: m, X: figure.Axis{Label: "iteration"}, Y: figure.Axis{Label: "KL"},
			Layers: []figure.Layer{figure.Line{X: x, Y: y, Style: figure.Method(m)}}}
		wide.Panels = append(wide.Panels, p)
		if len(curve.Panels) < 2 {
			curve.Panels = append(curve.Panels, p)
		}
	}
	for name, f := range map[string]*figure.Figure{"curve": curve, "scatter": wide} {
		if _, err := f.Save(dir, name); err != nil {
			t.Fatal(err)
		}
	}
	tab := table.Table{
		Columns: []table.Column{{Header: "method"}, {Header: "KL", Align: table.Right}, {Header: "mode coverage", Align: table.Right}},
		Rows: [][]table.Cell{
			{table.Text("L2-GF"), table.PlusMinus(6.61, 0.31), table.Fixed(0.4, 2)},
			{table.Text("SIFG <ours>"), table.PlusMinus(1.31, 0.12), table.Fixed(1, 2)},
		},
		Notes: []string{"mean ± standard deviation over 5 seeds"},
	}
	tab.MarkBest(-1, 1)
	protocol := func(name, scale string) Protocol {
		return Protocol{
			Name: name, Scale: scale, Note: "the settings of the " + name + " text", Planned: 40, OK: 38, Diverged: 2,
			Time: "1 h 12 min on 2 cores", Command: "sifg run gmm --protocol " + name + " --scale " + scale,
			Figures: []Figure{
				{Name: "figure1", Title: "Figure 1: samples in two dimensions", Caption: "Dots: particles; lines: the true density.", Path: filepath.Join(dir, "scatter"), Command: "sifg report gmm --only figure1"},
				{Name: "figure3", Title: "Figure 3 left: KL against iterations", Path: filepath.Join(dir, "curve"), Command: "sifg report gmm --only figure3"},
			},
			Tables:     []Table{{Name: "kl", Title: "KL at the last iteration", HTML: tab.HTML(), Command: "sifg report gmm --only kl"}},
			Config:     "particles: 1000\nsampler:\n  step: 0.002 # <b>\n",
			Provenance: []Fact{{"commit", "f199ae1"}, {"kernel", "avx512"}},
		}
	}
	opinion := func(protocol, verdict string) Opinion {
		return Opinion{
			Protocol: protocol, Scale: "full", Verdict: verdict, Keys: []string{"0123456789abcdef", "fedcba9876543210"},
			Evidence: "SIFG 1.31 (1.12 to 1.49), L2-GF 6.61, Ada-GWG 1.44; sign-flip p = 0.031 and 0.22. See https://example.org/paper.",
			Command:  "sifg report gmm --protocol " + protocol,
		}
	}
	quick := opinion("released", "not testable")
	quick.Scale, quick.Incomplete = "quick", true
	partial := protocol("matched", "full")
	partial.OK = 12
	partial.Tables[0] = Table{Name: "kl", Title: "KL at the last iteration", Problem: "no trials of Ada-GWG"}
	return Page{
		Title: "Semi-implicit functional gradient flow: what reproduces", Intro: "Every number on this page was computed by the command beside it.",
		Facts: []Fact{{"generated", "2026-11-20T12:00:00Z"}, {"commit", "f199ae1"}},
		Claims: []Claim{
			{ID: "1", Statement: "SIFG reaches a lower KL than L2-GF and Ada-GWG on the mixture in ten dimensions.", Section: "gmm",
				Rule:    "median over seeds of the k-NN KL at iteration 2000, paired by seed; reproduced if smaller with p < 0.05",
				Outcome: "reproduced only under some protocols", Summary: "reproduced only under released",
				Under: []Opinion{opinion("paper", "not reproduced"), opinion("released", "reproduced"), opinion("matched", "not decided")}},
			{ID: "2", Statement: "Ada-SIFG moves σ to the right scale.", Rule: "σ at the end", Section: "monomial-gamma",
				Outcome: "not testable", Summary: "not testable", Under: []Opinion{quick}},
			{ID: "3", Statement: "Nobody looked.", Rule: "none", Section: "elsewhere", Outcome: "no results", Summary: "no results"},
		},
		Sections: []Section{
			{Name: "gmm", Title: "Gaussian mixture", Summary: "Five modes on a circle, in 2 and 10 dimensions.",
				Findings:  []Finding{{"Dividing by n", "Under the paper protocol the velocity is divided by n = 1000, and after 2000 iterations SIFG has moved 0.3 only: KL 5.2 against 1.3."}},
				Settings:  []Setting{{Where: "gmm-2d: all methods", Name: "sampler.step", Values: []string{"0.1", "0.005", ""}}},
				Protocols: []Protocol{protocol("paper", "full"), protocol("released", "full"), partial}},
			{Name: "monomial-gamma", Title: "Monomial gamma", Protocols: []Protocol{protocol("released", "quick")}},
		},
	}
}

func renderPage(t *testing.T, p Page) string {
	t.Helper()
	var b bytes.Buffer
	if err := Render(&b, p); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestPage(t *testing.T) {
	dir := os.Getenv("REPORT_DIR") // to look at it
	if dir == "" {
		dir = t.TempDir()
	}
	p := toyPage(t, dir)
	path := filepath.Join(dir, "index.html")
	if err := Write(path, p); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	page := string(data)
	if renderPage(t, p) != page {
		t.Error("other bytes the second time")
	}
	for _, want := range []string{
		"Under the paper protocol the velocity", `class="verdict reproduced"`, `class="verdict not-reproduced"`,
		`class="verdict not-decided"`, `class="verdict not-testable"`, "incomplete: 14 of 40 trials", "2 of 40 trials diverged or failed",
		"Not made: no trials of Ada-GWG", "sifg report gmm --only figure3", "sifg run gmm --protocol paper --scale full",
		"step: 0.002 # &lt;b&gt;", "SIFG &lt;ours&gt;", "0123456789 ", "sampler.step", "median over seeds of the k-NN KL", "avx512", "1 h 12 min",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	// the quick scale is marked: in the count of verdicts, at the claim, two figures, one table, how it was run
	if n := strings.Count(page, "quick scale: not the paper’s settings"); n != 6 {
		t.Errorf("the quick scale is marked %d times", n)
	}
	for _, want := range []string{`<b>1</b> reproduced only under some protocols`, `<b>1</b> no results`, `data-outcome="not testable"`} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	if strings.Contains(page, "ZgotmplZ") {
		t.Error("the template refused a value")
	}
}

// TestOffline parses the page and looks at every address in it.
func TestOffline(t *testing.T) {
	page := renderPage(t, toyPage(t, t.TempDir()))
	root, err := html.Parse(strings.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	ids := map[string]int{}
	var targets []string
	images, tables := 0, 0
	var walk func(n *html.Node)
	walk = func(n *html.Node) {
		switch n.Data {
		case "img":
			images++
		case "table":
			tables++
		}
		for _, a := range n.Attr {
			switch a.Key {
			case "id":
				ids[a.Val]++
			case "src", "href", "srcset", "action", "poster", "xlink:href":
				if strings.HasPrefix(a.Val, "#") {
					targets = append(targets, a.Val[1:])
				} else if !strings.HasPrefix(a.Val, "data:") {
					t.Errorf("<%s %s=%.80q> leaves the file", n.Data, a.Key, a.Val)
				}
			}
		}
		for c := n.FirstChild; c != nil; c = c.NextSibling {
			walk(c)
		}
	}
	walk(root)
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
	if images != 8+1 || tables != 1+1+3 { // 2 figures of 4 protocols and the zoom; counts, settings, 3 of 4 tables
		t.Errorf("%d images, %d tables", images, tables)
	}
	for _, m := range regexp.MustCompile(`url\(|@import|fetch\(|XMLHttpRequest|WebSocket|import\(`).FindAllString(page, -1) {
		t.Errorf("the page holds %q", m)
	}
	if len(page) > 5<<20 {
		t.Errorf("%d bytes", len(page))
	}
}

func TestLargeFiguresAreLeftOut(t *testing.T) {
	dir := t.TempDir()
	p := toyPage(t, dir)
	small, err := os.ReadFile(filepath.Join(dir, "curve.svg"))
	if err != nil {
		t.Fatal(err)
	}
	// a valid SVG of 4 MB: with the small ones it is too much
	big := bytes.Replace(small, []byte("</svg>"), []byte("<desc>"+strings.Repeat("x", 4<<20)+"</desc></svg>"), 1)
	if err := os.WriteFile(filepath.Join(dir, "scatter.svg"), big, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(dir, "scatter.png")); err != nil {
		t.Fatal(err)
	}
	page := renderPage(t, p)
	if len(page) > 5<<20 {
		t.Errorf("%d bytes", len(page))
	}
	if !strings.Contains(page, "Too large for this page: see scatter.svg.") || !strings.Contains(page, "data:image/") {
		t.Error("the large figure must be named, the small one shown")
	}
}

func TestMissingFiles(t *testing.T) {
	dir := t.TempDir()
	p := toyPage(t, dir)
	p.Sections[0].Protocols[0].Figures[0].Path = filepath.Join(dir, "nothing")
	if err := Write(filepath.Join(dir, "x.html"), p); err == nil || !strings.Contains(err.Error(), "figure1 of gmm") {
		t.Errorf("error %v", err)
	}
	if _, err := os.Stat(filepath.Join(dir, "x.html")); err == nil {
		t.Error("a page was left")
	}
	p.Sections[0].Protocols[0].Figures[0].Problem = "too few seeds"
	if page := renderPage(t, p); !strings.Contains(page, "Not drawn: too few seeds") {
		t.Error("the page does not say why a figure is missing")
	}
	if err := os.WriteFile(filepath.Join(dir, "bad.svg"), []byte("no picture"), 0o644); err != nil {
		t.Fatal(err)
	}
	p.Sections[0].Protocols[0].Figures[0] = Figure{Name: "bad", Path: filepath.Join(dir, "bad")}
	if err := Render(&bytes.Buffer{}, p); err == nil || !strings.Contains(err.Error(), "bad.svg") {
		t.Errorf("error %v", err)
	}
}

func TestEmptyPage(t *testing.T) {
	if page := renderPage(t, Page{Title: "Nothing yet"}); !strings.Contains(page, "<h1>Nothing yet</h1>") || strings.Contains(page, "<h2>") {
		t.Error("a page without sections has a title and nothing else")
	}
}
