package posteriors

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/semi-implicit/sifg/pkg/harness/program"
	"github.com/semi-implicit/sifg/pkg/sifg/hmc"
	"github.com/semi-implicit/sifg/pkg/sifg/judge"
	"github.com/semi-implicit/sifg/pkg/sifg/npy"
)

// TestMain makes the test binary a program too, on two dimensions.
func TestMain(m *testing.M) {
	if how := os.Getenv("POSTERIORS_TEST_AS"); how != "" {
		serve(how)
		return
	}
	os.Exit(m.Run())
}

func serve(how string) {
	fmt.Println(`{"sifg": 1, "target": {"dim": 2}}`)
	in, head := bufio.NewReader(os.Stdin), make([]byte, 128)
	for {
		if _, err := in.ReadString('\n'); err != nil {
			return
		}
		io.ReadFull(in, head)
		var rows int
		fmt.Sscanf(string(head[bytes.Index(head, []byte("'shape': (")):]), "'shape': (%d,", &rows)
		x, out := make([]float64, 2*rows), []float64{}
		binary.Read(in, binary.LittleEndian, x)
		for i := range rows {
			out = append(out, scored(how, x[2*i], x[2*i+1])...)
		}
		if how == "one-row" { // which is right where one point is asked about
			rows, out = 1, out[:3]
		}
		fmt.Println(`{"answer": "score", "array": true}`)
		os.Stdout.Write(npy.Encode([]int{rows, 3}, out))
	}
}

// scored is the log density at (a, b) and its gradient.
func scored(how string, a, b float64) []float64 {
	switch {
	case how == "flat":
		return []float64{0, 0, 0}
	case how == "halved":
		return []float64{-a*a/2 - b*b/2, -a, -b / 2}
	case how == "noisy":
		return []float64{-a*a/2 - b*b/2 + 1e-9*rand.Float64(), -a, -b}
	case how == "edge" && b < -1:
		return []float64{math.Inf(-1), math.NaN(), math.NaN()}
	}
	return []float64{-a*a/2 - b*b/2, -a, -b}
}

// TestLong: a program is judged, and what it does wrong is told.
func TestLong(t *testing.T) {
	if testing.Short() {
		t.Skip("six programs: a second")
	}
	o := hmc.Options{Config: hmc.Config{Warmup: 60}, Draws: 60, Until: hmc.Until{Draws: 120}}
	for how, want := range map[string]string{
		"normal":  "",
		"one-row": "sent an array of shape [1, 3] as the answer to score: want [4, 3]",
		"flat":    "the density does not fall off: is its sign wrong, or the posterior improper",
		"halved":  "coordinate 1 (x[2]) of the gradient is",
		"noisy":   "",
		"edge":    "",
	} {
		command := "/usr/bin/env POSTERIORS_TEST_AS=" + how + " " + os.Args[0]
		p, err := program.Start(context.Background(), "", command)
		if err != nil {
			t.Fatal(err)
		}
		program.Add(p, "")
		s := program.Begin(context.Background())
		x, err := p.Target(s)
		if err != nil {
			t.Fatal(err)
		}
		found, err := judge.Run(s.Context(), newGathered(s.Context(), x), o)
		if failure := s.Err(); failure != nil {
			err = failure
		}
		s.End()
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", how, err)
		}
		if err == nil && found.U[3].N != 120 { // so few that the chains go on
			t.Errorf("%s: %d draws a chain", how, found.U[3].N)
		}
	}
	program.Close()
}
