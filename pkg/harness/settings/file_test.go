package settings

import (
	"fmt"
	"strings"
	"testing"
)

// TestFrom: a protocol is laid over the one that it is from, and that over no protocol that comes from it.
func TestFrom(t *testing.T) {
	const long = "protocols:\n  long: {from: paper, title: longer, problems: {small: {iterations: 80}}}\n"
	f, err := Read("toy", []byte(strings.Replace(toy, "protocols:\n", long, 1)))
	if err != nil {
		t.Fatal(err)
	}
	s, err := f.Resolve("long", "full", nil)
	if err != nil {
		t.Fatal(err)
	}
	c := config(t, s, "small", "svgd")
	if c.Iterations != 80 || c.Sampler.Step != 0.2 || f.Protocol("long").Title != "longer" {
		t.Errorf("%+v, %+v", c, f.Protocol("long"))
	}
	for from, want := range map[string]string{"long": "laid over itself", "papper": `did you mean "paper"?`} {
		text := strings.Replace(long, "from: paper", "from: "+from, 1)
		if _, err := Read("toy", []byte(strings.Replace(toy, "protocols:\n", text, 1))); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("from %s: %v", from, err)
		}
	}
}

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
	f, err := Read("toy", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	f.On("rent", []string{"mine"}, nil)
	s, err := f.Resolve("text", "quick", nil)
	if err != nil {
		t.Fatal(err)
	}
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

// TestPrograms: a program that the file knows runs where the command is given it, and not where an include names only
// others.
func TestPrograms(t *testing.T) {
	f, err := Read("toy", []byte(`
base:
  seeds: [1]
  programs: [psgld, baoab]
  methods: {sifg: {step: 0.1}, svgd: {step: 0.1}}
  problems: {a: {particles: 10, iterations: 5}, b: {particles: 10, iterations: 5}, c: {particles: 10, iterations: 5}}
protocols:
  text: {problems: {a: {include: [svgd]}, b: {include: [svgd, psgld]}, c: {include: []}}}
scales: {full: {}}
`))
	if err != nil {
		t.Fatal(err)
	}
	all := func(string, string) bool { return true }
	for _, want := range []string{"svgd | svgd |", "svgd psgld baoab | svgd psgld |"} {
		s, err := f.Resolve("text", "full", nil)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for i, p := range s.Problems {
			if i > 0 {
				got = append(got, "|")
			}
			for _, m := range p.Methods {
				got = append(got, m.Name)
			}
		}
		if strings.Join(got, " ") != want {
			t.Errorf("got %q, want %q", got, want)
		}
		f = f.For(all, []string{"psgld", "baoab"}, nil)
	}
}
