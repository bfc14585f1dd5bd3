package grid

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/report"
)

// TestWrittenAndRead: the records keep the question, and what is read shows what was written: tables, picture and the
// layer of each protocol.
func TestWrittenAndRead(t *testing.T) {
	p, q := laidOut(t, "{product: {step: [0.01, 0.02]}, problems: [small]}", "min gap")
	r := compute(t, p, q, all)
	r.Experiments[0].Records.AtEnd(q.Text())
	results := t.TempDir()
	write := func(grids map[string]*report.Results) ([]report.Grid, map[string][]byte) {
		files := report.NewFiles()
		shown, err := Shown(grids, files)
		if err == nil {
			err = files.Write(results)
		}
		if err != nil {
			t.Fatal(err)
		}
		return shown, files.Made
	}
	shown, made := write(map[string]*report.Results{q.Name: r})
	var want []string
	for _, name := range []string{"best.csv", "best.md", "best.svg", "cells.csv", "cells.md", "chosen.yaml"} {
		want = append(want, "grid/steps/toy/paper/"+name)
	}
	if names := slices.Sorted(maps.Keys(made)); !slices.Equal(names, want) {
		t.Errorf("files %q, want %q", names, want)
	}
	read, err := Read(results, []*harness.Experiment{toy()})
	if err != nil {
		t.Fatal(err)
	}
	again, madeAgain := write(read)
	if len(shown) != 1 || len(again) != 1 || again[0].Rule != q.String() || again[0].Best.SVG == nil ||
		shown[0].Best.Made.CSV() != again[0].Best.Made.CSV() {
		t.Errorf("%+v\n%+v", shown, again)
	}
	for name, b := range made {
		if string(madeAgain[name]) != string(b) {
			t.Errorf("%s is, when it was read,\n%s\nwas\n%s", name, madeAgain[name], b)
		}
	}
	// A grid that varies nothing has no picture any more.
	p, q = laidOut(t, "{product: {step: [0.1]}, problems: [small], methods: [svgd]}", "min gap")
	r = compute(t, p, q, all)
	r.Experiments[0].Records.AtEnd(q.Text())
	write(map[string]*report.Results{q.Name: r})
	if _, err := os.Stat(filepath.Join(results, "grid", "steps", "toy", "paper", "best.svg")); err == nil {
		t.Error("the picture of other cells is still there")
	}
}

// TestOwnData: a grid on a person's own data is read, without them, as it was written.
func TestOwnData(t *testing.T) {
	p, q := laidOut(t, "{product: {step: [0.01, 0.02]}, problems: [small]}", "min gap")
	p.Set = []string{"--data mine.csv"}
	r := compute(t, p, q, all)
	r.Experiments[0].Records.AtEnd(q.Text())
	files, results := report.NewFiles(), t.TempDir()
	shown, err := Shown(map[string]*report.Results{q.Name: r}, files)
	if err == nil {
		err = files.Write(results)
	}
	if err != nil {
		t.Fatal(err)
	}
	e := toy()
	e.Custom = &harness.Custom{Problem: "small"}
	read, err := Read(results, []*harness.Experiment{e})
	if err != nil {
		t.Fatal(err)
	}
	again, err := Shown(read, report.NewFiles())
	if err != nil || len(again) != 1 || again[0].Best == nil || again[0].Best.Made.CSV() != shown[0].Best.Made.CSV() {
		t.Errorf("%+v, %v", again, err)
	}
}
