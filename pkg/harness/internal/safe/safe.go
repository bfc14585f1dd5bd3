// Package safe reads files, prints text and calls code that another person may have prepared. A pipe, a device or an
// endless file in the place of a file cannot hang or exhaust the program, text cannot control a terminal, and a panic
// does not end the program.
package safe

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"runtime/debug"
	"strconv"
	"strings"
	"syscall"
)

// Read returns the contents of the regular file at path, of at most limit bytes, or an *fs.PathError. It follows links.
func Read(path string, limit int64) ([]byte, error) { return read(path, limit, os.OpenFile) }

// ReadIn is Read for a name inside root. Symbolic links that lead out of root are refused.
func ReadIn(root *os.Root, name string, limit int64) ([]byte, error) {
	return read(name, limit, root.OpenFile)
}

func read(path string, limit int64, open func(string, int, fs.FileMode) (*os.File, error)) ([]byte, error) {
	f, err := open(path, os.O_RDONLY|syscall.O_NONBLOCK, 0) // does not wait for the writer of a pipe
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	refused := func(format string, args ...any) ([]byte, error) {
		return nil, &fs.PathError{Op: "read", Path: path, Err: fmt.Errorf(format, args...)}
	}
	if !info.Mode().IsRegular() {
		return refused("not a regular file")
	}
	n := info.Size()
	b := bytes.NewBuffer(make([]byte, 0, min(n, limit)+bytes.MinRead))
	if n <= limit {
		_, err = b.ReadFrom(io.LimitReader(f, limit+1)) // the file may grow meanwhile
	}
	if err != nil {
		return nil, err
	}
	if n > limit || int64(b.Len()) > limit {
		return refused("has at least %d bytes, want at most %d", max(n, int64(b.Len())), limit)
	}
	return b.Bytes(), nil
}

// Call calls f. Where that panics, the error says so, and --verbose shows where.
func Call(f func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			slog.Debug("panic", "stack", string(debug.Stack()))
			err = fmt.Errorf("panic: %v", p)
		}
	}()
	return f()
}

// Text returns s with every character that is not printable, and every byte that is not UTF-8, written as its Go
// escape. Newlines and tabs are escaped too: the result is one line.
func Text(s string) string {
	q := strconv.QuoteToGraphic(s)
	return unquote.Replace(q[1 : len(q)-1])
}

var unquote = strings.NewReplacer(`\\`, `\`, `\"`, `"`)

// ErrDamaged is wrapped by every error that says that a file is not what was written: cut, altered, or not ours.
var ErrDamaged = errors.New("damaged")

// Damage is a file or folder that is not as it was written, or not ours. As an error it wraps ErrDamaged.
type Damage struct {
	Path   string
	Reason string
}

func (d *Damage) Error() string { return Text(d.Path) + ": " + Text(d.Reason) }
func (d *Damage) Unwrap() error { return ErrDamaged }
