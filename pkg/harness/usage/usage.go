// Package usage has the errors of what was asked wrongly: a flag, a name, a configuration key, an entry of a file.
package usage

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// Error is a mistake in what was asked, with exit code 2: one sentence that says what is wrong and would be right.
type Error struct{ text string }

func (e *Error) Error() string { return e.text }

// Errorf returns an Error. What a decoder of YAML says loses the types of the programming language.
func Errorf(format string, args ...any) error {
	return &Error{Line(goType.ReplaceAllString(fmt.Sprintf(format, args...), "$1"))}
}

var (
	goType = regexp.MustCompile("(cannot unmarshal [^ ]+( `[^`]*`)?|field [^ ]+ not found) in(to| type) " +
		"(struct {.*}|[^ \n]+)")
	longWord = regexp.MustCompile(`(\S{500})\S+`)
)

// Line joins the lines of a text. A word that is longer than a person reads is cut, and so is the whole.
func Line(text string) string {
	const most = 1200 // bytes
	var parts []string
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" {
			parts = append(parts, line)
		}
	}
	text = strings.NewReplacer(":; ", ": ", "?; ", "? ").Replace(strings.Join(parts, "; "))
	if text = longWord.ReplaceAllString(text, "$1…"); len(text) > most {
		text = strings.ToValidUTF8(text[:most], "") + "…"
	}
	return text
}

// Unknown returns the Error for a name that is none of the valid ones: it offers the nearest and lists all.
// from says where the name was written ("" to leave that out).
func Unknown(kind, name, from string, valid []string) error {
	where, offer := "", ""
	if from != "" {
		where = " in " + from
	}
	if near := nearest(name, valid); len(near) > 0 {
		offer = `: did you mean "` + strings.Join(near, `" or "`) + `"?`
	} else if len(valid) > 0 {
		offer = ": valid are " + strings.Join(valid, ", ")
	}
	return Errorf("unknown %s %q%s%s", kind, name, where, offer)
}

// Among returns the Error for the first name that is none of the valid ones, nil if all are.
func Among(kind string, names []string, from string, valid []string) error {
	for _, name := range names {
		if !slices.Contains(valid, name) {
			return Unknown(kind, name, from, valid)
		}
	}
	return nil
}

// Twice returns an Error for the first value that is in a list twice, nil if none is.
func Twice[T comparable](kind string, list []T) error {
	seen := map[T]bool{}
	for _, x := range list {
		if seen[x] {
			return Errorf("%s %v is there twice", kind, x)
		}
		seen[x] = true
	}
	return nil
}

// nearest returns the candidates that begin with name or differ by one edit, or else by two.
func nearest(name string, candidates []string) (found []string) {
	for edits := 1; edits <= 2 && len(found) == 0 && len(name) > 2 && len(name) < 100; edits++ {
		menu := &cobra.Command{SuggestionsMinimumDistance: edits} // cobra measures them
		for _, c := range candidates {
			menu.AddCommand(&cobra.Command{Use: c, Run: func(*cobra.Command, []string) {}})
		}
		found = menu.SuggestionsFor(name)
	}
	return found
}

var notName = regexp.MustCompile(`[^a-z0-9]+`)

// Name makes a name of a text: its letters a to z and digits, and "-" between them.
func Name(text string) string {
	return strings.Trim(notName.ReplaceAllString(strings.ToLower(text), "-"), "-")
}

// Quote joins arguments so that a POSIX shell reads them.
func Quote(args []string) string {
	var out []string
	for _, a := range args {
		if strings.ContainsAny(a, " \t\n\"'`$\\*?[]{}()<>|&;#~!") || a == "" {
			a = "'" + strings.ReplaceAll(a, "'", `'\''`) + "'"
		}
		out = append(out, a)
	}
	return strings.Join(out, " ")
}
