package hmc

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"

	"github.com/semi-implicit/sifg/pkg/sifg/rng"
)

// A folder has two files a chain: chain-K.json, its identity and state, and chain-K.rows, the rows of its track as
// little-endian float64. Rows are written first, so a state never knows more than there is. Two processes on one folder
// write the same bits.

// identity is what a chain's bits depend on.
type identity struct {
	Seed    uint64
	Config  Config
	Start   []float64
	Density string // SHA-256 of energies and gradients at three points
}

// checkpoint is the file of a chain.
type checkpoint struct {
	Identity identity
	State    State
}

// identify returns the identity of chain k. The density is looked at where the chain starts and at two points near.
func identify(d Density, o *Options, k int, start []float64) identity {
	r, hash := rng.New(o.Seed, "hmc-check", uint64(k)), sha256.New()
	x, g := slices.Clone(start), make([]float64, len(start))
	for range 3 {
		binary.Write(hash, binary.LittleEndian, append(g, d.Grad(g, x)))
		for j := range x {
			x[j] += r.NormFloat64()
		}
	}
	return identity{o.Seed, o.Config, start, fmt.Sprintf("%x", hash.Sum(nil))}
}

// other says in what a saved identity differs; "" in nothing.
func (id *identity) other(was *identity) string {
	switch {
	case len(was.Start) != len(id.Start):
		return fmt.Sprintf("a density of dimension %d, not %d", len(was.Start), len(id.Start))
	case was.Seed != id.Seed:
		return fmt.Sprintf("seed %d, not %d", was.Seed, id.Seed)
	case !reflect.DeepEqual(was.Config, id.Config):
		return fmt.Sprintf("the configuration %+v, not %+v", was.Config, id.Config)
	case !slices.Equal(was.Start, id.Start):
		return "another start"
	case was.Density != id.Density:
		return "another density: energy or gradient differ at the start or near it"
	}
	return ""
}

// open returns chain k as the folder has it, or at its start.
func open(d Density, o *Options, k int) (*track, error) {
	start, err := o.start(d, k)
	if err != nil {
		return nil, err
	}
	t := &track{}
	fresh := func() (*track, error) {
		t.Chain, err = NewChain(d, o.Config, start, o.Seed, k)
		return t, err
	}
	if o.Folder == "" || len(start) != d.Dim() {
		return fresh()
	}
	if err := os.MkdirAll(o.Folder, 0o777); err != nil {
		return nil, fmt.Errorf("hmc: Folder: %w", err)
	}
	t.id = identify(d, o, k, start)
	path := stateOf(o.Folder, k)
	b, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return fresh()
	}
	var s checkpoint
	if err == nil {
		err = json.Unmarshal(b, &s)
	}
	if err != nil {
		return nil, fmt.Errorf("hmc: %s cannot be read (%w): delete it for the chain to begin again", path, err)
	}
	if what := t.id.other(&s.Identity); what != "" {
		return nil, fmt.Errorf("hmc: %s is of a chain with %s: take another Folder, or delete this one", path, what)
	}
	if t.Chain, err = Resume(d, o.Config, s.State); err != nil {
		return nil, fmt.Errorf("hmc: %s: %w", path, err)
	}
	t.rows = make([]float64, max(0, t.iteration-o.Config.Warmup)*(len(start)+noted))
	t.saved = len(t.rows)
	b, err = os.ReadFile(rowsOf(o.Folder, k))
	if len(t.rows) > 0 && (err != nil || len(b) < 8*len(t.rows)) { // what is beyond does not matter
		return nil, fmt.Errorf("hmc: %s lacks draws that %s knows of: delete both for the chain to begin again",
			rowsOf(o.Folder, k), path)
	}
	_, err = binary.Decode(b, binary.LittleEndian, t.rows)
	return t, err
}

// save writes the rows that the folder lacks, then the state.
func (t *track) save(folder string, k int) error {
	f, err := os.OpenFile(rowsOf(folder, k), os.O_WRONLY|os.O_CREATE, 0o666)
	if err != nil {
		return err
	}
	b, err := binary.Append(nil, binary.LittleEndian, t.rows[t.saved:])
	if err == nil {
		_, err = f.WriteAt(b, int64(8*t.saved))
	}
	if err := errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	t.saved = len(t.rows)
	return writeWhole(stateOf(folder, k), checkpoint{t.id, t.State()})
}

// writeWhole makes the file hold v as JSON, or leaves it as it was.
func writeWhole(path string, v any) error {
	b, err := json.Marshal(v)
	if err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(path), ".state-*")
	if err != nil {
		return err
	}
	_, err = f.Write(b)
	if err = errors.Join(err, f.Sync(), f.Close()); err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		os.Remove(f.Name())
	}
	return err
}

func stateOf(folder string, k int) string {
	return filepath.Join(folder, fmt.Sprintf("chain-%d.json", k))
}
func rowsOf(folder string, k int) string {
	return filepath.Join(folder, fmt.Sprintf("chain-%d.rows", k))
}
