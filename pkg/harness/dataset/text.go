package dataset

import (
	"bytes"
	"encoding/csv"
	"io"
	"regexp"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"
	"golang.org/x/text/unicode/norm"

	"github.com/semi-implicit/sifg/pkg/harness/table"
)

// source is the text of a table, without what may stand above it.
type source struct {
	path  string
	text  string   // in UTF-8 and NFC; lines end with \n
	above int      // lines of the file above the text
	said  []string // what a reader of the file would not expect
}

// open turns the bytes of a file into text. They are UTF-8, UTF-16 with a byte-order mark, or Windows-1252.
func open(path string, b []byte) (*source, error) {
	s := &source{path: path}
	if bytes.HasPrefix(b, []byte("\xff\xfe")) || bytes.HasPrefix(b, []byte("\xfe\xff")) {
		s.said = append(s.said, "read as UTF-16")
	}
	b, _, err := transform.Bytes(unicode.BOMOverride(transform.Nop), b)
	if err != nil || bytes.IndexByte(b, 0) >= 0 { // such as a spreadsheet's own format, or gzip
		return nil, damaged("%s: not a plain text: want a table as text, such as CSV in UTF-8", path)
	}
	if !utf8.Valid(b) {
		s.said = append(s.said, "read as Windows-1252 (Latin-1), since it is not UTF-8")
		b, _ = charmap.Windows1252.NewDecoder().Bytes(b) // every byte is a character
	}
	s.text = strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(string(norm.NFC.Bytes(b)))
	s.skip()
	return s, nil
}

// skip leaves out what is above the table: empty lines, comments, which begin with #, and the line sep= of Excel.
func (s *source) skip() {
	comments := 0
	for {
		first, rest, more := strings.Cut(s.text, "\n")
		text := strings.TrimSpace(first)
		comment := strings.HasPrefix(text, "#") && !strings.HasPrefix(text, "#N/A") || strings.HasPrefix(text, "sep=")
		if comment {
			comments++
		} else if text != "" || !more {
			break
		}
		s.text, s.above = rest, s.above+1
	}
	if comments > 0 {
		s.said = append(s.said, table.Count(comments, "comment line")+" left out")
	}
}

// line is one record of a file.
type line struct {
	number int      // of its first line, from 1
	fields []string // without the spaces around them
}

// lines splits the text into records, at most so many. Records without any value, and fields at the end that are empty
// in every record, are left out.
func (s *source) lines(separator string, most int) (out []line, err error) {
	text := s.text
	if separator == "whitespace" {
		text = trailing.ReplaceAllString(strings.ReplaceAll(text, "\t", " "), "")
	}
	r := csv.NewReader(strings.NewReader(text))
	r.Comma, r.FieldsPerRecord = separators[separator], -1
	r.TrimLeadingSpace = separator != "tab" // or an empty field between tabs would be lost
	used := 0                               // fields at most until the last with a value
	for len(out) < most {
		f, err := r.Read()
		if err == io.EOF {
			break
		} else if p, ok := err.(*csv.ParseError); ok {
			return nil, damaged("%s:%d: the record that begins here: %v", s.path, s.above+p.StartLine, p.Err)
		}
		last := 0
		for i := range f {
			if f[i] = strings.TrimSpace(f[i]); strings.Contains(f[i], "\n") { // in a name
				f[i] = strings.Join(strings.Fields(f[i]), " ")
			}
			if f[i] != "" {
				last = i + 1
			}
		}
		if number, _ := r.FieldPos(0); last > 0 {
			out, used = append(out, line{s.above + number, f}), max(used, last)
		}
	}
	for i, l := range out {
		out[i].fields = l.fields[:min(used, len(l.fields))]
	}
	return out, nil
}

var trailing = regexp.MustCompile(`(?m) +$`)
