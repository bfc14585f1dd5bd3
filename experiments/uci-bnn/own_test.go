package ucibnn

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/semi-implicit/sifg/pkg/harness/cli"
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
	t.Chdir(t.TempDir())
	put(t, "rent.csv")
	put(t, "Flats 2.csv")
	if err := os.Rename("Flats 2.csv", "Flats_2.csv"); err != nil {
		t.Fatal(err)
	}
	const line = "run uci-bnn --data rent.csv --data Flats_2.csv --target rent --drop id --scale smoke " +
		"--methods svgd,sifg --name mine"
	ends(t, 0, line, "| rent    | svgd", "| flats-2 | sifg", "protocol matched", "4 computed")
	ends(t, 0, line+" -v", "4 trials: 4 already there, 0 computed")
	for _, name := range []string{"index.html", "uci-bnn/report.json", "uci-bnn/matched/tables/errors.md"} {
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
	if !bytes.Contains(page, []byte("changed settings")) || !bytes.Contains(page, []byte("--data rent,flats-2")) {
		t.Error("the page does not say on which data it is")
	}
	ends(t, 75, "compare --name mine", "nothing in results/custom/mine can be set beside published")
	ends(t, 0, "claims --name mine", "no claim was checked")
	ends(t, 0, "verify --name mine --recompute 1", "bit for bit the same")
	key, _ := filepath.Glob("results/store/uci-bnn/*/*")
	ends(t, 0, "explain "+filepath.Base(key[0])+" --name mine",
		"sifg run uci-bnn --protocol matched --scale smoke --data ", " --trial ")
	ends(t, 0, "grid uci-bnn --data rent --scale smoke --methods svgd --grid one-at-a-time",
		"results: results/custom/smoke_data-rent")
	ends(t, 0, "run uci-bnn --data rent --scale smoke --methods svgd --protocol paper", "1 computed")
}

// TestOwnDataRefused: what cannot be run is refused before anything is computed, with what would be right.
func TestOwnDataRefused(t *testing.T) {
	t.Chdir(t.TempDir())
	put(t, "rent.csv")
	for name, text := range map[string]string{
		"few.csv": "a,b\n1,2\n3,4\n5,7\n", "hole.csv": "a;b\n1;2\n3;x\n", "boston.csv": "a,b\n1,2\n",
		"flat.txt": strings.Repeat("1 2\n", 40),
	} {
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	ends(t, 5, "run uci-bnn --data rent.csv --target rent", `no finite number in id ("a0" in line 2)`, "--drop")
	ends(t, 5, "run uci-bnn --data hole.csv --target b", `no finite number in b ("x" in line 3)`)
	for _, c := range [][2]string{ // line, words
		{"--data rent.csv --target rant --drop id", `target "rant": want one of the columns area, rent`},
		{"--data rent.csv --drop id", "which column is predicted? --target names it"},
		{"--data rent.csv --target rent --drop id --protocol released",
			"no permutation published with it: take the protocol matched"},
		{"--data rent.csv --target rent --drop id --protocol standard",
			"no standard splits: take the protocol matched"},
		{"--data few.csv --target b", "3 rows are too few"},
		{"--data flat.txt --target last", "is constant in the training part"},
		{"--data boston.csv --target b", "give the file another name"},
		{"--data none.csv --target b", "there is no such file"},
		{"--protocol matched --set problems.boston.data=concrete",
			"--data concrete takes yours, as a problem of its own"},
		{"--data rent.csv --target rent --drop id --set problems.boston.seeds=1",
			`unknown problem "boston": valid are rent`},
	} {
		ends(t, 2, "run uci-bnn --scale smoke "+c[0], c[1])
	}
	if got, _ := filepath.Glob("results/store/uci-bnn/*/*"); got != nil {
		t.Errorf("%q were computed", got)
	}
	// Own splits are written into the entry, which stays.
	ends(t, 0, "plan uci-bnn --scale smoke --data rent.csv --target rent --drop id", "trials")
	b, err := os.ReadFile("datasets/own.yaml")
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Replace(string(b), `target: "rent"`, "target: rent\n    splits: {seed: 1, count: 2}", 1)
	if err := os.WriteFile("datasets/own.yaml", []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	line := "plan uci-bnn --scale smoke --data rent.csv --target rent --drop id --protocol standard " +
		"--methods svgd --seeds "
	ends(t, 0, line+"1,2", "2 trials")
	ends(t, 2, line+"3", "want seeds from 1 to 2")
	ends(t, 2, "plan uci-bnn --data rent.csv --target area",
		"datasets/own.yaml describes a data set rent with the target rent")
}
