package store

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"syscall"

	"github.com/semi-implicit/sifg/pkg/harness/record"
)

// metaVersion is the version of trial.json.
const metaVersion = 1

// Meta is what trial.json says of a trial. Whoever commits a trial fills Trial and Timing; the store fills the rest, which is not there
// where a trial is known from elsewhere.
type Meta struct {
	Version    int             `json:"version,omitzero"`
	Trial      record.Trial    `json:"trial"`
	Config     json.RawMessage `json:"config,omitempty"`  // Trial.Config, as an object
	Attempt    int             `json:"attempt,omitempty"` // 2 for the first that replaced a failed one, and so on
	Timing     record.Timing   `json:"timing,omitzero"`
	Provenance Provenance      `json:"provenance,omitzero"`
	Files      []File          `json:"files,omitzero"` // in order of name
}

// Provenance says what program made a trial, as far as the program knows itself.
type Provenance struct {
	Go       string            `json:"go"`       // version of the compiler
	Platform string            `json:"platform"` // operating system/architecture
	Threads  int               `json:"threads"`  // GOMAXPROCS
	Modules  map[string]string `json:"modules"`  // path → version and checksum of the modules it was built from
}

// File is one file of a trial.
type File struct {
	Name   string `json:"name"`
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"`
}

// provenance is the same for all trials of a process.
var provenance = sync.OnceValue(func() Provenance {
	p := Provenance{Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH,
		Threads: runtime.GOMAXPROCS(0), Modules: map[string]string{}}
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, m := range info.Deps {
			if m.Replace != nil {
				m = &debug.Module{Path: m.Path, Version: m.Replace.Version, Sum: m.Replace.Sum}
			}
			p.Modules[m.Path] = strings.TrimSpace(m.Version + " " + m.Sum)
		}
	}
	return p
})

// Entry is a trial in the store.
type Entry struct {
	Dir  string
	Meta Meta
}

// trial.json is a JSON object whose last member is the SHA-256 of all that stands before seal.
const (
	seal    = ",\n  \"sha256\": \""
	sealEnd = "\"\n}\n"
)

// marshal returns the bytes of trial.json.
func (m *Meta) marshal() ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false) // leaves the configuration as it is
	enc.SetIndent("", "  ")
	if err := enc.Encode(m); err != nil {
		return nil, err
	}
	body := bytes.TrimSuffix(b.Bytes(), []byte("\n}\n"))
	return fmt.Appendf(nil, "%s%s%x%s", body, seal, sha256.Sum256(body), sealEnd), nil
}

// unmarshal parses trial.json after checking its digest.
func (m *Meta) unmarshal(b []byte) error {
	n := len(b) - len(seal) - 2*sha256.Size - len(sealEnd)
	if n < 0 {
		return fmt.Errorf("%d bytes are too few", len(b))
	}
	sum := sha256.Sum256(b[:n])
	if string(b[n:]) != seal+hex.EncodeToString(sum[:])+sealEnd {
		return errors.New("its digest is not that of its content")
	}
	if err := json.Unmarshal(b, m); err != nil {
		return err
	}
	var config bytes.Buffer
	if len(m.Config) > 0 {
		if err := json.Compact(&config, m.Config); err != nil {
			return err
		}
	}
	m.Trial.Config, m.Timing.Key = config.String(), m.Trial.Key
	return nil
}

// open reads trial.json; what is wrong with it is a *Damage.
func open(dir, experiment, key string) (*Entry, error) {
	path := filepath.Join(dir, trialName)
	b, err := os.ReadFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR):
		return nil, &Damage{Path: path, Reason: "missing"}
	case errors.Is(err, syscall.EISDIR), errors.Is(err, syscall.ELOOP):
		return nil, &Damage{Path: path, Reason: "not a regular file"}
	case err != nil:
		return nil, err
	}
	e := &Entry{Dir: dir}
	if err := e.Meta.unmarshal(b); err != nil {
		return nil, &Damage{Path: path, Reason: err.Error()}
	}
	if v := e.Meta.Version; v != metaVersion {
		return nil, fmt.Errorf("%s has version %d, this program knows version %d", path, v, metaVersion)
	}
	if t := e.Meta.Trial; t.Experiment != experiment || t.Key != key {
		return nil, &Damage{Path: path, Reason: "it is of trial " + t.Experiment + "/" + t.Key}
	}
	return e, nil
}

// checkSizes compares the sizes of the files.
func (e *Entry) checkSizes() error {
	for _, f := range e.Meta.Files {
		if err := e.checkSize(f); err != nil {
			return err
		}
	}
	return nil
}

func (e *Entry) checkSize(f File) error {
	path := filepath.Join(e.Dir, f.Name)
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return &Damage{Path: path, Reason: "missing"}
	case err != nil:
		return err
	case !info.Mode().IsRegular():
		return &Damage{Path: path, Reason: "not a regular file"}
	case info.Size() != f.Bytes:
		return &Damage{Path: path, Reason: fmt.Sprintf("%d bytes, want %d", info.Size(), f.Bytes)}
	}
	return nil
}

// Check compares sizes and digests of all files; the error of a damaged one is a *Damage.
func (e *Entry) Check() error {
	for _, f := range e.Meta.Files {
		if _, err := e.read(f.Name); err != nil {
			return err
		}
	}
	return nil
}

// read returns the bytes of one of the trial's files after checking their digest.
func (e *Entry) read(name string) ([]byte, error) {
	i := slices.IndexFunc(e.Meta.Files, func(f File) bool { return f.Name == name })
	if i < 0 {
		return nil, fmt.Errorf("store: trial %s has no file %s: %w", e.Dir, name, fs.ErrNotExist)
	}
	if err := e.checkSize(e.Meta.Files[i]); err != nil {
		return nil, err
	}
	path := filepath.Join(e.Dir, name)
	b, err := record.ReadFile(path, e.Meta.Files[i].SHA256)
	if errors.Is(err, record.ErrDamaged) {
		return nil, &Damage{Path: path, Reason: "its SHA-256 is not the one in " + trialName}
	}
	return b, err
}

// Traces returns the rows of trace.parquet, none if the trial left none.
func (e *Entry) Traces() ([]record.Trace, error) {
	b, err := e.read(traceName)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	rows, err := record.DecodeTraces(b)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", filepath.Join(e.Dir, traceName), err)
	}
	return rows, nil
}

// Array returns the array that was written under the name; fs.ErrNotExist if there is none.
func (e *Entry) Array(name string) (*record.Array, error) {
	b, err := e.read(name + arrayExt)
	if err != nil {
		return nil, err
	}
	shape, data, err := record.DecodeNPY[float32](b)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", filepath.Join(e.Dir, name+arrayExt), err)
	}
	return &record.Array{Shape: shape, Data: data}, nil
}
