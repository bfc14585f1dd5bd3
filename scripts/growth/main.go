// Command growth measures how the time and the memory of an outer iteration grow with the number of particles n and the
// dimension d, for every sampler with its default settings. It prints a table, and draws the figure into a file:
//
//	go run scripts/growth/main.go FIGURE.svg
//
// The target is N(0, I), whose score costs next to nothing, so that the time is the sampler's own.
package main

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"os"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/semi-implicit/sifg/pkg/harness/figure"
	"github.com/semi-implicit/sifg/pkg/sifg"
	"github.com/semi-implicit/sifg/pkg/sifg/cpu"
)

const (
	rounds    = 3                     // through all sizes, so that no disturbance meets all repeats of one
	patience  = 60 * time.Millisecond // for the repeats of a size in a round
	repeat    = 2 * time.Millisecond  // the least time of a repeat
	particles = 1000                  // where d varies
	dimension = 10                    // where n varies
)

var (
	ns = []int{100, 300, 1000, 3000, 10_000}
	ds = []int{2, 10, 30, 100, 300, 1000}
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "growth:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) != 1 {
		return errors.New("want the file of the figure")
	}
	runtime.GOMAXPROCS(1)
	costs, err := measure()
	if err != nil {
		return err
	}
	svg, err := draw(costs)
	if err != nil {
		return err
	}
	fmt.Print(report(costs))
	return os.WriteFile(args[0], svg, 0o644)
}

// normal is N(0, I) on R^d.
type normal int

func (d normal) Dim() int { return int(d) }

func (d normal) Score(dst, x sifg.Batch, _ int) {
	for i, v := range x.Data {
		dst.Data[i] = -v
	}
}

// size is a sampler with n particles in d dimensions.
type size struct {
	sampler string
	n, d    int
}

// cost is what an iteration takes.
type cost struct {
	ms    []float64 // of the repeats
	bytes uint64    // that the run holds
}

// least is the figure that other programs on the machine change least.
func (c *cost) least() float64 { return slices.Min(c.ms) }

func measure() (map[size]*cost, error) {
	costs := map[size]*cost{}
	for range rounds {
		for _, s := range sifg.Samplers() {
			for _, n := range ns {
				if err := (size{s.Name, n, dimension}).measure(costs); err != nil {
					return nil, err
				}
			}
			for _, d := range ds {
				if err := (size{s.Name, particles, d}).measure(costs); err != nil {
					return nil, err
				}
			}
		}
	}
	return costs, nil
}

// measure adds the repeats of a round. Each is of as many iterations as the least time takes.
func (s size) measure(costs map[size]*cost) error {
	before := heap()
	flow, err := sifg.New(sifg.Config{Sampler: s.sampler})
	if err != nil {
		return err
	}
	cloud, err := flow.Start(normal(s.d), s.n, 1, nil)
	if err != nil {
		return err
	}
	step := func(times int) (time.Duration, error) {
		start := time.Now()
		for range times {
			if _, err := flow.Step(cloud); err != nil {
				return 0, fmt.Errorf("%s, n = %d, d = %d: %w", s.sampler, s.n, s.d, err)
			}
		}
		return time.Since(start), nil
	}
	if _, err := step(1); err != nil { // what is allocated on the way is there then
		return err
	}
	c := costs[s]
	if c == nil {
		c = &cost{bytes: heap() - before}
		costs[s] = c
	}
	once, err := step(1)
	if err != nil {
		return err
	}
	times := 1 + int(repeat/once)
	for start := time.Now(); ; {
		took, err := step(times)
		if err != nil {
			return err
		}
		c.ms = append(c.ms, 1e3*took.Seconds()/float64(times))
		if time.Since(start) > patience {
			break
		}
	}
	runtime.KeepAlive(flow)
	return nil
}

// heap returns the bytes in use.
func heap() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// report returns a table with a row for each sampler: time and memory at one size, and the slopes of log time over log
// size in the last decades.
func report(costs map[size]*cost) string {
	var out strings.Builder
	fmt.Fprintf(&out, "%s, path %s, one core; the least of several repeats (%s).\n\n",
		cpu.Name(), cpu.Path(), spread(costs))
	fmt.Fprintf(&out, "| | ms, n = %s, d = %d | MB | slope in n, to %s | slope in d, to %s |\n| --- |%s\n",
		thousands(particles), dimension, thousands(ns[len(ns)-1]), thousands(ds[len(ds)-1]),
		strings.Repeat(" ---: |", 4))
	for _, s := range sifg.Samplers() {
		at := func(n, d int) float64 { return costs[size{s.Name, n, d}].least() }
		byN := at(ns[len(ns)-1], dimension) / at(ns[len(ns)-1]/10, dimension)
		byD := at(particles, ds[len(ds)-1]) / at(particles, ds[len(ds)-1]/10)
		fmt.Fprintf(&out, "| %s | %.3g | %.3g | %.2f | %.2f |\n", s.Title, at(particles, dimension),
			1e-6*float64(costs[size{s.Name, particles, dimension}].bytes), math.Log10(byN), math.Log10(byD))
	}
	return out.String()
}

// spread says how much the median repeat of a size takes more than the least.
func spread(costs map[size]*cost) string {
	var more []float64
	for _, c := range costs {
		s := slices.Sorted(slices.Values(c.ms))
		more = append(more, 100*(s[len(s)/2]/s[0]-1))
	}
	slices.Sort(more)
	return fmt.Sprintf("the median repeat takes %.0f %% more for the median size, and at most %.0f %% more",
		more[len(more)/2], more[len(more)-1])
}

// thousands writes a number with commas.
func thousands(v int) string {
	if v < 1000 {
		return fmt.Sprint(v)
	}
	return fmt.Sprintf("%d,%03d", v/1000, v%1000)
}

// draw returns the figure: a curve for each sampler, against n and against d.
func draw(costs map[size]*cost) ([]byte, error) {
	against := func(label string, all []int, at func(string, int) size) figure.Panel {
		p := figure.Panel{
			X: figure.Axis{Label: label, Scale: figure.Log},
			Y: figure.Axis{Label: "ms an iteration", Scale: figure.Log},
		}
		for _, s := range sifg.Samplers() {
			var x, y []float64
			for _, v := range all {
				x, y = append(x, float64(v)), append(y, costs[at(s.Name, v)].least())
			}
			style := figure.Method(s.Name)
			p.Layers = append(p.Layers, figure.Line{X: x, Y: y, Style: style},
				figure.Scatter{X: x, Y: y, Style: style, Radius: 2})
		}
		return p
	}
	byN := fmt.Sprintf("particles n, in %d dimensions", dimension)
	byD := fmt.Sprintf("dimensions d, with %s particles", thousands(particles))
	f := figure.Figure{Width: 18, Height: 11, Panels: []figure.Panel{
		against(byN, ns, func(sampler string, n int) size { return size{sampler, n, dimension} }),
		against(byD, ds, func(sampler string, d int) size { return size{sampler, particles, d} }),
	}}
	svg, _, err := f.SVG()
	if err != nil {
		return nil, err
	}
	return bytes.Replace(svg, []byte(">"), []byte(">\n<!-- Generated by make growth. -->"), 1), nil
}
