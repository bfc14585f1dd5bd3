package dataset

import (
	"cmp"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/semi-implicit/sifg/pkg/harness/internal/safe"
	"github.com/semi-implicit/sifg/pkg/harness/usage"
)

// sample is the number of records by which the separator is found.
const sample = 1000

// find fills in what p does not say of how the table is read, judged by its records. What they leave open is refused,
// with the flag that decides it.
func (s *source) find(p *Parse) error {
	if p.Separator == "" {
		var err error
		if p.Separator, err = s.findSeparator(); err != nil {
			return err
		}
	}
	all, err := s.lines(p.Separator, len(s.text)+1)
	if err != nil || len(all) == 0 {
		return err
	}
	if p.Decimal == "" {
		if p.Decimal, err = s.findDecimal(all, p); err != nil {
			return err
		}
	}
	if p.Header == nil {
		p.Header, err = s.findHeader(all, p)
	}
	return err
}

// findSeparator returns the separator that splits the records into most numbers and alike.
func (s *source) findSeparator() (string, error) {
	var failed error
	widths, scores, names := map[string]int{}, map[string]float64{}, slices.Sorted(maps.Keys(separators))
	for _, name := range names {
		all, err := s.lines(name, sample)
		failed = cmp.Or(failed, err)
		widths[name], scores[name] = score(all)
	}
	if widths["tab"] == widths["whitespace"] { // which splits at tabs too
		scores["whitespace"] = 0
	}
	slices.SortStableFunc(names, func(a, b string) int { return cmp.Compare(scores[b], scores[a]) })
	best, rival := names[0], names[1]
	switch {
	case scores[best] == 0 && failed != nil:
		return "", failed
	case scores[best] == 0:
		return "", damaged("%s: there are no records of two or more fields: --parse separator names what is between "+
			"them (comma, semicolon, pipe, tab, whitespace)", s.path)
	case scores[rival] > 0.95*scores[best]:
		return "", usage.Errorf("%s: %s and %s split it equally well: --parse separator decides", s.path, best, rival)
	}
	return best, nil
}

// score returns how many fields most records have, and their share times that of numbers; 0 for one field.
func score(all []line) (width int, share float64) {
	widths, numbers, values := map[int]int{}, 0, 1
	for _, l := range all {
		n := len(l.fields)
		if widths[n]++; widths[n] > widths[width] || widths[n] == widths[width] && n > width {
			width = n
		}
		for _, text := range l.fields {
			_, point := number(text, "point")
			if _, comma := number(text, "comma"); point || comma {
				numbers++
			}
		}
		values += n
	}
	if width < 2 {
		return width, 0
	}
	return width, float64(widths[width]) / float64(len(all)) * (0.01 + float64(numbers)/float64(values))
}

// findDecimal returns point or comma: the one by which the values are numbers.
func (s *source) findDecimal(all []line, p *Parse) (string, error) {
	var point, comma, open string // values that are numbers by the one, by the other, and unlike numbers by both
	for _, l := range all {
		for _, text := range l.fields {
			a, byPoint := number(text, "point")
			b, byComma := number(text, "comma")
			switch {
			case byPoint && !byComma:
				point = text
			case byComma && !byPoint:
				comma = text
			case a != b:
				open = text
			}
		}
	}
	usual := !strings.Contains(open, ",") && (p.Separator == "comma" || p.Separator == "whitespace")
	switch {
	case point != "" && comma != "":
		return "", usage.Errorf("%s: %q has a decimal point and %q a decimal comma: --parse decimal says which it is",
			s.path, point, comma)
	case comma != "":
		return "comma", nil
	case point == "" && open != "" && !usual:
		return "", usage.Errorf("%s: %q may have a decimal sign or a separator of thousands: --parse decimal=point or "+
			"decimal=comma says which sign begins the decimals", s.path, open)
	}
	return "point", nil
}

// findHeader returns whether the first record has names. In columns of numbers a text is a name, and numbers may be
// that are all beyond those below.
func (s *source) findHeader(all []line, p *Parse) (*bool, error) {
	first, rest := all[0], all[1:]
	if len(rest) > 0 && !slices.ContainsFunc(rest, func(l line) bool { return len(l.fields) != len(first.fields)+1 }) {
		return new(true), nil // as R writes it: the column of row names has no name
	}
	texts, numbers, beyond := 0, 0, 0 // of the first record, in columns of numbers
	for j, text := range first.fields {
		var below []float64
		others := 0
		for _, l := range rest {
			if j >= len(l.fields) || p.lacks(l.fields[j]) {
				continue
			}
			if v, is := number(l.fields[j], p.Decimal); is {
				below = append(below, v)
			} else {
				others++
			}
		}
		v, is := number(text, p.Decimal)
		switch {
		case len(below) <= others || p.lacks(text): // a column of text
		case !is:
			texts++
		case v < slices.Min(below) || v > slices.Max(below):
			beyond++
		default:
			numbers++
		}
	}
	switch {
	case texts == 0 && numbers > 0:
		return new(false), nil
	case texts > 0 && numbers+beyond == 0 || len(rest) == 0:
		return new(true), nil
	}
	return nil, usage.Errorf("%s:%d: are %s names or values? --parse header=true or header=false says it", s.path,
		first.number, safe.Text(strings.Join(first.fields, ", ")))
}

// absent are the texts that stand for a missing value, in any case of letters.
var absent = []string{"", "NA", "N/A", "#N/A", "<NA>", "NaN", "null", "None", "?"}

// lacks reports whether a text stands for a missing value.
func (p *Parse) lacks(text string) bool {
	like := func(a string) bool { return strings.EqualFold(a, text) }
	return slices.Contains(p.NA, text) || slices.ContainsFunc(absent, like)
}

// Numbers with separators of thousands, and signs that may be such.
var (
	grouped   = regexp.MustCompile("^[+-]?[1-9]\\d{0,2}([, '’\u00a0\u202f]\\d{3})+(\\.\\d*)?$")
	ungroup   = strings.NewReplacer(",", "", " ", "", "'", "", "’", "", "\u00a0", "", "\u202f", "")
	exchanged = strings.NewReplacer(",", ".", ".", ",")
)

// number reads a finite decimal number. decimal is the sign before its decimals, point or comma; the other one, a space
// or an apostrophe may stand between thousands. With "" the sign is a point, and there are no thousands.
func number(text, decimal string) (v float64, ok bool) {
	if decimal == "comma" {
		text = exchanged.Replace(text)
	}
	if decimal != "" && grouped.MatchString(text) {
		text = ungroup.Replace(text)
	}
	v, err := strconv.ParseFloat(text, 64)
	if err != nil || strings.ContainsAny(text, "_xXnN") { // Go also reads 1_0, 0x1p4, NaN and Inf
		return 0, false
	}
	return v, true
}
