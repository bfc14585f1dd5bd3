package harness

import (
	"strings"
	"testing"
)

// TestMeanings: two experiments may share the name of a protocol where it means the same in both.
func TestMeanings(t *testing.T) {
	of := func(name, note string) *Experiment {
		text := "base: {seeds: [1], methods: {svgd: {}}, problems: {small: {particles: 6, iterations: 8}}}\n" +
			"protocols: {matched: {note: " + note + "}}\n"
		return &Experiment{Name: name, Settings: []byte(text)}
	}
	if err := Meanings([]*Experiment{of("a", "tuned"), of("b", "tuned")}); err != nil {
		t.Error(err)
	}
	err := Meanings([]*Experiment{of("a", "tuned"), of("b", "nothing is tuned")})
	want := `matched is "tuned" in the experiment a and "nothing is tuned" in b`
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("error %v", err)
	}
}
