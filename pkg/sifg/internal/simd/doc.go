// Package simd is the compute core: matrix products in the three orientations that a dense layer needs, the elementwise
// functions of the score network, optimiser steps, squared distances and standard normals, in float32; and what the
// float64 reference sampler needs of it.
//
// Every kernel has a portable Go twin, whose name ends in Go. It is what to read first, the oracle of the tests, and
// what runs on other processors and under the build tag purego. On amd64 there are AVX2+FMA and AVX-512 versions of
// each, on arm64 NEON versions of most, written by the generator in gen and chosen when the program starts (Path; the
// environment variable SIFG_KERNEL forces one).
//
// Bits. Normals are the same on every path. The vector versions of everything else agree with each other bit for bit,
// and with the portable twin within the bounds in the tests: they fuse products with sums. (On arm64 inner products,
// float64, random signs and the kernels of mixtures, ICA, BNN and distances are portable.) An element's result never
// depends on where it lies in memory or in a vector, nor on which other rows are computed with it, so work may be split
// over goroutines by rows without changing a bit.
//
// Matrices are row-major with an explicit row stride (ld). Wrong shapes panic before anything is written. Nothing
// allocates after a Workspace has grown to the sizes it serves. The panel kernels walk the rows of A at their stride;
// strides that are multiples of 4 KB cost up to a quarter of the speed, because the rows of a tile then compete for one
// set of the level-1 cache.
package simd

//go:generate sh -c "cd gen && GOWORK=off go run ."
