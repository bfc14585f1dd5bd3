package megica

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/semi-implicit/sifg/pkg/study"
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

// TestCommitted: each protocol has a committed summary that is whole and whose digest stands in the configuration; the
// reference of the fair comparison passes its own diagnostics.
func TestCommitted(t *testing.T) {
	config := study.Read(files, "meg-ica.yaml")
	for _, name := range summaries {
		b, err1 := committed.ReadFile("reference/" + name + ".json")
		draws, err2 := committed.ReadFile("reference/" + name + ".npy")
		if err := errors.Join(err1, err2); err != nil || !bytes.Contains(config, []byte(sha(b))) {
			t.Errorf("%s: its SHA-256 is %s, which meg-ica.yaml does not name (%v)", name, sha(b), err)
		}
		ref, err := readReference(from(map[string][]byte{summaryFile: b, drawsFile: draws}))
		if err != nil {
			t.Fatal(err)
		}
		if ref.Draws != sha(draws) || ref.draws.N != ref.Identity.HMC.Draws ||
			ref.draws.D != ref.Identity.Channels*ref.Identity.Channels || len(ref.Kept) != ref.Identity.HMC.Chains {
			t.Errorf("%s: %d draws of %d chains", name, ref.draws.N, len(ref.Kept))
		}
		r, bulk, tail := ref.Facts["rhat"][0], ref.Facts["ess-bulk"][0], ref.Facts["ess-tail"][0]
		if strings.HasSuffix(name, "tuned") && (r >= 1.01 || bulk <= 1000 || tail <= 1000) {
			t.Errorf("%s: R-hat %g, effective sample sizes %g and %g", name, r, bulk, tail)
		}
	}
}
