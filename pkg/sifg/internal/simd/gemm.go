package simd

// Workspace is the scratch memory of the matrix products (packed panels). The zero value is ready; it grows once and is
// then reused. A Workspace must not be shared by goroutines.
type Workspace struct {
	pack []float32
}

// GemmNN computes C = A·B, or C += A·B if acc. A is m×k, B is k×n, C is m×n; C must not alias A or B.
func (w *Workspace) GemmNN(m, n, k int, a []float32, lda int, b []float32, ldb int, c []float32, ldc int, acc bool) {
	for i := range m {
		ci := c[i*ldc : i*ldc+n]
		if !acc {
			clear(ci)
		}
		for p := range k {
			aip := a[i*lda+p]
			bp := b[p*ldb : p*ldb+n]
			for j, bv := range bp {
				ci[j] += aip * bv
			}
		}
	}
}

// GemmNT computes C = A·Bᵀ, or C += A·Bᵀ if acc. A is m×k, B is n×k, C is m×n; C must not alias A or B.
func (w *Workspace) GemmNT(m, n, k int, a []float32, lda int, b []float32, ldb int, c []float32, ldc int, acc bool) {
	for i := range m {
		ai := a[i*lda : i*lda+k]
		for j := range n {
			var s float32
			bj := b[j*ldb : j*ldb+k]
			for p, av := range ai {
				s += av * bj[p]
			}
			if acc {
				s += c[i*ldc+j]
			}
			c[i*ldc+j] = s
		}
	}
}

// GemmTN computes C = Aᵀ·B, or C += Aᵀ·B if acc. A is k×m, B is k×n, C is m×n; C must not alias A or B.
func (w *Workspace) GemmTN(m, n, k int, a []float32, lda int, b []float32, ldb int, c []float32, ldc int, acc bool) {
	if !acc {
		for i := range m {
			clear(c[i*ldc : i*ldc+n])
		}
	}
	for p := range k {
		bp := b[p*ldb : p*ldb+n]
		for i, av := range a[p*lda : p*lda+m] {
			ci := c[i*ldc : i*ldc+n]
			for j, bv := range bp {
				ci[j] += av * bv
			}
		}
	}
}
