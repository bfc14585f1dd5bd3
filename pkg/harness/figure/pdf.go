package figure

import (
	"image/color"

	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/vgpdf"
)

// pdfCanvas mends two faults of vgpdf v0.17.0: it writes text as UTF-8 bytes in a font of another encoding (all but
// ASCII comes out as rubbish), so text is drawn as filled outlines, which needs no embedded font either; and it takes
// colours multiplied by their opacity for plain ones (light fields come out dark).
type pdfCanvas struct{ *vgpdf.Canvas }

// straight is a colour that gives its components not multiplied by opacity.
type straight color.NRGBA

func (s straight) RGBA() (r, g, b, a uint32) {
	return uint32(s.R) * 0x101, uint32(s.G) * 0x101, uint32(s.B) * 0x101, uint32(s.A) * 0x101
}

func (c pdfCanvas) SetColor(col color.Color) {
	c.Canvas.SetColor(straight(color.NRGBAModel.Convert(col).(color.NRGBA)))
}

func (c pdfCanvas) FillString(f font.Face, pt vg.Point, s string) {
	var (
		buf  sfnt.Buffer
		path vg.Path
		em   = f.Face.UnitsPerEm()
		ppem = fixed.I(int(em)) // outlines in font units
		unit = f.Font.Size / vg.Length(em) / 64
	)
	for _, r := range s {
		glyph, err := f.Face.GlyphIndex(&buf, r)
		if err != nil {
			continue // labels were checked
		}
		at := func(p fixed.Point26_6) vg.Point {
			return vg.Point{X: pt.X + vg.Length(p.X)*unit, Y: pt.Y - vg.Length(p.Y)*unit}
		}
		segments, err := f.Face.LoadGlyph(&buf, glyph, ppem, nil)
		if err != nil {
			continue
		}
		for i, s := range segments {
			switch s.Op {
			case sfnt.SegmentOpMoveTo:
				if i > 0 {
					path.Close()
				}
				path.Move(at(s.Args[0]))
			case sfnt.SegmentOpLineTo:
				path.Line(at(s.Args[0]))
			case sfnt.SegmentOpQuadTo:
				path.QuadTo(at(s.Args[0]), at(s.Args[1]))
			case sfnt.SegmentOpCubeTo:
				path.CubeTo(at(s.Args[0]), at(s.Args[1]), at(s.Args[2]))
			}
		}
		if len(segments) > 0 {
			path.Close()
		}
		if adv, err := f.Face.GlyphAdvance(&buf, glyph, ppem, 0); err == nil {
			pt.X += vg.Length(adv) * unit
		}
	}
	if len(path) > 0 {
		c.Canvas.Fill(path)
	}
}
