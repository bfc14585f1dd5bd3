package dataset

import (
	"cmp"
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/semi-implicit/sifg/pkg/harness/internal/safe"
	"github.com/semi-implicit/sifg/pkg/harness/usage"
)

// sample is the number of records by which the separator is found.
const sample = 1000

// find fills in what p and header (yes or no) do not say of how the table is read, judged by its records. What they
// leave open is refused, with the flag that decides it.
func (s *source) find(p *Parse, header string) error {
	if p.Separator == "" {
		p.Separator = s.separator
	}
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
	if header == "" {
		header, err = s.findHeader(all, p)
	}
	p.Header = header == "yes"
	return err
}

// findSeparator returns the separator that splits the records into most numbers and alike.
func (s *source) findSeparator() (best string, err error) {
	p := Parse{}
	var top, second float64
	var rival string
	fields := 0 // of a record, by the best
	for _, name := range slices.Sorted(maps.Keys(separators)) {
		all, wrong := s.lines(name, sample)
		if wrong != nil {
			err = cmp.Or(err, wrong)
			continue
		}
		widths := map[int]int{}
		numbers, values := 0, 0
		for _, l := range all {
			widths[len(l.fields)]++
			for _, text := range l.fields {
				_, point := number(text, "point")
				_, comma := number(text, "comma")
				if !p.lacks(text, false) {
					values++
				}
				if point || comma {
					numbers++
				}
			}
		}
		width := 1 // of most records
		for w, n := range widths {
			if n > widths[width] || n == widths[width] && w > width {
				width = w
			}
		}
		if width < 2 || best == "tab" && name == "whitespace" && width == fields { // which splits at tabs too
			continue
		}
		score := float64(widths[width]) / float64(len(all)) * (0.01 + float64(numbers)/float64(max(values, 1)))
		if score > top {
			best, rival, top, second, fields = name, best, score, top, width
		} else if score > second {
			rival, second = name, score
		}
	}
	switch {
	case best == "" && err != nil:
		return "", err
	case best == "":
		return "", damaged("%s: each record has one field: --separator names what is between two values (comma, "+
			"semicolon, pipe, tab, whitespace)", s.path)
	case second > 0.95*top:
		return "", usage.Errorf("%s: %s and %s split it equally well: --separator decides", s.path, best, rival)
	}
	return best, nil
}

// findDecimal returns point or comma: the one by which the values are numbers.
func (s *source) findDecimal(all []line, p *Parse) (string, error) {
	var only [2]string // a value that is a number by point alone, by comma alone
	open := ""         // one that is another number by each
	for _, l := range all {
		for _, text := range l.fields {
			a, point := number(text, "point")
			b, comma := number(text, "comma")
			switch {
			case point && !comma:
				only[0] = text
			case comma && !point:
				only[1] = text
			case point && a != b:
				open = text
			}
		}
	}
	usual := !strings.Contains(open, ",") && (p.Separator == "comma" || p.Separator == "whitespace")
	switch {
	case only[0] != "" && only[1] != "":
		return "", usage.Errorf("%s: %q has a decimal point and %q a decimal comma: --decimal says which it is",
			s.path, only[0], only[1])
	case only[1] != "":
		return "comma", nil
	case only[0] == "" && open != "" && !usual:
		return "", usage.Errorf("%s: %q may have a decimal sign or a separator of thousands: --decimal point or "+
			"--decimal comma says which sign begins the decimals", s.path, open)
	}
	return "point", nil
}

// findHeader returns yes or no: whether the first record has names. In columns of numbers a text is a name.
func (s *source) findHeader(all []line, p *Parse) (string, error) {
	first, rest := all[0], all[1:]
	if len(rest) > 0 && !slices.ContainsFunc(rest, func(l line) bool { return len(l.fields) != len(first.fields)+1 }) {
		return "yes", nil // as R writes it: the column of row names has no name
	}
	var texts, numbers []string
	unlike, columns := true, 0 // no number of the first record is like those below
	for j, name := range first.fields {
		v, is := number(name, p.Decimal)
		c := p.summary(rest, j)
		if c.numbers <= c.texts {
			continue
		}
		switch columns++; {
		case is:
			numbers = append(numbers, name)
			unlike = unlike && (v < c.least || v > c.most || c.fractions == c.numbers && v == math.Trunc(v))
		case !p.lacks(name, false):
			texts = append(texts, name)
		}
	}
	same := func(l line) bool { return slices.Equal(l.fields, first.fields) }
	distinct := len(slices.Compact(slices.Sorted(slices.Values(numbers)))) == len(numbers)
	open := distinct && !slices.ContainsFunc(rest, same) && (unlike || len(numbers) > 2 && ascending(numbers))
	switch {
	case columns == 0 || len(numbers) == 0 && len(texts) > 0:
		return "yes", nil
	case len(texts) == 0 && len(numbers) > 0 && !open:
		return "no", nil
	}
	return "", usage.Errorf("%s:%d: are %s names or values? --header yes or --header no says it", s.path, first.number,
		safe.Text(strings.Join(first.fields, ", ")))
}

// summary is what the records say of a column.
type summary struct {
	numbers, texts, fractions int // fractions are numbers that are not whole
	least, most               float64
}

func (p *Parse) summary(all []line, j int) (c summary) {
	for _, l := range all {
		if j >= len(l.fields) || p.lacks(l.fields[j], false) {
			continue
		}
		v, is := number(l.fields[j], p.Decimal)
		if !is {
			c.texts++
			continue
		}
		if c.numbers++; c.numbers == 1 {
			c.least, c.most = v, v
		}
		c.least, c.most = min(c.least, v), max(c.most, v)
		if v != math.Trunc(v) {
			c.fractions++
		}
	}
	return c
}

// ascending reports whether texts are whole numbers, each one more than that before.
func ascending(texts []string) bool {
	for i, text := range texts {
		v, err := strconv.Atoi(text)
		before, _ := strconv.Atoi(texts[max(i-1, 0)])
		if err != nil || i > 0 && v != before+1 {
			return false
		}
	}
	return true
}

// absent are the texts that stand for a missing value, in any case of letters.
var absent = []string{"", "NA", "N/A", "#N/A", "<NA>", "NaN", "null", "None", "?"}

// lacks reports whether a text stands for a missing value. In a column of texts that is a text like others, unless the
// entry names it.
func (p *Parse) lacks(text string, encoded bool) bool {
	like := func(a string) bool { return strings.EqualFold(a, text) }
	return text == "" || slices.Contains(p.NA, text) || !encoded && slices.ContainsFunc(absent, like)
}

// Numbers with a separator of thousands.
var (
	byComma = regexp.MustCompile(`^[+-]?[1-9]\d{0,2}(,\d{3})+(\.\d*)?$`)
	byPoint = regexp.MustCompile(`^[+-]?[1-9]\d{0,2}(\.\d{3})+(,\d*)?$`)
)

// number reads a finite decimal number. decimal is the sign before its decimals, point or comma; the other one may
// stand between thousands. With "" the sign is a point, and there are no thousands.
func number(text, decimal string) (v float64, ok bool) {
	switch {
	case decimal == "point" && strings.Contains(text, ",") && byComma.MatchString(text):
		text = strings.ReplaceAll(text, ",", "")
	case decimal == "comma" && strings.Contains(text, "."):
		if !byPoint.MatchString(text) {
			return 0, false
		}
		text = strings.ReplaceAll(text, ".", "")
	}
	if decimal == "comma" {
		text = strings.Replace(text, ",", ".", 1)
	}
	v, err := strconv.ParseFloat(text, 64)
	return v, err == nil && !strings.ContainsAny(text, "_xXnN") // Go also reads 1_0, 0x1p4, NaN and Inf
}
