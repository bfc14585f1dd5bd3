// Command tables makes Markdown tables of what was measured: make bench, make growth.
//
//	go run scripts/tables/*.go bench BENCH.txt [DOC.md]      medians of the output of go test -bench
//	go run scripts/tables/*.go growth FIGURE.svg [DOC.md]    how samplers grow: measures them and draws the figure
//
// It prints the tables, or puts them between two markers in DOC.md.
package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "tables:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	makers := map[string]func(file string) (string, error){"bench": bench, "growth": growth}
	if len(args) < 2 || len(args) > 3 || makers[args[0]] == nil {
		return errors.New("want bench or growth, a file and, perhaps, DOC.md")
	}
	tables, err := makers[args[0]](args[1])
	if err != nil {
		return err
	}
	if len(args) == 2 {
		fmt.Print(tables)
		return nil
	}
	doc, err := os.ReadFile(args[2])
	if err != nil {
		return err
	}
	begin, end := "<!-- begin: make "+args[0]+" -->", "<!-- end: make "+args[0]+" -->"
	before, rest, ok := bytes.Cut(doc, []byte(begin))
	_, after, ok2 := bytes.Cut(rest, []byte(end))
	if !ok || !ok2 {
		return fmt.Errorf("%s has no lines %q and %q", args[2], begin, end)
	}
	return os.WriteFile(args[2], []byte(string(before)+begin+"\n"+tables+end+string(after)), 0o644)
}
