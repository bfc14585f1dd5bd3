package program

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// BenchmarkOverhead is a question about 1000 points in ten dimensions and its answer by a target in Python that
// computes almost nothing. min-ms is the fastest of all, which other work on the machine disturbs least.
func BenchmarkOverhead(b *testing.B) {
	const n, d = 1000, 10
	sources, err := filepath.Abs("../../../scripts/python")
	if err != nil {
		b.Fatal(err)
	}
	b.Setenv("PYTHONPATH", sources)
	script := filepath.Join(b.TempDir(), "model.py")
	text := "import numpy, sifg\nvalue = numpy.zeros(1000)\nsifg.target(lambda x: (value, x), 10)\n"
	if err := os.WriteFile(script, []byte(text), 0o666); err != nil {
		b.Fatal(err)
	}
	p, err := Start(context.Background(), "python3 "+script)
	if err != nil {
		b.Skip(err)
	}
	Add(p, "")
	defer Close()
	s := Begin(context.Background())
	defer s.End()
	target, err := p.Target(s)
	if err != nil {
		b.Fatal(err)
	}
	points, out, least := make([]float64, n*d), make([]float64, n*(1+d)), math.Inf(1)
	for b.Loop() {
		started := time.Now()
		target.Evaluate(out, points)
		least = min(least, time.Since(started).Seconds())
	}
	if err := s.Err(); err != nil {
		b.Fatal(err)
	}
	b.ReportMetric(1000*least, "min-ms")
}
