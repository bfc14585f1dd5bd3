// Package sealed reads and writes sealed folders: files, and an index that lists each with its size and digest. The
// index is a JSON object: members of the writer's own, then "files", then "sha256", the digest of all that stands
// before it.
//
// Nothing is parsed before its digest was compared. Since anybody can make a seal, what was parsed is checked too.
package sealed

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"golang.org/x/sync/errgroup"

	"github.com/semi-implicit/sifg/pkg/harness/internal/disk"
	"github.com/semi-implicit/sifg/pkg/harness/internal/safe"
)

const (
	maxIndex = 64 << 20 // bytes of an index
	maxFile  = 2 << 30  // bytes of another file

	sealStart = ",\n  \"sha256\": \""
	sealEnd   = "\"\n}\n"
)

// File is a file that an index lists.
type File struct {
	Name   string `json:"name"`
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"` // lower-case hex
}

// Index is the last field of a Head.
type Index struct {
	Files []File `json:"files"` // in order of name; the index is not among them
}

func (x *Index) list() *Index { return x }

// Head points to a struct that embeds Index after the fields of its writer's own; "files" and "sha256" are not among
// their JSON names.
type Head interface{ list() *Index }

// Folder is a sealed folder whose index was read and checked.
type Folder struct {
	Index
	root  *os.Root
	dir   string
	index string
}

// Write writes files and the index that lists them into dir, a folder below root that is empty, and makes them durable.
func Write(root *os.Root, dir, index string, head Head, files map[string][]byte) error {
	var list []File
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if err := checkName(name, index); err != nil {
			return err
		}
		list = append(list, File{name, int64(len(files[name])), Digest(files[name])})
	}
	head.list().Files = list
	b, err := encode(head)
	if err != nil {
		return err
	}
	var writers errgroup.Group // several at once, so that the file system can join their syncs
	writers.SetLimit(16)
	writers.Go(func() error { return disk.WriteFile(root, path.Join(dir, index), b) })
	for name, b := range files {
		writers.Go(func() error { return disk.WriteFile(root, path.Join(dir, name), b) })
	}
	return errors.Join(writers.Wait(), disk.SyncDir(root, dir))
}

// checkName refuses what is not a plain name of a file beside the index.
func checkName(name, index string) error {
	if !fs.ValidPath(name) || name == "." || name == index || strings.ContainsAny(name, `/\:`) ||
		safe.Text(name) != name {
		return fmt.Errorf("the file name %q: want a plain name", name)
	}
	return nil
}

// encode returns the index of what its head lists.
func encode(head Head) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false) // leaves a configuration as it is
	enc.SetIndent("", "  ")
	if err := enc.Encode(head); err != nil {
		return nil, err
	}
	b.Truncate(b.Len() - len("\n}\n"))
	return append(b.Bytes(), seal(b.Bytes())...), nil
}

// Digest returns the SHA-256 of b in hexadecimal digits.
func Digest(b []byte) string { return fmt.Sprintf("%x", sha256.Sum256(b)) }

// seal is what an index ends with, after all that stands before it.
func seal(b []byte) string { return sealStart + Digest(b) + sealEnd }

// Open reads the index of the sealed folder dir below root into head. What is wrong with the index is a *safe.Damage,
// a missing one too. Read and Check compare the other files with it.
func Open(root *os.Root, dir, index string, head Head) (*Folder, error) {
	f := &Folder{root: root, dir: dir, index: index}
	b, err := safe.ReadIn(root, path.Join(dir, index), maxIndex)
	if err == nil {
		err = f.decodeIndex(b, head)
	}
	if err != nil {
		return nil, f.damage(index, err)
	}
	return f, nil
}

func (f *Folder) decodeIndex(b []byte, head Head) error {
	n := len(b) - len(sealStart) - 2*sha256.Size - len(sealEnd)
	if n < 0 {
		return fmt.Errorf("%d bytes are too few", len(b))
	}
	if string(b[n:]) != seal(b[:n]) {
		return errors.New("its digest is not that of its content")
	}
	if err := json.Unmarshal(b, head); err != nil {
		return err
	}
	f.Index = *head.list()
	for _, x := range f.Files {
		if err := checkName(x.Name, f.index); err != nil || x.Bytes < 0 || x.Bytes > maxFile {
			return fmt.Errorf("its list of files has %s of %d bytes: %w", x.Name, x.Bytes, err)
		}
	}
	return nil
}

// absent are the errors by which the system says that a file is not there, or that something else is in its place.
var absent = []syscall.Errno{
	syscall.ENOENT, syscall.ENOTDIR, syscall.ELOOP, syscall.EISDIR, syscall.ENAMETOOLONG, syscall.ENXIO,
}

// damage makes a *safe.Damage of what is wrong with a file, except where the system cannot tell: a disk that fails,
// no permission.
func (f *Folder) damage(name string, err error) error {
	if errno, ok := errors.AsType[syscall.Errno](err); ok && !slices.Contains(absent, errno) {
		return fmt.Errorf("%s: %w", f.Path(name), err)
	}
	if at, ok := errors.AsType[*fs.PathError](err); ok {
		err = at.Err
	}
	if errors.Is(err, fs.ErrNotExist) {
		err = errors.New("missing")
	}
	return &safe.Damage{Path: f.Path(name), Reason: err.Error()}
}

// Dir returns the folder's name below its root.
func (f *Folder) Dir() string { return f.dir }

// Path returns the path of one of the folder's files, for messages.
func (f *Folder) Path(name string) string {
	return filepath.Join(f.root.Name(), f.dir, name)
}

// Read returns the contents of a file after comparing its digest with the index: fs.ErrNotExist if that does
// not list it, a *safe.Damage if the file is another.
func (f *Folder) Read(name string) ([]byte, error) {
	i := slices.IndexFunc(f.Files, func(x File) bool { return x.Name == name })
	if i < 0 {
		return nil, fmt.Errorf("%s has no file %s: %w", f.Path("."), name, fs.ErrNotExist)
	}
	b, err := safe.ReadIn(f.root, path.Join(f.dir, name), f.Files[i].Bytes)
	if err != nil {
		return nil, f.damage(name, err)
	}
	if Digest(b) != f.Files[i].SHA256 {
		return nil, &safe.Damage{Path: f.Path(name), Reason: "its SHA-256 is not the one in " + f.index}
	}
	return b, nil
}

// Check reads every file and returns those that are not as they were written. Its error names every file that the
// system does not let it read.
func (f *Folder) Check() (found []safe.Damage, err error) {
	for _, x := range f.Files {
		_, bad := f.Read(x.Name)
		if d, ok := errors.AsType[*safe.Damage](bad); ok {
			found = append(found, *d)
		} else {
			err = errors.Join(err, bad)
		}
	}
	return found, err
}

// Foreign returns the names of what lies in the folder and its index does not list, sorted.
func (f *Folder) Foreign() (names []string, err error) {
	entries, err := fs.ReadDir(f.root.FS(), f.dir)
	for _, e := range entries {
		if !f.Lists(e.Name()) && e.Name() != f.index {
			names = append(names, e.Name())
		}
	}
	return names, err
}

// Lists reports whether the index lists a file.
func (f *Folder) Lists(name string) bool {
	return slices.ContainsFunc(f.Files, func(x File) bool { return x.Name == name })
}
