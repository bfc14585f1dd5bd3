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
		keys string
	}{
		{nil, "[shared first second alias]"},
		{[]string{"second"}, "[third fourth]"},
		{[]string{"second", "fourth"}, "[z]"},
		{[]string{"second", "fourth", "z"}, "[]"},
		{[]string{"second", "none", "z"}, "[]"},
		{[]string{"alias"}, "[x y]"},
		{[]string{"none"}, "[]"},
	} {
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

func TestParse(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"", ""}, {"# nothing\n", ""}, {"---\na: 1\n", ""}, {"a: 1\n...\n", ""}, {"a: &a {b: 1}\nc: {<<: *a}\n", ""},
		{"a: {\"1\": 2, y: 3}\n", ""},
		{"a: 1\n---\nb: 2\n", "f.yaml, line 2: a second document begins here, but only one is read: remove the line ---"},
		{"a:\n  2: 3\n", "f.yaml, line 2: the key 2 is not text: put it in quotation marks"},
		{"a: {true: 3}\n", "f.yaml, line 1: the key true is not text: put it in quotation marks"},
		{"a:\n- x: [1, .nan]\n", "f.yaml, line 2: x must be finite, not .nan"},
		{"a: -.inf\n", "f.yaml, line 1: a must be finite, not -.inf"},
		{"a: 9007199254740992\n", "f.yaml, line 1: a must be below 2^53, not 9007199254740992"},
		{"-9007199254740993", "f.yaml, line 1: the value must be below 2^53, not -9007199254740993"},
		{"a: [1\n", "f.yaml: line 1: did not find expected ',' or ']'"},
	} {
		_, err := Parse("f.yaml", []byte(c.text))
		if got := fmt.Sprint(err); c.want == "" && err != nil || c.want != "" && got != c.want {
			t.Errorf("%q: %v, want %q", c.text, err, c.want)
		}
	}
}
