package cli

import (
	"fmt"
	"io"
	"regexp"
	"strings"
	"sync"
	"text/tabwriter"
	"unicode"
	"unicode/utf8"
)

// output is stdout or stderr. Text of other people (reasons, citations, names of files) cannot control the terminal
// through it. It remembers that it could not be written, so that commands need not look at every line.
type output struct {
	mu     sync.Mutex // of the workers of a run
	to     io.Writer
	failed error
}

// Write implements io.Writer.
func (o *output) Write(b []byte) (int, error) {
	clean := strings.Map(func(r rune) rune {
		if r == '\n' || r == '\t' || unicode.IsGraphic(r) {
			return r
		}
		return unicode.ReplacementChar
	}, string(b))
	o.mu.Lock()
	defer o.mu.Unlock()
	if _, err := io.WriteString(o.to, clean); err != nil && o.failed == nil {
		o.failed = err
	}
	return len(b), o.failed
}

// columns prints rows of cells in aligned columns.
func columns(w io.Writer, rows [][]string) {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, row := range rows {
		fmt.Fprintln(t, strings.Join(row, "\t"))
	}
	t.Flush()
}

// width is how many columns of a terminal the listings for people take.
const width = 100

// wrapped breaks a text at blanks into lines of that width.
func wrapped(text string) string {
	var lines []string
	line := ""
	for _, word := range strings.Fields(text) {
		if line != "" && utf8.RuneCountInString(line+" "+word) > width {
			lines, line = append(lines, line), ""
		}
		line = strings.TrimPrefix(line+" "+word, " ")
	}
	return strings.Join(append(lines, line), "\n")
}

// oneLine joins the lines of a text.
func oneLine(text string) string {
	var parts []string
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" {
			parts = append(parts, line)
		}
	}
	return strings.ReplaceAll(strings.Join(parts, "; "), ":; ", ": ")
}

// sentence is what an error says, in one line. A word that is longer than a person reads is cut, and so is the whole.
func sentence(err error) string {
	text := longWord.ReplaceAllString(oneLine(err.Error()), "$1…")
	const most = 4000
	if len(text) > most {
		text = strings.ToValidUTF8(text[:most], "") + "…"
	}
	return text
}

var longWord = regexp.MustCompile(`(\S{500})\S+`)
