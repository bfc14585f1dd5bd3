package density

import (
	"bytes"
	"context"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/harness/settings"
	"github.com/semi-implicit/sifg/pkg/sifg"
	"github.com/semi-implicit/sifg/pkg/sifg/metric"
	"github.com/semi-implicit/sifg/pkg/sifg/rng"
	"github.com/semi-implicit/sifg/pkg/sifg/target"
)

func trial(particles, iterations int, options map[string]any) *harness.Trial {
	c := &settings.Config{Particles: particles, Iterations: iterations, Options: options}
	return &harness.Trial{Seed: 3, Config: c}
}

func TestRefusals(t *testing.T) {
	for want, options := range map[string]map[string]any{
		"nearest":             {"target": "gmm-3d"},
		"unknown":             {"target": "gmm-2d", "metrics": []any{"knnkl"}},
		"options.init_mean":   {"target": "gmm-2d", "init_mean": []any{1, 2, 3}},
		"options.init_sd":     {"target": "gmm-2d", "init_sd": -1},
		"reference_law: rel":  {"target": "gmm-2d", "reference_law": "released"},
		"options.reference:":  {"target": "gmm-2d", "metrics": []any{"knn-kl"}},
		"options.smooth":      {"target": "gmm-2d", "detail": []any{"smoothed-kl"}},
		"draw_means":          {"target": "funnel", "draw_means": true},
		"with modes":          {"target": "funnel", "at_end": []any{"blur-kl"}},
		"none may be negativ": {"target": "gmm-2d", "draws": -3},
		"tarket":              {"tarket": "gmm-2d"},
	} {
		_, err := Problem(trial(50, 10, options))
		if err == nil || !strings.Contains(err.Error(), strings.TrimSuffix(want, "nearest")) {
			t.Errorf("%v: error %v, want one with %q", options, err, want)
		}
	}
}

// measured runs Measure on a sample and returns what it puts, by metric and index.
func measured(t *testing.T, p *harness.Problem, c *sifg.Cloud, sample sifg.Batch) map[string]map[int]float64 {
	t.Helper()
	out := map[string]map[int]float64{}
	p.Measure(c, sample, func(name string, index int, v float64) {
		if out[name] == nil {
			out[name] = map[int]float64{}
		}
		if _, twice := out[name][index]; twice {
			t.Errorf("%s[%d] is put twice", name, index)
		}
		out[name][index] = v
	})
	return out
}

// TestExactDrawsScoreLikeTheFloor judges exact draws: every metric must be near its floor, which is the same metric of
// other exact draws. A metric's spread over draws is taken from the estimators' known sizes at n = 500: k-NN KL 0.06,
// energy distance 0.01, occupancies √(0.2·0.8/500) = 0.018, KL of smoothed clouds 0.03; five of each.
func TestExactDrawsScoreLikeTheFloor(t *testing.T) {
	const n = 500
	tr := trial(n, 7, map[string]any{
		"target":    "gmm-2d",
		"metrics":   []any{"knn-kl", "coverage", "mode-weights"},
		"detail":    []any{"exact-kl", "smoothed-kl", "energy"},
		"reference": 1000,
		"smooth":    0.1,
		"draws":     2000,
	})
	p, err := Problem(tr)
	if err != nil {
		t.Fatal(err)
	}
	draws := sifg.NewBatch(n, 2)
	target.GMM2D().Sample(draws, rng.New(77, "test"))
	got := measured(t, p, &sifg.Cloud{Z: draws, X: draws, Sigma: 0.1, Target: p.Target, Seed: 3}, draws)
	for name, tolerance := range map[string]float64{
		"knn-kl": 0.3, "energy": 0.05, "occupancy": 0.09, "coverage": 0.09, "exact-kl": 0.15, "smoothed-kl": 0.15,
		"mode-weights": 0.1,
	} {
		if len(got[name]) == 0 {
			t.Errorf("%s is not measured", name)
		}
		for i, v := range got[name] {
			if floor, ok := got["floor-"+name][i]; !ok || !(math.Abs(v-floor) < tolerance) {
				t.Errorf("%s[%d] of exact draws is %v, of others %v", name, i, v, floor)
			}
		}
	}
	shifted := sifg.NewBatch(n, 2)
	for i, v := range draws.Data {
		shifted.Data[i] = v + 1
	}
	far := measured(t, p, &sifg.Cloud{Z: shifted, X: shifted, Sigma: 0.1, Target: p.Target, Seed: 3}, shifted)
	for _, name := range []string{"knn-kl", "energy", "exact-kl", "smoothed-kl"} {
		if !(far[name][0] > got["floor-"+name][0]+0.3) {
			t.Errorf("%s of shifted draws is %v, hardly above %v", name, far[name][0], got["floor-"+name][0])
		}
	}
}

// TestDrawnMeans: the seed draws the means, exact draws are in all modes, and a cloud at one point is not.
func TestDrawnMeans(t *testing.T) {
	const n = 500
	var first []float64
	for seed := range 2 {
		tr := trial(n, 7, map[string]any{"target": "gmm-2d-text", "draw_means": true, "metrics": []any{"all-modes"}})
		tr.Seed = uint64(seed)
		p, err := Problem(tr)
		if err != nil {
			t.Fatal(err)
		}
		m := p.Target.(*target.Mixture)
		_, means, _ := m.Components()
		if first == nil {
			first = means[0]
		} else if first[0] == means[0][0] {
			t.Errorf("two seeds have the mean %v", first)
		}
		draws := sifg.NewBatch(n, 2)
		m.Sample(draws, rng.New(77, "test"))
		for want, x := range map[float64]sifg.Batch{1: draws, 0: sifg.NewBatch(n, 2)} {
			if got := measured(t, p, &sifg.Cloud{Z: x, X: x, Target: p.Target}, x)["all-modes"]; got[0] != want {
				t.Errorf("seed %d: all modes %v, want %v", seed, got[0], want)
			}
		}
	}
}

// TestBlur: for one isotropic component KL(N(m, s²+σ²) ‖ N(m, s²)) = d/2·(r − 1 − ln r) with r = 1 + σ²/s²; the well
// separated components of the 10-D mixture make KL the weighted sum of theirs, 0.342 at σ = 0.1 and 6.77 at 0.278.
// The Monte Carlo error is the one that is put beside it; five of them, and 0.01 for the overlap of components.
func TestBlur(t *testing.T) {
	p, err := Problem(trial(10, 0, map[string]any{"target": "gmm-10d", "at_end": []any{"blur-kl"}}))
	if err != nil {
		t.Fatal(err)
	}
	for _, sigma := range []float64{0.1, 0.278} {
		want := 0.0
		for k := 1; k <= 5; k++ {
			r := 1 + math.Pow(sigma/(0.1*float64(k)), 2)
			want += 0.2 * 5 * (r - 1 - math.Log(r))
		}
		c := &sifg.Cloud{Z: sifg.NewBatch(10, 10), Sigma: float32(sigma), Target: p.Target, Seed: 3}
		got := measured(t, p, c, c.Z)
		if v, se := got["blur-kl"][0], got["blur-kl-se"][0]; !(math.Abs(v-want) < 5*se+0.01) || !(se < 0.1) {
			t.Errorf("σ = %v: blur costs %v ± %v, want %v", sigma, v, se, want)
		}
	}
}

func TestStartAndDisplacement(t *testing.T) {
	p, err := Problem(trial(2000, 9, map[string]any{
		"target": "gmm-2d", "init_mean": []any{3, -1}, "init_sd": 0.5, "displacement_from": 4,
	}))
	if err != nil {
		t.Fatal(err)
	}
	z := sifg.NewBatch(2000, 2)
	p.Init(z, rng.New(1, "init"))
	for j, want := range []float64{3, -1} {
		mean := 0.0
		for i := range z.Rows {
			mean += float64(z.Data[2*i+j]) / 2000
		}
		if math.Abs(mean-want) > 5*0.5/math.Sqrt(2000) { // five standard errors
			t.Errorf("the start's mean is %v in coordinate %d, want %v", mean, j, want)
		}
	}
	c := &sifg.Cloud{Z: z, X: z, Target: p.Target, Seed: 3, Iter: 4}
	measured(t, p, c, z)
	moved := sifg.NewBatch(2000, 2)
	for i := range moved.Data {
		moved.Data[i] = z.Data[i] + float32(3+i%2) // by (3, 4): 5
	}
	got := measured(t, p, &sifg.Cloud{Z: moved, X: moved, Target: p.Target, Seed: 3, Iter: 9}, moved)
	if d := got["displacement-z"]; math.Abs(d[0]-5) > 1e-5 || math.Abs(d[1]-5) > 1e-5 {
		t.Errorf("displacement %v, want 5 (mean) and 5 (median)", d)
	}
}

// TestMetricsAreListed: every name that options may hold is described, and moments by what it puts.
func TestMetricsAreListed(t *testing.T) {
	listed := map[string]bool{"moments": true}
	for _, m := range Metrics(5) {
		listed[m.Name] = true
	}
	for _, name := range names() {
		if !listed[name] {
			t.Errorf("metric %s is not described", name)
		}
	}
}

// TestEqualPoints: where four points stand in one place k-NN KL is +∞, which is read as not measured.
func TestEqualPoints(t *testing.T) {
	x, y := metric.NewPoints(9, 2), metric.NewPoints(9, 2)
	for i := range x.Data {
		x.Data[i], y.Data[i] = float64(i/8), float64(i)+0.5
	}
	for _, name := range []string{"knn-kl", "knn-kl-exact", "knn-kl-small"} {
		s := &record.Set{Trials: []record.Trial{{Key: "a", Status: "ok"}}, Traces: map[string][]record.Trace{}}
		err := putKNN(name, x, y, func(name string, k int, v float64) {
			s.Traces["a"] = append(s.Traces["a"], record.Trace{Key: "a", Metric: name, Index: k, Value: v})
		})
		got := record.View{Set: s}.Last("", name, 0)
		if err != nil || len(s.Traces["a"]) != 1 || got.Why() != "not measured: equal points" || got.Lost() != 0 {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
}

// TestReferenceChains: the chains of a Gaussian have its moments, what is judged of them is near the floor, a stopped
// call goes on to the same draws, and the settings alone decide the reference.
func TestReferenceChains(t *testing.T) {
	if testing.Short() {
		t.Skip("a second of chains")
	}
	options := map[string]any{
		"target": "gaussian", "metrics": []any{"energy"}, "reference": 500,
		"hmc": map[string]any{"chains": 2, "iterations": 2500, "leapfrog": 10, "draws": 400, "seed": 5},
	}
	tr := trial(300, 0, options)
	ref, err := Reference(tr)
	if err != nil {
		t.Fatal(err)
	}
	files, err := ref.Make(context.Background(), t.TempDir(), func(int, int) {})
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	ctx, stop := context.WithCancel(context.Background())
	if _, err := ref.Make(ctx, dir, func(done, _ int) { stop() }); err == nil {
		t.Fatal("a stopped call made a reference")
	}
	if err := os.Remove(filepath.Join(dir, "chain-1.json")); err != nil { // this chain begins again
		t.Fatal(err)
	}
	again, err := ref.Make(context.Background(), dir, func(int, int) {})
	if err != nil || !bytes.Equal(again["draws.npy"], files["draws.npy"]) {
		t.Errorf("after a stop the draws are others (error %v)", err)
	}
	tr.Reference = func(name string) ([]byte, error) { return files[name], nil }
	p, err := Problem(tr)
	if err != nil {
		t.Fatal(err)
	}
	z := sifg.NewBatch(300, p.Target.Dim())
	got := measured(t, p, &sifg.Cloud{Z: z, X: z, Target: p.Target, Seed: 3}, z)
	// The energy distance of 300 draws to 500 is within 0.1 of 0, five times its spread for independent draws in 10-D.
	if e := got["hmc-energy"]; len(e) == 0 || math.Abs(e[0]) > 0.1 {
		t.Errorf("energy distance of the chains' draws: %v", e)
	}
	if r := got["hmc-rhat"]; len(r) == 0 || !(r[0] > 0.9 && r[0] < 1.05) {
		t.Errorf("R-hat %v", r)
	}
	if tr = trial(300, 0, map[string]any{"target": "gaussian"}); tr != nil {
		if ref, err := Reference(tr); ref != nil || err != nil {
			t.Errorf("a reference without options.hmc: %v, %v", ref, err)
		}
	}
}
