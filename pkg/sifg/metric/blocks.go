package metric

import "math"

// blocks is a cloud cut into boxes of near points, for exact searches that pass over the boxes that are too far: the
// leaves of a k-d tree (Bentley, 1975) in a row, without the tree, because some hundred boxes are tested faster than a
// path is followed. Points keep their values; only their order changes.
type blocks struct {
	d     int
	data  []float64 // n×d, the points box by box
	index []int32   // n, where each was in the cloud
	start []int32   // box b holds points start[b] … start[b+1]−1
	box   []float64 // 2d a box: lower corner, upper corner
}

// boxSize is the most points a box holds, unless they coincide.
const boxSize = 48

func newBlocks(p Points) *blocks {
	b := &blocks{d: p.D, data: make([]float64, 0, len(p.Data)), index: make([]int32, p.N), start: []int32{0}}
	for i := range b.index {
		b.index[i] = int32(i)
	}
	b.split(p, b.index)
	return b
}

// split halves the widest side of the points' box until no box holds too many, and appends the boxes.
func (b *blocks) split(p Points, index []int32) {
	corner := len(b.box)
	for range 2 {
		b.box = append(b.box, p.Row(int(index[0]))...)
	}
	lo, hi := b.box[corner:corner+b.d], b.box[corner+b.d:]
	for _, i := range index {
		for c, v := range p.Row(int(i)) {
			lo[c], hi[c] = min(lo[c], v), max(hi[c], v)
		}
	}
	widest := 0
	for c := range lo {
		if hi[c]-lo[c] > hi[widest]-lo[widest] {
			widest = c
		}
	}
	if len(index) <= boxSize || lo[widest] == hi[widest] {
		for _, i := range index {
			b.data = append(b.data, p.Row(int(i))...)
		}
		b.start = append(b.start, b.start[len(b.start)-1]+int32(len(index)))
		return
	}
	mid := lo[widest] + float64((hi[widest]-lo[widest])/2)
	if mid >= hi[widest] { // neighbouring floats, or a side longer than the largest one: both parts must get a point
		mid = lo[widest]
	}
	b.box = b.box[:corner]
	left := 0
	for i, at := range index {
		if p.Data[int(at)*p.D+widest] <= mid {
			index[left], index[i] = at, index[left]
			left++
		}
	}
	b.split(p, index[:left])
	b.split(p, index[left:])
}

// gaps sets dst to the squared distance from x to each box, 0 inside, and returns the index of the nearest. It is
// computed coordinate by coordinate as sqDist is, so rounding does not lift it above the distance to a point of the
// box.
func (b *blocks) gaps(dst, x []float64) (nearest int) {
	for k := range dst {
		lo, hi := b.box[2*k*b.d:][:len(x)], b.box[(2*k+1)*b.d:][:len(x)]
		var s float64
		for c, v := range x {
			t := max(lo[c]-v, v-hi[c], 0)
			s += float64(t * t)
		}
		dst[k] = s
		if s < dst[nearest] {
			nearest = k
		}
	}
	return nearest
}

// kthSqDist returns the k-th smallest squared distance from x to the points, without the one whose index is skip (−1:
// none). gap and near are scratch memory, one value a box and k values.
func (b *blocks) kthSqDist(x []float64, k, skip int, gap, near []float64) float64 {
	for i := range near[:k] {
		near[i] = math.Inf(1)
	}
	nearest := b.gaps(gap, x)
	b.gather(x, nearest, skip, near[:k])
	for box, g := range gap {
		if box != nearest && g <= near[k-1] {
			b.gather(x, box, skip, near[:k])
		}
	}
	return near[k-1]
}

// gather takes a box's squared distances to x into near, the smallest so far in ascending order.
func (b *blocks) gather(x []float64, box, skip int, near []float64) {
	last := len(near) - 1
	for j := b.start[box]; j < b.start[box+1]; j++ {
		q := sqDistWithin(x, b.data[int(j)*b.d:][:b.d], near[last])
		if q >= near[last] || int(b.index[j]) == skip {
			continue
		}
		i := last
		for ; i > 0 && near[i-1] > q; i-- {
			near[i] = near[i-1]
		}
		near[i] = q
	}
}

// sqDist returns ‖x − y‖².
func sqDist(x, y []float64) float64 {
	var s float64
	for c, v := range x {
		t := v - y[c]
		s += float64(t * t)
	}
	return s
}

// sqDistWithin returns ‖x − y‖², or, as soon as a part of the sum exceeds limit, that part.
func sqDistWithin(x, y []float64, limit float64) float64 {
	var s float64
	c := 0
	for ; c+3 < len(x) && c+3 < len(y); c += 4 {
		t0, t1, t2, t3 := x[c]-y[c], x[c+1]-y[c+1], x[c+2]-y[c+2], x[c+3]-y[c+3]
		s = s + float64(t0*t0) + float64(t1*t1) + float64(t2*t2) + float64(t3*t3)
		if s > limit {
			return s
		}
	}
	for ; c < len(x); c++ {
		t := x[c] - y[c]
		s += float64(t * t)
	}
	return s
}
