// Package safe reads files and prints text that another person may have prepared. A pipe, a device or an endless file in the place of
// a file cannot hang or exhaust the program, and text cannot control a terminal.
package safe

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"syscall"
	"unicode"
	"unicode/utf8"
)

// ErrRefused is wrapped by the errors for a path that is not a regular file or is larger than its limit.
var ErrRefused = errors.New("not read")

// Read returns the contents of the regular file at path, of at most max bytes. It follows symbolic links. It returns an
// *fs.PathError: one that wraps ErrRefused where path is anything but a regular file or has more than max bytes, else the system's.
func Read(path string, max int64) ([]byte, error) {
	return read(path, max, os.Stat, os.OpenFile)
}

// ReadIn is Read for a name inside root, out of which no symbolic link leads.
func ReadIn(root *os.Root, name string, max int64) ([]byte, error) {
	return read(name, max, root.Stat, root.OpenFile)
}

func read(path string, max int64, stat func(string) (fs.FileInfo, error),
	open func(string, int, fs.FileMode) (*os.File, error)) ([]byte, error) {
	info, err := stat(path) // before opening: to open a device may have effects
	if err != nil {
		return nil, err
	}
	if err := check(path, info, max); err != nil {
		return nil, err
	}
	f, err := open(path, os.O_RDONLY|syscall.O_NONBLOCK, 0) // does not wait, should path have become a pipe
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if info, err = f.Stat(); err != nil {
		return nil, err
	}
	if err := check(path, info, max); err != nil {
		return nil, err
	}
	b := bytes.NewBuffer(make([]byte, 0, info.Size()+bytes.MinRead))
	if _, err := b.ReadFrom(io.LimitReader(f, max+1)); err != nil { // the file may grow meanwhile
		return nil, err
	}
	if int64(b.Len()) > max {
		return nil, tooLarge(path, int64(b.Len()), max)
	}
	return b.Bytes(), nil
}

func check(path string, info fs.FileInfo, max int64) error {
	if !info.Mode().IsRegular() {
		return refused(path, "%s, want a regular file", kind(info.Mode()))
	}
	if info.Size() > max {
		return tooLarge(path, info.Size(), max)
	}
	return nil
}

func tooLarge(path string, n, max int64) error {
	return refused(path, "has at least %d bytes, want at most %d", n, max)
}

func kind(m fs.FileMode) string {
	switch {
	case m.IsDir():
		return "is a directory"
	case m&fs.ModeNamedPipe != 0:
		return "is a named pipe"
	case m&fs.ModeDevice != 0:
		return "is a device"
	case m&fs.ModeSocket != 0:
		return "is a socket"
	}
	return "is a special file"
}

func refused(path, format string, args ...any) error {
	return &fs.PathError{Op: "read", Path: path, Err: refusal(fmt.Sprintf(format, args...))}
}

type refusal string

func (r refusal) Error() string      { return string(r) }
func (refusal) Is(target error) bool { return target == ErrRefused }

// Text returns s with every character that is not printable, and every byte that is not UTF-8, written as its Go escape. Newlines and
// tabs are escaped too: the result is one line.
func Text(s string) string {
	var b strings.Builder
	for len(s) > 0 {
		r, n := utf8.DecodeRuneInString(s)
		if unicode.IsGraphic(r) && (r != utf8.RuneError || n > 1) {
			b.WriteString(s[:n])
		} else {
			q := strconv.QuoteToASCII(s[:n])
			b.WriteString(q[1 : len(q)-1])
		}
		s = s[n:]
	}
	return b.String()
}
