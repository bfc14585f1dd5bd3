// Command tables makes Markdown tables of what was measured: make bench, make growth.
//
//	go run scripts/tables/*.go bench BENCH.txt      medians of the output of go test -bench
//	go run scripts/tables/*.go growth FIGURE.svg    how samplers grow: measures them and draws the figure
//
// It prints the tables.
package main

import (
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
	if len(args) != 2 || makers[args[0]] == nil {
		return errors.New("want bench or growth, and a file")
	}
	tables, err := makers[args[0]](args[1])
	if err != nil {
		return err
	}
	fmt.Print(tables)
	return nil
}
