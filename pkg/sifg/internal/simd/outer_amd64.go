//go:build !purego

package simd

import "math"

// outerColumns is how many columns of the result a kernel keeps in registers. A wider result is made of chunks of that
// many columns (the last two may overlap), and tanh is computed anew for each.
const outerColumns = 6

func (o *Outer) tanh(dst []float64, w, x []float32, ldx, p, n int) bool {
	if path == portable {
		return false
	}
	const lanes = 16
	q, chunks := outerChunks(p)
	part := min(chunks-1, 1)
	size := q * lanes // of a chunk's state
	state := o.clear(p * chunks * size)
	step := outerBlock(p)
	for t := 0; t < n; t += step * lanes {
		groups := min(step, (n-t)/lanes)
		for i := range p * chunks {
			a, first := i/chunks, min(i%chunks*q, p-q)
			tanhOuterTile(part, q, &x[t], 4*ldx, groups, &w[a*p], &state[i*size], p, &x[first*ldx+t])
			if path == avx2 { // the second halves of the groups
				const h = lanes / 2
				tanhOuterTile(part, q, &x[t+h], 4*ldx, groups, &w[a*p], &state[i*size+h], p, &x[first*ldx+t+h])
			}
		}
	}
	outerReduce(dst, state, p, size, lanes)
	return true
}

func (o *Outer) logCosh(dst, w, x []float64, ldx, p, n int) (sum float64, ok bool) {
	if path == portable {
		return 0, false
	}
	const lanes = 8
	const most = 1000 // factors of at most 2 in a product
	q, chunks := outerChunks(p)
	part := min(chunks-1, 1)
	size := (q + 2) * lanes // the columns, Σ|y| and Π(1 + exp(−2|y|))
	state := o.clear(p * chunks * size)
	sum = -float64(p) * float64(n) * math.Ln2
	step, factors := outerBlock(p), most
	for t := 0; t < n; t += step * lanes {
		groups := min(step, (n-t)/lanes)
		if factors += groups; factors > most {
			if t > 0 {
				sum += logProducts(state, p*chunks, chunks, size, lanes)
			}
			for i := range p * chunks {
				for l := range lanes {
					state[(i+1)*size-lanes+l] = 1
				}
			}
			factors = groups
		}
		for i := range p * chunks {
			a, first := i/chunks, min(i%chunks*q, p-q)
			logCoshOuterTile(part, q, &x[t], 8*ldx, groups, &w[a*p], &state[i*size], p, &x[first*ldx+t])
			if path == avx2 {
				const h = lanes / 2
				logCoshOuterTile(part, q, &x[t+h], 8*ldx, groups, &w[a*p], &state[i*size+h], p, &x[first*ldx+t+h])
			}
		}
	}
	sum += logProducts(state, p*chunks, chunks, size, lanes)
	for a := range p {
		for _, s := range state[a*chunks*size+q*lanes:][:lanes] {
			sum += s
		}
	}
	outerReduce(dst, state, p, size, lanes)
	if math.IsNaN(sum) { // the kernel's arithmetic with exponents may have made a number of it
		for i := range p * p {
			dst[i] = sum
		}
	}
	return sum, true
}

// logProducts returns the sum of the logarithms of the rows' products; the chunks of a row all hold the same.
func logProducts(state []float64, n, chunks, size, lanes int) (sum float64) {
	for i := 0; i < n; i += chunks {
		for _, v := range state[(i+1)*size-lanes:][:lanes] {
			sum += math.Log(v)
		}
	}
	return sum
}

// outerChunks returns the width and the number of the chunks of columns.
func outerChunks(p int) (q, chunks int) {
	q = min(p, outerColumns)
	return q, (p + q - 1) / q
}

// outerBlock is how many groups of 64 bytes a row has in a block of X of 16 KB, half of a level-1 cache.
func outerBlock(p int) int { return max(1, 256/p) }

// clear returns n zeros of state.
func (o *Outer) clear(n int) []float64 {
	if len(o.state) < n {
		o.state = make([]float64, n)
	}
	clear(o.state[:n])
	return o.state[:n]
}

// outerReduce sums up the lanes.
func outerReduce(dst, state []float64, p, size, lanes int) {
	q, chunks := outerChunks(p)
	for a := range p {
		for b := range p {
			i := b / q
			var s float64
			for _, v := range state[(a*chunks+i)*size+(b-min(i*q, p-q))*lanes:][:lanes] {
				s += v
			}
			dst[a*p+b] = s
		}
	}
}
