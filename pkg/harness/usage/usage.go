// Package usage has the errors that say what was asked wrongly: a flag, a name, a configuration key, an entry of a
// file.
package usage

import (
	"fmt"
	"io/fs"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/semi-implicit/sifg/pkg/harness/internal/safe"
)

// Error is a mistake in what was asked. It ends the program with exit code 2. Its text is one sentence that names what
// is wrong and what would be right.
type Error struct{ text string }

func (e *Error) Error() string { return e.text }

// Errorf returns an Error. It cuts long texts among its arguments.
func Errorf(format string, args ...any) error {
	return &Error{fmt.Sprintf(format, Short(args)...)}
}

// Short returns the arguments of a sentence, its texts cut to what a person reads, and what a YAML decoder says without
// the types of a programming language.
func Short(args []any) []any {
	out := slices.Clone(args)
	for i, a := range out {
		switch a := a.(type) {
		case string:
			out[i] = Cut(a, longest)
		case *fs.PathError:
			out[i] = &fs.PathError{Op: a.Op, Path: Cut(a.Path, longest), Err: a.Err}
		case error:
			if text, ok := strings.CutPrefix(a.Error(), "yaml: "); ok {
				out[i] = safe.Text(plain(text))
			}
		}
	}
	return out
}

const longest = 500 // bytes

// Cut returns the first bytes of a text, as many as a person reads.
func Cut(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + "…"
}

func plain(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	text = inType.ReplaceAllString(strings.TrimPrefix(text, "unmarshal errors: "), "")
	return wrongType.ReplaceAllStringFunc(text, func(found string) string {
		m := wrongType.FindStringSubmatch(found)
		return kinds[m[1]] + m[2] + " is where another kind of value is wanted"
	})
}

var (
	inType    = regexp.MustCompile(" in type [^ ]+( {.*})?")
	wrongType = regexp.MustCompile("cannot unmarshal !!([a-z]+)( `.*`)? into (struct {.*}|[^ ]+( {})?)")
)

var kinds = map[string]string{"seq": "a list", "map": "a mapping", "str": "a text", "int": "a number",
	"float": "a number", "bool": "true or false", "null": "nothing", "timestamp": "a date", "binary": "binary data"}

// Unknown returns the Error for a name that is none of the valid ones: it offers the nearest and lists all.
// from says where the name was written ("" to leave that out).
func Unknown(kind, name, from string, valid []string) error {
	where, offer := "", ""
	if from != "" {
		where = " in " + from
	}
	if near := nearest(name, valid); near != "" {
		offer = fmt.Sprintf(": did you mean %q?", near)
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

// nearest returns a candidate that is name with two neighbouring letters exchanged, or begins with it or differs by one
// edit, or else by two if it has five letters: the one nearest to its length; "" where there is none. Names that are
// longer by more than two letters are not compared, which would take seconds for one of 50,000.
func nearest(name string, candidates []string) string {
	candidates = slices.DeleteFunc(slices.Clone(candidates), func(c string) bool { return len(c)+2 < len(name) })
	if len(candidates) == 0 {
		return ""
	}
	for i := 1; i < len(name); i++ {
		if swapped := name[:i-1] + name[i:i+1] + name[i-1:i] + name[i+1:]; slices.Contains(candidates, swapped) {
			return swapped
		}
	}
	menu := &cobra.Command{} // cobra measures the edits
	for _, c := range candidates {
		menu.AddCommand(&cobra.Command{Use: c, Run: func(*cobra.Command, []string) {}})
	}
	for edits := 1; edits <= 2 && edits*edits < len(name); edits++ {
		menu.SuggestionsMinimumDistance = edits
		if found := menu.SuggestionsFor(name); len(found) > 0 {
			other := func(c string) int { return max(len(c)-len(name), len(name)-len(c)) }
			return slices.MinFunc(found, func(a, b string) int { return other(a) - other(b) })
		}
	}
	return ""
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
