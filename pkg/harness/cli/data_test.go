package cli

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestDocumentedData runs the commands of docs/datasets.md on its own example; those about published data need a mirror.
func TestDocumentedData(t *testing.T) {
	b, err := os.ReadFile(filepath.Join("..", "..", "..", "docs", "datasets.md"))
	if err != nil {
		t.Fatal(err)
	}
	doc, dir := string(b), t.TempDir()
	for _, example := range [][2]string{{"csv", "rent.csv"}, {"yaml", "own.yaml"}} {
		_, text, _ := strings.Cut(doc, "```"+example[0]+"\n")
		text, _, _ = strings.Cut(text, "```")
		if err := os.WriteFile(filepath.Join(dir, example[1]), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	ran := 0
	for line := range strings.Lines(doc) {
		command, shown := strings.CutPrefix(line, "    ")
		command, _, _ = strings.Cut(strings.TrimSpace(command), " #")
		if !shown || !strings.Contains(command, "sifg ") || strings.Contains(command, "boston") && os.Getenv("SIFG_DATASETS_MIRROR") == "" {
			continue
		}
		t.Run(command, func(t *testing.T) {
			if before, after, ok := strings.Cut(command, " sifg "); ok {
				name, value, _ := strings.Cut(before, "=")
				t.Setenv(name, value)
				command = "sifg " + after
			}
			code, out, sentence := call(t, dir, toy(), strings.Fields(command)[1:]...)
			want(t, command, code, 0, sentence)
			if strings.Contains(command, "info rent") {
				want(t, command, 0, 0, out, "3 rows × 3 columns", "target rent", "33.2", "1010")
			}
		})
		ran++
	}
	if ran < 3 {
		t.Errorf("only %d commands found", ran)
	}
}

// TestDataExitCodes: what went wrong with a data set has a code and one sentence.
func TestDataExitCodes(t *testing.T) {
	t.Setenv("SIFG_DATASETS_MIRROR", "")
	table := "a,k,y\n1,7,0\n2,7,1\n"
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/good.csv":
			fmt.Fprint(w, table)
		case "/wrong.csv":
			fmt.Fprint(w, strings.ReplaceAll(table, "7", "8"))
		default:
			http.Error(w, "no", http.StatusNotFound)
		}
	}))
	defer server.Close()
	manifest := "datasets:\n"
	for _, name := range []string{"good", "wrong", "absent"} {
		manifest += fmt.Sprintf("  %s: {source: '%s', files: [{name: %s.csv, bytes: %d, sha256: %x}], parse: {separator: comma, header: true}, target: y}\n",
			name, server.URL, name, len(table), sha256.Sum256([]byte(table)))
	}
	dir := t.TempDir()
	put := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	put("own.yaml", manifest)
	put("typo.yaml", "datasets:\n  mine:\n    title: x\n    targt: y\n")
	for _, c := range []struct {
		args  string
		code  int
		words []string // of the sentence, or of stdout where all is well
	}{
		{"data list --datasets own.yaml", 0, []string{"good", "not here", "boston"}},
		{"data info good --datasets own.yaml", 0, []string{"not here", "good.csv", "sifg data fetch good"}},
		{"data verify good --datasets own.yaml", 75, []string{"1 of 1", "sifg data fetch good"}},
		{"data fetch good --datasets own.yaml", 0, []string{"fetched"}},
		{"data verify good --datasets own.yaml", 0, []string{"good: as it should be"}},
		{"data verify --datasets own.yaml", 0, []string{"good: as it should be", "absent: not here"}},
		{"data info good --datasets own.yaml", 0, []string{"2 rows × 3 columns", "k", "constant"}},
		{"data fetch absent --datasets own.yaml", 3, []string{"absent", server.URL + "/absent.csv", "404"}},
		{"data fetch wrong --datasets own.yaml", 5, []string{"wrong", server.URL + "/wrong.csv", "SHA-256"}},
		{"data fetch meg-full", 2, []string{"meg-full", "MEG_art.txt", "put your copy"}},
		{"data fetch bostn", 2, []string{`"bostn"`, `"boston"`}},
		{"data verify bostn", 2, []string{`"boston"`}},
		{"data info", 2, []string{"one name"}},
		{"data info bostn", 2, []string{`"boston"`}},
		{"data list boston", 2, []string{"no arguments"}},
		{"data list --datasets typo.yaml", 2, []string{"typo.yaml, line 4", `"targt"`, `"target"`}},
		{"plan --datasets typo.yaml", 2, []string{"typo.yaml, line 4"}},
		{"data list --datasets none.yaml", 2, []string{"--datasets none.yaml"}},
		{"data list --datasets own.yaml --datasets own.yaml", 2, []string{"own.yaml", "good"}},
	} {
		code, out, sentence := call(t, dir, toy(), strings.Fields(c.args)...)
		want(t, c.args, code, c.code, sentence)
		want(t, c.args, 0, 0, sentence+out, c.words...)
	}
	put(filepath.Join("datasets", "cache", "good", "good.csv"), "cut")
	code, out, sentence := call(t, dir, toy(), "data", "verify", "good", "--datasets", "own.yaml")
	want(t, "verify of a damaged file", code, 5, sentence, "1 data set", "fetch")
	want(t, "verify of a damaged file", 0, 0, out, "good.csv", "3 bytes", "cut short")
	code, _, sentence = call(t, dir, toy(), "data", "info", "good", "--datasets", "own.yaml")
	want(t, "info of a damaged file", code, 5, sentence, "good.csv", "cut short")
	code, _, sentence = call(t, dir, toy(), "data", "fetch", "good", "--datasets", "own.yaml")
	want(t, "fetch over a damaged file", code, 0, sentence)
	code, out, sentence = call(t, dir, toy(), "data", "info", "good", "--json", "--datasets", "own.yaml")
	var s shown
	if err := json.Unmarshal([]byte(out), &s); err != nil || s.Rows != 2 || len(s.Columns) != 3 || !s.Columns[1].Constant || s.Columns[0].Mean != 1.5 {
		t.Errorf("exit code %d, %s (%v): %+v", code, sentence, err, s)
	}
	t.Setenv("SIFG_DATASETS", "own.yaml")
	code, out, sentence = call(t, dir, toy(), "data", "list", "--json")
	want(t, "SIFG_DATASETS", code, 0, sentence)
	want(t, "SIFG_DATASETS", 0, 0, out, `"good"`)
}

// TestInfoOfLargeNumbers: numbers whose squares are beyond a float64, or all but zero, are described as others are.
func TestInfoOfLargeNumbers(t *testing.T) {
	dir := t.TempDir()
	const largest, lowest = "1.7976931348623157e308", "-1.7976931348623157e308"
	table := "a,b,c,d,e,y\n" +
		"1e200,1e308," + largest + "," + largest + ",1e-200,3\n" +
		"-1e200,-1e308," + lowest + "," + largest + ",-1e-200,3\n" +
		"1e200,1e308," + lowest + "," + largest + ",1e-200,6\n"
	manifest := "datasets: {far: {files: [{name: far.csv}], parse: {separator: comma, header: true}, target: y}}"
	for name, text := range map[string]string{"far.csv": table, "own.yaml": manifest} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	code, out, sentence := call(t, dir, toy(), "data", "info", "far", "--json", "--datasets", "own.yaml")
	want(t, "info", code, 0, sentence)
	var s shown
	if err := json.Unmarshal([]byte(out), &s); err != nil || len(s.Columns) != 6 {
		t.Fatalf("%v: %s", err, out)
	}
	spread := math.Sqrt(8) / 3 // of 1, -1, 1 and of 1, -1, -1
	for i, c := range []struct{ mean, sd float64 }{
		{1e200 / 3, 1e200 * spread}, {1e308 / 3, 1e308 * spread}, {-math.MaxFloat64 / 3, math.MaxFloat64 * spread}, {math.MaxFloat64, 0},
		{1e-200 / 3, 1e-200 * spread}, {4, math.Sqrt2},
	} {
		got := s.Columns[i]
		// A few roundings of numbers below the largest, which is at most the mean's threefold and more than the deviation.
		if e := 1e-15 * max(-got.Min, got.Max); !(math.Abs(got.Mean-c.mean) <= e) || !(math.Abs(got.SD-c.sd) <= e) {
			t.Errorf("column %s: mean %g, sd %g, want %g, %g", got.Name, got.Mean, got.SD, c.mean, c.sd)
		}
	}
}

// A run fetches the data its trials need; trials whose data cannot be had are left out, and the others get their report.
func TestRunFetches(t *testing.T) {
	t.Setenv("SIFG_DATASETS_MIRROR", "")
	table := "a,y\n1,0\n2,1\n"
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/good.csv" {
			http.Error(w, "no", http.StatusNotFound)
			return
		}
		fmt.Fprint(w, table)
	}))
	defer server.Close()
	dir, manifest := t.TempDir(), "datasets:\n"
	for _, name := range []string{"good", "lost"} {
		manifest += fmt.Sprintf("  %s: {source: '%s', files: [{name: %s.csv, bytes: %d, sha256: %x}], parse: {separator: comma, header: true}, target: y}\n",
			name, server.URL, name, len(table), sha256.Sum256([]byte(table)))
	}
	if err := os.WriteFile(filepath.Join(dir, "own.yaml"), []byte(manifest), 0o666); err != nil {
		t.Fatal(err)
	}
	x := toy()
	problem := func(data string) string {
		return "{particles: 6, iterations: 2, data: " + data + "}"
	}
	x.Config = []byte(strings.Replace(toyConfig, "  problems:\n", "  problems:\n    a: "+problem("lost")+"\n    b: "+problem("good")+"\n", 1))

	args := []string{"run", "--protocol", "paper", "--datasets", "own.yaml"}
	code, out, sentence := call(t, dir, x, args...)
	want(t, "run without data", code, exitStopped, sentence, "9 of 27", "lost", "sifg data fetch")
	want(t, "run without data", 0, 0, out, "18 computed", "report:")
	if _, err := os.Stat(filepath.Join(dir, "results", "toy", "paper", "run.json")); err != nil {
		t.Error("no report of the trials whose data are there:", err)
	}
	lost := filepath.Join(dir, "datasets", "cache", "lost")
	if err := os.MkdirAll(lost, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(lost, "lost.csv"), []byte(table), 0o666); err != nil {
		t.Fatal(err)
	}
	code, out, sentence = call(t, dir, x, args...)
	want(t, "run with data", code, exitOK, sentence+out, "18 already there, 9 computed")
}
