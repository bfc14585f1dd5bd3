package simd

// Workspace is the scratch memory of the matrix products (packed panels). The zero value is ready; it grows once and is
// then reused. A Workspace must not be shared by goroutines.
type Workspace struct{ pack []float32 }

// strided is a matrix with element (i, j) at data[i·row+j·col].
type strided struct {
	data     []float32
	row, col int
}

// fused is what a product to 32 columns does along: it multiplies C by 1 − y² for y of its shape and stride, or sets
// sums to the sums of the columns of B.
type fused struct{ y, sums []float32 }

// In all products an element of C is one sum over p = 0…k−1, in that order or, for NN and NT with few columns
// (isNarrow), in a fixed number of interleaved partial sums.

// isNarrow reports whether C has too few columns to fill vectors, and k is long enough to fill them.
func isNarrow(n, k int) bool { return n <= 4 && k >= 16 || n <= 10 && k >= 256 }

// GemmNN computes C = A·B, or C += A·B if acc. A is m×k, B is k×n, C is m×n; C must not alias A or B.
func (w *Workspace) GemmNN(m, n, k int, a []float32, lda int, b []float32, ldb int, c []float32, ldc int, acc bool) {
	checkMatrix(m, k, lda, len(a))
	checkMatrix(k, n, ldb, len(b))
	w.gemm(m, n, k, strided{a, lda, 1}, strided{b, ldb, 1}, c, ldc, acc)
}

// GemmNT computes C = A·Bᵀ, or C += A·Bᵀ if acc. A is m×k, B is n×k, C is m×n; C must not alias A or B.
func (w *Workspace) GemmNT(m, n, k int, a []float32, lda int, b []float32, ldb int, c []float32, ldc int, acc bool) {
	checkMatrix(m, k, lda, len(a))
	checkMatrix(n, k, ldb, len(b))
	w.gemm(m, n, k, strided{a, lda, 1}, strided{b, 1, ldb}, c, ldc, acc)
}

// GemmTN computes C = Aᵀ·B, or C += Aᵀ·B if acc. A is k×m, B is k×n, C is m×n; C must not alias A or B.
func (w *Workspace) GemmTN(m, n, k int, a []float32, lda int, b []float32, ldb int, c []float32, ldc int, acc bool) {
	checkMatrix(k, m, lda, len(a))
	checkMatrix(k, n, ldb, len(b))
	w.gemm(m, n, k, strided{a, 1, lda}, strided{b, ldb, 1}, c, ldc, acc)
}

// GemmNTSlope computes C = (A·Bᵀ)⊙(1 − Y²), the gradient for what went into y = tanh: y has the shape of C and its row
// stride. The bits are those of GemmNT and TanhGrad.
func (w *Workspace) GemmNTSlope(m, n, k int, a []float32, lda int, b []float32, ldb int, c []float32, ldc int,
	y []float32) {
	checkMatrix(m, k, lda, len(a))
	checkMatrix(n, k, ldb, len(b))
	checkMatrix(m, n, ldc, len(c))
	checkMatrix(m, n, ldc, len(y))
	if !fusedProduct(&w.pack, m, n, k, strided{a, lda, 1}, strided{b, 1, ldb}, c, ldc, fused{y: y}) {
		w.GemmNT(m, n, k, a, lda, b, ldb, c, ldc, false)
		for i := range m {
			TanhGrad(c[i*ldc:][:n], c[i*ldc:], y[i*ldc:][:n])
		}
	}
}

// GemmTNSums computes C = Aᵀ·B and sets sums to the sums of the columns of B: the gradients of a layer's weights and of
// its bias. The bits are those of GemmTN and, on zeros, ColSums.
func (w *Workspace) GemmTNSums(m, n, k int, a []float32, lda int, b []float32, ldb int, c []float32, ldc int,
	sums []float32) {
	checkMatrix(k, m, lda, len(a))
	checkMatrix(k, n, ldb, len(b))
	checkMatrix(m, n, ldc, len(c))
	sums = first(sums, n)
	if !fusedProduct(&w.pack, m, n, k, strided{a, 1, lda}, strided{b, ldb, 1}, c, ldc, fused{sums: sums}) {
		w.GemmTN(m, n, k, a, lda, b, ldb, c, ldc, false)
		clear(sums)
		ColSums(sums, b, ldb, k, n)
	}
}

// gemm is the product in any orientation; only C is checked.
func (w *Workspace) gemm(m, n, k int, a, b strided, c []float32, ldc int, acc bool) {
	checkMatrix(m, n, ldc, len(c))
	if m > 0 && n > 0 && !product(&w.pack, m, n, k, a, b, c, ldc, acc) {
		gemmGo(m, n, k, a, b, c, ldc, acc)
	}
}

func grow(pack *[]float32, n int) {
	if len(*pack) < n {
		*pack = Zeros(n)
	}
}

// checkMatrix panics unless a rows×cols matrix of row stride ld fits into n elements. The kernels rely on it.
func checkMatrix(rows, cols, ld, n int) {
	switch {
	case rows < 0 || cols < 0:
		panic("simd: negative dimension")
	case rows == 0 || cols == 0:
	case ld < cols:
		panic("simd: row stride less than number of columns")
	case n < (rows-1)*ld+cols:
		panic("simd: slice too short for its matrix")
	}
}

func gemmGo(m, n, k int, a, b strided, c []float32, ldc int, acc bool) {
	for i := range m {
		ci := c[i*ldc:][:n]
		if !acc {
			clear(ci)
		}
		for p := range k {
			aip := a.data[i*a.row+p*a.col]
			bp := b.data[p*b.row:]
			if b.col == 1 { // as below, at twice the speed
				for j, bv := range bp[:n] {
					ci[j] += float32(aip * bv)
				}
				continue
			}
			for j := range ci {
				ci[j] += float32(aip * bp[j*b.col])
			}
		}
	}
}
