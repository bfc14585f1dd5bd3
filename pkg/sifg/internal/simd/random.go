package simd

import "math"

// Philox is the counter-based generator Philox4x32-10 of Salmon et al. (2011), "Parallel random numbers: as easy as
// 1, 2, 3": four words from a 128-bit counter (lo, hi) and a 64-bit key.
func Philox(lo, hi, key uint64) (x0, x1, x2, x3 uint32) {
	c0, c1, c2, c3 := uint32(lo), uint32(lo>>32), uint32(hi), uint32(hi>>32)
	k0, k1 := uint32(key), uint32(key>>32)
	for range 10 {
		p0 := uint64(0xD2511F53) * uint64(c0)
		p1 := uint64(0xCD9E8D57) * uint64(c2)
		c0, c1, c2, c3 = uint32(p1>>32)^c1^k0, uint32(p1), uint32(p0>>32)^c3^k1, uint32(p0)
		k0 += 0x9E3779B9
		k1 += 0xBB67AE85
	}
	return c0, c1, c2, c3
}

// NormalGroup is how many normals one group of 16 counter blocks gives.
const NormalGroup = 64

// Normals fills dst with independent N(0, 1) draws by Box–Muller, from the counter blocks that start at block (16 blocks a
// group of 64 values, groups never split between calls). Word w of block 16g+b gives dst[64g+16w+b].
func Normals(dst []float32, key, hi, block uint64) {
	var g [NormalGroup]float32
	for len(dst) > 0 {
		for b := range 16 {
			x0, x1, x2, x3 := Philox(block+uint64(b), hi, key)
			g[b], g[16+b] = boxMuller(x0, x1)
			g[32+b], g[48+b] = boxMuller(x2, x3)
		}
		block += 16
		dst = dst[copy(dst, g[:]):]
	}
}

func boxMuller(x0, x1 uint32) (float32, float32) {
	r := math.Sqrt(-2 * math.Log((float64(x0)+0.5)*0x1p-32))
	s, c := math.Sincos(float64(x1) * (2 * math.Pi * 0x1p-32))
	return float32(r * c), float32(r * s)
}
