// Package safe reads files and prints text that another person may have prepared. A pipe, a device or an endless file in the place of
// a file cannot hang or exhaust the program, and text cannot control a terminal.
package safe

import (
	"bytes"
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

// Read returns the contents of the regular file at path, of at most max bytes. It follows symbolic links. Its error is an
// *fs.PathError.
func Read(path string, max int64) ([]byte, error) {
	return read(path, max, os.Stat, os.OpenFile)
}

// ReadIn is Read for a name inside root, out of which no symbolic link leads.
func ReadIn(root *os.Root, name string, max int64) ([]byte, error) {
	return read(name, max, root.Stat, root.OpenFile)
}

func read(path string, limit int64, stat func(string) (fs.FileInfo, error),
	open func(string, int, fs.FileMode) (*os.File, error)) ([]byte, error) {
	refused := func(format string, args ...any) ([]byte, error) {
		return nil, &fs.PathError{Op: "read", Path: path, Err: fmt.Errorf(format, args...)}
	}
	info, err := stat(path) // before opening: to open a device may have effects
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return refused("%s, want a regular file", kind(info.Mode()))
	}
	f, err := open(path, os.O_RDONLY|syscall.O_NONBLOCK, 0) // does not wait, should path have become a pipe
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if info, err = f.Stat(); err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return refused("%s, want a regular file", kind(info.Mode()))
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

func kind(m fs.FileMode) string {
	switch {
	case m.IsDir():
		return "is a directory"
	case m&fs.ModeNamedPipe != 0:
		return "is a named pipe"
	case m&fs.ModeDevice != 0:
		return "is a device"
	}
	return "is a special file"
}

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
