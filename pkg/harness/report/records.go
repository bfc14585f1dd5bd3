// Package report turns the records of trials into what a results folder shows. Records come from the store or from the
// folder; sections are made of them, and everything in the folder besides its data is made of these again, never read
// back.
package report

import (
	"bytes"
	"cmp"
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

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/internal/safe"
	"github.com/semi-implicit/sifg/pkg/harness/record"
)

// The data of a folder: these files, and what trials.parquet lists: not the timings, whose bytes are the clock's.
const (
	trialsName  = "trials.parquet"
	tracesName  = "trace.parquet"
	timingsName = "timings.parquet"
	arraysName  = "arrays" // folder of the arrays that figures show: KEY-NAME.npy

	maxData = 2 << 30 // bytes of one file
)

// Metadata of trials.parquet.
const (
	metaFiles = "sifg.files" // the digests of the other data, by name
	metaSet   = "sifg.set"   // how settings differ from those of the protocols, by protocol
	metaAbout = "sifg.about" // Records.About
	metaSum   = "sifg.sum"   // a digest of the rows and of these metadata; of timings, of their rows and of this
)

// Records are the data of a folder: rows of trials under one or several protocols, and arrays.
type Records struct {
	Trials []record.Trial // with those that are missing
	Set    map[string][]string
	About  string // what else its writer wants to know of it

	traces  map[string][]record.Trace // by key
	timings map[string]record.Timing
	dir     string            // that they were read from; "": none
	files   map[string]string // the digests of arrays and of other data that lie there, by name
	fresh   map[string][]byte // those that do not lie there yet
	// stored reads an array of a trial that is not among them; nil: there is no other
	stored func(key, name string) (*record.Array, error)
}

// Add adds what a trial has left behind. It may have no traces, or no time.
func (d *Records) Add(t record.Trial, traces []record.Trace, timing record.Timing) {
	d.Trials = append(d.Trials, t)
	if len(traces) > 0 {
		d.traces[t.Key] = traces
	}
	if timing.Key != "" {
		d.timings[t.Key] = timing
	}
}

// NewRecords returns records without a trial.
func NewRecords() *Records {
	return &Records{
		Set:     map[string][]string{},
		traces:  map[string][]record.Trace{},
		timings: map[string]record.Timing{},
		files:   map[string]string{},
		fresh:   map[string][]byte{},
	}
}

// ReadRecords reads the records of a folder; nil where it has none, safe.ErrDamaged if a file is not as it was written.
func ReadRecords(dir string) (*Records, error) {
	_, err1 := os.Lstat(place(dir, trialsName))
	_, err2 := os.Lstat(filepath.Join(dir, timingsName)) // they are written as a whole
	if errors.Is(err1, fs.ErrNotExist) && err2 != nil {
		return nil, nil
	}
	d := NewRecords()
	d.dir = dir
	trials, meta, err := rows[record.Trial](d, trialsName)
	if err != nil {
		return nil, err
	}
	d.Trials, d.About = trials, meta[metaAbout]
	err = errors.Join(json.Unmarshal([]byte(meta[metaFiles]), &d.files),
		json.Unmarshal([]byte(meta[metaSet]), &d.Set))
	if err != nil || meta[metaSum] != d.sum(d.files) {
		return nil, d.damaged(trialsName, "its rows are not those that were written, or another version of this "+
			"program wrote it")
	}
	traces, _, err := rows[record.Trace](d, tracesName)
	if err != nil {
		return nil, err
	}
	for len(traces) > 0 { // the rows of a trial are next to each other, and are not copied
		n := 1
		for n < len(traces) && traces[n].Key == traces[0].Key {
			n++
		}
		d.traces[traces[0].Key], traces = traces[:n:n], traces[n:]
	}
	timings, of, err := rows[record.Timing](d, timingsName)
	if err == nil && of[metaSum] != sumOf(timings, meta[metaSum]) {
		err = d.damaged(timingsName, "it is not the file that was written with "+trialsName)
	}
	for _, t := range timings {
		d.timings[t.Key] = t
	}
	return d, err
}

// AtEnd keeps the last checkpoint of each trial alone, and what to know of the records.
func (d *Records) AtEnd(about string) {
	d.About = about
	for key, rows := range d.traces {
		last := rows[len(rows)-1].Iteration // they are in order of iteration
		from := slices.IndexFunc(rows, func(r record.Trace) bool { return r.Iteration == last })
		d.traces[key] = rows[from:]
	}
}

// sumOf is a digest of timings and of the sum of their trials.
func sumOf(rows []record.Timing, trials string) string {
	b, _ := json.Marshal(rows) // which have an encoding
	return digest(append(b, trials...))
}

func (d *Records) damaged(name, reason string) error {
	return &safe.Damage{Path: place(d.dir, name), Reason: reason}
}

// rows reads rows of the data and the metadata of their file.
func rows[T any](d *Records, name string) ([]T, map[string]string, error) {
	b, err := d.read(name)
	if err != nil {
		return nil, nil, err
	}
	all, meta, err := record.DecodeWith[T](b)
	if err != nil {
		return nil, nil, d.damaged(name, err.Error())
	}
	return all, meta, nil
}

// read reads a file of the data, which must be there, and compares its digest: all have one but for trials and timings.
func (d *Records) read(name string) ([]byte, error) {
	if b, ok := d.fresh[name]; ok {
		return b, nil
	}
	b, err := safe.Read(place(d.dir, name), maxData)
	want, known := d.files[name]
	switch {
	case errors.Is(err, fs.ErrNotExist):
		err = d.damaged(name, "missing")
	case err == nil && known && digest(b) != want:
		err = d.damaged(name, "it is not the file that "+trialsName+" was written with")
	}
	return b, err
}

func digest(b []byte) string { return fmt.Sprintf("%x", sha256.Sum256(b)) }

// sum is a digest of the trials and of the metadata with these digests of files.
func (d *Records) sum(files map[string]string) string {
	var b bytes.Buffer
	_ = json.NewEncoder(&b).Encode([]any{d.Trials, d.Set, d.About, files}) // which have an encoding
	for _, t := range d.Trials {
		fmt.Fprintln(&b, t.Config)
	}
	return digest(b.Bytes())
}

// arrayName is the file of an array of a trial.
func arrayName(key, name string) string { return path.Join(arraysName, key+"-"+name+".npy") }

// Array returns an array of a trial, of the records or else of the store: fs.ErrNotExist if neither has it.
func (d *Records) Array(key, name string) (*record.Array, error) {
	file := arrayName(key, name)
	if d.files[file] == "" && d.fresh[file] == nil {
		if d.stored == nil {
			return nil, fmt.Errorf("%s: %w", file, fs.ErrNotExist)
		}
		return d.stored(key, name)
	}
	b, err := d.read(file)
	if err != nil {
		return nil, err
	}
	a, err := record.ArrayOf(b)
	if err != nil {
		return nil, d.damaged(file, err.Error())
	}
	return a, nil
}

// Encode returns the files of the records by name, without arrays of dropped trials. Equal records give equal bytes.
func (d *Records) Encode() (map[string][]byte, error) {
	var traces [][]record.Trace
	var timings []record.Timing
	seen := map[string]bool{}
	for _, t := range d.Trials {
		if seen[t.Key] {
			continue
		}
		seen[t.Key] = true
		traces = append(traces, d.traces[t.Key])
		if timing, ok := d.timings[t.Key]; ok {
			timings = append(timings, timing)
		}
	}
	out := map[string][]byte{}
	for _, name := range slices.Concat(slices.Collect(maps.Keys(d.files)), slices.Collect(maps.Keys(d.fresh))) {
		if !d.lists(name) {
			continue
		}
		b, err := d.read(name)
		if err != nil {
			return nil, err
		}
		out[name] = b
	}
	var errs [3]error
	out[tracesName], errs[0] = record.Encode(slices.Concat(traces...))
	files := map[string]string{}
	for name, b := range out {
		files[name] = digest(b)
	}
	meta := map[string]string{metaSum: d.sum(files), metaAbout: d.About}
	for key, value := range map[string]any{metaFiles: files, metaSet: d.Set} {
		b, _ := json.Marshal(value) // strings alone
		meta[key] = string(b)
	}
	out[trialsName], errs[1] = record.EncodeWith(d.Trials, meta)
	meta = map[string]string{metaSum: sumOf(timings, meta[metaSum])}
	out[timingsName], errs[2] = record.EncodeWith(timings, meta)
	return out, errors.Join(errs[:]...)
}

// lists reports whether a file is still one of the data: an array of a trial that is there, or a file of a protocol.
func (d *Records) lists(name string) bool {
	dir, base := path.Split(name)
	if dir != arraysName+"/" {
		return dir != "" // else it is the rows themselves
	}
	return slices.ContainsFunc(d.Trials, func(t record.Trial) bool { return strings.HasPrefix(base, t.Key+"-") })
}

// shown is the experiment as these records show it. On what is a person's own About says whose settings they are and
// how a table was read.
func (d *Records) shown(e *harness.Experiment) *harness.Experiment {
	own := func(text string) bool {
		return strings.HasPrefix(text, "--data ") || strings.HasPrefix(text, "--program ")
	}
	if e.Custom == nil || !slices.ContainsFunc(slices.Concat(slices.Collect(maps.Values(d.Set))...), own) {
		return e
	}
	var problems []string
	for _, t := range d.Trials {
		if !slices.Contains(problems, t.Problem) {
			problems = append(problems, t.Problem)
		}
	}
	out := e.Shown(problems)
	out.Note = cmp.Or(d.About, out.Note)
	return out
}
