package grid

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/claim"
	"github.com/semi-implicit/sifg/pkg/harness/figure"
	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/harness/report"
	"github.com/semi-implicit/sifg/pkg/harness/stats"
	"github.com/semi-implicit/sifg/pkg/harness/table"
)

// On gives the results of an experiment the sections of the grid, also where they are on what is a person's own.
func (q Question) On(x *report.Experiment) {
	draw := func(s *record.Set) (*figure.Figure, error) { return q.draw(s, x.Metrics.Axis) }
	e := *x.Experiment
	e.Sections = []harness.Section{
		{ID: "best", Title: "The best configurations", Draw: draw, Table: q.best},
		{ID: "cells", Title: "All configurations, the best first", Table: q.all},
	}
	x.Experiment = &e
}

// Read reads the results of all grids below a results folder, by the name of the grid.
func Read(dir string, all []*harness.Experiment) (map[string]*report.Results, error) {
	names, err := os.ReadDir(filepath.Join(dir, report.Grids))
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	out, errs := map[string]*report.Results{}, []error{err}
	for _, n := range names {
		if n.IsDir() && !strings.HasPrefix(n.Name(), ".") {
			r, err := read(filepath.Join(dir, report.Grids, n.Name()), all)
			out[n.Name()], errs = r, append(errs, err)
		}
	}
	return out, errors.Join(errs...)
}

// read reads the results of one grid. Its experiments have the sections of the question that their records keep.
func read(dir string, all []*harness.Experiment) (*report.Results, error) {
	r, err := report.Read(dir, all)
	for i := 0; r != nil && i < len(r.Experiments); i++ {
		x := r.Experiments[i]
		q, wrong := questionOf(x)
		if wrong != nil {
			return nil, fmt.Errorf("%s is not the results of a grid: %w", dir, wrong)
		}
		q.On(x)
	}
	return r, err
}

// questionOf is the question that the records of an experiment keep.
func questionOf(x *report.Experiment) (q Question, err error) {
	err = json.Unmarshal([]byte(x.Records.About), &q)
	return q, err
}

// Shown returns what a page shows of the results of grids, and adds their files.
func Shown(grids map[string]*report.Results, files report.Files) (out []report.Grid, err error) {
	for _, name := range slices.Sorted(maps.Keys(grids)) {
		for _, x := range grids[name].Experiments {
			q, _ := questionOf(x) // Read has
			at := path.Join(report.Grids, name, x.Name)
			if err := files.Add(at, x); err != nil {
				return nil, err
			}
			for _, set := range x.Sets {
				dir := path.Join(at, set.Protocol)
				files.Made[path.Join(dir, "chosen.yaml")], _ = q.Chosen(set)
				out = append(out, report.Grid{
					Name: name, Rule: q.String(),
					Dir: dir, Set: set, Best: x.Part(set.Protocol, "best"),
				})
			}
		}
	}
	return out, nil
}

// best lists the best cell of each method on each problem beside the settings as they are.
func (q Question) best(s *record.Set) (*table.Table, error) {
	groups := q.groups(s)
	if len(groups) == 0 {
		return nil, harness.ErrNoTrials
	}
	t, value := table.Of(groups), q.Metric
	if q.Published != nil {
		value = "distance in standard errors"
		t.Notes = []string{fmt.Sprintf("A configuration agrees if each published metric lies within %d standard "+
			"errors; the distance is the largest of them.", claim.Marked)}
	}
	t.Words("problem", func(g *group) string { return g.problem })
	t.Words("method", func(g *group) string { return figure.Label(g.method) })
	t.Words("best configuration", func(g *group) string {
		if len(g.ranked()) == 0 {
			return "none: " + g.cells[0].why
		}
		return g.words(g.cells[0])
	})
	mean := func(c *cell) table.Cell {
		if c == nil || c.why != "" {
			return table.Text("–")
		}
		return table.Number(c.mean, 4)
	}
	t.Column(value, func(g *group) table.Cell { return mean(g.cells[0]) })
	if q.Published == nil {
		t.Column("95 % interval", func(g *group) table.Cell {
			lo, hi := stats.OverlapInterval(g.cells[0].samples[0].Numbers(), 0, 0.95) // of the mean over seeds
			if math.IsNaN(lo) {
				return table.Text("–")
			}
			return table.Text(table.Significant(lo, 4) + " to " + table.Significant(hi, 4))
		})
	}
	t.Column("seeds", func(g *group) table.Cell { return table.Int(len(g.cells[0].samples[0])) })
	t.Column("in use", func(g *group) table.Cell { return mean(g.use) })
	t.Words("second best", func(g *group) string {
		if ranked := g.ranked(); len(ranked) > 1 {
			return g.words(ranked[1]) + ": " + table.Significant(ranked[1].mean, 4)
		}
		return "–"
	})
	t.Column("configurations", func(g *group) table.Cell {
		return table.Text(fmt.Sprintf("%d of %d", len(g.ranked()), len(g.cells)))
	})
	return &t.Table, nil
}

// all lists all cells.
func (q Question) all(s *record.Set) (*table.Table, error) {
	groups := q.groups(s)
	var keys []string
	for _, g := range groups {
		for _, key := range g.keys {
			if !slices.Contains(keys, key) {
				keys = append(keys, key)
			}
		}
	}
	type row struct {
		*group
		*cell
		rank int
	}
	var rows []row
	for _, g := range groups {
		for i, c := range g.cells {
			rows = append(rows, row{g, c, i + 1})
		}
	}
	t := table.Of(rows)
	t.Words("problem", func(r row) string { return r.problem })
	t.Words("method", func(r row) string { return r.method })
	t.Column("rank", func(r row) table.Cell { return table.Int(r.rank) })
	for _, key := range keys {
		t.Words(short(key), func(r row) string { return r.settings[key] })
	}
	t.Column(q.String(), func(r row) table.Cell { return table.Number(r.mean, 4) })
	if q.Bound != "" {
		t.Column(q.Bound, func(r row) table.Cell { return table.Number(stats.Mean(r.samples[1].Numbers()), 4) })
	}
	t.Column("standard deviation", func(r row) table.Cell {
		return table.Number(stats.SD(r.samples[0].Numbers()), 4)
	})
	t.Column("seeds", func(r row) table.Cell { return table.Int(len(r.samples[0])) })
	t.Words("note", func(r row) string {
		if r.cell == r.use {
			return strings.TrimSuffix("in use; "+r.why, "; ")
		}
		return r.why
	})
	return &t.Table, nil
}
