package cli

import (
	"encoding/json"
	"strings"
	"testing"
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
	var all asserted
	if err := json.Unmarshal([]byte(out), &all); err != nil || len(all.Claims) != 1 || len(all.Claims[0].Under) != 1 || !all.Claims[0].Under[0].Complete ||
		len(all.Findings["toy"]) != 1 {
		t.Fatalf("claims --json: %v, %q", err, out)
	}
	code, out, sentence = call(t, dir, x, "claims")
	want(t, "claims", code, 0, sentence)
	for _, words := range []string{all.Claims[0].Statement, all.Claims[0].Under[0].Evidence, "toy: Protocols", "1 claims: 1 reproduced"} {
		if !strings.Contains(out, words) {
			t.Errorf("%q is not printed:\n%s", words, out)
		}
	}
}
