package cli

import (
	"errors"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// reported makes a report and a grid in results, and returns their files.
func reported(t *testing.T, x *toyExperiment) map[string]string {
	t.Helper()
	t.Chdir(t.TempDir())
	x.want(t, "run", 0)
	for _, name := range []string{"steps", "other"} {
		put(t, name+".yaml", "select: min first\nproduct: {step: [0.1, 0.3]}\n")
	}
	if code, said, _ := x.call(t, steps...); code != 0 {
		t.Fatal(said)
	}
	x.want(t, "report", 0) // the page shows the grid
	x.want(t, "verify", 0, "as written")
	whole := files(t, "results", "")
	maps.DeleteFunc(whole, func(name, _ string) bool { return strings.HasPrefix(name, "store/") })
	if len(whole) < 18 {
		t.Errorf("%d files in the report", len(whole))
	}
	return whole
}

var steps = []string{"grid", "toy", "--grid", "steps.yaml", "--results", "results"}

// damages are what can happen to a file.
var damages = map[string]func(t *testing.T, path string){
	"flipped": flip,
	"longer":  func(t *testing.T, path string) { put(t, path, text(t, path)+"x") },
	"shorter": func(t *testing.T, path string) { put(t, path, text(t, path)[1:]) },
	"empty":   func(t *testing.T, path string) { put(t, path, "") },
	"missing": func(t *testing.T, path string) { must(t, os.Remove(path)) },
	"another": func(t *testing.T, path string) { put(t, path, "another") },
	"folder":  folder,
	"link": func(t *testing.T, path string) {
		must(t, errors.Join(os.Rename(path, "elsewhere"), os.Symlink("/etc/hostname", path)))
	},
}

func text(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	must(t, err)
	return string(b)
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// TestVerifySeesReport: verify names whatever is not as the program wrote it in a report, its pages and pictures, and a
// grid; and the command that it advises makes it again.
func TestVerifySeesReport(t *testing.T) {
	if testing.Short() {
		t.Skip("damages every file of a report twice")
	}
	x := toy()
	whole := reported(t, x)
	kinds := slices.Sorted(maps.Keys(damages))
	for i, name := range slices.Sorted(maps.Keys(whole)) {
		for _, kind := range []string{kinds[i%len(kinds)], kinds[(i+3)%len(kinds)]} {
			path := filepath.Join("results", name)
			damages[kind](t, path)
			x.want(t, "verify --results results", 5, path)
			mended(t, x)
			if t.Failed() {
				t.Fatalf("%s is %s", name, kind)
			}
			aside := []string{path + ".kept-*", "results/toy/kept-*", "results/grid/toy-steps/released/kept-*"}
			for _, kept := range aside {
				left, _ := filepath.Glob(kept)
				for _, p := range left {
					os.RemoveAll(p)
				}
			}
		}
	}
	if now := files(t, "results", ""); now["toy/trials.parquet"] != whole["toy/trials.parquet"] ||
		now["toy/released/tables/ends.csv"] != whole["toy/released/tables/ends.csv"] {
		t.Error("what was mended is another report")
	}
}

// mended does what verify advises about a damaged report, after which nothing is damaged.
func mended(t *testing.T, x *toyExperiment) {
	t.Helper()
	said := x.want(t, "verify --results results", 5, "to mend: ")
	for _, advised := range regexp.MustCompile("(?m)^to mend: sifg (.*)$").FindAllStringSubmatch(said, -1) {
		if code, said, _ := x.call(t, words(advised[1])...); code != 0 {
			t.Errorf("%s: exit code %d: %s", advised[1], code, said)
		}
	}
	x.want(t, "verify", 0, "as written")
}

// words splits a command as a shell does that knows single quotes.
func words(command string) (out []string) {
	for i, part := range strings.Split(command, "'") {
		if i%2 == 0 {
			out = append(out, strings.Fields(part)...)
		} else {
			out = append(out, part)
		}
	}
	return out
}

// TestRecordsAreEnough: without the store, what is damaged beside the records of a report is made again from them.
func TestRecordsAreEnough(t *testing.T) {
	x := toy()
	whole := reported(t, x)
	must(t, os.RemoveAll("results/store"))
	for _, name := range []string{"index.html", "manifest.json", "toy/released/tables/ends.csv", "toy/findings/1.csv"} {
		if _, ok := whole[name]; name != "toy/findings/1.csv" && !ok {
			t.Errorf("the report has no %s", name)
			continue
		} else if !ok {
			continue
		}
		flip(t, "results/"+name)
		x.want(t, "verify", 5, name)
		x.want(t, "report --keep", 0)
		x.want(t, "verify", 0, "as written")
	}
	flip(t, "results/toy/trials.parquet") // what nothing can make again stays
	x.want(t, "report --keep", 5, "trials.parquet", "restore the folder")
	x.want(t, "verify", 5, "trials.parquet")
}

// TestForeign: what the program did not write is named, and its name cannot pretend to be a line of the program.
func TestForeign(t *testing.T) {
	x := toy()
	reported(t, x)
	names := []string{"notes.md", "toy/notes.md", "toy/released/tables/notes.md", "grid/notes.md",
		"grid/toy-steps/released/notes.md", "page.html", "toy2/trials.parquet", "grid/other/released/grid.json"}
	for _, name := range names {
		put(t, "results/"+name, "mine")
		top, _, nested := strings.Cut(name, "/")
		switch {
		case top == "toy2":
			x.want(t, "verify", 5, "results/toy2/report.json: missing")
		case strings.HasPrefix(name, "grid/other"):
			x.want(t, "verify", 5, "results/"+name)
		default:
			x.want(t, "verify", 0, "results/"+name+" is not written by this program", "as written")
		}
		must(t, os.Remove("results/"+name))
		if nested {
			os.Remove(filepath.Dir("results/" + name))
			os.RemoveAll("results/grid/other")
		}
	}
	const forged = "x\nall files in results and results/store are as written\r\x1b[2K\u202e"
	put(t, "results/"+forged, "mine")
	put(t, "results/toy/"+forged, "mine")
	for _, command := range []string{"verify", "report"} {
		said := x.want(t, command, 0)
		if strings.ContainsAny(said, "\x1b\r\u202e") || strings.Count(said, "\nall files") > 1 ||
			!strings.Contains(said, `x\nall files in results`) {
			t.Errorf("%s prints a name as it is: %q", command, said)
		}
	}
}

// TestExchanged: a folder of ours under the name of another is named, and is not shown.
func TestExchanged(t *testing.T) {
	x := toy()
	reported(t, x)
	x.want(t, "grid toy --grid other.yaml --results results", 0)
	const a, b = "results/grid/toy-steps", "results/grid/toy-other"
	must(t, errors.Join(os.Rename(a, "aside"), os.Rename(b, a), os.Rename("aside", b)))
	x.want(t, "verify", 5, a+"/released/grid.json: it is of grid/toy-other",
		b+"/released/grid.json: it is of grid/toy-steps")
	x.want(t, "report", 0)
	if page := text(t, "results/grids.html"); !strings.Contains(page, "is the grid of grid/toy-other") {
		t.Error("the page shows a grid under the name of another")
	}
	x.want(t, "verify", 5, a, b)
	mended(t, x)
	must(t, errors.Join(os.RemoveAll(a), os.CopyFS(a, os.DirFS(b))))
	mended(t, x)
	must(t, errors.Join(os.RemoveAll("results/toy"), os.CopyFS("results/toy", os.DirFS(a+"/released"))))
	x.want(t, "report", 5, "move it away") // nobody knows what is lost with it
	must(t, os.RemoveAll("results/toy"))
	mended(t, x)
	must(t, os.CopyFS("results/copy", os.DirFS("results/toy"))) // a person's own
	x.want(t, "verify", 0, "results/copy is not written by this program")
	must(t, errors.Join(os.RemoveAll("results/copy"), os.Remove("results/manifest.json")))
	flip(t, b+"/released/grid.json")
	x.want(t, "verify", 5, "the sifg grid command of each grid that is named") // which nothing says
	x.call(t, "grid", "toy", "--grid", "other.yaml", "--results", "results")
	x.want(t, "report", 0)
	must(t, os.RemoveAll(b))
	x.want(t, "verify", 5, b+"/released/grid.json: missing")
	x.want(t, "report", 0, "grid/toy-other/released is gone")
	x.want(t, "verify", 0)
}
