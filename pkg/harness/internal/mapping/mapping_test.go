package mapping

import (
	"fmt"
	"testing"

	"go.yaml.in/yaml/v3"
)

// A key is not mistaken for a value of the same text, and an alias stands for what it names.
func TestMapping(t *testing.T) {
	var doc yaml.Node
	err := yaml.Unmarshal([]byte("shared: &shared {x: 1, y: 2}\nfirst: second\nsecond:\n  third: fourth\n  fourth:\n    z: 3\nalias: *shared\n"), &doc)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		path []string
		line int
		keys string
	}{
		{nil, 1, "[shared first second alias]"},
		{[]string{"second"}, 3, "[third fourth]"},
		{[]string{"second", "fourth"}, 5, "[z]"},
		{[]string{"second", "fourth", "z"}, 6, "[]"},
		{[]string{"second", "none", "z"}, 3, "[]"},
		{[]string{"alias"}, 7, "[x y]"},
		{[]string{"none"}, 1, "[]"},
	} {
		if line := Line(&doc, c.path); line != c.line {
			t.Errorf("%v is on line %d, want %d", c.path, line, c.line)
		}
		if keys := fmt.Sprint(Keys(&doc, c.path...)); keys != c.keys {
			t.Errorf("%v has the keys %s, want %s", c.path, keys, c.keys)
		}
	}
	if key, value := Entry(&doc, "first"); key == nil || key.Line != 2 || value.Value != "second" {
		t.Errorf("first: %+v, %+v", key, value)
	}
	if keys := Keys(&yaml.Node{}); keys != nil {
		t.Errorf("an empty document has the keys %v", keys)
	}
}
