package store

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

// Entry is a trial or a reference in the store: a sealed folder with files, and an index that lists each with its size
// and digest. The index is a JSON object that ends with "sha256", the digest of all that stands before it. Nothing is
// parsed before its digest was compared. Since anybody can make a seal, what was parsed is checked too.
type Entry struct {
	root  *os.Root
	dir   string // below root
	index string
	head
}

// file is a file that an index lists.
type file struct {
	Name   string `json:"name"`
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"` // lower-case hex
}

const (
	maxIndex = 64 << 20 // bytes of an index
	maxFile  = 2 << 30  // bytes of another file

	sealStart = ",\n  \"sha256\": \""
	sealEnd   = "\"\n}\n"
)

// write writes files and the index that lists them into an empty folder, and makes them durable.
func (f *Entry) write(files map[string][]byte) error {
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if err := f.plain(name); err != nil {
			return err
		}
		f.Files = append(f.Files, file{name, int64(len(files[name])), digest(files[name])})
	}
	index, err := encode(&f.head)
	if err != nil {
		return err
	}
	var writers errgroup.Group // several at once, so that the file system can join their syncs
	writers.SetLimit(16)
	writers.Go(func() error { return disk.WriteFile(f.root, path.Join(f.dir, f.index), index) })
	for name, b := range files {
		writers.Go(func() error { return disk.WriteFile(f.root, path.Join(f.dir, name), b) })
	}
	return errors.Join(writers.Wait(), disk.SyncDir(f.root, f.dir))
}

// plain refuses what is not a plain name of a file beside the index.
func (f *Entry) plain(name string) error {
	if !fs.ValidPath(name) || name == "." || name == f.index || strings.ContainsAny(name, `/\:`) ||
		safe.Text(name) != name {
		return fmt.Errorf("the file name %q: want a plain name", name)
	}
	return nil
}

// encode returns an index.
func encode(h *head) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false) // leaves a configuration as it is
	enc.SetIndent("", "  ")
	if err := enc.Encode(h); err != nil {
		return nil, err
	}
	b.Truncate(b.Len() - len("\n}\n"))
	return append(b.Bytes(), seal(b.Bytes())...), nil
}

func digest(b []byte) string { return fmt.Sprintf("%x", sha256.Sum256(b)) }

// seal is what an index ends with, after all that stands before it.
func seal(b []byte) string { return sealStart + digest(b) + sealEnd }

// open reads the index.
func (f *Entry) open() error {
	b, err := safe.ReadIn(f.root, path.Join(f.dir, f.index), maxIndex)
	if err != nil {
		return err
	}
	n := len(b) - len(sealStart) - 2*sha256.Size - len(sealEnd)
	if n < 0 || string(b[n:]) != seal(b[:n]) {
		return errors.New("its digest is not that of its content")
	}
	if err := json.Unmarshal(b, &f.head); err != nil {
		return err
	}
	for _, x := range f.Files {
		if err := f.plain(x.Name); err != nil || x.Bytes < 0 || x.Bytes > maxFile {
			return fmt.Errorf("its list of files has %q of %d bytes", x.Name, x.Bytes)
		}
	}
	return nil
}

// absent are the errors by which the system says that a file is not there, or that something else is in its place.
var absent = []syscall.Errno{
	syscall.ENOENT, syscall.ENOTDIR, syscall.ELOOP, syscall.EISDIR, syscall.ENAMETOOLONG, syscall.ENXIO,
}

// damage makes a *safe.Damage of an error of a file, unless the disk failed or permission was denied.
func (f *Entry) damage(name string, err error) error {
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

// Path returns the path of one of the folder's files, for messages.
func (f *Entry) Path(name string) string { return filepath.Join(f.root.Name(), f.dir, name) }

// Lists reports whether the index lists a file.
func (f *Entry) Lists(name string) bool {
	return slices.ContainsFunc(f.Files, func(x file) bool { return x.Name == name })
}

// Read returns the contents of a file after comparing its digest with the index: fs.ErrNotExist if that does not list
// it, a *safe.Damage if the file is another.
func (f *Entry) Read(name string) ([]byte, error) {
	i := slices.IndexFunc(f.Files, func(x file) bool { return x.Name == name })
	if i < 0 {
		return nil, fmt.Errorf("%s has no file %s: %w", f.Path("."), name, fs.ErrNotExist)
	}
	b, err := safe.ReadIn(f.root, path.Join(f.dir, name), f.Files[i].Bytes)
	if err == nil && digest(b) != f.Files[i].SHA256 {
		err = errors.New("its SHA-256 is not the one in " + f.index)
	}
	if err != nil {
		return nil, f.damage(name, err)
	}
	return b, nil
}
