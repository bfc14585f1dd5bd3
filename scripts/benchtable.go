// Command benchtable makes Markdown tables of the output of go test -bench: medians, with the smallest and largest
// repeat.
//
//	go run scripts/benchtable.go BENCH.txt          print them
//	go run scripts/benchtable.go BENCH.txt DOC.md   put them between the two markers in DOC.md
package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
)

const begin, end = "<!-- begin: make bench -->", "<!-- end: make bench -->"

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "benchtable:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) < 1 || len(args) > 2 {
		return errors.New("want BENCH.txt and, perhaps, DOC.md")
	}
	text, err := os.ReadFile(args[0])
	if err != nil {
		return err
	}
	tables := tables(string(text))
	if len(args) == 1 {
		fmt.Print(tables)
		return nil
	}
	doc, err := os.ReadFile(args[1])
	if err != nil {
		return err
	}
	before, rest, ok := bytes.Cut(doc, []byte(begin))
	_, after, ok2 := bytes.Cut(rest, []byte(end))
	if !ok || !ok2 {
		return fmt.Errorf("%s has no lines %q and %q", args[1], begin, end)
	}
	return os.WriteFile(args[1], []byte(string(before)+begin+"\n"+tables+end+string(after)), 0o644)
}

// columns are the units shown, in order.
var columns = []string{"ms/iteration", "ms/gradient", "ns/element", "µs/call", "GFLOP/s", "%peak"}

// tables returns one table a benchmark: its cases in the order in which they ran.
func tables(text string) string {
	var out strings.Builder
	values := map[string]map[string][]float64{} // by case and unit
	var cases []string
	for line := range strings.Lines(text) {
		f := strings.Fields(line)
		if name, ok := strings.CutPrefix(line, "cpu: "); ok && out.Len() == 0 {
			fmt.Fprintf(&out, "%s:\n", strings.TrimSpace(name))
		}
		if len(f) < 4 || !strings.HasPrefix(f[0], "Benchmark") {
			continue
		}
		name := strings.TrimPrefix(f[0], "Benchmark") // -cpu 1 adds no number
		if values[name] == nil {
			values[name] = map[string][]float64{}
			cases = append(cases, name)
		}
		for i := 2; i+1 < len(f); i += 2 {
			if v, err := strconv.ParseFloat(f[i], 64); err == nil {
				values[name][f[i+1]] = append(values[name][f[i+1]], v)
			}
		}
	}
	for len(cases) > 0 {
		group, _, _ := strings.Cut(cases[0], "/")
		n := slices.IndexFunc(cases, func(c string) bool { g, _, _ := strings.Cut(c, "/"); return g != group })
		if n < 0 {
			n = len(cases)
		}
		table(&out, group, cases[:n], values)
		cases = cases[n:]
	}
	return out.String()
}

func table(out *strings.Builder, group string, cases []string, values map[string]map[string][]float64) {
	var units []string
	for _, u := range columns {
		if slices.ContainsFunc(cases, func(c string) bool { return values[c][u] != nil }) {
			units = append(units, u)
		}
	}
	fmt.Fprintf(out, "\n| %s | %s |\n| --- |%s\n", group, strings.Join(units, " | "),
		strings.Repeat(" ---: |", len(units)))
	for _, c := range cases {
		_, name, ok := strings.Cut(c, "/")
		if !ok {
			name = c
		}
		fmt.Fprintf(out, "| %s |", name)
		for _, u := range units {
			if v := slices.Sorted(slices.Values(values[c][u])); len(v) > 0 {
				fmt.Fprintf(out, " %.3g (%.3g–%.3g)", v[len(v)/2], v[0], v[len(v)-1])
			}
			out.WriteString(" |")
		}
		out.WriteString("\n")
	}
}
