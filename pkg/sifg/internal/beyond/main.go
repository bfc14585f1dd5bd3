// Command beyond runs samplers on the toy problems of the paper and prints how close their samples come: the measurements of
// docs/beyond.md. A sampler is a JSON object of its settings.
//
//	go run ./pkg/sifg/internal/beyond -problem gmm-2d -from 101 -seeds 20 '{"sampler":"sifg","sigma":0.12}' '{"sampler":"sgld","step":0.02}'
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/semi-implicit/sifg/pkg/sifg"
	"github.com/semi-implicit/sifg/pkg/sifg/metric"
	"github.com/semi-implicit/sifg/pkg/sifg/nn"
	"github.com/semi-implicit/sifg/pkg/sifg/rng"
	"github.com/semi-implicit/sifg/pkg/sifg/target"
)

// problem is a density with its start, as the experiments have it under the protocol "paper".
type problem struct {
	target.Density
	modes      metric.Modes // none: no shares
	iterations int
	init       func(dst sifg.Batch, r *rng.Stream)
}

func problemNamed(name string) (problem, error) {
	mixture := func(m *target.Mixture, init func(dst sifg.Batch, r *rng.Stream)) problem {
		w, means, sds := m.Components()
		return problem{m, metric.Modes{Weights: w, Means: means, SDs: sds}, 2000, init}
	}
	switch name {
	case "gmm-2d":
		return mixture(target.GMM2D(), func(dst sifg.Batch, r *rng.Stream) {
			r.Normal(dst.Data)
			for i := range dst.Data {
				dst.Data[i] = dst.Data[i]/2 + float32(3*(1-i%2))
			}
		}), nil
	case "gmm-10d":
		return mixture(target.GMM10D(), nil), nil
	case "monomial-gamma":
		m, err := target.NewMonomialGamma(2, target.ReleasedAlpha, 0.3)
		return problem{Density: m, iterations: 20000}, err
	}
	return problem{}, fmt.Errorf("-problem %s: want gmm-2d, gmm-10d or monomial-gamma", name)
}

// result is what one run comes to.
type result struct {
	energy, knn float64
	sigma       float64 // at the end
	variance    float64 // of the denoising gradient on the final cloud, over that of the antithetic one
	least, tv   float64 // least share of a mode within 3 sd; total variation of the modes' weights
	seconds     float64
	err         error
}

func (p *problem) run(cfg sifg.Config, n, iterations int, seed uint64, variance bool) (r result) {
	reference := func(m int) metric.Points {
		b := sifg.NewBatch(m, p.Dim())
		p.Sample(b, rng.New(seed, "reference", uint64(m)))
		return metric.FromBatch(b)
	}
	var x metric.Points
	if cfg.Sampler == "exact" {
		b := sifg.NewBatch(n, p.Dim())
		p.Sample(b, rng.New(seed, "exact"))
		x = metric.FromBatch(b)
	} else {
		f, err := sifg.New(cfg)
		if err != nil {
			return result{err: err}
		}
		start := time.Now()
		c, err := sifg.Run(context.Background(), f, p, sifg.Options{Particles: n, Iterations: iterations, Seed: seed, Init: p.init})
		r.seconds = time.Since(start).Seconds()
		if err != nil {
			return result{err: err}
		}
		if r.sigma = float64(c.Sigma); variance {
			network := sifg.Network{Hidden: 32, Optimizer: "nesterov", Rate: nn.Rate{LR: 1e-3}, Inner: 200}
			denoise, _, antithetic := sifg.GradientVariance(c.Z, p, network, c.Sigma, 50, seed)
			r.variance = denoise / antithetic
		}
		c.Perturb()
		x = metric.FromBatch(c.X)
	}
	if r.knn, r.err = metric.KNNKL(x, reference(1000), 3); r.err != nil {
		return r
	}
	r.energy = metric.EnergyDistance(x, reference(4000))
	if p.modes.Means != nil {
		within, occupancy := p.modes.Coverage(x, 3)
		r.least = slices.Min(within)
		for k, w := range p.modes.Weights {
			r.tv += math.Abs(occupancy[k]-w) / 2
		}
	}
	return r
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "beyond:", err)
		os.Exit(2)
	}
}

func run() error {
	name := flag.String("problem", "gmm-2d", "gmm-2d, gmm-10d or monomial-gamma")
	n := flag.Int("particles", 1000, "")
	iterations := flag.Int("iterations", 0, "0: as the experiment has")
	from := flag.Uint64("from", 101, "first seed")
	seeds := flag.Int("seeds", 5, "how many")
	variance := flag.Bool("variance", false, "print how many times the variance of the gradient falls by antithetic denoising")
	flag.Parse()
	p, err := problemNamed(*name)
	if err != nil {
		return err
	}
	if *iterations > 0 {
		p.iterations = *iterations
	}
	fmt.Printf("%s, %d particles, %d iterations, seeds %d to %d; mean ± sd, covered: every mode has 5 %% within 3 sd\n",
		*name, *n, p.iterations, *from, *from+uint64(*seeds)-1)
	for k, c := range columns {
		fmt.Printf("%*s ", -width[k], c)
	}
	fmt.Println("covered  seconds, settings")
	for _, arg := range flag.Args() {
		var cfg sifg.Config
		d := json.NewDecoder(bytes.NewReader([]byte(arg)))
		d.DisallowUnknownFields()
		if err := d.Decode(&cfg); err != nil {
			return fmt.Errorf("%s: %w", arg, err)
		}
		results := make([]result, *seeds)
		var wait sync.WaitGroup
		slots := make(chan bool, runtime.GOMAXPROCS(0))
		for i := range results {
			wait.Go(func() {
				slots <- true
				defer func() { <-slots }()
				results[i] = p.run(cfg, *n, p.iterations, *from+uint64(i), *variance)
			})
		}
		wait.Wait()
		fmt.Println(line(results), arg)
	}
	return nil
}

var (
	columns = []string{"energy", "3-NN KL", "TV of modes", "least share", "σ at the end", "variance ratio"}
	width   = []int{18, 18, 16, 16, 16, 18}
)

func line(results []result) string {
	failed, covered := 0, 0
	var first error
	values := make([][]float64, len(columns))
	var seconds []float64
	for _, r := range results {
		if r.err != nil {
			failed, first = failed+1, r.err
			continue
		}
		if r.least >= 0.05 {
			covered++
		}
		for k, v := range []float64{r.energy, r.knn, r.tv, r.least, r.sigma, r.variance} {
			values[k] = append(values[k], v)
		}
		seconds = append(seconds, r.seconds)
	}
	var b strings.Builder
	for k, x := range values {
		mean, sd := spread(x)
		fmt.Fprintf(&b, "%*s ", -width[k], fmt.Sprintf("%.4f ± %.4f", mean, sd))
	}
	mean, _ := spread(seconds)
	fmt.Fprintf(&b, "%-8s %.1f", fmt.Sprintf("%d/%d", covered, len(results)), mean)
	if failed > 0 {
		fmt.Fprintf(&b, " (%d failed: %v)", failed, first)
	}
	return b.String()
}

func spread(x []float64) (mean, sd float64) {
	for _, v := range x {
		mean += v / float64(len(x))
	}
	for _, v := range x {
		sd += (v - mean) * (v - mean) / float64(len(x)-1)
	}
	return mean, math.Sqrt(sd)
}
