package simd

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// TestVectorBits: all vector paths, whatever the processor, give the same bits. What is computed here is pinned by its
// digest. Sums of inner products (few columns) and float64 are left out: the path of arm64 computes them in other ways.
func TestVectorBits(t *testing.T) {
	const n = 1003
	forPaths(t, func(t *testing.T) {
		if path == portable {
			return
		}
		got := map[string]string{}
		put := func(name string, xs ...[]float32) {
			h := sha256.New()
			for _, x := range xs {
				for _, v := range x {
					h.Write(binary.LittleEndian.AppendUint32(nil, math.Float32bits(v)))
				}
			}
			got[name] = fmt.Sprintf("%x", h.Sum(nil)[:8])
		}
		r := rand.New(rand.NewPCG(21, 22))
		x, y := make([]float32, n), make([]float32, n)
		for i := range x {
			x[i] = float32(120 * (2*r.Float64() - 1) * r.Float64() * r.Float64())
		}
		tanh(y, x)
		put("tanh", y)
		ExpScaled(y, x, 0, 1)
		put("exp", y)
		z := make([]float32, n)
		AbsPow(y, z, x, 1.3)
		put("power", y, z)
		Normals(y, 5, 6, 7)
		put("normals", y)
		for _, u := range updates {
			var xs [][]float32
			for i := range u.slices {
				v := make([]float32, 77)
				uniform(r, v)
				if i == u.positive {
					for j := range v {
						v[j] = float32(math.Abs(float64(v[j])))
					}
				}
				xs = append(xs, v)
			}
			u.run(xs)
			put(u.name, xs...)
		}
		for _, g := range orientations {
			var w Workspace
			a, b, c := make([]float32, 61*70), make([]float32, 70*45), make([]float32, 61*45)
			uniform(r, a)
			uniform(r, b)
			_, ac, _, bc := g.shape(61, 45, 70)
			g.run(&w, 61, 45, 70, a, ac, b, bc, c, 45, false)
			g.run(&w, 61, 45, 70, a, ac, b, bc, c, 45, true)
			BiasTanh(c, 45, 61, 45, b)
			put(g.name, c)
		}
		for name, digest := range got {
			if digest != vectorBits[name] {
				t.Errorf("%q: %q, want %q", name, digest, vectorBits[name])
			}
		}
	})
}

var vectorBits = map[string]string{
	"AdaGrad":            "349459caf144c6df",
	"Adam":               "aaf708e0e1f140d0",
	"AddScaled in place": "1093596213f1cf92",
	"AddScaled":          "3285df8e4394a367",
	"LeakyReLU":          "ac940a8cfd25706c",
	"LeakyReLUGrad":      "e731bcdbdfda67c8",
	"NN":                 "0ee49dc865c1fa92",
	"NT":                 "c6cafbd176717994",
	"Residual":           "b0d5afb71153c430",
	"Descend":            "6e1e692fb3a8732d",
	"Nesterov":           "207f9f34da0639b3",
	"Stein":              "4b739f3f3b11428b",
	"SteinTangent":       "0860ba8bfd3a05f3",
	"TN":                 "371217677cb46fea",
	"TanhGrad in place":  "da016014becee602",
	"TanhGrad":           "deff3cc846e58655",
	"TanhTangentGrad":    "e57bab9334685ba9",
	"exp":                "d4afdb5a555a054e",
	"normals":            "de27cb466388e272",
	"power":              "e51ea080a3f0b723",
	"tanh":               "9cab2aaa3ca3a184",
}
