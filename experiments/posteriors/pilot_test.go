package posteriors

import (
	"bytes"
	"encoding/csv"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/semi-implicit/sifg/pkg/harness/cli"
)

// TestPilot: the flow that is set beside HMC is the one that the pilot run names, on one posterior for all.
func TestPilot(t *testing.T) {
	if testing.Short() {
		t.Skip("a grid of seven methods: five seconds")
	}
	out := t.TempDir()
	var text bytes.Buffer
	args := []string{
		"grid", "posteriors", "--protocol", "matched", "--problems", "garch-100", "--seeds", "101",
		"--methods", "sifg,ada-sifg,sifg-a,interpolated,l2-gf,ada-gwg,svgd",
		"--axis", "judge.every=[500]", "--select", "min ksd",
		"--results", out, "--quiet",
	}
	if code := cli.Main(args, &text, &text, Experiment); code != 0 {
		t.Fatal(text.String())
	}
	files, err := filepath.Glob(filepath.Join(out, "grid", "*", "matched", "tables", "best.csv"))
	if err != nil || len(files) != 1 {
		t.Fatal(files, err)
	}
	f, err := os.Open(files[0])
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	best, least := "", 0.0
	for _, row := range rows[1:] {
		ksd, err := strconv.ParseFloat(row[3], 64)
		if err != nil {
			t.Fatal(row, err)
		}
		if best == "" || ksd < least {
			best, least = row[1], ksd
		}
	}
	if len(rows) != 8 || best != piloted["garch"] {
		t.Errorf("the pilot names %q of %v, not %q", best, rows, piloted["garch"])
	}
}
