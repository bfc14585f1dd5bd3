package megica

import (
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats"

	"github.com/semi-implicit/sifg/pkg/harness/dataset"
	"github.com/semi-implicit/sifg/pkg/sifg"
	"github.com/semi-implicit/sifg/pkg/sifg/metric"
	"github.com/semi-implicit/sifg/pkg/sifg/rng"
)

// TestScale: raw data stay as they are, and whitened ones have mean 0 and the second moment I. They are float32, so a
// mean of n values of order 1 is off by 2⁻²⁴ at most, and a mean of products by twice that; centring moves raw values
// of order 10.
func TestScale(t *testing.T) {
	const n = 500
	data := mixed(n)
	floats.AddConst(3, data.X)
	for _, scaling := range scalings {
		w, err := channels(data, 3)
		if err != nil {
			t.Fatal(err)
		}
		x, _, err := scale(w, scaling)
		if err != nil {
			t.Fatal(err)
		}
		for k, v := range x.Data {
			if scaling == "raw" && v != float32(data.X[k]) {
				t.Fatalf("raw data were changed at %d: %g", k, v)
			}
		}
		for k := 0; k < 9 && scaling == "whitened"; k++ {
			var mean, moment float64
			for i := range n {
				mean += float64(x.Data[k/3*n+i]) / n
				moment += float64(x.Data[k/3*n+i]) * float64(x.Data[k%3*n+i]) / n
			}
			want := 0.0
			if k/3 == k%3 {
				want = 1
			}
			if math.Abs(mean) > 10*0x1p-24 || math.Abs(moment-want) > 1e-5 {
				t.Errorf("mean %g, moment %d is %g, want %g", mean, k, moment, want)
			}
		}
	}
	tall := &dataset.Data{Name: "tall", Rows: 9, Cols: 3, X: make([]float64, 27)}
	if _, err := channels(tall, 2); err == nil || !strings.Contains(err.Error(), "row must be a channel") {
		t.Errorf("data of more channels than samples: %v", err)
	}
}

// testProblem returns a problem of simulated data with its reference.
func testProblem(t *testing.T, change func(*Options)) *problem {
	t.Helper()
	d := synthetic(t, 300)
	change(&d.o)
	ref := referenceFor(t, d)
	p := &problem{o: d.o, p: 3, seed: 3, last: 10, pi: d, ref: ref, truth: ref.truth(d.o.Truth)}
	p.energy = metric.NewEnergy(ref.standard(ref.draws))
	return p
}

// TestJudge: reference draws are judged as draws of the reference, whatever their rows' order and signs; draws that
// were moved, widened or put in one point are not.
func TestJudge(t *testing.T) {
	p := testProblem(t, func(o *Options) {
		o.Metrics = slices.Sorted(maps.Keys(measures))
		// amari-truth is of simulated recordings alone.
		o.Metrics = slices.DeleteFunc(o.Metrics, func(m string) bool { return m == "amari-truth" })
	})
	const n = 100
	judge := func(change func(i int, w []float32)) map[string]float64 {
		x := sifg.NewBatch(n, 9)
		for i := range n {
			for j, v := range p.ref.draws.Row(3 * i) {
				x.Data[i*9+j] = float32(v)
			}
			change(i, x.Data[i*9:(i+1)*9])
		}
		out := map[string]float64{}
		p.measure(&sifg.Cloud{Iter: 10}, x, func(name string, index int, v float64) {
			if index == 0 {
				out[name] = v
			}
		})
		return out
	}
	exact := judge(func(int, []float32) {})
	turned := judge(func(i int, w []float32) {
		if i%2 == 0 {
			for c := range 3 {
				w[c], w[3+c], w[6+c] = -w[6+c], w[c], w[3+c]
			}
		}
	})
	if exact["modes"] != 1 || turned["modes"] != 2 {
		t.Errorf("draws are in %g modes, turned ones in %g", exact["modes"], turned["modes"])
	}
	for name, v := range exact {
		if name != "modes" && math.Abs(turned[name]-v) > 1e-4*math.Max(1, math.Abs(v)) {
			t.Errorf("%s is %g, and %g of the same matrices with their rows exchanged", name, v, turned[name])
		}
	}
	// The standard error of the energy distance of 100 of 300 draws is about that of the mean distance, √(9/100)·2.
	if math.Abs(exact["energy"]) > 1 {
		t.Errorf("energy distance of reference draws: %g", exact["energy"])
	}
	wide := judge(func(i int, w []float32) {
		for j := range w {
			w[j] += 3 * float32(p.ref.AlignedSD[j]) * float32(math.Sin(float64(9*i+j)))
		}
	})
	point := judge(func(_ int, w []float32) {
		for j := range w {
			w[j] = float32(p.ref.AlignedMean[j])
		}
	})
	for name, other := range map[string]map[string]float64{"wide": wide, "point": point} {
		if outside := map[string]float64{"wide": 1}[name]; min(other["outside"], 1) != outside {
			t.Errorf("%g particles of a %s sample are outside", other["outside"], name)
		}
		if other["energy"] < exact["energy"]+0.5 {
			t.Errorf("energy distance of a %s sample: %g, of draws %g", name, other["energy"], exact["energy"])
		}
	}
	if point["amari-median"] > exact["amari-median"] || wide["amari-median"] < exact["amari-median"] {
		t.Errorf("Amari distances: point %g, draws %g, wide %g",
			point["amari-median"], exact["amari-median"], wide["amari-median"])
	}
}

func TestPick(t *testing.T) {
	r := rng.New(2, "pick").Rand()
	if got := slices.Sorted(slices.Values(pick(r.IntN, 3, 6))); !slices.Equal(got, []int{0, 0, 1, 1, 2, 2}) {
		t.Errorf("six of three: %v", got)
	}
}
