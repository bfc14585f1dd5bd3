package diagnose

import (
	"context"
	"flag"
	"fmt"
	"math"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/semi-implicit/sifg/pkg/sifg"
	"github.com/semi-implicit/sifg/pkg/sifg/hmc"
	"github.com/semi-implicit/sifg/pkg/sifg/metric"
	"github.com/semi-implicit/sifg/pkg/sifg/rng"
	"github.com/semi-implicit/sifg/pkg/sifg/target"
)

var updateReach = flag.Bool("update-reach", false, "make the table of what samplers reach in docs/library.md")

const (
	document            = "../../../docs/library.md"
	seeds, size, length = 3, 500, 2000
)

var reaching = []string{"sifg", "ada-sifg", "l2-gf", "svgd", "sgld", "baoab", "NUTS"}

// TestReach: docs/library.md has a table of what default settings reach on targets whose moments are known. No error in
// it is silent, and the quickest cells come out again: to 0.05, as other processors have other bits. With -update-reach
// all are made anew, which takes ten minutes of a processor.
func TestReach(t *testing.T) {
	if testing.Short() {
		t.Skip("twelve runs: a few seconds")
	}
	text, err := os.ReadFile(document)
	if err != nil {
		t.Fatal(err)
	}
	table := regexp.MustCompile(`(?m)^\| target \| sifg \|(.*\n\|)*.*\n`)
	if *updateReach {
		rows := fmt.Sprintf("| target | %s |\n|%s\n", strings.Join(reaching, " | "),
			strings.Repeat(" --- |", 1+len(reaching)))
		for _, known := range append(simple(), logistic()) {
			rows += "| " + known.name + " |"
			for _, sampler := range reaching {
				rows += " " + known.cell(sampler) + " |"
			}
			rows += "\n"
		}
		text = table.ReplaceAllLiteral(text, []byte(rows))
		if err := os.WriteFile(document, text, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	rows := strings.Split(string(table.Find(text)), "\n")
	if len(rows) != 3+len(simple())+1 || strings.Contains(strings.Join(rows, ""), "silent") {
		t.Fatalf("the table has %d lines, or silent errors", len(rows))
	}
	first := simple()[0]
	cells := strings.Split(strings.Trim(rows[2], "| "), " | ")
	numbers := regexp.MustCompile(`\d+\.\d+`)
	for k, sampler := range reaching {
		if k < 4 {
			continue // networks and kernels take a minute
		}
		got := numbers.FindAllString(first.cell(sampler), -1)
		for i, want := range numbers.FindAllString(cells[k+1], -1) {
			a, _ := strconv.ParseFloat(got[i], 64)
			if b, _ := strconv.ParseFloat(want, 64); math.Abs(a-b) > 0.05 {
				t.Errorf("%s on %s: %s, the table has %s", sampler, cells[0], got, cells[k+1])
			}
		}
	}
}

// known is a target whose means and standard deviations are known.
type known struct {
	name string
	*target.Func
	mean, sd []float64
}

// cell is what came of runs with some seeds: the largest error of a mean, in standard deviations; the smallest and the
// largest ratio of standard deviations; of NUTS the gradients; and in how many runs there was a warning. A run without
// one whose mean is 0.25 off, or whose ratio is outside of 0.85 and 1.18, is a silent error.
func (t known) cell(sampler string) string {
	off, least, most, gradients, warned, silent := 0.0, math.Inf(1), 0.0, 0, 0, ""
	for seed := range uint64(seeds) {
		x, warns, spent, err := t.sample(sampler, seed+1)
		if err != nil {
			return "error"
		}
		mean, cov := metric.Mean(x), metric.Covariance(x)
		far := false
		for j, sd := range t.sd {
			error, ratio := math.Abs(mean[j]-t.mean[j])/sd, math.Sqrt(cov.At(j, j))/sd
			off, least, most = max(off, error), min(least, ratio), max(most, ratio)
			far = far || error > 0.25 || ratio < 0.85 || ratio > 1.18
		}
		if warns {
			warned++
		} else if far {
			silent = " **silent**"
		}
		gradients += spent
	}
	s := fmt.Sprintf("%.2f; %.2f–%.2f", off, least, most)
	if gradients > 0 {
		s += fmt.Sprintf("; %dk", gradients/seeds/1000)
	}
	switch {
	case warned == seeds:
		s += " W"
	case warned > 0:
		s += fmt.Sprintf(" W %d/%d", warned, seeds)
	}
	return s + silent
}

// sample draws from t once, and says whether there was a warning and how many gradients NUTS took.
func (t known) sample(sampler string, seed uint64) (x metric.Points, warns bool, gradients int, err error) {
	if sampler == "NUTS" {
		r, err := hmc.Sample(context.Background(), t, hmc.Options{Seed: seed})
		if err != nil {
			return x, false, 0, err
		}
		return hmc.Thin(r.Draws, len(r.Draws)*r.Draws[0].N), !r.Converged, r.Gradients, nil
	}
	cloud, err := sifg.Sample(context.Background(), sifg.Default(sampler, t.Dim(), size), t,
		sifg.Options{Particles: size, Iterations: length, Seed: seed})
	if err != nil {
		return x, false, 0, err
	}
	return metric.FromBatch(cloud.X), len(Summarize(cloud).Warnings) > 0, 0, nil
}

// simple are targets whose moments are known exactly.
func simple() []known {
	return []known{
		normalOf("N(0, I), d = 2", 2, 1), normalOf("d = 10", 10, 1), normalOf("d = 50", 50, 1),
		normalOf("d = 100", 100, 1), normalOf("d = 10, widths 1–0.1", 10, 0.1),
		normalOf("d = 10, widths 1–0.01", 10, 0.01),
		{"banana", target.NewValueGrad(2, func(dst, x []float64) float64 {
			bend := x[1] - x[0]*x[0]/2
			dst[0], dst[1] = -x[0]+4*bend*x[0], -4*bend
			return -x[0]*x[0]/2 - 2*bend*bend
		}), []float64{0, 0.5}, []float64{1, math.Sqrt(0.75)}},
		funnelOf(5), modes(2), modes(4),
	}
}

// normalOf is the normal law of independent coordinates whose widths fall from 1 to the narrowest by equal factors.
func normalOf(name string, d int, narrowest float64) known {
	sd := make([]float64, d)
	for j := range sd {
		sd[j] = math.Pow(narrowest, float64(j)/float64(d-1))
	}
	return known{name, target.NewValueGrad(d, func(dst, x []float64) (log float64) {
		for j, s := range sd {
			dst[j] = -x[j] / (s * s)
			log += x[j] * dst[j] / 2
		}
		return log
	}), make([]float64, d), sd}
}

// funnelOf is Neal's funnel: x₁ ~ N(0, 9), the others N(0, exp x₁).
func funnelOf(d int) known {
	sd := append([]float64{3}, slices.Repeat([]float64{math.Exp(9.0 / 4)}, d-1)...)
	return known{fmt.Sprintf("funnel, d = %d", d), target.NewValueGrad(d, func(dst, x []float64) float64 {
		precision := math.Exp(-x[0])
		half := float64(d-1) / 2
		dst[0] = -x[0]/9 - half
		log := -x[0]*x[0]/18 - half*x[0]
		for j, v := range x[1:] {
			dst[j+1] = -v * precision
			dst[0] += v * v * precision / 2
			log -= v * v * precision / 2
		}
		return log
	}), make([]float64, d), sd}
}

// modes is 0.7·N((a, 0), I) + 0.3·N((−a, 0), I).
func modes(a float64) known {
	tilt := math.Log(0.7 / 0.3)
	return known{fmt.Sprintf("modes ±%g, 0.7/0.3", a), target.NewValueGrad(2, func(dst, x []float64) float64 {
		half := a*x[0] + tilt/2 // of the difference of the modes' logarithms
		dst[0], dst[1] = -x[0]+a*math.Tanh(half), -x[1]
		return -x[0]*x[0]/2 - x[1]*x[1]/2 + math.Abs(half) + math.Log1p(math.Exp(-2*math.Abs(half)))
	}), []float64{0.4 * a, 0}, []float64{math.Sqrt(1 + 0.84*a*a), 1}}
}

// logistic is a logistic regression of 200 rows on 10 variables, with the prior N(0, 2.5² I). Its moments are those of
// 40,000 draws of NUTS.
func logistic() known {
	const rows, d = 200, 10
	r := rng.New(5, "logistic")
	truth, x, y := make([]float64, d), make([]float64, rows*d), make([]float64, rows)
	for j := range truth {
		truth[j] = r.NormFloat64()
	}
	for i := range y {
		eta := 0.0
		for j := range d {
			x[i*d+j] = r.NormFloat64()
			eta += x[i*d+j] * truth[j]
		}
		if r.Float64() < 1/(1+math.Exp(-eta)) {
			y[i] = 1
		}
	}
	k := known{name: "logistic, d = 10", Func: target.NewValueGrad(d, func(dst, b []float64) (log float64) {
		for j, v := range b {
			dst[j] = -v / 6.25
			log -= v * v / 12.5
		}
		for i, yes := range y {
			row, eta := x[i*d:(i+1)*d], 0.0
			for j, v := range row {
				eta += v * b[j]
			}
			p := 1 / (1 + math.Exp(-eta))
			for j, v := range row {
				dst[j] += (yes - p) * v
			}
			log += yes*eta - max(eta, 0) - math.Log1p(math.Exp(-math.Abs(eta)))
		}
		return log
	})}
	long, err := hmc.Sample(context.Background(), k, hmc.Options{Draws: 10_000, Seed: 99})
	if err != nil {
		panic(err) // the density is finite everywhere
	}
	for _, c := range long.Summary.Coordinates {
		k.mean, k.sd = append(k.mean, c.Mean), append(k.sd, c.SD)
	}
	return k
}
