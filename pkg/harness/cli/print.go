package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"sync"
	"text/tabwriter"
	"unicode"
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

func writeJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
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
