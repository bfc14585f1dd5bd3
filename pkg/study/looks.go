package study

import (
	"github.com/semi-implicit/sifg/pkg/harness/figure"
	"github.com/semi-implicit/sifg/pkg/sifg"
)

// Looks of methods of several experiments that are no samplers of the program: a variant, and programs of other
// libraries.
func init() {
	figure.Looks["sgld-long"] = figure.Look{
		Title: "longer SGLD",
		Look:  sifg.Look{Color: 0x1f7f8f, Dash: []float64{1, 1}, Mark: "cross"},
	}
	figure.Looks["blackjax-nuts"] = figure.Look{
		Title: "NUTS (BlackJAX)",
		Look:  sifg.Look{Color: 0x28c864, Dash: []float64{8, 1.5, 2, 1.5}, Mark: "open-triangle"},
	}
	figure.Looks["blackjax-svgd"] = figure.Look{
		Title: "SVGD (BlackJAX)",
		Look:  sifg.Look{Color: 0x783c3c, Dash: []float64{2, 1}, Mark: "open-square"},
	}
}
