package trust

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"os"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/program"
	"github.com/semi-implicit/sifg/pkg/harness/settings"
	toys "github.com/semi-implicit/sifg/pkg/harness/testdata/toy"
	"github.com/semi-implicit/sifg/pkg/sifg"
	"github.com/semi-implicit/sifg/pkg/sifg/metric"
	"github.com/semi-implicit/sifg/pkg/sifg/npy"
)

// asked is a target that is a program.
type asked struct{ *program.Target }

func (t asked) Score(dst, x sifg.Batch, iter int) {
	points := metric.FromBatch(x)
	out := make([]float64, points.N*3)
	t.Evaluate(out, points.Data)
	for i := range points.N {
		dst.Data[2*i], dst.Data[2*i+1] = float32(out[3*i+1]), float32(out[3*i+2])
	}
}

// model is that program: N(0, I) in two dimensions.
func model() {
	fmt.Println(`{"sifg": 1, "target": {"dim": 2}}`)
	for in := bufio.NewReader(os.Stdin); ; {
		if _, err := in.ReadString('\n'); err != nil {
			return
		}
		head, rows := make([]byte, 128), 0
		io.ReadFull(in, head)
		fmt.Sscanf(string(head[bytes.Index(head, []byte("'shape': (")):]), "'shape': (%d,", &rows)
		x, out := make([]float64, rows*2), make([]float64, rows*3)
		binary.Read(in, binary.LittleEndian, x)
		for i := range rows {
			out[3*i+1], out[3*i+2] = -x[2*i], -x[2*i+1]
		}
		fmt.Println(`{"answer": "score", "array": true}`)
		os.Stdout.Write(npy.Encode([]int{rows, 3}, out))
	}
}

// toy is the toy, which may be on a program.
func toy() *harness.Experiment {
	x := toys.New().Experiment
	x.Custom = &harness.Custom{Problem: "small", Program: true, Protocol: "paper"}
	x.Metrics[0].Components = 0
	own := x.Problem
	x.Problem = func(t *harness.Trial) (*harness.Problem, error) {
		o := struct {
			Fault   string            `mapstructure:"fault"`
			Program *program.Identity `mapstructure:"program"`
			Values  []string          `mapstructure:"values"`
		}{}
		if err := settings.Decode(t.Config.Options, &o); err != nil {
			return nil, err
		}
		if o.Program == nil {
			return own(t)
		}
		config, trial := *t.Config, *t
		config.Options, trial.Config = nil, &config
		problem := must(own(&trial))
		target, err := must(program.Find(o.Program)).Target(t.Programs)
		problem.Target = asked{target}
		return problem, err
	}
	return x
}
