package sifg

import "github.com/semi-implicit/sifg/pkg/sifg/internal/simd"

// ComputePath says which kernels this process computes with: avx512, avx2 or portable.
func ComputePath() string { return simd.Path() }
