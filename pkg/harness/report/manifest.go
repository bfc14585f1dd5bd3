package report

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"

	"github.com/semi-implicit/sifg/pkg/harness/internal/disk"
	"github.com/semi-implicit/sifg/pkg/harness/internal/safe"
	"github.com/semi-implicit/sifg/pkg/harness/internal/sealed"
)

const manifestName = "manifest.json"

// manifest lists what this program wrote into a results folder: pages, drawings, and the index of each sealed folder,
// which lists what is in that. Hence every file is known by its digest.
type manifest struct {
	Comment  string              `json:"comment"`
	Commands map[string][]string `json:"commands,omitempty"` // that make a sealed folder again
	sealed.Index
}

const manifestComment = "Written by sifg: what it wrote into this folder. sifg verify compares."

// openManifest opens the manifest. The index of another folder in its place is damage.
func openManifest(root *os.Root, m *manifest) (*sealed.Folder, error) {
	f, err := sealed.Open(root, ".", manifestName, m)
	if err == nil && m.Comment != manifestComment {
		at := filepath.Join(root.Name(), manifestName)
		err = &safe.Damage{Path: at, Reason: "it is the index of something else"}
	}
	return f, err
}

// listing is the files of a manifest, by name.
type listing map[string]listed

type listed struct {
	sealed.File
	commands []string // of an index: what makes its folder again
}

// readListing returns what the manifest lists; nil if there is none, or it is damaged: then what is there is taken as
// it is.
func readListing(root *os.Root) listing {
	m := &manifest{}
	if _, err := openManifest(root, m); err != nil {
		return nil
	}
	out := listing{}
	for _, f := range m.Files {
		out[f.Name] = listed{f, m.Commands[path.Dir(f.Name)]}
	}
	return out
}

// add adds the index of a sealed folder, which is there.
func (l listing) add(root *os.Root, name string) error {
	x := headOf(name)
	_, err := sealed.Open(root, path.Dir(name), path.Base(name), x)
	b, err2 := safe.ReadIn(root, name, maxPage)
	l[name] = listed{sealed.FileOf(name, b), x.commands()}
	return errors.Join(err, err2)
}

// write makes the manifest list exactly these.
func (l listing) write(root *os.Root) error {
	m := &manifest{Comment: manifestComment, Commands: map[string][]string{}}
	for _, name := range slices.Sorted(maps.Keys(l)) {
		m.Files = append(m.Files, l[name].File)
		if isIndex(name) {
			m.Commands[path.Dir(name)] = l[name].commands
		}
	}
	b, err := sealed.Encode(m)
	if err != nil {
		return err
	}
	return disk.WriteFileAtomic(filepath.Join(root.Name(), manifestName), b)
}

// isIndex reports whether a file is the index of a sealed folder.
func isIndex(name string) bool { return path.Base(name) == indexName || path.Base(name) == GridIndex }

// list makes the manifest list the report, and these pages and drawings. What it listed before stays if it is a sealed
// folder that the report could not read; a page that is not made any more is removed. gone are sealed folders that are
// not there any more.
func (r *Report) list(root *os.Root, pages map[string][]byte) (gone []string, err error) {
	before, now := readListing(root), listing{}
	for name, b := range pages {
		now[name] = listed{File: sealed.FileOf(name, b)}
	}
	for _, x := range r.Experiments {
		err = errors.Join(err, now.add(root, path.Join(x.Name, indexName)))
	}
	for _, g := range r.Grids {
		if g.Problem == "" {
			err = errors.Join(err, now.add(root, path.Join(g.Dir, GridIndex)))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(before)) {
		if _, ok := now[name]; ok {
			continue
		}
		_, absent := root.Lstat(path.Dir(name))
		b, _ := safe.ReadIn(root, name, maxPage)
		switch {
		case isIndex(name) && errors.Is(absent, fs.ErrNotExist):
			gone = append(gone, path.Dir(name))
		case isIndex(name):
			now[name] = before[name]
		case sealed.FileOf(name, b) == before[name].File:
			err = errors.Join(err, disk.RemoveAll(root, name))
		}
	}
	return gone, errors.Join(err, now.write(root))
}

// PutGrid writes the result of a grid into a results folder, as the sealed folder GRID/PROTOCOL, and lists it. Where
// stays says of the folder that is there that it must not be replaced, kept is true. Files in the folder that it did
// not write stay, and are named in foreign.
func PutGrid(results, grid, protocol string, head sealed.Head, files map[string][]byte,
	stays func(root *os.Root, folder string) bool) (foreign []string, kept bool, err error) {
	folder := path.Join(Grids, grid, protocol)
	err = disk.Alone(context.Background(), results, func(root *os.Root) error {
		if err := root.MkdirAll(path.Dir(folder), 0o777); err != nil {
			return err
		}
		if err := sealed.Restore(root, folder, GridIndex); err != nil {
			return err
		}
		if kept = stays(root, folder); kept {
			return nil
		}
		if foreign, err = sealed.Replace(root, folder, GridIndex, head, files); err != nil {
			return err
		}
		now := readListing(root)
		if now == nil {
			now = listing{}
		}
		if err := now.add(root, path.Join(folder, GridIndex)); err != nil {
			return err
		}
		return now.write(root)
	})
	return foreign, kept, err
}
