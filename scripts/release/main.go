// Command release keeps the modules of this repository at one version, from the root of the checkout:
//
//	go run ./scripts/release check         # everything agrees, and go.mod and go.sum are tidy
//	go run ./scripts/release set v0.2.0    # sets the version everywhere and tidies
//	go run ./scripts/release tags          # the tags to push, one of each module that users need
//
// Modules are those of go.work. Each requires its siblings at the version, and replaces them by their folders, so that
// GOWORK=off works in a checkout. Only the command has no replacements, because go install refuses them.
package main

import (
	"fmt"
	"os"
	"strings"
)

const usage = "usage: go run ./scripts/release check | set VERSION | tags"

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	r, err := read(".")
	if err != nil {
		return err
	}
	switch line := strings.Join(args, " "); {
	case line == "check":
		return r.check()
	case line == "tags":
		fmt.Println(strings.Join(r.tags(), "\n"))
		return nil
	case len(args) == 2 && args[0] == "set":
		return r.set(args[1])
	}
	return fmt.Errorf("%s", usage)
}
