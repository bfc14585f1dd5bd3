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

// PhiloxWords sets dst to the words of the 16 blocks from block on.
func PhiloxWords(dst *[64]uint32, key, hi, block uint64) {
	if !philoxWordsVector(dst[:], key, hi, block) {
		philoxWordsGo(dst[:], key, hi, block)
	}
}

func philoxWordsGo(dst []uint32, key, hi, block uint64) {
	for ; len(dst) >= 4; dst = dst[4:] {
		dst[0], dst[1], dst[2], dst[3] = Philox(block, hi, key)
		block++
	}
}

// NormalGroup is how many normals one group of 16 counter blocks gives.
const NormalGroup = 64

// Normals fills dst with independent N(0, 1) draws by Box–Muller, from the counter blocks that start at block (16
// blocks a group of 64 values, groups never split between calls). Word w of block 16g+b gives dst[64g+16w+b]; words 0,
// 1 and words 2, 3 are a pair each. The draws are the same bits on every processor: the arithmetic is float32 with one
// rounding per operation (no fused multiply-add), in the order of boxMuller.
func Normals(dst []float32, key, hi, block uint64) {
	n := len(dst) / NormalGroup * NormalGroup
	if n > 0 && !normalGroupsVector(dst[:n], key, hi, block) {
		n = 0
	}
	if n < len(dst) {
		normalsGo(dst[n:], key, hi, block+uint64(n/4))
	}
}

func normalsGo(dst []float32, key, hi, block uint64) {
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

// Signs sets dst[i] to −1 where bit i%32 of words[i/32] is set, else to 1.
func Signs(dst []float32, words []uint32) {
	n := len(dst) / 32 * 32
	words = first(words, (len(dst)+31)/32)
	if n > 0 && !signsVector(dst[:n], words) {
		n = 0
	}
	signsGo(dst[n:], words[n/32:])
}

func signsGo(dst []float32, words []uint32) {
	for i := range dst {
		dst[i] = math.Float32frombits(0x3F800000 | words[i/32]>>(i%32)<<31)
	}
}

// Coefficients of Cephes (Moshier): log(1+f) = f − f²/2 + f³·P(f) on √½ ≤ 1+f < √2; sin t = t + t³·S(t²) and
// cos t = 1 − t²/2 + t⁴·C(t²) on |t| ≤ π/4; highest power first.
var (
	logP = [9]float32{7.0376836292e-2, -1.1514610310e-1, 1.1676998740e-1, -1.2420140846e-1, 1.4249322787e-1,
		-1.6668057665e-1, 2.0000714765e-1, -2.4999993993e-1, 3.3333331174e-1}
	sinS = [3]float32{-1.9515295891e-4, 8.3321608736e-3, -1.6666654611e-1}
	cosC = [3]float32{2.443315711809948e-5, -1.388731625493765e-3, 4.166664568298827e-2}
)

const (
	sqrtHalfBits = 0x3F3504F3
	ln2Hi        = 0.693359375 // 9 significant bits: times an exponent it is exact
	ln2Lo        = -2.12194440e-4
)

// boxMuller maps two uniform words to two normals: r·cos θ, r·sin θ with r = √(−2 log((x0+½)·2⁻³²)) ≤ 6.764 and
// θ = 2π·x1·2⁻³². Every product is rounded by an explicit conversion, so that no compiler fuses it with a sum.
func boxMuller(x0, x1 uint32) (float32, float32) {
	// log: x0+½ = 2ᵉ·(1+f). In float32 the sum rounds to at most 2³².
	i := int32(math.Float32bits(float32(x0)+0.5)) - sqrtHalfBits
	e := float32(i>>23 - 32)
	f := math.Float32frombits(uint32(i&0x7FFFFF+sqrtHalfBits)) - 1
	p := logP[0]
	for _, c := range logP[1:] {
		p = float32(p*f) + c
	}
	z := float32(f * f)
	y := float32(float32(p*f) * z)
	y += float32(e * ln2Lo)
	y -= float32(0.5 * z)
	y += f
	y += float32(e * ln2Hi)
	r := float32(math.Sqrt(float64(float32(-2 * y)))) // float64 and back rounds as float32's own square root

	// sin and cos: x1 is a binary angle; its nearest multiple of a quarter turn is q, the rest is exact.
	q := (x1 + 1<<29) >> 30
	t := float32(float32(int32(x1-q<<30)) * (2 * math.Pi * 0x1p-32))
	z = float32(t * t)
	s := float32(float32(sinS[0]*z) + sinS[1])
	s = float32(s*z) + sinS[2]
	s = float32(float32(s*z)*t) + t
	c := float32(float32(cosC[0]*z) + cosC[1])
	c = float32(c*z) + cosC[2]
	c = float32(float32(c*z)*z) - float32(0.5*z)
	c++
	if q&1 != 0 {
		s, c = c, s
	}
	// quadrants 1 and 2 have a negative cosine, 2 and 3 a negative sine; r ≥ 0 carries no sign of its own
	c = math.Float32frombits(math.Float32bits(c) ^ (q+1)&2<<30)
	s = math.Float32frombits(math.Float32bits(s) ^ q&2<<30)
	return float32(r * c), float32(r * s)
}
