package figure

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"time"

	"codeberg.org/go-pdf/fpdf"
	"github.com/semi-implicit/sifg/pkg/harness/record"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgpdf"
	"gonum.org/v1/plot/vg/vgsvg"
)

// DPI of the PNG files.
const DPI = 200

// Formats that a figure is saved in.
var Formats = []string{"png", "svg", "pdf"}

func init() {
	// A PDF holds its dates, and its fonts in the order of a map, unless told otherwise; vgpdf does not tell.
	t := time.Unix(0, 0).UTC()
	fpdf.SetDefaultCreationDate(t)
	fpdf.SetDefaultModificationDate(t)
	fpdf.SetDefaultCatalogSort(true)
}

// Save writes name.png, name.svg and name.pdf into dir, each absent or whole; of a figure with curves also name.json, its Values.
func (f *Figure) Save(dir, name string) (Info, error) {
	var info Info
	for _, format := range Formats {
		data, in, err := f.Encode(format)
		if err != nil {
			return info, fmt.Errorf("figure %s: %w", name, err)
		}
		info.Width, info.Height, info.Dropped = in.Width, in.Height, in.Dropped
		err = record.WriteFileAtomic(filepath.Join(dir, name+"."+format), func(w io.Writer) error {
			_, err := w.Write(data)
			return err
		})
		if err != nil {
			return info, fmt.Errorf("figure %s: %w", name, err)
		}
		info.Files = append(info.Files, name+"."+format)
	}
	l, err := f.layout()
	if err != nil {
		return info, fmt.Errorf("figure %s: %w", name, err)
	}
	if v := l.values(); v.Panels != nil {
		err := record.WriteFileAtomic(filepath.Join(dir, name+".json"), func(w io.Writer) error { return json.NewEncoder(w).Encode(v) })
		if err != nil {
			return info, fmt.Errorf("figure %s: %w", name, err)
		}
		info.Files = append(info.Files, name+".json")
	}
	return info, nil
}

// Encode draws the figure as png, svg or pdf.
func (f *Figure) Encode(format string) ([]byte, Info, error) {
	l, err := f.layout()
	if err != nil {
		return nil, Info{}, err
	}
	info := Info{Width: l.w / pointsPerCm, Height: l.h / pointsPerCm}
	w, h := vg.Length(l.w), vg.Length(l.h)
	var out io.WriterTo
	switch format {
	case "png":
		c := vgimg.NewWith(vgimg.UseWH(w, h), vgimg.UseDPI(DPI))
		info.Dropped = l.draw(draw.New(c))
		data, err := encodePNG(c.Image())
		return data, info, err
	case "svg":
		c := vgsvg.New(w, h)
		info.Dropped = l.draw(draw.New(c))
		out = c
	case "pdf":
		c := vgpdf.New(w, h)
		info.Dropped = l.draw(draw.NewCanvas(pdfCanvas{c}, w, h))
		out = c
	default:
		return nil, Info{}, fmt.Errorf("format %q is none of %v", format, Formats)
	}
	var b bytes.Buffer
	if _, err := out.WriteTo(&b); err != nil {
		return nil, Info{}, err
	}
	data := b.Bytes()
	if format == "svg" { // the fonts of the same widths, where Liberation Sans is not installed
		data = bytes.ReplaceAll(data, []byte("font-family:Liberation Sans"),
			[]byte("font-family:Liberation Sans,Arimo,Arial,Helvetica,sans-serif"))
	}
	return data, info, nil
}
