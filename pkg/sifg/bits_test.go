package sifg

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"flag"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"

	"github.com/semi-implicit/sifg/pkg/sifg/cpu"
	"github.com/semi-implicit/sifg/pkg/sifg/hmc"
	"github.com/semi-implicit/sifg/pkg/sifg/rng"
	"github.com/semi-implicit/sifg/pkg/sifg/target"
)

var updateBits = flag.Bool("update-bits", false, "write the digests of TestBits instead of comparing them")

// bitsConfigs are settings beside the defaults of the table: what the experiments use, at small size.
var bitsConfigs = map[string]Config{
	"sifg-wide": {
		Sampler:      "sifg",
		Hidden:       75,
		Activation:   "leaky-relu",
		Inner:        3,
		Optimizer:    "adam",
		LR:           1e-3,
		Mover:        "rmsprop",
		Step:         1e-3,
		Sigma:        0.01,
		Redraw:       true,
		Independent:  true,
		LRDecayEvery: 4,
		LRDecay:      0.9,
	},
	"ada-sifg-kl-mean": {
		Sampler:     "ada-sifg",
		SigmaRule:   "kl-mean",
		Redraw:      true,
		Independent: true,
		Optimizer:   "adam",
	},
	"ada-sifg-kl-eps":  {Sampler: "ada-sifg", SigmaRule: "kl-eps", Optimizer: "sgd"},
	"ada-sifg-dsm-in":  {Sampler: "ada-sifg", SigmaRule: "dsm-in", SigmaRate: 1e-7, Warmup: 2},
	"ada-sifg-dsm-out": {Sampler: "ada-sifg", SigmaRule: "dsm-out", SigmaRate: 1e-7},
	"l2-gf-wide": {
		Sampler:    "l2-gf",
		Hidden:     75,
		Activation: "leaky-relu",
		Optimizer:  "adam",
		Mover:      "adam",
		Step:       1e-3,
	},
	"ada-gwg-ica":         {Sampler: "ada-gwg", PRule: "ica", PRate: 4e-3, Probe: "gaussian"},
	"ada-gwg-bnn":         {Sampler: "ada-gwg", PRule: "bnn", PRate: 1e-4, DivideByN: true},
	"svgd-bandwidth":      {Sampler: "svgd", Bandwidth: 0.7, Mover: "adagrad"},
	"sgld-small":          {Sampler: "sgld", Step: 1e-4},
	"kde-flow-wide":       {Sampler: "kde-flow", Sigma: 0.7},
	"sifg-tanh-120":       {Sampler: "sifg", Hidden: 120, Inner: 4, Optimizer: "sgd"},
	"l2-gf-released-toys": {Sampler: "l2-gf", Step: 0.1, DivideByN: true, Warmup: 3},
}

func bitsTargets(t *testing.T) map[string]Target {
	out := map[string]Target{"ica": bitsICA(t, 3, 333), "ica-7": bitsICA(t, 7, 77), "bnn": bitsBNN(t)}
	for _, e := range target.Table {
		out[e.Name] = e.New()
	}
	return out
}

func bitsICA(t *testing.T, p, n int) *target.ICA {
	x := NewBatch(p, n)
	rng.New(3, "bits").Normal(x.Data)
	d, err := target.NewICA(x, target.ICAOptions{PriorSD: 10, Exponent: 1 / float64(n)})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func bitsBNN(t *testing.T) *target.BNN {
	x, y := NewBatch(40, 6), make([]float32, 40)
	rng.New(4, "bits").Normal(x.Data)
	for i := range y {
		y[i] = 0.5*x.Data[6*i] - 0.2*x.Data[6*i+3]
	}
	o := target.DefaultBNN()
	o.Hidden, o.Batch = 19, 16
	d, err := target.NewBNN(x, y, o)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// TestBits compares the digest of what every sampler computes on every target, and of the chains of the reference
// sampler, with the digests in testdata. The vector paths of amd64 share one file. A change of these bits changes the
// results of every experiment that uses the sampler or the target: raise the numerics version of what changed.
func TestBits(t *testing.T) {
	var b bytes.Buffer
	configs := map[string]Config{}
	for name, cfg := range bitsConfigs {
		configs[name] = cfg
	}
	for _, s := range samplers {
		configs[s.Name] = Config{Sampler: s.Name}
	}
	for _, tn := range sorted(bitsTargets(t)) {
		for _, cn := range sorted(configs) {
			fmt.Fprintf(&b, "%s %s %s\n", tn, cn, bitsOfFlow(t, bitsTargets(t)[tn], configs[cn], 4, 7, 70))
		}
	}
	for _, s := range samplers { // products and distances that fill whole panels
		fmt.Fprintf(&b, "gmm-10d %s, 300 particles %s\n", s.Name,
			bitsOfFlow(t, target.GMM10D(), Config{Sampler: s.Name}, 2, 300))
	}
	for _, cn := range []string{"sifg-wide", "l2-gf-wide"} { // the network of Boston
		cfg := bitsConfigs[cn]
		cfg.Hidden, cfg.Inner = 300, 2
		fmt.Fprintf(&b, "gaussian-753 %s %s\n", cn, bitsOfFlow(t, gaussianScore(753), cfg, 1, 100))
	}
	for _, released := range []bool{false, true} {
		fmt.Fprintf(&b, "ica hmc released=%v %s\n", released, bitsOfChain(t, released))
	}
	compareBits(t, b.Bytes())
}

func compareBits(t *testing.T, got []byte) {
	class := "vector"
	if p := cpu.Path(); p != "avx512" && p != "avx2" {
		class = p
	}
	name := filepath.Join("testdata", "bits", class+"-"+runtime.GOARCH+".txt")
	gl := bytes.Split(bytes.TrimSpace(got), []byte("\n"))
	slices.SortFunc(gl, bytes.Compare) // the order of the table of samplers decides nothing
	if *updateBits {
		if err := os.WriteFile(name, append(bytes.Join(gl, []byte("\n")), '\n'), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(name)
	if err != nil {
		t.Skipf("no digests of this path and processor: %v", err)
	}
	wl := bytes.Split(bytes.TrimSpace(want), []byte("\n")) // in order too, or an update would change other lines
	if len(gl) != len(wl) {
		t.Fatalf("%d digests, %s has %d", len(gl), name, len(wl))
	}
	for i, w := range wl {
		if !bytes.Equal(gl[i], w) {
			t.Errorf("other bits: %s\nwant        %s", gl[i], w)
		}
	}
}

func bitsOfFlow(t *testing.T, g Target, cfg Config, iterations int, particles ...int) string {
	f, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	h := sha256.New()
	for _, n := range particles {
		c, err := Run(context.Background(), f, g, Options{Particles: n, Iterations: iterations, Seed: 11})
		if err != nil { // a short run may diverge; up to there it has bits
			fmt.Fprintln(h, err)
		}
		for _, x := range [][]float32{c.Z.Data, c.S.Data, c.V.Data, {c.Sigma}} {
			for _, v := range x {
				bits := math.Float32bits(v)
				if v != v {
					bits = 0x7FC00000 // which NaN is left to the processor
				}
				h.Write(binary.LittleEndian.AppendUint32(nil, bits))
			}
		}
	}
	return fmt.Sprintf("%x", h.Sum(nil)[:16])
}

func bitsOfChain(t *testing.T, released bool) string {
	h := sha256.New()
	for _, p := range []int{3, 5} {
		w := make([]float64, p*p)
		for a := range p {
			w[a*(p+1)] = 1
		}
		cfg := hmc.Config{Step: 0.05, Leapfrog: 7, Released: released}
		if !released {
			cfg.Warmup, cfg.Jitter = 20, 0.3
		}
		c, err := hmc.NewChain(bitsICA(t, p, 1500), cfg, w, 5, 1)
		if err != nil {
			t.Fatal(err)
		}
		for range 40 {
			info := c.Step()
			for _, v := range append([]float64{info.EnergyError, info.Energy, info.AcceptChance}, c.X()...) {
				h.Write(binary.LittleEndian.AppendUint64(nil, math.Float64bits(v)))
			}
		}
	}
	return fmt.Sprintf("%x", h.Sum(nil)[:16])
}

func sorted[T any](m map[string]T) []string { return slices.Sorted(maps.Keys(m)) }

// gaussianScore is a target of any dimension.
type gaussianScore int

func (d gaussianScore) Dim() int { return int(d) }
func (d gaussianScore) Score(dst, x Batch, _ int) {
	for i, v := range x.Data {
		dst.Data[i] = -v
	}
}
