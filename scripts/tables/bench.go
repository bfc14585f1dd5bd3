package main

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
)

// columns are the units shown, in order.
var columns = []string{"ms/iteration", "ms/gradient", "ns/element", "µs/call", "GFLOP/s", "%peak"}

// bench returns one table a benchmark, medians with the smallest and largest repeat: its cases in the order in which
// they ran.
func bench(file string) (string, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return "", err
	}
	var out strings.Builder
	values := map[string]map[string][]float64{} // by case and unit
	var cases []string
	for line := range strings.Lines(string(text)) {
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
		groupTable(&out, group, cases[:n], values)
		cases = cases[n:]
	}
	return out.String(), nil
}

func groupTable(out *strings.Builder, group string, cases []string, values map[string]map[string][]float64) {
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
