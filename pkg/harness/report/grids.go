package report

import "github.com/semi-implicit/sifg/pkg/harness/table"

// Grid is the results of a grid, as a page shows them.
type Grid struct {
	Name, Experiment, Protocol string
	Title                      string       // of the experiment
	Command                    string       // that makes it again
	Dir                        string       // below the results folder
	Best                       *table.Table // the best cells of each method on each problem
	Pictures                   []Picture
	Failure                    string // why it cannot be shown; "": it can
}

// Picture is a drawing, whose files are at Path below the results folder, without extension.
type Picture struct {
	Title, Path string
	SVG         []byte
}
