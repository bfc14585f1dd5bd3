package cli

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/semi-implicit/sifg/pkg/harness"
)

func TestClaims(t *testing.T) {
	x, dir := toy(), t.TempDir()
	code, _, sentence := call(t, dir, x, "claims")
	want(t, "without a report", code, exitStopped, sentence, "no report in results")
	code, out, sentence := call(t, dir, x, "run", "toy")
	want(t, "run", code, 0, sentence)
	if !strings.Contains(out, "report: results/index.html") || !strings.Contains(out, "claims, toy, released: ") {
		t.Errorf("the run does not say where the report is and how the claims came out: %q", out)
	}
	code, out, sentence = call(t, dir, x, "claims", "--json")
	want(t, "claims --json", code, 0, sentence)
	var all []harness.Decided
	if err := json.Unmarshal([]byte(out), &all); err != nil || len(all) != 1 || len(all[0].Claims) == 0 || !all[0].Complete {
		t.Fatalf("claims --json: %v, %q", err, out)
	}
	code, out, sentence = call(t, dir, x, "claims")
	want(t, "claims", code, 0, sentence)
	for _, c := range all[0].Claims {
		if !strings.Contains(out, c.Statement) || !strings.Contains(out, c.Evidence) {
			t.Errorf("the claim %q is not printed with its evidence:\n%s", c.Statement, out)
		}
	}
}
