package ucibnn

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/semi-implicit/sifg/pkg/harness/cli"
	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/sifg/metric"
)

// ends runs a command line with this experiment, and wants an exit code and words.
func ends(t *testing.T, code int, line string, words ...string) {
	t.Helper()
	var out bytes.Buffer
	if got := cli.Main(strings.Fields(line), &out, &out, Experiment); got != code {
		t.Errorf("sifg %s: exit code %d, want %d\n%s", line, got, code, out.String())
	}
	for _, w := range words {
		if !strings.Contains(out.String(), w) {
			t.Errorf("sifg %s lacks %q:\n%s", line, w, out.String())
		}
	}
}

// put writes a table of 40 rows in which rent follows from area, with a column of text.
func put(t *testing.T, name string) {
	t.Helper()
	text := "id,area,rent\n"
	for i := range 40 {
		text += fmt.Sprintf("a%d,%d,%d\n", i, 20+i, 9*i+(7*i)%5)
	}
	if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

// TestOwnData: a person's own tables are problems of their own, in one command. Nothing of the paper is beside them: no
// problem, number, claim or verdict.
func TestOwnData(t *testing.T) {
	if testing.Short() {
		t.Skip("runs on a person's own tables")
	}
	t.Chdir(t.TempDir())
	put(t, "rent.csv")
	put(t, "Flats 2.csv")
	if err := os.Rename("Flats 2.csv", "Flats_2.csv"); err != nil {
		t.Fatal(err)
	}
	const line = "run uci-bnn --data rent.csv --data Flats_2.csv --target rent --parse drop=id --scale smoke " +
		"--methods svgd,sifg --name mine"
	ends(t, 0, line, "| rent     | RMSE ", "| flats-2  | NLL ", "| linear regression |", "4 computed")
	ends(t, 0, line+" -v", "4 trials: 4 already there, 0 computed")
	for _, name := range []string{"index.html", "uci-bnn/tuned/errors.md"} {
		b, err := os.ReadFile(filepath.Join("results/custom/mine", name))
		if err != nil {
			t.Fatal(err)
		}
		b = bytes.ReplaceAll(b, []byte("the settings of concrete"), nil) // said of what was not tuned
		if found := regexp.MustCompile(`(?i)boston|concrete|table 1|published|not reproduced`).Find(b); found != nil {
			t.Errorf("%s says %q", name, found)
		}
		if !bytes.Contains(b, []byte("rent")) {
			t.Errorf("%s lacks rent", name)
		}
	}
	page, _ := os.ReadFile("results/custom/mine/index.html")
	lead, rest, _ := bytes.Cut(page, []byte("<table"))
	if !bytes.Contains(lead, []byte("the settings of concrete, not tuned for your data")) ||
		!bytes.Contains(rest, []byte("--data rent,flats-2")) || bytes.Contains(page, []byte("changed settings")) ||
		bytes.Contains(page, []byte("its own best")) {
		t.Error("the page does not say first whose settings they are, or looks as if it were the paper's")
	}
	testPredictions(t, "results/custom/mine/uci-bnn")
	ends(t, 75, "compare --name mine", "nothing in results/custom/mine can be compared with published")
	ends(t, 0, "claims --name mine", "no claim was decided")
	ends(t, 75, "verify --name mine --recompute 1", "of those not drawn 4 have no data here")
	ends(t, 0, "verify --name mine --recompute 1 --data rent.csv --data Flats_2.csv --target rent --parse drop=id",
		"bit for bit the same")
	ends(t, 0, "grid uci-bnn --data rent.csv --target rent --parse drop=id --scale smoke --methods svgd --grid paper",
		"results: results/custom/smoke_rent")
}

// testPredictions: each row of predictions.parquet is a line of the file that put wrote, and their RMSE is that of the
// report.
func testPredictions(t *testing.T, dir string) {
	t.Helper()
	rows := decoded[Prediction](t, filepath.Join(dir, "tuned/predictions.parquet"))
	squares, n := map[[2]string]float64{}, map[[2]string]float64{}
	for _, p := range rows {
		i := p.Line - 2 // below the header
		if want := float64(9*i + (7*i)%5); p.Truth != want || p.Split != 1 || !(p.SD > 0) {
			t.Errorf("%+v, the truth is %v", p, want)
		}
		of := [2]string{p.Problem, p.Method}
		squares[of] += (p.Mean - p.Truth) * (p.Mean - p.Truth)
		n[of]++
	}
	trials := map[string][2]string{}
	for _, r := range decoded[record.Trial](t, filepath.Join(dir, "trials.parquet")) {
		trials[r.Key] = [2]string{r.Problem, r.Method}
		if !strings.Contains(r.Config, `"clamp":0`) {
			t.Errorf("%s has a clamp: %s", r.Problem, r.Config)
		}
	}
	compared := 0
	for _, r := range decoded[record.Trace](t, filepath.Join(dir, "trace.parquet")) {
		if of := trials[r.Key]; r.Metric == "test-rmse" {
			compared++
			if got := math.Sqrt(squares[of] / n[of]); n[of] != 4 || math.Abs(got-r.Value) > 1e-5*r.Value {
				t.Errorf("%v: the RMSE of %v predictions is %v, the report has %v", of, n[of], got, r.Value)
			}
		}
	}
	if compared != 4 {
		t.Errorf("%d trials have predictions", compared)
	}
}

func decoded[T any](t *testing.T, path string) []T {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	rows, err := record.Decode[T](b)
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

// TestOwnDefaults: without flags a table runs five methods at scale quick, under foreign settings, and all of that is
// said with how the table was read and what predicts best. Predictions have the file's numbers to the last digit.
func TestOwnDefaults(t *testing.T) {
	t.Chdir(t.TempDir())
	text := "year;births;population\n"
	for i := range 40 {
		text += fmt.Sprintf("%d;%d,5;%d\n", 1960+i, 4000+i, 180716018+7*i)
	}
	text += "2001;;280000000\n"
	if err := os.WriteFile("people.csv", []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	read := "people: 40 rows, separator semicolon, decimal comma, header yes, target population, " +
		"1 row left out (1 for births)"
	const line = " uci-bnn --data people.csv --target population --parse missing=drop"
	ends(t, 0, "plan"+line, read, "not tuned for your data", "use --scale full for final numbers",
		"sgld", "svgd", "l2-gf", "ada-gwg", "ada-sifg", "10 to compute")
	ends(t, 0, "run"+line+" --scale smoke --methods sgld --name mine", read,
		"every network is worse than linear regression")
	page, _ := os.ReadFile("results/custom/mine/index.html")
	if !bytes.Contains(page, []byte(read+"; the settings of concrete")) {
		t.Error("the page does not say how the table is read")
	}
	for _, p := range decoded[Prediction](t, "results/custom/mine/uci-bnn/tuned/predictions.parquet") {
		if want := float64(180716018 + 7*(p.Line-2)); p.Truth != want {
			t.Errorf("line %d: the truth is %v, want %v", p.Line, p.Truth, want)
		}
	}
}

// TestMixture: mean and standard deviation of the mixture of N(1, 1/4) and N(5, 1), whose variance is the mean of their
// variances and the variance of their means; with a clamp at 2 the first has the variance 1/2.
func TestMixture(t *testing.T) {
	q := metric.Prediction{Mean: metric.NewPoints(2, 1), LogPrec: []float64{math.Log(4), 0}, Clamp: math.Inf(1)}
	copy(q.Mean.Data, []float64{1, 5})
	for clamp, variance := range map[float64]float64{math.Inf(1): 0.625 + 4, 2: 0.75 + 4} {
		q.Clamp = clamp
		if mean, sd := mixture(q, 0); mean != 3 || math.Abs(sd*sd-variance) > 1e-12 {
			t.Errorf("clamp %v: mean %v and variance %v, want 3 and %v", clamp, mean, sd*sd, variance)
		}
	}
}

// TestOwnDataRefused: what cannot be run is refused before anything is computed, with what would be right.
func TestOwnDataRefused(t *testing.T) {
	if testing.Short() {
		t.Skip("twenty commands: a second")
	}
	t.Chdir(t.TempDir())
	put(t, "rent.csv")
	for name, text := range map[string]string{
		"few.csv": "a,b\n1,2\n3,4\n5,7\n", "hole.csv": "a;b\n1;2\n3;x\n", "boston.csv": "a,b\n1,2\n",
		"数.csv":    "a,b\n1,2\n",
		"flat.txt": strings.Repeat("1 2\n", 40),
	} {
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	ends(t, 5, "run uci-bnn --data rent.csv --target rent", `no finite number in id ("a0" in line 2)`, "drop leaves")
	ends(t, 5, "run uci-bnn --data hole.csv --target b", `no finite number in b ("x" in line 3)`)
	for _, c := range [][2]string{ // line, words
		{"--data rent.csv --target rant --parse drop=id", `target "rant": want one of the columns area, rent`},
		{"--data rent.csv --parse drop=id", "which column is predicted? --target names it"},
		{"--data rent.csv --target rent --parse drop=id --protocol released",
			"no permutation published with it: take the protocol tuned"},
		{"--data few.csv --target b", "3 rows, too few"},
		{"--data flat.txt --target last", "is constant in the training part"},
		{"--data boston.csv --target b", "give the file another, such as my-boston.csv"},
		{"--data 数.csv --target b", "data set table has 1 row, too few"},
		{"--data none.csv --target b", "there is no such file"},
		{"--protocol tuned --set problems.boston.data=concrete",
			"--data concrete takes yours, as a problem of its own"},
		{"--data rent.csv --target rent --parse drop=id --set problems.boston.seeds=1",
			`unknown problem "boston": valid are rent`},
		{"--data rent.csv --target area --parse drop=id --set step=abc", "want a number"},
		{"--data rent.csv --target area --parse drop=id --methods nope", `unknown method "nope"`},
		{"--data rent.csv --target area --parse drop=id --protocol nope", `unknown protocol "nope"`},
		{"--data rent.csv --target area --parse drop=id --results rent.csv", "rent.csv"},
		{"--data rent.csv --target area --parse drop=id --data none.csv", "there is no such file"},
	} {
		ends(t, 2, "run uci-bnn --scale smoke "+c[0], c[1])
	}
	if got, _ := filepath.Glob("results/store/uci-bnn/*/*"); got != nil {
		t.Errorf("%q were computed", got)
	}
	ends(t, 0, "grid uci-bnn --scale smoke --data rent.csv --target area --parse drop=id --grid paper --dry-run")
	ends(t, 0, "run uci-bnn --data rent.csv --target rent --parse drop=id --scale smoke --methods sgld --seeds 1",
		"page: ")
	if found, _ := filepath.Glob("datasets/*"); found != nil {
		t.Errorf("a run left %q", found)
	}
	ends(t, 0, "plan uci-bnn --scale smoke --data rent.csv --target area --parse drop=id", "trials") // another question
	ends(t, 2, "plan uci-bnn --data rent --target rent", "--data rent: there is no such file")
	ends(t, 2, "plan uci-bnn --data boston --target area", "--data boston is described already: leave --target")
}
