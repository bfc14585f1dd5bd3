package metric

import "math"

// KSD returns the kernel Stein discrepancy of the cloud x to the target whose score at the points is score (both n×d),
// with the inverse multiquadric kernel (1 + ‖x−y‖²)^{−1/2} of Gorham and Mackey (2017, "Measuring sample quality with
// kernels"), which detects non-convergence for targets with dissipative scores. With the Stein kernel
//
//	k_π(x, y) = ∇_x·∇_y k + ⟨s(x), ∇_y k⟩ + ⟨s(y), ∇_x k⟩ + ⟨s(x), s(y)⟩ k
//
// v = √((1/n²) Σ_{i,j} k_π) is the discrepancy of the empirical measure (V-statistic; of exact draws its square is
// E k_π(x, x)/n = (d + E‖s‖²)/n on average, not 0), and u = Σ_{i≠j} k_π/(n(n−1)) the unbiased estimate of the squared
// discrepancy of the law (U-statistic; 0 on average for exact draws, may be negative). n ≥ 2.
func KSD(x, score Points) (v, u float64) {
	n := float64(x.N)
	diagonal, upper, _ := steinSums(x, score)
	return math.Sqrt(max(0, diagonal+2*upper)) / n, 2 * upper / (n * (n - 1))
}

// ExactKSD returns the mean and the standard deviation that v² of KSD has for n independent draws of the target, E
// k_π(x, x)/n and √(2 E k_π(x, y)²)/n, with the expectations as they are among the points. A cloud whose v² is far
// above the mean is not exact draws.
func ExactKSD(x, score Points) (mean, sd float64) {
	n := float64(x.N)
	diagonal, _, squares := steinSums(x, score)
	return diagonal / (n * n), math.Sqrt(4*squares/(n*(n-1))) / n
}

// SteinKernel returns k_π(x, y) of KSD for points x and y of R^d with scores sx and sy.
func SteinKernel(x, sx, y, sy []float64) float64 {
	var r2, ss, st float64 // ‖t‖², ⟨s(x), s(y)⟩, ⟨s(x) − s(y), t⟩ for t = x − y
	for c, a := range x {
		t := a - y[c]
		r2 += float64(t * t)
		ss += float64(sx[c] * sy[c])
		st += float64((sx[c] - sy[c]) * t)
	}
	// With g = 1 + r²: ∇_x k = −g^{−3/2} t = −∇_y k, and ∇_x·∇_y k = d g^{−3/2} − 3 r² g^{−5/2}.
	inv := 1 / (1 + r2)
	return float64(math.Sqrt(inv) * (ss + float64(inv*(st+float64(len(x))-float64(3*r2*inv)))))
}

// steinSums returns the sums of k_π(x_i, x_i), of k_π(x_i, x_j) over j < i, and of the squares of these.
func steinSums(x, score Points) (diagonal, upper, squares float64) {
	require(x.D == score.D && x.D > 0 && x.N == score.N && x.N > 1)
	d := float64(x.D)
	for i := range x.N {
		xi, si := x.Row(i), score.Row(i)
		for _, s := range si {
			diagonal += float64(s * s)
		}
		diagonal += d
		var sum float64
		for j := range i {
			k := SteinKernel(xi, si, x.Row(j), score.Row(j))
			sum += k
			squares += float64(k * k)
		}
		upper += sum
	}
	return diagonal, upper, squares
}
