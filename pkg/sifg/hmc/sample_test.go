package hmc

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/semi-implicit/sifg/pkg/sifg/metric"
	"github.com/semi-implicit/sifg/pkg/sifg/npy"
)

// wide is N(0, sd² I) in two dimensions.
func wide(sd float64) gaussian {
	return gaussian{[]float64{0, 0}, []float64{1 / (sd * sd), 0, 0, 1 / (sd * sd)}}
}

func corner(int) []float64 { return []float64{1, 1} }

// A stopped run goes on from its folder with the same bits, also where that has more rows than the state knows, as
// after a crash, and where draws are asked for in parts. Fewer draws than are there are the first ones.
func TestSampleResumes(t *testing.T) {
	o := Options{Config: Config{Warmup: 2500}, Chains: 2, Discard: 10, Draws: 900, Seed: 1, Start: corner}
	d := wide(1)
	run := func(folder string, draws, stopAt int) (*Result, error) {
		ctx, stop := context.WithCancel(context.Background())
		defer stop()
		o := o
		o.Folder, o.Draws = folder, draws
		o.Progress = func(done, _ int) {
			if done == stopAt {
				stop()
			}
		}
		return Sample(ctx, d, o)
	}
	want := must(run("", 900, 0))
	if want.Draws[0].N != 900 || slices.Equal(want.Draws[0].Data, want.Draws[1].Data) || len(want.Infos[1]) != 900 {
		t.Fatalf("%d draws, or two chains with the same", want.Draws[0].N)
	}
	same := func(name string, got *Result, err error, n int) {
		t.Helper()
		for k := range want.Draws {
			if err != nil || got.Draws[k].N != n || !slices.Equal(got.Draws[k].Data, want.Draws[k].Data[:2*n]) ||
				!reflect.DeepEqual(got.Infos[k], want.Infos[k][:n]) {
				t.Errorf("%s: chain %d is another, error %v", name, k, err)
				return
			}
		}
	}
	for _, stopAt := range []int{1000, 2000, 3000} {
		folder := filepath.Join(t.TempDir(), "made")
		if _, err := run(folder, 900, stopAt); !errors.Is(err, context.Canceled) {
			t.Fatalf("stopped with error %v", err)
		}
		f := must(os.OpenFile(rowsOf(folder, 0), os.O_APPEND|os.O_WRONLY, 0))
		must(f.WriteString("half a row"))
		f.Close()
		got, err := run(folder, 900, 0)
		same(fmt.Sprint("stopped at ", stopAt), got, err, 900)
		if got.Gradients != want.Gradients || !reflect.DeepEqual(got.Tallies, want.Tallies) {
			t.Errorf("stopped at %d: %d gradients, not %d", stopAt, got.Gradients, want.Gradients)
		}
	}
	folder := t.TempDir()
	for _, n := range []int{300, 900, 100} {
		got, err := run(folder, n, 0)
		same(fmt.Sprint(n, " draws"), got, err, n)
		alone := must(run("", n, 0))
		if alone.Gradients != got.Gradients || !reflect.DeepEqual(alone.Summary, got.Summary) {
			t.Errorf("%d draws: another summary than without a folder", n)
		}
	}
}

// A folder of other chains is refused, whatever is other, and so is one that lost something.
func TestSampleRefusesFolder(t *testing.T) {
	good := Options{Config: Config{Warmup: 50}, Chains: 2, Draws: 60, Seed: 1, Start: corner}
	for want, change := range map[string]func(o *Options, d *gaussian){
		"seed 1, not 2": func(o *Options, _ *gaussian) { o.Seed = 2 },
		"configuration": func(o *Options, _ *gaussian) { o.Config.TargetAccept = 0.9 },
		"TargetAccept":  func(o *Options, _ *gaussian) { o.Config.Leapfrog = 4 },
		"another start": func(o *Options, _ *gaussian) { o.Start = func(int) []float64 { return []float64{1, 2} } },
		"dimension 2, not 3": func(o *Options, d *gaussian) {
			*d = gaussian{make([]float64, 3), make([]float64, 9)}
			o.Start = func(int) []float64 { return []float64{1, 1, 1} }
		},
		"another density": func(_ *Options, d *gaussian) { *d = wide(50) },
		"density: energy": func(_ *Options, d *gaussian) { d.mean[0] = math.Nextafter(1, 2) },
		"cannot be read": func(o *Options, _ *gaussian) {
			must(0, os.Truncate(stateOf(o.Folder, 1), 9))
		},
		"lacks draws": func(o *Options, _ *gaussian) { must(0, os.Truncate(rowsOf(o.Folder, 0), 100)) },
	} {
		o, d := good, wide(1)
		o.Folder = t.TempDir()
		must(Sample(context.Background(), d, o))
		d.mean = []float64{0, 0}
		change(&o, &d)
		if _, err := Sample(context.Background(), d, o); err == nil || !strings.Contains(err.Error(), want) ||
			!strings.Contains(err.Error(), o.Folder) {
			t.Errorf("want an error about %q in the folder, got %v", want, err)
		}
	}
}

// The folder is known by the density near the start too: these two agree at it.
func TestSampleRefusesDensityNear(t *testing.T) {
	o := Options{Config: Config{Warmup: 50}, Draws: 60, Folder: t.TempDir(),
		Start: func(int) []float64 { return []float64{0, 0} }}
	must(Sample(context.Background(), wide(1), o))
	if _, err := Sample(context.Background(), wide(2), o); err == nil || !strings.Contains(err.Error(), "density") {
		t.Errorf("want an error about the density, got %v", err)
	}
}

func TestSampleOptions(t *testing.T) {
	r := must(Sample(context.Background(), wide(1), Options{Draws: 50}))
	if len(r.Draws) != 4 || len(r.Tallies) != 4 || r.Names[1] != "x[2]" || r.Converged {
		t.Errorf("zero options: %d chains, names %v", len(r.Draws), r.Names)
	}
	for want, o := range map[string]Options{
		"must not be negative":  {Chains: -1},
		"Draws -5":              {Draws: -5},
		"Until.Draws -1":        {Until: Until{Draws: -1}},
		"Chains 1099511627776":  {Chains: 1 << 40},
		"are more than the":     {Draws: 1 << 60},
		"Discard 4611686018427": {Discard: 1 << 62},
		"RHat NaN":              {Until: Until{RHat: math.NaN()}},
		"3 coordinates":         {Start: func(int) []float64 { return make([]float64, 3) }},
		"the start has 0":       {Start: func(int) []float64 { return nil }},
		"1 Names for 2":         {Names: []string{"a"}},
		"different":             {Names: []string{"a", "a"}},
		"none may be empty":     {Names: []string{"a", ""}},
		"Values goes":           {Values: func(_, _ []float64) {}},
		"RHat 0.5":              {Until: Until{RHat: 0.5}},
		"Warmup is -1":          {Config: Config{Warmup: -1, Step: 1}},
		"Step is 0":             {Config: Config{Leapfrog: 3}},
		"not a directory":       {Folder: "sample_test.go/x"},
		"Jitter and Released g": {Config: Config{Jitter: 0.1}},
	} {
		if _, err := Sample(context.Background(), wide(1), o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("want an error about %q, got %v", want, err)
		}
	}
	if _, err := Sample(context.Background(), nil, Options{}); err == nil {
		t.Error("no density is sampled")
	}
	_, err := Sample(context.Background(), nowhere{}, Options{})
	if err == nil || !strings.Contains(err.Error(), "100") {
		t.Errorf("a density that is 0 near the origin: %v", err)
	}
	full := errors.New("disk full")
	each := func(int, int, []float64, Info) error { return full }
	if _, err := Sample(context.Background(), wide(1), Options{Each: each}); !errors.Is(err, full) {
		t.Errorf("an error of Each became %v", err)
	}
}

type nowhere struct{}

func (nowhere) Dim() int                    { return 1 }
func (nowhere) Energy([]float64) float64    { return math.Inf(1) }
func (nowhere) Grad(g, _ []float64) float64 { return math.Inf(1) }

// Chains grow in rounds of Draws until they hold; those that disagree for good stop after two.
func TestUntil(t *testing.T) {
	ctx := context.Background()
	var total int
	o := Options{Config: Config{Warmup: 200}, Draws: 100, Seed: 3, Until: Until{ESS: 1500, Draws: 5000},
		Progress: func(_, all int) { total = all }}
	r := must(Sample(ctx, wide(1), o))
	n := r.Draws[0].N
	_, ess := r.Summary.Worst()
	if !r.Converged || n%100 != 0 || n < 200 || n > 2000 || ess < 1500 || total != 5200 {
		t.Errorf("%d draws of %d, %.0f effective, converged %t", n, total, ess, r.Converged)
	}
	o.Draws, o.Until.Draws = n-100, 0
	if less := must(Sample(ctx, wide(1), o)); less.Converged {
		t.Errorf("%d draws were enough already", n-100)
	}
	o.Draws, o.Until = 100, Until{ESS: 1e9, Draws: 250}
	r = must(Sample(ctx, wide(1), o))
	if r.Converged || r.Draws[0].N != 250 || !strings.Contains(r.String(), "NOT CONVERGED") {
		t.Errorf("a budget of 250 draws gave %d", r.Draws[0].N)
	}
	o.Until.Draws = 5000
	o.Start = func(k int) []float64 { return []float64{20*float64(k%2) - 10} }
	if r := must(Sample(ctx, modes{}, o)); r.Converged || r.Draws[0].N != 200 {
		t.Errorf("chains in two modes made %d draws", r.Draws[0].N)
	}
}

// modes is an equal mixture of N(±10, 1), as good as apart.
type modes struct{}

func (modes) Dim() int { return 1 }
func (modes) Energy(x []float64) float64 {
	v := math.Abs(x[0]) - 10
	return v * v / 2
}
func (m modes) Grad(dst, x []float64) float64 {
	dst[0] = math.Copysign(math.Abs(x[0])-10, x[0])
	return m.Energy(x)
}

// Every gradient is counted: of starts, searches, warm-up and draws.
func TestSampleGradients(t *testing.T) {
	for _, cfg := range []Config{
		{Warmup: 200}, {Warmup: 200, Microcanonical: true}, {Warmup: 200, Leapfrog: 3}, {Step: 0.1, Leapfrog: 2},
	} {
		grads, energies := 0, 0
		d := quartic{3, &grads, &energies}
		start := func(int) []float64 { return []float64{1, 2, 3} }
		o := Options{Config: cfg, Chains: 1, Draws: 100, Discard: 7, Start: start}
		r := must(Sample(context.Background(), d, o))
		if r.Gradients != grads || r.Tallies[0].Iterations != 107 {
			t.Errorf("%+v: %d gradients, of which %d were told; %d iterations", cfg, grads, r.Gradients,
				r.Tallies[0].Iterations)
		}
	}
}

// A table fits 80 columns, whatever the names and numbers are, and has the numbers of the summary.
func TestResultString(t *testing.T) {
	o := Options{Config: Config{Warmup: 100}, Draws: 100,
		Names:  []string{"a very long name of a value", "constant", "b"},
		Values: func(dst, x []float64) { dst[0], dst[1], dst[2] = -1e-7*x[0], 1, 1e9+x[1] }}
	r := must(Sample(context.Background(), wide(1), o))
	text := r.String()
	for line := range strings.Lines(text) {
		if n := utf8.RuneCountInString(strings.TrimRight(line, "\n")); n > 80 {
			t.Errorf("%d columns: %s", n, line)
		}
	}
	for _, want := range []string{"a very long nam…", "constant                 1         0", "–", "in all",
		fmt.Sprintf("%.4g", r.Summary.Coordinates[0].Low), fmt.Sprintf("%.3f", r.Summary.Coordinates[2].RHat)} {
		if !strings.Contains(text, want) {
			t.Errorf("the table lacks %q:\n%s", want, text)
		}
	}
	many := Options{Config: Config{Warmup: 100}, Draws: 100, Values: func(dst, x []float64) {
		for k := range dst {
			dst[k] = math.Sin(float64(k+1) * x[0])
		}
	}}
	for k := range 100 {
		many.Names = append(many.Names, fmt.Sprintf("v%d", k))
	}
	r = must(Sample(context.Background(), wide(1), many))
	text = r.String()
	_, ess := r.Summary.Worst()
	if n := strings.Count(text, "\nv"); n != 40 || !strings.Contains(text, "60 more") ||
		!strings.Contains(text, fmt.Sprintf("%8.0f", ess)) {
		t.Errorf("%d of 100 values are shown:\n%s", n, text)
	}
}

// What is written is what was drawn, in the shapes that NumPy and ArviZ expect.
func TestResultFiles(t *testing.T) {
	names := []string{"tau", "L[1,1]", "L[1,2]", "L[2,1]", "L[2,2]", "z[0]", "z[2]", "m[1]", "m[2]", "m[3]"}
	o := Options{Config: Config{Warmup: 100}, Chains: 2, Draws: 30, Names: names, Values: func(dst, x []float64) {
		for k := range dst {
			dst[k] = x[0] + float64(k)
		}
	}}
	r := must(Sample(context.Background(), wide(1), o))
	var file bytes.Buffer
	must(0, r.WriteNPY(&file))
	shape, data, err := npy.Decode[float64](file.Bytes())
	if err != nil || !slices.Equal(shape, []int{2, 30, 10}) || data[300+10*7+3] != r.Draws[1].Row(7)[3] {
		t.Errorf("the NPY file has shape %v, error %v", shape, err)
	}
	file.Reset()
	must(0, r.WriteJSON(&file))
	var got struct {
		Posterior struct {
			Tau [][]float64     `json:"tau"`
			L   [][][][]float64 `json:"L"`
			Z0  [][]float64     `json:"z[0]"`
			Z2  [][]float64     `json:"z[2]"`
			M   [][][]float64   `json:"m"`
		}
		Stats  map[string][][]any `json:"sample_stats"`
		Dims   map[string][]string
		Coords map[string][]int
	}
	if err := json.Unmarshal(file.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	row, p := r.Draws[1].Row(29), got.Posterior
	if p.Tau[1][29] != row[0] || p.L[1][29][1][0] != row[3] || p.Z0[1][29] != row[5] || p.Z2[1][29] != row[6] ||
		p.M[1][29][2] != row[9] || !slices.Equal(got.Dims["L"], []string{"L_dim_0", "L_dim_1"}) ||
		!slices.Equal(got.Coords["m_dim_0"], []int{1, 2, 3}) || len(got.Coords) != 3 {
		t.Errorf("the JSON has other draws, or dims %v and coords %v", got.Dims, got.Coords)
	}
	for name, chains := range got.Stats {
		if len(chains) != 2 || len(chains[0]) != 30 {
			t.Errorf("%s has another shape", name)
		}
	}
	last := r.Infos[1][29]
	if got.Stats["lp"][1][29] != -last.Energy || got.Stats["diverging"][1][29] != last.Divergent ||
		got.Stats["tree_depth"][1][29] != float64(last.Depth) || last.Depth < 1 || len(got.Stats) != 6 {
		t.Errorf("sample_stats %v of %+v", got.Stats["lp"][1][29], last)
	}
	r.Draws[0].Data[3] = math.Inf(1)
	if err := r.WriteJSON(&file); err == nil || !strings.Contains(err.Error(), "Inf") {
		t.Errorf("an infinite draw: %v", err)
	}
}

func TestThin(t *testing.T) {
	a, b := metric.NewPoints(3, 2), metric.NewPoints(3, 2)
	for i := range 6 {
		a.Data[i], b.Data[i] = float64(i), float64(6+i)
	}
	for m, want := range map[int][]float64{2: {2, 3, 8, 9}, 6: slices.Concat(a.Data, b.Data), 1: {6, 7}} {
		if got := Thin([]metric.Points{a, b}, m); got.N != m || !slices.Equal(got.Data, want) {
			t.Errorf("%d of 6: %v, want %v", m, got.Data, want)
		}
	}
}
