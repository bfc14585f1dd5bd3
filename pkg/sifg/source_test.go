package sifg

import (
	"testing"
	"testing/fstest"
)

func TestFingerprint(t *testing.T) {
	of := func(files map[string]string) string {
		m := fstest.MapFS{}
		for name, text := range files {
			m[name] = &fstest.MapFile{Data: []byte(text)}
		}
		return FingerprintOf(m)
	}
	base := of(map[string]string{"a.go": "package a\n\nfunc F() int { return 1 }\n", "b.s": "ADD X, Y // sum\n"})
	for name, files := range map[string]map[string]string{
		"comments and layout": {"a.go": "// Package a.\npackage a\nfunc F()  int { return /* one */ 1 }\n", "b.s": "// f\n  ADD X, Y\n"},
		"a test":              {"a.go": "package a\n\nfunc F() int { return 1 }\n", "b.s": "ADD X, Y\n", "a_test.go": "package a"},
	} {
		if of(files) != base {
			t.Errorf("%s changes the fingerprint", name)
		}
	}
	for name, files := range map[string]map[string]string{
		"a constant":     {"a.go": "package a\n\nfunc F() int { return 2 }\n", "b.s": "ADD X, Y\n"},
		"an instruction": {"a.go": "package a\n\nfunc F() int { return 1 }\n", "b.s": "SUB X, Y\n"},
		"a file's name":  {"c.go": "package a\n\nfunc F() int { return 1 }\n", "b.s": "ADD X, Y\n"},
	} {
		if of(files) == base {
			t.Errorf("%s does not change the fingerprint", name)
		}
	}
	if len(Fingerprint()) != 64 {
		t.Error("no fingerprint of the library itself")
	}
}
