// Command tamed is sifg with a sampler of its own, beside the others on their problems:
//
//	go mod tidy
//	go run . run gmm --problems gmm-2d --methods tamed,sgld --scale smoke
package main

import (
	"math"
	"os"

	"github.com/semi-implicit/sifg/experiments/gmm"
	"github.com/semi-implicit/sifg/pkg/harness/cli"
	"github.com/semi-implicit/sifg/pkg/sifg"
)

// tamed is the drift of tamed Langevin dynamics (Brosse, Durmus, Moulines and Sabanis, 2019): v = s / (1 + step·‖s‖),
// where s is the target's score. However steep the target, no drift moves a particle by more than 1.
type tamed struct{ step float64 }

// Init implements sifg.Field. It sizes buffers; this field has none.
func (tamed) Init(*sifg.Cloud) {}

// Velocity implements sifg.Field: it sets c.V, one row a particle.
func (f tamed) Velocity(c *sifg.Cloud, _ *sifg.Noise) sifg.Info {
	c.Perturb() // X = Z + σW; here σ = 0
	c.Score()   // S = ∇log π(X)
	d := c.Z.Cols
	for i := range c.Z.Rows {
		s, v := c.S.Data[i*d:(i+1)*d], c.V.Data[i*d:(i+1)*d]
		square := 0.0
		for _, x := range s {
			square += float64(x) * float64(x)
		}
		for j, x := range s {
			v[j] = x / float32(1+f.step*math.Sqrt(square))
		}
	}
	return sifg.Info{}
}

func init() {
	sifg.Register(sifg.Sampler{
		Name:     "tamed",
		Title:    "Tamed Langevin",
		Doc:      "Langevin dynamics whose drift is bounded, one chain a particle",
		Version:  1, // part of the key of its trials: raise it when the same settings give other numbers
		Defaults: sifg.Config{Step: 0.01},
		Uses:     []string{"step"},
		Build: func(c sifg.Config) (*sifg.Flow, error) {
			return &sifg.Flow{Field: tamed{c.Step}, Mover: &sifg.Langevin{Step: c.Step}}, nil
		},
	})
}

func main() { os.Exit(cli.Main(os.Args[1:], os.Stdout, os.Stderr, gmm.Experiment)) }
