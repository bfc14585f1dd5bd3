package figure

import (
	"image/color"

	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/vgpdf"
)

// pdfCanvas works around two faults of vgpdf v0.17.0. It writes text as UTF-8 in a font of another encoding, so that σ
// and − come out as rubbish; here text is drawn as outlines. And it takes colours multiplied by their opacity for plain
// ones, so that light fields come out dark.
type pdfCanvas struct{ *vgpdf.Canvas }

// straight is a colour whose components are not multiplied by its opacity.
type straight color.NRGBA

func (s straight) RGBA() (r, g, b, a uint32) {
	return uint32(s.R) * 0x101, uint32(s.G) * 0x101, uint32(s.B) * 0x101, uint32(s.A) * 0x101
}

func (c pdfCanvas) SetColor(col color.Color) {
	c.Canvas.SetColor(straight(color.NRGBAModel.Convert(col).(color.NRGBA)))
}

func (c pdfCanvas) FillString(f font.Face, pt vg.Point, s string) {
	var path vg.Path
	em := f.Face.UnitsPerEm()
	unit := f.Font.Size / vg.Length(em) / 64 // outlines are in 64ths of a font unit
	for _, r := range s {
		at := func(p fixed.Point26_6) vg.Point {
			return vg.Point{X: pt.X + vg.Length(p.X)*unit, Y: pt.Y - vg.Length(p.Y)*unit}
		}
		var buf sfnt.Buffer
		glyph, _ := f.Face.GlyphIndex(&buf, r) // a character that is not there is reported with its label
		segments, err := f.Face.LoadGlyph(&buf, glyph, fixed.I(int(em)), nil)
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
			case sfnt.SegmentOpQuadTo: // the outlines of Liberation have no cubic curves
				path.QuadTo(at(s.Args[0]), at(s.Args[1]))
			}
		}
		if len(segments) > 0 {
			path.Close()
		}
		pt.X += f.Width(string(r))
	}
	if len(path) > 0 {
		c.Canvas.Fill(path)
	}
}
