package plan

import (
	"fmt"
	"testing"
	"time"

	"github.com/semi-implicit/sifg/pkg/harness/settings"
)

// TestFast: a grid of 1,000 cells is laid out in a few seconds on a busy machine.
func TestFast(t *testing.T) {
	l, err := NewLayout(request())
	if err != nil {
		t.Fatal(err)
	}
	begin := time.Now()
	keys := map[string]bool{}
	for i := range 1000 {
		p := l.Settings.Problems[0]
		m, err := l.Settings.Method(p.Name, "sifg", settings.Override{Text: fmt.Sprintf("step=%g", 0.001*float64(i+1)), From: "grid"})
		if err != nil {
			t.Fatal(err)
		}
		trials, err := l.Trials(p, m)
		if err != nil {
			t.Fatal(err)
		}
		for _, x := range trials {
			keys[x.Key] = true
		}
	}
	if took := time.Since(begin); took > 5*time.Second || len(keys) != 2000 {
		t.Errorf("%d trials in %v", len(keys), took)
	} else {
		t.Log(took)
	}
}
