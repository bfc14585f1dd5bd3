package megica

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/semi-implicit/sifg/pkg/harness/cli"
)

// TestCommitted: each protocol has a committed summary that is whole, whose digest stands in the configuration and whose
// settings are those of the configuration; the reference of the fair comparison passes its own diagnostics.
func TestCommitted(t *testing.T) {
	names, err := fs.Glob(committed, "reference/*.json")
	if err != nil || len(names) != 3 {
		t.Fatalf("%d summaries (%v), want one for each of paper, released, matched", len(names), err)
	}
	for _, name := range names {
		b, err := committed.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		sum := sha(b)
		if !bytes.Contains(config, []byte(sum)) {
			t.Errorf("%s: its SHA-256 is %s, which meg-ica.yaml does not name", name, sum)
		}
		ref, err := readReference(committed, name, sum)
		if err != nil {
			t.Error(err)
			continue
		}
		if ref.draws.N != ref.Identity.HMC.Draws || ref.draws.D != 25 || len(ref.Kept) != ref.Identity.HMC.Chains {
			t.Errorf("%s: %d draws of %d chains", name, ref.draws.N, len(ref.Kept))
		}
		if strings.HasSuffix(name, "matched.json") {
			if r, bulk, tail := ref.Facts["rhat"][0], ref.Facts["ess-bulk"][0], ref.Facts["ess-tail"][0]; r >= 1.01 || bulk <= 1000 || tail <= 1000 {
				t.Errorf("%s: R-hat %g, effective sample sizes %g and %g", name, r, bulk, tail)
			}
		}
	}
}

// TestRecordings: on the recordings themselves every protocol runs with the committed draws.
func TestRecordings(t *testing.T) {
	mirror := os.Getenv("SIFG_DATASETS_MIRROR")
	if mirror == "" {
		mirror = filepath.Join("..", "..", "datasets", "cache")
	}
	mirror, err := filepath.Abs(mirror)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(mirror, "meg-ica", "MEG_data_reduced.csv")); err != nil {
		t.Skip("the recordings are not here: sifg data fetch meg, or SIFG_DATASETS_MIRROR")
	}
	t.Setenv("SIFG_DATASETS_MIRROR", mirror)
	t.Chdir(t.TempDir())
	var out, errs bytes.Buffer
	args := []string{"run", "meg-ica", "--scale", "smoke", "--protocol", "all", "--jobs", "2"}
	if code := cli.Main(args, &out, &errs, Experiment); code != 0 {
		t.Fatalf("exit code %d: %s", code, errs.String())
	}
	for _, protocol := range []string{"paper", "released", "matched"} {
		if !strings.Contains(errs.String(), protocol+" is judged by the committed reference draws") {
			t.Errorf("%s was not judged by the committed draws: %s", protocol, errs.String())
		}
	}
}
