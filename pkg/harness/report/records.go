// Package report turns the records of trials into what a results folder shows. Records come from the store or from the
// folder; sections are made of them, and everything in the folder besides its data is made of these again, never read
// back.
package report

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

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/internal/safe"
	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/sifg/npy"
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
}

// Add adds what a trial has left behind.
func (d *Records) Add(t record.Trial, traces []record.Trace, timing record.Timing) {
	d.Trials = append(d.Trials, t)
	d.take(t.Key, traces, timing)
}

// take keeps the traces and the times of a trial, where it has some.
func (d *Records) take(key string, traces []record.Trace, timing record.Timing) {
	if len(traces) > 0 {
		d.traces[key] = traces
	}
	if timing.Key != "" {
		d.timings[key] = timing
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
	b, err := safe.Read(place(dir, trialsName), maxData)
	if errors.Is(err, fs.ErrNotExist) {
		if _, err := os.Lstat(filepath.Join(dir, timingsName)); err == nil { // they are written as a whole
			return nil, damaged(dir, trialsName, "missing")
		}
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	d := NewRecords()
	d.dir = dir
	if d.Trials, err = decode[record.Trial](dir, trialsName, b); err != nil {
		return nil, err
	}
	meta := record.Metadata(b)
	err = errors.Join(json.Unmarshal([]byte(meta[metaFiles]), &d.files),
		json.Unmarshal([]byte(meta[metaSet]), &d.Set))
	if meta[metaSum] == "" {
		return nil, damaged(dir, trialsName, "it has no digest: another version of this program may have written it")
	}
	if d.About = meta[metaAbout]; err != nil || meta[metaSum] != d.sum(d.files) {
		return nil, damaged(dir, trialsName, "its rows are not those that were written")
	}
	if b, err = d.read(tracesName); err != nil {
		return nil, err
	}
	rest, err := decode[record.Trace](dir, tracesName, b)
	for len(rest) > 0 { // the rows of a trial are next to each other, and are not copied
		n := 1
		for n < len(rest) && rest[n].Key == rest[0].Key {
			n++
		}
		d.traces[rest[0].Key], rest = rest[:n:n], rest[n:]
	}
	if err != nil {
		return nil, err
	}
	return d, d.readTimings(meta[metaSum])
}

// readTimings reads the timings that were written with trials of this sum.
func (d *Records) readTimings(trials string) error {
	b, err := d.file(timingsName)
	if err != nil {
		return err
	}
	rows, err := decode[record.Timing](d.dir, timingsName, b)
	if err == nil && record.Metadata(b)[metaSum] != sumOf(rows, trials) {
		err = damaged(d.dir, timingsName, "it is not the file that was written with "+trialsName)
	}
	for _, t := range rows {
		d.timings[t.Key] = t
	}
	return err
}

// sumOf is a digest of timings and of the sum of their trials.
func sumOf(rows []record.Timing, trials string) string {
	b, _ := json.Marshal(rows) // which have an encoding
	return digest(append(b, trials...))
}

func damaged(dir, name, reason string) error {
	return &safe.Damage{Path: place(dir, name), Reason: reason}
}

func decode[T any](dir, name string, b []byte) ([]T, error) {
	rows, err := record.Decode[T](b)
	if err != nil {
		return nil, damaged(dir, name, err.Error())
	}
	return rows, nil
}

// read reads a file of the data and compares its digest; fs.ErrNotExist of one that the records do not have.
func (d *Records) read(name string) ([]byte, error) {
	if b, ok := d.fresh[name]; ok {
		return b, nil
	}
	want, ok := d.files[name]
	if !ok {
		return nil, fmt.Errorf("%s: %w", name, fs.ErrNotExist)
	}
	b, err := d.file(name)
	if err == nil && digest(b) != want {
		err = damaged(d.dir, name, "it is not the file that "+trialsName+" was written with")
	}
	return b, err
}

// file reads a file that must be there.
func (d *Records) file(name string) ([]byte, error) {
	b, err := safe.Read(place(d.dir, name), maxData)
	if errors.Is(err, fs.ErrNotExist) {
		err = damaged(d.dir, name, "missing")
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

// Array returns an array of a trial, if the records have it; else the error is fs.ErrNotExist.
func (d *Records) Array(key, name string) (*record.Array, error) {
	b, err := d.read(arrayName(key, name))
	if err != nil {
		return nil, err
	}
	a, err := record.ArrayOf(b)
	if err != nil {
		return nil, damaged(d.dir, arrayName(key, name), err.Error())
	}
	return a, nil
}

// keep adds an array of a trial.
func (d *Records) keep(key, name string, a *record.Array) {
	if a.Double != nil {
		d.fresh[arrayName(key, name)] = npy.Encode(a.Shape, a.Double)
	} else {
		d.fresh[arrayName(key, name)] = npy.Encode(a.Shape, a.Data)
	}
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
		if !d.lists(name, seen) {
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
func (d *Records) lists(name string, keys map[string]bool) bool {
	dir, base := path.Split(name)
	if dir != arraysName+"/" {
		return dir != "" // else it is the rows themselves
	}
	for key := range keys {
		if strings.HasPrefix(base, key+"-") {
			return true
		}
	}
	return false
}

// shown is the experiment as these records show it. On what is a person's own About says, but for a grid's, whose
// settings they are and how a table was read.
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
	if d.About != "" && !strings.HasPrefix(d.About, "{") {
		out.Note = d.About
	}
	return out
}
