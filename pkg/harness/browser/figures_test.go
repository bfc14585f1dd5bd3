package browser

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// fonts are as wide as the fonts that the figures ask for, wider and narrower.
var fonts = []string{"Liberation Sans", "DejaVu Sans", "Liberation Sans Narrow"}

// collisions lists the labels of the drawings that leave their drawing or meet another label. A label's box reaches
// from the cap height to the descent, and is turned as the label is.
const collisions = `(() => {
	const box = (text) => {
		const b = text.getBBox(), m = text.getScreenCTM(), size = parseFloat(getComputedStyle(text).fontSize);
		const top = +text.getAttribute("y") - 0.72 * size, bottom = +text.getAttribute("y") + 0.2 * size;
		const corners = [[b.x, top], [b.x + b.width, top], [b.x + b.width, bottom], [b.x, bottom]];
		return corners.map(([x, y]) => [m.a * x + m.c * y + m.e, m.b * x + m.d * y + m.f]);
	};
	// Two convex shapes are apart if a side of one has the other beyond it.
	const beyond = (p, q) => p.some(([x, y], i) => {
		const [u, v] = p[(i + 1) % 4];
		return q.every(([a, b]) => (u - x) * (b - y) - (v - y) * (a - x) < 0);
	});
	return [...document.querySelectorAll("section")].flatMap((section) => {
		const frame = section.querySelector("svg").getBoundingClientRect(), out = [];
		const labels = [...section.querySelectorAll("text")].map((t) => ({ text: t.textContent, box: box(t) }));
		labels.forEach((l, i) => {
			if (l.box.some(([x, y]) => x < frame.left || x > frame.right || y < frame.top || y > frame.bottom))
				out.push(section.id + ": “" + l.text + "” leaves the drawing");
			for (const o of labels.slice(i + 1))
				if (!beyond(l.box, o.box) && !beyond(o.box, l.box))
					out.push(section.id + ": “" + l.text + "” meets “" + o.text + "”");
		});
		return out;
	}).join("\n");
})()`

var family = regexp.MustCompile(` font-family="[^"]*"`)

// drawings puts every drawing below a folder on one page, in this font.
func drawings(t *testing.T, folder, font string) (path string) {
	t.Helper()
	var page strings.Builder
	must(0, filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".svg" {
			return err
		}
		svg, err := os.ReadFile(path)
		name, _ := filepath.Rel(folder, path)
		svg = family.ReplaceAll(svg, []byte(` font-family="`+font+`"`))
		fmt.Fprintf(&page, "<section id=%q>%s</section>\n", name, svg)
		return err
	}))
	path = filepath.Join(t.TempDir(), "drawings.html")
	must(0, os.WriteFile(path, []byte("<!DOCTYPE html><meta charset=utf-8>"+page.String()), 0o666))
	return path
}

// TestFiguresHoldInAnyFont looks at the labels of all committed figures, where the reader has the font that they ask
// for and where not. RESULTS=FOLDER takes other figures.
func TestFiguresHoldInAnyFont(t *testing.T) {
	folder := os.Getenv("RESULTS")
	if folder == "" {
		folder = "../../../results"
	}
	b := newBrowser(t)
	for _, font := range fonts {
		b.open("file://"+drawings(t, folder, font), 1280, "light")
		if n := do(b, chromedp.Evaluate[int](`document.querySelectorAll("section text").length`)); n < 100 {
			t.Fatalf("%s: only %d labels were found", font, n)
		}
		if found := do(b, chromedp.Evaluate[string](collisions)); found != "" {
			t.Errorf("%s: %d labels:\n%s", font, strings.Count(found, "\n")+1, found)
		}
	}
}
