package report

import (
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/semi-implicit/sifg/pkg/harness/internal/safe"
	"github.com/semi-implicit/sifg/pkg/harness/internal/sealed"
	"github.com/semi-implicit/sifg/pkg/harness/record"
)

// TestWhateverIsInThePlace: derived files are replaced, whatever is in their place; what is not ours is moved aside.
func TestWhateverIsInThePlace(t *testing.T) {
	h := newHouse(t, "toy")
	all := trials("toy", "paper", "released")
	h.put(record.StatusOK, all...)
	h.must(h.plan(all), false)
	want := files(h.dir)
	spoil := map[string]func(path string) error{
		"a folder": func(p string) error {
			return errors.Join(os.Mkdir(p, 0o777), os.WriteFile(filepath.Join(p, "own"), []byte("mine"), 0o666))
		},
		"a loop":  func(p string) error { return os.Symlink(p, p) },
		"noise":   func(p string) error { return os.WriteFile(p, []byte("noise"), 0o666) },
		"nothing": func(string) error { return nil },
	}
	for _, c := range [][2]string{
		{"a folder", "index.html"}, {"a folder", "toy"}, {"a folder", "toy/report.json"},
		{"a folder", "toy/trials.parquet"},
		{"a loop", "index.html"}, {"a loop", "toy"}, {"a loop", "toy/timings.parquet"},
		{"noise", "toy"}, {"noise", "toy/paper"}, {"noise", "toy/report.json"},
		{"nothing", "toy/paper/figures/curve.svg"},
	} {
		t.Run(c[0]+" for "+c[1], func(t *testing.T) {
			path := filepath.Join(h.dir, c[1])
			must(0, errors.Join(os.RemoveAll(path), spoil[c[0]](path)))
			h.must(h.plan(all), false)
			got := files(h.dir)
			if kept := slices.Contains(slices.Collect(maps.Values(got)), "mine"); kept != (c[0] == "a folder") {
				t.Errorf("a person's file is kept: %t", kept)
			}
			for name, text := range want {
				if got[name] != text {
					t.Errorf("%s is not what it was", name)
				}
				delete(got, name)
			}
			for name := range got {
				must(0, os.Remove(filepath.Join(h.dir, name)))
			}
			h.read()
		})
	}
}

// TestDamagedReport: a damaged report is named with what to do, unless the plan makes all of it anew; other experiments
// go on.
func TestDamagedReport(t *testing.T) {
	h := newHouse(t, "toy", "other")
	all := append(trials("toy", "paper", "released"), trials("other", "paper", "released")...)
	h.put(record.StatusOK, all...)
	h.must(h.plan(all), false)
	write(filepath.Join(h.dir, "toy", "trace.parquet"), "noise")
	r, err := Read(h.dir, h.all)
	if !errors.Is(err, safe.ErrDamaged) || !strings.Contains(err.Error(), "toy/trace.parquet") ||
		r.Experiment("other").Protocol("paper") == nil {
		t.Errorf("read: %v", err)
	}
	if _, _, err := h.update(h.plan(trials("toy", "paper")), false); !errors.Is(err, safe.ErrDamaged) ||
		!strings.Contains(err.Error(), "move it away and run the same command again") {
		t.Errorf("a part of it: %v", err)
	}
	r, notes, err := h.update(h.plan(trials("other", "paper")), false)
	if err != nil || len(notes) != 1 || !strings.HasPrefix(notes[0], "toy is not on the page: ") {
		t.Errorf("another experiment: %q, %v", notes, err)
	}
	if x := r.Experiment("toy"); x != nil {
		t.Errorf("the page would show %+v", x)
	}
	h.must(h.plan(trials("toy", "paper", "released")), false)
	if found := verify(h.dir); found != nil {
		t.Errorf("after it was made anew: %q", found)
	}
}

// TestForged: anybody can make a seal, so what contradicts itself is refused.
func TestForged(t *testing.T) {
	h := newHouse(t, "toy")
	all := trials("toy", "paper", "released")
	h.put(record.StatusOK, all...)
	for want, forge := range map[string]func(x *Experiment){
		`it is of experiment "else"`: func(x *Experiment) {
			x.Name = "else"
		},
		"toy, protocol paper, scale full is not of": func(x *Experiment) {
			x.Protocols[0].Planned = 3
		},
		"toy, protocol paper, scale quick is not of": func(x *Experiment) {
			x.Protocols[0].Records.Trials[0].Scale = "quick"
		},
		`row that is not as long as its columns`: func(x *Experiment) {
			x.Protocols[0].Tables[0].Table.Rows[1] = nil
		},
		"it does not list paper/curve.svg": func(x *Experiment) {
			x.Protocols[0].Figures[0].Name = "../curve"
		},
		"protocol paper, scale full is not of this": func(x *Experiment) {
			x.Protocols[0].Name = "else"
		},
		"it has a protocol that is null": func(x *Experiment) {
			x.Protocols = append(x.Protocols, nil)
		},
		"in it twice": func(x *Experiment) {
			x.Protocols[0].Records.Trials[0] = x.Protocols[0].Records.Trials[1]
		},
	} {
		r, _ := h.must(h.plan(all), false)
		x := r.Experiments[0]
		files := must(x.files())
		forge(x)
		files[trialsName] = must(
			record.Encode(slices.Concat(x.Protocols[0].Records.Trials, x.Protocols[1].Records.Trials)),
		)
		root := must(os.OpenRoot(h.dir))
		defer root.Close()
		must(sealed.Replace(root, "toy", indexName, x, files))
		if _, err := Read(h.dir, h.all); !errors.Is(err, safe.ErrDamaged) || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one that says %q", err, want)
		}
	}
}
