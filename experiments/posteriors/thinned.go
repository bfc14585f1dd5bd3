package posteriors

import (
	"errors"

	"github.com/semi-implicit/sifg/pkg/sifg"
)

// chainsName is the method of a posterior of a person's own whose sample is draws of the long chains.
const chainsName = "nuts"

var longSampler = sifg.Sampler{
	Name:    chainsName,
	Title:   "NUTS",
	Version: 1,
	Doc:     "on a posterior of your own: the No-U-Turn sampler, four chains, which the other methods are judged by",
	Look:    sifg.Look{Color: 0x28c864, Dash: []float64{8, 1.5, 2, 1.5}, Mark: "open-triangle"},
	Build: func(sifg.Config) (*sifg.Flow, error) {
		return &sifg.Flow{Field: sifg.Still{}, Mover: thinned{}}, nil
	},
}

// thinned is the mover of that method: the particles are draws from the start.
type thinned struct{}

// Init implements sifg.Mover.
func (thinned) Init(c *sifg.Cloud) {
	b, ok := c.Target.(batched)
	if !ok {
		panic(errNoChains)
	}
	b.thinned(c.Z)
}

// Move implements sifg.Mover.
func (thinned) Move(*sifg.Cloud) {}

// thinned sets particles to draws of the long chains, evenly spread.
func (p *problem) thinned(dst sifg.Batch) {
	u := make([]float64, dst.Cols)
	for i := range dst.Rows {
		p.u(u, i*p.draws.N/dst.Rows)
		for j, v := range p.by.back(u) {
			dst.Data[i*dst.Cols+j] = float32(v)
		}
	}
}

var errNoChains = errors.New(chainsName + " is for a posterior of your own (--program): posteriordb's come with draws")
