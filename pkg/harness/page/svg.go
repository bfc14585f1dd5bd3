package page

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
)

var (
	pathData  = regexp.MustCompile(` d="([^"]*)"`)
	styleAttr = regexp.MustCompile(`\s+style="([^"]*)"`)
	pathPart  = regexp.MustCompile(`[A-Za-z]|-?\d*\.?\d+(?:e-?\d+)?`)
	blank     = regexp.MustCompile(`>\s+<`)
	comment   = regexp.MustCompile(`(?s)<\?xml.*?\?>|<!--.*?-->`)
)

// compact returns an SVG drawing with paths in steps of 0.1 (of a point, as figures are written: an eighth of a pixel), relative to the
// point before, and each style once: about a third of the bytes. What is not written as package figure writes it stays as it is.
func compact(svg string) string {
	svg = comment.ReplaceAllString(svg, "")
	svg = pathData.ReplaceAllStringFunc(svg, func(s string) string {
		return ` d="` + compactPath(s[len(` d="`):len(s)-1]) + `"`
	})
	classes := map[string]string{}
	var rules strings.Builder
	svg = styleAttr.ReplaceAllStringFunc(svg, func(s string) string {
		style := styleAttr.FindStringSubmatch(s)[1]
		class, seen := classes[style]
		if !seen {
			class = "c" + strconv.Itoa(len(classes))
			classes[style] = class
			fmt.Fprintf(&rules, ".%s{%s}", class, style)
		}
		return ` class="` + class + `"`
	})
	if i := strings.Index(svg, "<svg"); i >= 0 && rules.Len() > 0 {
		if j := strings.Index(svg[i:], ">"); j >= 0 {
			svg = svg[:i+j+1] + "<style>" + rules.String() + "</style>" + svg[i+j+1:]
		}
	}
	return strings.TrimSpace(blank.ReplaceAllString(svg, "><"))
}

// compactPath rewrites a path of M, L and Z with absolute coordinates; one with other commands stays as it is.
func compactPath(d string) string {
	var out strings.Builder
	var x, y, x0, y0 int // where the pen is, and where the outline began, in tenths
	var at [2]int
	command, have := byte(0), 0
	last := byte(0)
	write := func(c byte, a, b int) {
		if c != last {
			out.WriteByte(c)
		}
		first := tenths(a)
		if c == last && a >= 0 {
			out.WriteByte(' ')
		}
		out.WriteString(first)
		if b >= 0 {
			out.WriteByte(' ')
		}
		out.WriteString(tenths(b))
		last = c
	}
	for _, part := range pathPart.FindAllString(d, -1) {
		switch c := part[0]; {
		case c == 'Z' && len(part) == 1:
			out.WriteByte('z')
			last, x, y, command, have = 'z', x0, y0, 0, 0
		case (c == 'M' || c == 'L') && len(part) == 1:
			command, have = c, 0
		case c >= 'A' && c <= 'z':
			return d
		default:
			v, err := strconv.ParseFloat(part, 64)
			if err != nil || command == 0 {
				return d
			}
			at[have] = int(math.Round(10 * v))
			if have++; have < 2 {
				continue
			}
			have = 0
			if command == 'M' {
				write('M', at[0], at[1])
				x0, y0 = at[0], at[1]
			} else if at[0] != x || at[1] != y || last == 'M' { // a line to itself is a dot
				write('l', at[0]-x, at[1]-y)
			}
			x, y = at[0], at[1]
			if command == 'M' {
				command = 'L' // further pairs are lines
			}
		}
	}
	return out.String()
}

// tenths prints n/10 in as few characters as can be.
func tenths(n int) string {
	s := strconv.FormatFloat(float64(n)/10, 'f', -1, 64)
	s = strings.Replace(s, "-0.", "-.", 1)
	if strings.HasPrefix(s, "0.") {
		s = s[1:]
	}
	return s
}

// percent encodes an SVG drawing for a data address, where it needs it; most of a drawing does not.
var percent = strings.NewReplacer("%", "%25", "#", "%23", "<", "%3C", ">", "%3E", `"`, "'", "'", "%27", "&", "%26", "\n", " ", "\t", " ", "  ", " ")
