package dataset

import (
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/semi-implicit/sifg/datasets"
)

// realLibrary has the project's manifest and its files, from the mirror or the cache of the checkout.
func realLibrary(t *testing.T) *Library {
	t.Helper()
	l, err := Open(Options{Manifest: datasets.Manifest, Cache: filepath.Join("..", "..", "..", "datasets", "cache"), Mirror: os.Getenv("SIFG_DATASETS_MIRROR")})
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func load(t *testing.T, l *Library, name string) *Data {
	t.Helper()
	if err := l.Absent(name); err != nil {
		t.Skipf("%v; or set SIFG_DATASETS_MIRROR", err)
	}
	d, err := l.Load(name)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// legacyPermutation is NumPy's RandomState(seed).permutation(n): MT19937 from one integer; for i from n−1 down to 1, 32-bit
// outputs under the smallest mask 2ᵇ−1 ≥ i are drawn until one is at most i, which is swapped with entry i.
func legacyPermutation(seed uint32, n int) []int {
	const size, shift = 624, 397
	state := [size]uint32{seed}
	for i := 1; i < size; i++ {
		state[i] = 1812433253*(state[i-1]^state[i-1]>>30) + uint32(i)
	}
	next := size
	draw := func() uint32 {
		if next == size {
			for i := range state {
				y := state[i]&0x80000000 | state[(i+1)%size]&0x7fffffff
				state[i] = state[(i+shift)%size] ^ y>>1 ^ (y&1)*0x9908b0df
			}
			next = 0
		}
		y := state[next]
		next++
		y ^= y >> 11
		y ^= y << 7 & 0x9d2c5680
		y ^= y << 15 & 0xefc60000
		return y ^ y>>18
	}
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	for i := n - 1; i > 0; i-- {
		mask := uint32(1)
		for mask < uint32(i) {
			mask = mask<<1 | 1
		}
		j := draw() & mask
		for j > uint32(i) {
			j = draw() & mask
		}
		out[i], out[j] = out[j], out[i]
	}
	return out
}

// TestReleased compares the released files with facts found by other programs (NumPy, awk): shape, the target's mean and
// standard deviation, the first entries of the permutation, and the generator behind all but one.
func TestReleased(t *testing.T) {
	l := realLibrary(t)
	for _, c := range []struct {
		name         string
		rows, cols   int
		mean, sd     float64 // of the target, to the digits given
		digits       int
		ones, repeat int // labels that are 1, rows that equal an earlier one
		first        []int
		generated    bool
	}{
		{"boston", 506, 14, 22.533, 9.188, 3, -1, 0, []int{194, 239, 65, 221, 401}, false},
		{"concrete", 1030, 9, 35.818, 16.698, 3, -1, 25, []int{369, 544, 500, 199, 262}, true},
		{"diabetes", 768, 9, 0.349, 0.477, 3, 268, 0, []int{200, 40, 630, 356, 305}, true},
		{"power", 9568, 5, 454.365, 17.066, 3, -1, 41, []int{2620, 6998, 2857, 6510, 5368}, true},
		{"protein", 13543, 10, 7.671, 6.090, 3, -1, 195, []int{6745, 5403, 1103, 6067, 11210}, true},
		{"wine", 1599, 12, 0.535, 0.499, 3, 855, 240, []int{688, 961, 726, 537, 1544}, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := load(t, l, c.name)
			if d.Rows != c.rows || d.Cols != c.cols || d.Target != c.cols-1 || len(d.Columns) != c.cols || len(d.X) != c.rows*c.cols {
				t.Fatalf("%d×%d, target %d, %d names, %d values", d.Rows, d.Cols, d.Target, len(d.Columns), len(d.X))
			}
			mean, sd, ones := 0.0, 0.0, 0
			for _, y := range d.Column(d.Target) {
				mean += y / float64(d.Rows)
				if y == 1 {
					ones++
				}
			}
			for _, y := range d.Column(d.Target) {
				sd += (y - mean) * (y - mean) / float64(d.Rows)
			}
			half := 0.5000001 * math.Pow10(-c.digits) // the facts are rounded; population and sample deviation differ by less than sd/2n
			if sd = math.Sqrt(sd); math.Abs(mean-c.mean) > half || math.Abs(sd-c.sd) > half+sd/float64(d.Rows) {
				t.Errorf("target %.5f ± %.5f, want %v ± %v", mean, sd, c.mean, c.sd)
			}
			if c.ones >= 0 && ones != c.ones {
				t.Errorf("%d labels are 1, want %d", ones, c.ones)
			}
			seen, repeat := map[string]bool{}, 0
			for i := range d.Rows {
				var key strings.Builder
				for _, v := range d.X[i*d.Cols : (i+1)*d.Cols] {
					key.WriteString(strconv.FormatFloat(v, 'g', -1, 64) + " ")
				}
				if seen[key.String()] {
					repeat++
				}
				seen[key.String()] = true
			}
			if repeat != c.repeat {
				t.Errorf("%d rows repeat an earlier one, want %d", repeat, c.repeat)
			}
			if !slices.Equal(d.Permutation[:5], c.first) {
				t.Errorf("the permutation begins %v, want %v", d.Permutation[:5], c.first)
			}
			if same := slices.Equal(d.Permutation, legacyPermutation(1234, d.Rows)); same != c.generated {
				t.Errorf("the permutation is RandomState(1234).permutation: %v, want %v", same, c.generated)
			}
			if k := d.ConstantColumns(nil); k != nil {
				t.Errorf("constant columns %v", k)
			}
		})
	}
}

// TestStandard checks tables and splits against the files that come with them, index_features.txt, index_target.txt and
// n_splits.txt, where a mirror has these.
func TestStandard(t *testing.T) {
	l := realLibrary(t)
	for name, rows := range map[string]int{"boston": 506, "concrete": 1030, "power": 9568, "protein": 45730, "wine": 1599} {
		t.Run(name, func(t *testing.T) {
			d := load(t, l, name+"-standard")
			if d.Rows != rows {
				t.Fatalf("%d rows, want %d", d.Rows, rows)
			}
			folder := filepath.Dir(d.Path)
			read := func(file string) []int {
				b, err := os.ReadFile(filepath.Join(folder, file))
				if err != nil {
					return nil
				}
				v, err := parseIndices(file, b)
				if err != nil {
					t.Fatal(err)
				}
				return v
			}
			if v := read("index_target.txt"); v != nil && v[0] != d.Target {
				t.Errorf("the target is column %d, want %v", d.Target, v)
			}
			if v := read("n_splits.txt"); v != nil && v[0] != len(d.Splits) {
				t.Errorf("%d splits, want %v", len(d.Splits), v)
			}
			if v := read("index_features.txt"); v != nil && len(v) != d.Cols-1 {
				t.Errorf("%d features, want %d", d.Cols-1, len(v))
			}
			want := map[string]int{"protein": 5}[name]
			if want == 0 {
				want = 20
			}
			if len(d.Splits) != want {
				t.Errorf("%d splits, want %d", len(d.Splits), want)
			}
			for k, s := range d.Splits { // that no row is twice in one is checked when they are read
				if len(s.Train)+len(s.Test) != rows || math.Abs(float64(len(s.Test))-0.1*float64(rows)) > 1 {
					t.Errorf("split %d has %d and %d rows", k, len(s.Train), len(s.Test))
				}
			}
		})
	}
}

// TestSameTables: the released Boston and concrete tables are the standard ones row by row; the released protein table is the
// beginning of the standard one; the features of the two wine tables are equal, and the released label is 1 where
// the quality is 6 or more; the two power tables have the same targets in another order. The released files have ten
// significant digits where the standard ones have more: half a unit of the last is at most 5e-10 of a value.
func TestSameTables(t *testing.T) {
	l := realLibrary(t)
	same := func(x, y float64) bool { return math.Abs(x-y) <= 5e-10*math.Abs(y) }
	for _, name := range []string{"boston", "concrete", "protein"} {
		a, b := load(t, l, name), load(t, l, name+"-standard")
		if !slices.EqualFunc(a.X, b.X[:len(a.X)], same) {
			t.Errorf("%s differs from %s-standard", name, name)
		}
	}
	a, b := load(t, l, "wine"), load(t, l, "wine-standard")
	for i := range a.X {
		want := b.X[i]
		if i%a.Cols == a.Target {
			want = map[bool]float64{true: 1}[b.X[i] >= 6]
		}
		if !same(a.X[i], want) {
			t.Fatalf("wine: value %d is %v, want %v", i, a.X[i], want)
		}
	}
	p, q := load(t, l, "power"), load(t, l, "power-standard")
	if slices.Equal(p.X, q.X) || !slices.Equal(slices.Sorted(slices.Values(p.Column(4))), slices.Sorted(slices.Values(q.Column(4)))) {
		t.Error("the targets of power and power-standard are not the same in another order")
	}
}

// TestMEG compares with means and standard deviations of the first five channels found by NumPy.
func TestMEG(t *testing.T) {
	d := load(t, realLibrary(t), "meg")
	if d.Rows != 10 || d.Cols != 17730 || d.Target != -1 || d.Columns[0] != "V1" || d.Columns[17729] != "V17730" {
		t.Fatalf("%d×%d, target %d", d.Rows, d.Cols, d.Target)
	}
	mean, sd := []float64{-19.2, -21.7, -26.4, -11.1, -6.2}, []float64{159.6, 114.8, 130.1, 144.8, 123.4}
	for i := range mean {
		m, s := 0.0, 0.0
		row := d.X[i*d.Cols : (i+1)*d.Cols]
		for _, v := range row {
			m += v / float64(d.Cols)
		}
		for _, v := range row {
			s += (v - m) * (v - m) / float64(d.Cols)
		}
		if math.Abs(m-mean[i]) > 0.05 || math.Abs(math.Sqrt(s)-sd[i]) > 0.06 { // rounded to one decimal
			t.Errorf("channel %d: %.3f ± %.3f, want %v ± %v", i, m, math.Sqrt(s), mean[i], sd[i])
		}
	}
}

// TestLegacyPermutation compares with NumPy: np.random.RandomState(5).permutation(10).
func TestLegacyPermutation(t *testing.T) {
	want := []int{9, 5, 2, 4, 7, 1, 0, 8, 6, 3}
	if got := legacyPermutation(5, 10); !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}
