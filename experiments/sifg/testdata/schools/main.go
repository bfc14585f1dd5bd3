// Command schools samples the hierarchical model of eight schools (Rubin, 1981), y_j ~ N(θ_j, sd_j²), θ_j = μ + τ z_j,
// z_j ~ N(0, 1), μ ~ N(0, 5²), τ half-Cauchy(5), with checkpoints in a folder, to which it writes draws.npy and
// draws.json.
package main

import (
	"context"
	"fmt"
	"log"
	"math"
	"os"
	"path/filepath"

	"github.com/semi-implicit/sifg/pkg/sifg/hmc"
	"github.com/semi-implicit/sifg/pkg/sifg/target"
)

var (
	y  = []float64{28, 8, -3, 7, -1, 1, 18, 12}
	sd = []float64{15, 10, 16, 11, 9, 11, 10, 18}
)

func density(dst, x []float64) float64 {
	mu, tau, z := x[0], x[1], x[2:]
	dst[0], dst[1] = -mu/25, -2*tau/(25+tau*tau)
	value := -mu*mu/50 - math.Log1p(tau*tau/25)
	for j := range y {
		r := (y[j] - mu - tau*z[j]) / sd[j]
		value -= (z[j]*z[j] + r*r) / 2
		dst[0] += r / sd[j]
		dst[1] += r * z[j] / sd[j]
		dst[2+j] = r*tau/sd[j] - z[j]
	}
	return value
}

func main() {
	post := target.NewConstrained(density, target.Real("mu", 1), target.Positive("tau", 1), target.Real("z", 8))
	names := append([]string{}, post.Names()...)
	for j := range y {
		names[2+j] = fmt.Sprintf("theta[%d]", j+1)
	}
	theta := func(dst, u []float64) {
		post.Constrain(dst, u)
		for j := range y {
			dst[2+j] = dst[0] + dst[1]*dst[2+j]
		}
	}
	folder := os.Args[1]
	r, err := hmc.Sample(context.Background(), post, hmc.Options{Draws: 10000, Seed: 1, Names: names, Values: theta,
		Folder: folder, Progress: func(done, total int) { fmt.Fprintln(os.Stderr, done, "of", total) }})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Print(r)
	for name, write := range map[string]func(f *os.File) error{
		"draws.npy":  func(f *os.File) error { return r.WriteNPY(f) },
		"draws.json": func(f *os.File) error { return r.WriteJSON(f) },
	} {
		f, err := os.Create(filepath.Join(folder, name))
		if err == nil {
			err = write(f)
		}
		if err != nil {
			log.Fatal(err)
		}
		f.Close()
	}
}
