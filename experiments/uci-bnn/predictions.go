package ucibnn

import (
	"errors"
	"io/fs"
	"math"
	"slices"
	"strconv"

	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/sifg"
	"github.com/semi-implicit/sifg/pkg/sifg/metric"
)

// Prediction is what a method predicts of a test row of a person's own table.
type Prediction struct {
	Problem string  `parquet:"problem,dict"` // the table
	Method  string  `parquet:"method,dict"`
	Split   uint64  `parquet:"split"` // the seed of the trial, which decides its test rows
	Line    int     `parquet:"line"`  // of the file, the first is 1
	Truth   float64 `parquet:"truth"`
	Mean    float64 `parquet:"mean"`
	SD      float64 `parquet:"sd"`
}

// keep implements harness.Problem.Keep: a row for each test row with line, truth, mean and standard deviation. The
// table has its rows in these lines.
func (p *problem) keep(sample sifg.Batch, lines []int) map[string]*record.Array {
	q := p.predict(sample, &p.r.test)
	q.LogPrec = p.precisions(p.predict(sample, &p.r.dev), p.r.dev.y)
	out := &record.Array{Shape: []int{len(p.r.test.y), 4}}
	for t, y := range p.r.test.y {
		mean, sd := mixture(q, t)
		out.Data = append(out.Data, float32(lines[p.r.rows.test[t]]), float32(y), float32(mean), float32(sd))
	}
	return map[string]*record.Array{"predictions": out}
}

// mixture returns the mean and the standard deviation of outcome t under the particles' mixture of normal laws.
func mixture(q metric.Prediction, t int) (mean, sd float64) {
	var variance float64
	means := make([]float64, q.Mean.N)
	for i := range means {
		means[i] = q.Mean.Row(i)[t]
		variance += 1 / (min(math.Exp(q.LogPrec[i]), q.Clamp) * float64(len(means)))
	}
	mean, sd = meanSD(means)
	return mean, math.Sqrt(variance + float64(sd*sd))
}

// predictions are the files of a person's own tables: one with the predictions of all test rows.
func predictions(s *record.Set) (map[string][]byte, error) {
	var rows []Prediction
	for _, t := range s.Trials {
		a, err := s.Load(t.Key, "predictions")
		if errors.Is(err, fs.ErrNotExist) { // it did not end well
			continue
		}
		if err != nil {
			return nil, err
		}
		for v := range slices.Chunk(a.Data, 4) {
			rows = append(rows, Prediction{
				t.Problem, t.Method, t.Seed, int(v[0]), decimal(v[1]), decimal(v[2]), decimal(v[3]),
			})
		}
	}
	b, err := record.Encode(rows)
	return map[string][]byte{"predictions.parquet": b}, err
}

// decimal is the number that a float32 is written as: 33.2, not 33.20000076.
func decimal(v float32) float64 {
	out, _ := strconv.ParseFloat(strconv.FormatFloat(float64(v), 'g', -1, 32), 64)
	return out
}
