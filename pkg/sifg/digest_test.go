package sifg

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/semi-implicit/sifg/pkg/sifg/internal/simd"
	"github.com/semi-implicit/sifg/pkg/sifg/target"
)

var update = flag.Bool("update", false, "write testdata/digests.txt")

// digestConfigs is every sampler with its defaults and with every mover, and every setting that is another way to compute.
func digestConfigs() []Config {
	var all []Config
	for _, s := range Samplers {
		all = append(all, Config{Sampler: s.Name})
		for _, mover := range Movers {
			c := Config{Sampler: s.Name, Mover: mover, Step: 0.03}
			if _, err := New(c); err == nil && slices.Contains(s.Uses, "mover") {
				all = append(all, c)
			}
		}
	}
	for _, rule := range SigmaRules {
		all = append(all,
			Config{Sampler: "ada-sifg", SigmaRule: string(rule), SigmaRate: 1e-5, Warmup: 3, Redraw: true},
			Config{Sampler: "ada-sifg", SigmaRule: string(rule), SigmaRate: 1e-5, Independent: true, SigmaMax: 0.1})
	}
	for _, rule := range PRules {
		all = append(all, Config{Sampler: "ada-gwg", PRule: string(rule), PRate: 1e-2, PStart: 1, Probe: "gaussian"})
	}
	for _, optimizer := range []string{"sgd", "momentum", "adam", "rmsprop"} {
		all = append(all, Config{Sampler: "sifg", Optimizer: optimizer, Activation: "leaky-relu", Hidden: 20, LRDecayEvery: 4, LRDecay: 0.9})
	}
	return append(all, Config{Sampler: "l2-gf", Warmup: 2, DivideByN: true, Activation: "leaky-relu"}, Config{Sampler: "ada-gwg", P: 3},
		Config{Sampler: "svgd", Bandwidth: 0.7}, Config{Sampler: "kde-flow", Sigma: 0.3},
		Config{Sampler: "sifg-a", Symmetric: true, Redraw: true, Warmup: 2}, Config{Sampler: "ada-sifg-a", Symmetric: true},
		Config{Sampler: "interpolated", Theta: 0.3}, Config{Sampler: "ascent", Sigma: 0.1})
}

// digest is of the particles, the perturbed particles and σ after seven iterations, in 2 and in 20 dimensions.
func digest(t *testing.T, cfg Config) string {
	h := sha256.New()
	for _, tgt := range []Target{confTarget(), wide(t)} {
		f, err := New(cfg)
		if err != nil {
			t.Fatal(err)
		}
		c, err := Run(context.Background(), f, tgt, Options{Particles: 33, Iterations: 7, Seed: 5})
		if err != nil {
			t.Fatal(err)
		}
		for _, x := range [][]float32{c.Z.Data, c.X.Data, {c.Sigma}} {
			if err := binary.Write(h, binary.LittleEndian, x); err != nil {
				t.Fatal(err)
			}
		}
	}
	return fmt.Sprintf("%.8x", h.Sum(nil))
}

func wide(t *testing.T) Target {
	g, err := target.NewGaussian(make([]float64, 20), identity(20))
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// TestDigests: settings resolve to the bytes that are written down, and give the bits, under the sampler's version. The portable kernels
// round differently.
func TestDigests(t *testing.T) {
	if simd.Path() == "portable" {
		t.Skip("digests are those of the vector kernels")
	}
	const file = "testdata/digests.txt"
	var lines strings.Builder
	for _, cfg := range digestConfigs() {
		c, err := cfg.Resolve()
		if err != nil {
			t.Fatal(err)
		}
		b, err := json.Marshal(c)
		if err != nil {
			t.Fatal(err)
		}
		s, err := ByName(cfg.Sampler)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&lines, "%d.%d %s %s\n", Numerics, s.Version, digest(t, cfg), b)
	}
	if *update {
		if err := os.WriteFile(file, []byte(lines.String()), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	want, other := string(b), ""
	for line := range strings.Lines(lines.String()) {
		if !strings.Contains(want, line) {
			other += line
		}
	}
	if other != "" {
		t.Errorf("other settings or bits than %s has:\n%sIf a sampler is new, or its Version is raised because it is meant to give other"+
			" numbers (Numerics, where all do), run go test -run TestDigests -update", file, other)
	}
}
