package plan

import (
	"fmt"
	"testing"

	"github.com/semi-implicit/sifg/pkg/harness/settings"
)

// BenchmarkCell lays out one cell of a grid: its settings, checked, and a trial a seed with its key.
func BenchmarkCell(b *testing.B) {
	l, err := NewLayout(request())
	if err != nil {
		b.Fatal(err)
	}
	for i := 0; b.Loop(); i++ {
		p := l.Settings.Problems[0]
		m, err := l.Settings.Method(p.Name, "sifg", settings.Override{Text: fmt.Sprintf("step=%g", 0.001*float64(i+1)), From: "grid"})
		if err != nil {
			b.Fatal(err)
		}
		if trials, err := l.Trials(p, m); err != nil || len(trials) != 2 {
			b.Fatal(err, len(trials))
		}
	}
}
