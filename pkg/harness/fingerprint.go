package harness

import (
	"crypto/sha256"
	"embed"
	"encoding/binary"
	"encoding/hex"
	"go/scanner"
	"go/token"
	"io/fs"
	"strings"
)

// computing is the part of this package that a trial's result depends on.
//
//go:embed loop.go
var computing embed.FS

// fingerprint is the digest of all code that computes the experiment's trials: the sampler library, this package's
// loop, and the experiment's Source. Code that draws or formats is not in it, nor are comments and tests.
func fingerprint(e *Experiment) (string, error) {
	own, err := SourceDigest(computing)
	if err != nil {
		return "", err
	}
	theirs := ""
	if e.Source != nil {
		if theirs, err = SourceDigest(e.Source); err != nil {
			return "", err
		}
	}
	sum := sha256.Sum256([]byte(libraryFingerprint() + "\n" + own + "\n" + theirs))
	return hex.EncodeToString(sum[:]), nil
}

// SourceDigest returns the SHA-256 of the Go files in fsys (tests left out), read as tokens: comments, spaces and line
// ends do not count, file names do.
func SourceDigest(fsys fs.FS) (string, error) {
	h := sha256.New()
	word := func(s string) {
		h.Write(binary.LittleEndian.AppendUint64(nil, uint64(len(s))))
		h.Write([]byte(s))
	}
	err := fs.WalkDir(fsys, ".", func(path string, d fs.DirEntry, err error) error { // in lexical order
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		src, err := fs.ReadFile(fsys, path)
		if err != nil {
			return err
		}
		word(path)
		var s scanner.Scanner
		s.Init(token.NewFileSet().AddFile(path, -1, len(src)), src, nil, 0)
		for {
			_, tok, lit := s.Scan()
			if tok == token.EOF {
				return nil
			}
			if tok == token.SEMICOLON {
				lit = ";" // written or implied by a line end
			}
			word(tok.String())
			word(lit)
		}
	})
	return hex.EncodeToString(h.Sum(nil)), err
}
