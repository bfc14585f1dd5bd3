package posteriors

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
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
	switch how {
	case "sampler":
		fmt.Println(`{"sifg": 1, "sampler": {"title": "Theirs", "settings": {"step": 0.1}}}`)
	case "exact", "inexact", "exact-halved", "exact-nan":
		fmt.Println(`{"sifg": 1, "target": {"dim": 2, "draws": true}}`)
	default:
		fmt.Println(`{"sifg": 1, "target": {"dim": 2}}`)
	}
	in, head := bufio.NewReader(os.Stdin), make([]byte, 128)
	for {
		line, err := in.ReadString('\n')
		if err != nil {
			return
		}
		if strings.Contains(line, `"draws"`) {
			answerDraws(how, line)
			continue
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

// answerDraws answers a question about draws, of N(0, I), or of N(0, 1.1² I) where they are inexact.
func answerDraws(how, line string) {
	var asked struct {
		Count int
		Seed  uint64
	}
	json.Unmarshal([]byte(line), &asked)
	r, out, sd := rand.New(rand.NewPCG(asked.Seed, 0)), []float64{}, 1.0
	if how == "inexact" {
		sd = 1.1
	}
	for range 2 * asked.Count {
		out = append(out, sd*r.NormFloat64())
	}
	fmt.Println(`{"answer": "draws", "array": true}`)
	os.Stdout.Write(npy.Encode([]int{asked.Count, 2}, out))
}

// scored is the log density at (a, b) and its gradient.
func scored(how string, a, b float64) []float64 {
	switch {
	case how == "flat":
		return []float64{0, 0, 0}
	case strings.HasSuffix(how, "halved"):
		return []float64{-a*a/2 - b*b/2, -a, -b / 2}
	case how == "exact-nan":
		return []float64{math.NaN(), -a, -b}
	case how == "noisy":
		return []float64{-a*a/2 - b*b/2 + 1e-9*rand.Float64(), -a, -b}
	case how == "edge" && b < -1:
		return []float64{math.Inf(-1), math.NaN(), math.NaN()}
	}
	return []float64{-a*a/2 - b*b/2, -a, -b}
}

// commandOf is the command of this binary as a program.
func commandOf(how string) string { return "/usr/bin/env POSTERIORS_TEST_AS=" + how + " " + os.Args[0] }

// TestExact: exact draws of a program are its reference; those of another law, and a wrong gradient, are refused.
func TestExact(t *testing.T) {
	defer program.Close()
	for how, want := range map[string]string{
		"exact":        "",
		"inexact":      "the mean of 1 plus coordinate times gradient along x[0] is -0.2",
		"exact-halved": "the gradient is not that of the log density: coordinate x[1]",
		"exact-nan":    "log density or gradient is not finite at some of the program's exact draws",
	} {
		p, err := program.Start(context.Background(), "", commandOf(how))
		if err != nil {
			t.Fatal(err)
		}
		s := program.Begin(context.Background())
		x := p.Target(s)
		found, err := exact(x)
		s.End()
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", how, err)
			continue
		}
		if err != nil {
			continue
		}
		// 20,000 draws: the standard error of a mean is 0.007, that of a standard deviation 0.005
		for j, v := range found.Values {
			if math.Abs(v.Mean) > 0.035 || math.Abs(v.SD-1) > 0.025 {
				t.Errorf("value %d has mean %g and standard deviation %g", j, v.Mean, v.SD)
			}
		}
		if _, err := filesOf(found); err != nil || !found.Trusted() || !strings.HasPrefix(reasons(&found.Report)[0],
			"Exact") {
			t.Errorf("%v, %q", err, reasons(&found.Report))
		}
	}
}

// TestLong: a program is judged, and what it does wrong is told.
func TestLong(t *testing.T) {
	if testing.Short() {
		t.Skip("six programs: a second")
	}
	o := hmc.Options{Config: hmc.Config{Warmup: 60}, Draws: 60, Until: hmc.Until{Draws: 120}}
	for how, want := range map[string]string{
		"normal":  "",
		"one-row": "sent an array of shape [1 3] as the answer to score: want 4 rows of 3 values",
		"flat":    "the density does not fall off: is its sign wrong, or the posterior improper",
		"halved":  "coordinate x[2] of the gradient is",
		"noisy":   "",
		"edge":    "",
	} {
		p, err := program.Start(context.Background(), "", commandOf(how))
		if err != nil {
			t.Fatal(err)
		}
		s := program.Begin(context.Background())
		x := p.Target(s)
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
