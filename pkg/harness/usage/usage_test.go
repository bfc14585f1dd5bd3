package usage

import "testing"

func TestUnknown(t *testing.T) {
	valid := []string{"separator", "header", "files"}
	for name, want := range map[string]string{
		"seperator": `unknown key "seperator" in a.yaml: did you mean "separator"?`,
		"heeder":    `unknown key "heeder" in a.yaml: did you mean "header"?`,
		"zzzzz":     `unknown key "zzzzz" in a.yaml: valid are separator, header, files`,
	} {
		if got := Unknown("key", name, "a.yaml", valid).Error(); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}

// TestEdits compares with distances counted by hand.
func TestEdits(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"abc", "", 3}, {"kitten", "sitting", 3}, {"flaw", "lawn", 2}, {"step", "steps", 1}} {
		if got := edits(c.a, c.b); got != c.want {
			t.Errorf("edits(%q, %q) = %d, want %d", c.a, c.b, got, c.want)
		}
	}
}
