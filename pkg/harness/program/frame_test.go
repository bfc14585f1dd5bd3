package program

import (
	"bufio"
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/semi-implicit/sifg/pkg/sifg/npy"
)

// TestFirst: a first line that says too little, or what cannot be, is refused; coordinates without names get some.
func TestFirst(t *testing.T) {
	for line, want := range map[string]string{
		"Welcome to my model!":                                    "where its first line was due",
		`{"sifg": 2, "target": {"dim": 2}}`:                       "speaks version 2 of the protocol",
		`{"sifg": 1, "target": {}}`:                               "says that its target has 0 dimensions",
		`{"sifg": 1, "target": {"dim": 999999}}`:                  "has 999999 dimensions: want 1 to 10000",
		`{"sifg": 1}`:                                             `must have either "target" or "sampler"`,
		`{"sifg": 1, "target": {"dim": 2, "names": ["=a", "a"]}}`: "says of its target: name a is there twice",
		`{"sifg": 1, "target": {"dim": 2, "values": ["b", "="]}}`: "has an empty name",
		`{"sifg": 1, "target": {"dim": 2, "names": ["a"]}}`:       "gives 1 names to 2 coordinates",
	} {
		if _, err := first([]byte(line)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", line, err, want)
		}
	}
	f, err := first([]byte(`{"sifg": 1, "target": {"dim": 2}}`))
	if err != nil || !slices.Equal(f.Target.Names, []string{"x[0]", "x[1]"}) {
		t.Errorf("%+v, %v", f.Target, err)
	}
	r := reader{bufio.NewReaderSize(strings.NewReader(strings.Repeat("x", maxLine+1)), maxLine)}
	if _, err := r.line(); err == nil || !strings.HasPrefix(err.Error(), "printed a line of more than") {
		t.Errorf("a long line: %v", err)
	}
}

// TestArrays: what is no array of the shape and the type that are due is refused in a sentence.
func TestArrays(t *testing.T) {
	array, space := npy.Encode([]int{64, 3}, make([]float64, 192)), strings.Repeat(" ", 11)
	with := func(old, new string) []byte { return bytes.Replace(array, []byte(old), []byte(new), 1) }
	for want, b := range map[string][]byte{
		"sent an array of shape [64 1] as the answer: want 64":  npy.Encode([]int{64, 1}, make([]float64, 64)),
		"sent an array of shape [1 3]":                          npy.Encode([]int{1, 3}, make([]float64, 3)),
		"sent an array of shape [192] as":                       npy.Encode([]int{192}, make([]float64, 192)),
		"sent an array of shape [1000000000000 3]":              with("(64, 3), }"+space, "(1000000000000, 3), }"),
		"sent values of type '<f4' as the answer: want '<f8'":   npy.Encode([]int{64, 3}, make([]float32, 192)),
		"sent values of type '>f8'":                             with("<f8", ">f8"),
		"as the answer: want '<f8' (float64), rows first":       with("False", "True"),
		"sent \"[[1.0, 2.0\" where an NPY array of version 1.0": []byte("[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]\n"),
		"ended in the middle of an array":                       array[:200],
	} {
		r := reader{bufio.NewReader(bytes.NewReader(b))}
		if _, err := r.array(nil, 64, 64, 3, "the answer"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// Whatever a program prints, reading it ends with a message, an array of the size that was asked for, or an error of
// fair length.
func FuzzFrames(f *testing.F) {
	array := npy.Encode([]int{2, 3}, []float64{1, 2, 3, 4, 5, 6})
	for _, line := range []string{
		`{"sifg": 1, "target": {"dim": 2}}`, `{"sifg": 1, "target": {"dim": 2, "names": ["a", "b"]}, "version": "1"}`,
		`{"sifg": 1, "sampler": {}}`, `{"answer": "score", "array": true}`, `{"tell": "sample", "iteration": 3}`, "x",
	} {
		f.Add(append([]byte(line+"\n"), array...))
	}
	f.Add(append([]byte("{}\n"), bytes.Replace(array, []byte("(2, 3)"), []byte("(9, 3)"), 1)...))
	f.Add(append([]byte("{}\n\x93NUMPY\x02\x00"), array[8:]...))
	f.Fuzz(func(t *testing.T, b []byte) {
		r := reader{bufio.NewReaderSize(bytes.NewReader(b), maxLine)}
		fair := func(err error) {
			if err != nil && len(err.Error()) > 4000 {
				t.Errorf("%d bytes say what is wrong", len(err.Error()))
			}
		}
		line, err := r.line()
		fair(err)
		if hello, err := first(line); err == nil && hello.Target != nil &&
			(hello.Target.Dim < 1 || hello.Target.Names != nil && len(hello.Target.Names) != hello.Target.Dim) {
			t.Errorf("%+v was accepted", hello)
		} else {
			fair(err)
		}
		for err == nil {
			const limit, cols = 100, 3
			var got []float64
			if got, err = r.array(nil, 1, limit, cols, "the answer"); err == nil &&
				(len(got)%cols != 0 || len(got) == 0 || len(got) > limit*cols) {
				t.Errorf("%d values", len(got))
			}
			fair(err)
			if err == nil {
				_, err = r.message()
				fair(err)
			}
		}
	})
}
