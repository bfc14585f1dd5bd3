package settings

import (
	"fmt"
	"testing"
)

// TestOn: a data set takes the settings of the problem that is named, in every layer and by every pattern; an option
// that is called problems stays.
func TestOn(t *testing.T) {
	const text = `
base:
  seeds: [1]
  methods: {svgd: {}, sgld: {}}
  problems:
    "*": {iterations: 5, options: {problems: [a, b]}}
    rent: {data: rent, particles: 7, include: [svgd]}
    other: {particles: 9, data: other}
protocols: {text: {problems: {rent: {options: {x: 1}}}}}
scales: {quick: {problems: {"r*": {iterations: 3}, other: {iterations: 4}}}}
`
	f := must(Read("toy", []byte(text)))
	f.On("rent", []string{"mine"}, nil)
	s := must(f.Resolve("text", "quick", nil))
	if len(s.Problems) != 1 || len(s.Problems[0].Methods) != 2 || s.Problems[0].Methods[0].Name != "svgd" {
		t.Fatalf("%+v", s.Problems)
	}
	c := config(t, s, "mine", "sgld")
	if got := fmt.Sprintln(c.Data, c.Particles, c.Iterations, c.Options); got != "mine 7 3 map[problems:[a b] x:1]\n" {
		t.Error(got)
	}
}

func TestSeeds(t *testing.T) {
	for text, want := range map[string]string{
		"7": "[7]", "1..3": "[1 2 3]", "1-3": "[1 2 3]", "5, 1..2": "[1 2 5]", "08-010": "[8 9 10]",
		"3,2,1": "[1 2 3]", "0": "[0]",
		"": "", "3..1": "", "a": "", "1..": "", "-1": "", "1..2..3": "", "1..99999999999": "", "1.5": "",
		"1,1": "", "1-3,2": "",
	} {
		got, err := Seeds(text)
		if (err == nil) != (want != "") || err == nil && fmt.Sprint(got) != want {
			t.Errorf("%q: %v, %v, want %s", text, got, err, want)
		}
	}
	if got, err := SeedsOf([]any{5, "3-4", 1}); err != nil || fmt.Sprint(got) != "[1 3 4 5]" {
		t.Errorf("%v, %v", got, err)
	}
	if _, err := SeedsOf([]any{5, "3-5"}); err == nil || err.Error() != "seed 5 is there twice" {
		t.Error(err)
	}
}
