package sifg

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"go/scanner"
	"go/token"
	"io/fs"
	"path"
	"strings"
	"sync"
)

// source is this library's own code: what a sampler's numbers depend on. A program that never asks for the Fingerprint
// does not carry it.
//
//go:embed *.go nn/*.go rng/*.go target/*.go metric/*.go internal/simd/*.go internal/simd/*.s
var source embed.FS

// Fingerprint returns a digest of the library's own code, comments, layout and tests aside, so that results kept under it
// notice changed code and survive a changed comment.
var Fingerprint = sync.OnceValue(func() string { return FingerprintOf(source) })

// FingerprintOf returns the digest of the .go and .s files in fsys, in order of their names; comments, white space and
// _test.go files are left out. It panics on a file that cannot be read, which an embedded one can.
func FingerprintOf(fsys fs.FS) string {
	h := sha256.New()
	err := fs.WalkDir(fsys, ".", func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || strings.HasSuffix(name, "_test.go") {
			return err
		}
		b, err := fs.ReadFile(fsys, name)
		if err != nil {
			return err
		}
		switch path.Ext(name) {
		case ".go":
			fmt.Fprintf(h, "\x00%s\x00", name)
			var s scanner.Scanner
			s.Init(token.NewFileSet().AddFile(name, -1, len(b)), b, nil, 0)
			for {
				_, tok, lit := s.Scan()
				if tok == token.EOF {
					break
				}
				if lit == "" || lit == "\n" {
					lit = tok.String()
				}
				fmt.Fprintf(h, "%s ", lit)
			}
		case ".s":
			fmt.Fprintf(h, "\x00%s\x00", name)
			for line := range bytes.Lines(b) {
				code, _, _ := bytes.Cut(line, []byte("//"))
				if code = bytes.TrimSpace(code); len(code) > 0 {
					h.Write(append(code, '\n'))
				}
			}
		}
		return nil
	})
	if err != nil {
		panic("sifg: " + err.Error())
	}
	return hex.EncodeToString(h.Sum(nil))
}
