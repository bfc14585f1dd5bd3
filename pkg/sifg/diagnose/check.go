package diagnose

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/semi-implicit/sifg/pkg/sifg/rng"
)

const (
	checkTolerance = 1e-5 // share of the gradient's largest coordinate, 1 at least
	narrowest      = 1e-4 // width below which Check asks for other units
)

// Check says whether a density and a gradient of your own are fit to be sampled. It looks at the given points, which
// should lie where the density has mass; without any at 100 draws of N(0, I), where particles start. The error is one
// sentence on what is wrong and what to do, in this order:
//
//   - the log density or the gradient is not a number somewhere;
//   - the density is 0 at some of the points;
//   - the gradient is not that of the log density (see Gradients);
//   - a direction is narrower than 0.0001, by the curvature at the points.
func Check(t Gradient, points ...[]float64) error {
	if t == nil {
		return errors.New("diagnose: the target is nil")
	}
	d := t.Dim()
	if len(points) == 0 {
		r := rng.New(1, "check")
		for range 100 {
			x := make([]float64, d)
			for c := range x {
				x[c] = r.NormFloat64()
			}
			points = append(points, x)
		}
	}
	if err := checkFinite(t, points); err != nil {
		return err
	}
	if err := Gradients(t, checkTolerance, points...); err != nil {
		return fmt.Errorf("diagnose: %w", err)
	}
	return checkWidths(t, points)
}

// checkFinite looks for values that no sampler can use.
func checkFinite(t Gradient, points [][]float64) error {
	var outside [][]float64
	grad := make([]float64, t.Dim())
	for _, x := range points {
		if len(x) != t.Dim() {
			return fmt.Errorf("diagnose: a point has %d coordinates, the density %d", len(x), t.Dim())
		}
		log := t.LogDensity(slices.Clone(x))
		switch {
		case math.IsNaN(log) || math.IsInf(log, 1):
			return fmt.Errorf("diagnose: the log density is %g at x = %.3g: look there for a logarithm or root of a "+
				"negative number, 0/0 or an overflow; if such x are impossible, return −∞ and let particles start "+
				"elsewhere (Options.Init)", log, x)
		case math.IsInf(log, -1):
			outside = append(outside, x)
			continue
		}
		t.Gradient(grad, slices.Clone(x))
		for c, g := range grad {
			if g-g != 0 {
				return fmt.Errorf("diagnose: coordinate %d of the gradient is %g at x = %.3g, where the log "+
					"density is "+
					"%.6g: look there for a division by 0, an overflow or a coordinate that is not set", c, g, x, log)
			}
		}
	}
	if len(outside) > 0 {
		return fmt.Errorf("diagnose: the density is 0 at %d of %d points, such as x = %.3g: no gradient leads back "+
			"from there. Sample coordinates without bounds, such as u = log x for x > 0 or u = log(x/(1−x)) for 0 < x "+
			"< 1, with the log of dx/du added to the log density; or start where the density is positive "+
			"(Options.Init, and give such points to this check)", len(outside), len(points), outside[0])
	}
	return nil
}

// checkWidths takes the median over points of 1/√|∂²log π/∂x_c²| for the width along coordinate c.
func checkWidths(t Gradient, points [][]float64) error {
	d := t.Dim()
	up, down := make([]float64, d), make([]float64, d)
	for c := range d {
		var widths []float64
		for _, x := range points {
			x = slices.Clone(x)
			at, h := x[c], 1e-6*max(1, math.Abs(x[c]))
			x[c] = at + h
			t.Gradient(up, x)
			x[c] = at - h
			t.Gradient(down, x)
			if width := 1 / math.Sqrt(math.Abs(up[c]-down[c])/(2*h)); !math.IsNaN(width) {
				widths = append(widths, width)
			}
		}
		if len(widths) == 0 {
			continue
		}
		slices.Sort(widths)
		if w := widths[len(widths)/2]; w < narrowest {
			return fmt.Errorf("diagnose: the density is only about %.1g wide along coordinate %d, while particles "+
				"start 1 apart and flows move in steps of one size for all coordinates. Sample u = x/%.1g in its "+
				"place (log density and gradient as functions of u), or use package hmc, whose warm-up finds such "+
				"widths", w, c, w)
		}
	}
	return nil
}
