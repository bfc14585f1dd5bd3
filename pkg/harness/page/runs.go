package page

import (
	"bytes"
	"path/filepath"
)

// Run is a report of a person's own.
type Run struct {
	Name, Page  string // of its folder; its first page, from the folder of all
	What, Scale string // experiments with their problems
	Trials      int
}

// OfRuns is the folder of all runs that a results folder lies in, which is results/custom; false of other folders.
func OfRuns(results string) (dir string, ok bool) {
	at, err := filepath.Abs(results)
	above := filepath.Dir(at)
	ok = err == nil && filepath.Base(above) == "custom" && filepath.Base(filepath.Dir(above)) == "results"
	return filepath.Join(results, ".."), ok
}

// Runs is the page of all runs; up is whether there are results in the folder above.
func Runs(all []Run, up bool) ([]byte, error) {
	v := view{site: &site{Runs: all}, link: link{firstPage, "My runs", "My runs"}}
	v.Links = []link{v.link}
	if up {
		v.Up = []link{{Name: "../" + firstPage, Title: "The paper"}}
	}
	var b bytes.Buffer
	err := pageTemplate.ExecuteTemplate(&b, "page", v)
	return b.Bytes(), err
}
