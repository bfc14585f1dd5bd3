package page

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"html/template"
	"image/png"
	"io/fs"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/semi-implicit/sifg/pkg/harness/figure"
)

// maxFigures is the room for figures and their values, encoded: the page stays below 5 MB.
const maxFigures = 4_500_000

// picture is a figure's file, embedded unless src is empty.
type picture struct {
	file   string
	w, h   int // CSS pixels
	src    template.URL
	values template.JS
}

// load reads the files of all figures, smallest first while there is room.
func load(p Page) (map[string]picture, error) {
	all, uses := map[string]picture{}, map[string]int{}
	var order []string
	for _, s := range p.Sections {
		for _, pr := range s.Protocols {
			for _, f := range pr.Figures {
				if f.Problem != "" {
					continue
				}
				if uses[f.Path]++; uses[f.Path] > 1 {
					continue
				}
				pic, err := read(f.Path)
				if errors.Is(err, fs.ErrNotExist) {
					return nil, fmt.Errorf("figure %s of %s: neither %s.svg nor .png is there", f.Name, s.Name, f.Path)
				}
				if err != nil {
					return nil, err
				}
				all[f.Path] = pic
				order = append(order, f.Path)
			}
		}
	}
	size := func(path string) int { return uses[path] * (len(all[path].src) + len(all[path].values)) }
	slices.SortStableFunc(order, func(a, b string) int { return size(a) - size(b) })
	room := maxFigures
	for _, path := range order {
		if room -= size(path); room < 0 {
			pic := all[path]
			pic.src, pic.values = "", ""
			all[path] = pic
		}
	}
	return all, nil
}

// read reads one figure's files: the drawing if it is the smaller once made compact, else the picture.
func read(path string) (picture, error) {
	var out picture
	for _, kind := range []string{"svg", "png"} {
		data, err := os.ReadFile(path + "." + kind)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return out, err
		}
		pic := picture{file: path + "." + kind}
		if pic.w, pic.h, err = dimensions(data, kind); err != nil {
			return out, fmt.Errorf("%s: %w", pic.file, err)
		}
		if kind == "svg" {
			pic.src = template.URL("data:image/svg+xml," + percent.Replace(compact(string(data))))
		} else {
			pic.src = template.URL("data:image/png;base64," + base64.StdEncoding.EncodeToString(data))
		}
		if out.file == "" || len(pic.src) < len(out.src) {
			out = pic
		}
	}
	if out.file == "" {
		return out, fs.ErrNotExist
	}
	values, err := os.ReadFile(path + ".json")
	if errors.Is(err, fs.ErrNotExist) { // a figure without curves
		return out, nil
	}
	if err == nil && !json.Valid(values) {
		err = fmt.Errorf("%s.json is no JSON", path)
	}
	out.values = template.JS(strings.ReplaceAll(strings.TrimSpace(string(values)), "<", `\u003c`)) // ends no script
	return out, err
}

// dimensions returns the size of a picture in CSS pixels, 96 to the inch.
func dimensions(data []byte, kind string) (w, h int, err error) {
	if kind == "png" {
		c, err := png.DecodeConfig(bytes.NewReader(data))
		return c.Width * 96 / figure.DPI, c.Height * 96 / figure.DPI, err
	}
	d := xml.NewDecoder(bytes.NewReader(data))
	for {
		tok, err := d.Token()
		if err != nil {
			return 0, 0, fmt.Errorf("not an SVG file: %w", err)
		}
		e, ok := tok.(xml.StartElement)
		if !ok {
			continue
		}
		size := map[string]float64{}
		for _, a := range e.Attr {
			if a.Name.Local == "width" || a.Name.Local == "height" {
				if size[a.Name.Local], err = strconv.ParseFloat(strings.TrimSuffix(a.Value, "pt"), 64); err != nil {
					return 0, 0, fmt.Errorf("%s of the SVG is %q", a.Name.Local, a.Value)
				}
			}
		}
		return int(size["width"] * 4 / 3), int(size["height"] * 4 / 3), nil
	}
}
