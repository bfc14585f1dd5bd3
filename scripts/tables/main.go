// Command tables makes Markdown tables of what make bench measured.
//
//	go run scripts/tables/*.go BENCH.txt      medians of the output of go test -bench
package main

import (
	"fmt"
	"os"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "tables: want a file")
		os.Exit(1)
	}
	tables, err := bench(os.Args[1])
	if err != nil {
		fmt.Fprintln(os.Stderr, "tables:", err)
		os.Exit(1)
	}
	fmt.Print(tables)
}
