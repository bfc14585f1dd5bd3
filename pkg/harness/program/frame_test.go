package program

import (
	"bufio"
	"bytes"
	"testing"

	"github.com/semi-implicit/sifg/pkg/sifg/npy"
)

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
			if got, err = r.array(nil, -1, limit, cols, "the answer"); err == nil &&
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
