package figure

import (
	"bytes"
	"cmp"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"slices"
)

// encodePNG writes an opaque image as PNG with a palette of at most 256 colours, a quarter of the size of a PNG without
// one. Colours are gathered in cells of 8 levels a channel; the fullest cells give their commonest colour, so that flat
// colours stay as they are, and every other colour goes to the nearest of these. What changes are steps of blended
// edges and fields, by a few levels.
func encodePNG(img image.Image) ([]byte, error) {
	type rgb [3]uint8
	b := img.Bounds()
	plain := image.NewRGBA(b)
	draw.Draw(plain, b, img, b.Min, draw.Src)
	// stretches calls f for each stretch of one colour in reading order: most of a figure is white.
	stretches := func(f func(c rgb, from, to int)) {
		at := func(i int) rgb { return rgb(plain.Pix[4*i : 4*i+3]) }
		for from, n := 0, len(plain.Pix)/4; from < n; {
			to := from + 1
			for to < n && at(to) == at(from) {
				to++
			}
			f(at(from), from, to)
			from = to
		}
	}
	count := map[rgb]int{}
	stretches(func(c rgb, from, to int) { count[c] += to - from })
	type cell struct {
		top rgb // its commonest colour
		n   int // pixels in the cell
	}
	cells := map[rgb]cell{}
	for c, n := range count {
		k := rgb{c[0] / 8, c[1] / 8, c[2] / 8}
		old, seen := cells[k]
		// of two as common, the first in order: a map's order must not matter
		if m := count[old.top]; !seen || n > m || n == m && slices.Compare(c[:], old.top[:]) < 0 {
			old.top = c
		}
		old.n += n
		cells[k] = old
	}
	all := make([]cell, 0, len(cells))
	for _, c := range cells {
		all = append(all, c)
	}
	slices.SortFunc(all, func(a, b cell) int {
		return cmp.Or(b.n-a.n, slices.Compare(a.top[:], b.top[:]))
	})
	all = all[:min(len(all), 256)]
	palette := make(color.Palette, len(all))
	for i, c := range all {
		palette[i] = color.NRGBA{c.top[0], c.top[1], c.top[2], 0xff}
	}
	nearest := map[rgb]uint8{}
	for c := range count {
		best := 1 << 30
		for i, p := range all {
			d := 0
			for k := range c {
				e := int(c[k]) - int(p.top[k])
				d += e * e
			}
			if d < best {
				best, nearest[c] = d, uint8(i)
			}
		}
	}
	out := image.NewPaletted(b, palette)
	stretches(func(c rgb, from, to int) {
		for k := from; k < to; k++ {
			out.Pix[k] = nearest[c]
		}
	})
	var buf bytes.Buffer
	err := png.Encode(&buf, out)
	return buf.Bytes(), err
}
