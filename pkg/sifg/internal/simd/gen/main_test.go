package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

// The files of package simd are those that this generator writes.
func TestUpToDate(t *testing.T) {
	files, err := generate()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		old, err := os.ReadFile(filepath.Join("..", f.name))
		if err != nil {
			t.Error(err)
		} else if !bytes.Equal(old, f.text) {
			t.Errorf("%s differs; run go generate in package simd", f.name)
		}
	}
}
