package megica

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"strings"
	"testing"
)

// from reads files by name.
func from(files map[string][]byte) func(name string) ([]byte, error) {
	return func(name string) ([]byte, error) {
		if files[name] == nil {
			return nil, fmt.Errorf("there is no %s", name)
		}
		return files[name], nil
	}
}

func identityIn(t *testing.T, summary []byte) identity {
	t.Helper()
	var ref reference
	if err := json.Unmarshal(summary, &ref); err != nil {
		t.Fatal(err)
	}
	return ref.Identity
}

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
		files, err := findCommitted(identityIn(t, b))
		if err != nil {
			t.Fatal(err)
		}
		ref, err := readReference(from(files))
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
