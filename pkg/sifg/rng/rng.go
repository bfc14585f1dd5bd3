// Package rng gives named, counter-based random streams.
//
// A stream is named by a seed, a purpose ("noise", "probe", "init", …) and indices (trial, chain, …). Streams of
// different names are independent, and drawing more from one moves no other: every sampler of a comparison can start
// from the same cloud, and a new draw in one place changes nothing elsewhere. The generator is Philox4x32-10 (Salmon et
// al., 2011), so a stream's whole state is its position, which can be stored and restored.
package rng

import (
	"crypto/sha256"
	"encoding/binary"
	"math/rand/v2"

	"github.com/semi-implicit/sifg/pkg/sifg/internal/simd"
)

// Stream is a random stream. It is not safe for concurrent use; make one a goroutine, by name.
type Stream struct {
	key, hi uint64 // identity: 64-bit key and upper half of the counter
	block   uint64 // position: the next counter block
	buf     [4]uint32
	left    int // words of buf not yet used, taken from its end
}

// New returns the stream of this name, at its start.
func New(seed uint64, purpose string, indices ...uint64) *Stream {
	b := binary.LittleEndian.AppendUint64(nil, seed)
	b = binary.LittleEndian.AppendUint64(b, uint64(len(purpose)))
	b = append(b, purpose...)
	for _, i := range indices {
		b = binary.LittleEndian.AppendUint64(b, i)
	}
	d := sha256.Sum256(b)
	return &Stream{key: binary.LittleEndian.Uint64(d[:]), hi: binary.LittleEndian.Uint64(d[8:])}
}

// State is a stream's whole state, for checkpoints: Key and Hi name the stream, and Block counts the blocks that were
// drawn. Restore takes it back; other values than those of State are other streams.
type State struct{ Key, Hi, Block uint64 }

// State returns the stream's state. Words of a half-used block are given up: call it where draws are whole batches.
func (s *Stream) State() State { s.left = 0; return State{s.key, s.hi, s.block} }

// Restore returns a stream that continues from st.
func Restore(st State) *Stream { return &Stream{key: st.Key, hi: st.Hi, block: st.Block} }

// Uint32 returns the next 32 random bits.
func (s *Stream) Uint32() uint32 {
	if s.left == 0 {
		s.buf[3], s.buf[2], s.buf[1], s.buf[0] = simd.Philox(s.block, s.hi, s.key)
		s.block++
		s.left = 4
	}
	s.left--
	return s.buf[s.left]
}

// Uint64 returns the next 64 random bits, which makes a Stream a source of math/rand/v2 and of gonum's distributions.
func (s *Stream) Uint64() uint64 { return uint64(s.Uint32()) | uint64(s.Uint32())<<32 }

// Rand returns a math/rand/v2 generator that draws from s.
func (s *Stream) Rand() *rand.Rand { return rand.New(s) }

// Normal fills dst with independent N(0, 1) draws. A call starts a fresh block and uses up whole groups of 64 values,
// so two calls do not give what one call for both gives.
func (s *Stream) Normal(dst []float32) { s.NormalSplit(dst, 1) }

// NormalSplit is Normal by several goroutines, where there is enough to do. The draws are the same.
func (s *Stream) NormalSplit(dst []float32, threads int) {
	s.left = 0
	if threads > 1 && len(dst) >= 1<<15 {
		key, hi, block := s.key, s.hi, s.block
		simd.Split(threads, len(dst), simd.NormalGroup, func(_, lo, end int) {
			simd.Normals(dst[lo:end], key, hi, block+uint64(lo/4))
		})
	} else {
		simd.Normals(dst, s.key, s.hi, s.block)
	}
	s.block += uint64((len(dst) + simd.NormalGroup - 1) / simd.NormalGroup * (simd.NormalGroup / 4))
}

// Rademacher fills dst with independent ±1 draws. It starts and ends with a fresh block.
func (s *Stream) Rademacher(dst []float32) {
	s.left = 0
	var words [64]uint32
	for len(dst) > 0 {
		n := min(len(dst), 32*len(words))
		simd.PhiloxWords(&words, s.key, s.hi, s.block)
		simd.Signs(dst[:n], words[:])
		s.block += uint64(n+127) / 128
		dst = dst[n:]
	}
}

// Float64 returns a uniform draw from (0, 1], with 53 random bits below ½ and 52 above; 1 comes with probability 2⁻⁵³.
func (s *Stream) Float64() float64 { return float64((float64(s.Uint64()>>11) + 0.5) * 0x1p-53) }
