package ucibnn

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/semi-implicit/sifg/pkg/harness/dataset"
	"github.com/semi-implicit/sifg/pkg/harness/stats"
	"github.com/semi-implicit/sifg/pkg/harness/table"
	"github.com/semi-implicit/sifg/pkg/sifg"
	"github.com/semi-implicit/sifg/pkg/sifg/rng"
)

// maxDev is the largest development set; the scripts cap it there.
const maxDev = 500

// rows says which rows of a data set a trial trains on, chooses by and is tested on.
type rows struct{ train, dev, test []int }

// divide makes the division of a trial. A tenth of the rows is the test part; a tenth of the others, 500 at most, is
// set aside as the development part.
//
//	how released: by the one permutation that the authors saved, for every trial
//	how random:   by a permutation drawn from the seed
//	dev holdout:  the rows set aside
//	dev overlap:  the last rows of what is left, which are trained on too, and those set aside are not used at all, as
//	              in the authors' scripts
func divide(d *dataset.Data, how, dev string, seed uint64) (rows, error) {
	order, n := d.Permutation, int(math.RoundToEven(0.9*float64(d.Rows)))
	aside := min(int(math.RoundToEven(0.1*float64(n))), maxDev)
	switch {
	case how == "random":
		order = shuffled(d.Rows, rng.New(seed, "split"))
	case len(order) != d.Rows:
		return rows{}, fmt.Errorf("options.split: data set %s has no permutation published with it: take the "+
			"protocol tuned, whose splits are random", d.Name)
	}
	if aside < 2 || n == d.Rows {
		return rows{}, fmt.Errorf("data set %s has %s, too few for a training, a development and a test part",
			d.Name, table.Count(d.Rows, "row"))
	}
	out := rows{train: order[:n-aside], dev: order[n-aside : n], test: order[n:]}
	if dev == "overlap" {
		out.dev = out.train[len(out.train)-aside:]
	}
	return out, nil
}

// shuffled returns a permutation of 0 … n−1.
func shuffled(n int, r *rng.Stream) []int {
	order, pick := make([]int, n), r.Rand()
	for i := range order {
		order[i] = i
		j := pick.IntN(i + 1)
		order[i], order[j] = order[j], order[i]
	}
	return order
}

// part is some rows of a data set: features standardised as the training part's (m×d), and the target.
type part struct {
	x   *mat.Dense
	x32 sifg.Batch // the same
	y   []float64  // in its own units
}

// regression is a data set divided and standardised by mean and population standard deviation of the training part.
type regression struct {
	train, dev, test part
	rows             rows
	mean, sd         float64 // of the target
}

// prepare divides and standardises. A feature that is constant in the training part becomes its distance from that
// constant, in its own units; a constant target is refused.
func prepare(d *dataset.Data, how, dev string, seed uint64) (*regression, error) {
	if d.Target < 0 {
		return nil, fmt.Errorf("data set %s has no target column", d.Name)
	}
	r, err := divide(d, how, dev, seed)
	if err != nil {
		return nil, err
	}
	column := func(c int, rows []int) []float64 {
		out := make([]float64, len(rows))
		for i, k := range rows {
			out[i] = d.X[k*d.Cols+c]
		}
		return out
	}
	var features []int
	for c := range d.Cols {
		x := column(c, r.train)
		if _, sd := meanSD(x); !(sd > 1e-120 && sd < 1e120) && slices.Min(x) < slices.Max(x) {
			return nil, fmt.Errorf("data set %s: %q squared is beyond float64: change its unit", d.Name, d.Columns[c])
		}
		if c != d.Target {
			features = append(features, c)
		}
	}
	standardised := func(rows []int) part {
		n, k := len(rows), len(features)
		p := part{mat.NewDense(n, k, nil), sifg.NewBatch(n, k), column(d.Target, rows)}
		for j, c := range features {
			mean, sd := meanSD(column(c, r.train))
			if sd == 0 {
				sd = 1
			}
			for k, v := range column(c, rows) {
				p.x.Set(k, j, (v-mean)/sd)
				p.x32.Data[k*len(features)+j] = float32((v - mean) / sd)
			}
		}
		return p
	}
	out := &regression{train: standardised(r.train), dev: standardised(r.dev), test: standardised(r.test), rows: r}
	if out.mean, out.sd = meanSD(out.train.y); out.sd == 0 {
		return nil, fmt.Errorf("data set %s: the target %q is constant in the training part",
			d.Name, d.Columns[d.Target])
	}
	return out, nil
}

// meanSD returns the mean and the population standard deviation.
func meanSD(x []float64) (mean, sd float64) {
	mean = stats.Mean(x)
	if slices.Max(x) == slices.Min(x) { // not what rounding of the mean leaves
		return mean, 0
	}
	for _, v := range x {
		sd += float64((v - mean) * (v - mean))
	}
	return mean, math.Sqrt(sd / float64(len(x)))
}

// trivial returns the test RMSE and NLL of two predictors that know nothing of networks, with a Gaussian law of the
// training part's residual variance: the mean of the training part, and least squares with an intercept.
func (r *regression) trivial() (constant, leastSquares [2]float64) {
	constant = gaussian(r.sd*r.sd, func(int) float64 { return r.mean }, r.test.y)

	n, d := r.train.x.Dims()
	a := mat.NewDense(n, d+1, nil) // the last column is for the intercept
	for i := range n {
		copy(a.RawRowView(i), r.train.x.RawRowView(i))
		a.Set(i, d, 1)
	}
	var svd mat.SVD
	svd.Factorize(a, mat.SVDThin)
	rank := 0
	for _, v := range svd.Values(nil) { // directions that no row has get no weight
		if v > 1e-10*svd.Values(nil)[0] {
			rank++
		}
	}
	var w mat.VecDense
	svd.SolveVecTo(&w, mat.NewVecDense(n, slices.Clone(r.train.y)), rank)
	predict := func(x *mat.Dense) func(int) float64 {
		return func(i int) float64 {
			return mat.Dot(mat.NewVecDense(d, x.RawRowView(i)), w.SliceVec(0, d)) + w.AtVec(d)
		}
	}
	fitted := predict(r.train.x)
	var squares float64
	for i, y := range r.train.y {
		squares += float64((fitted(i) - y) * (fitted(i) - y))
	}
	return constant, gaussian(squares/float64(n), predict(r.test.x), r.test.y)
}

// gaussian returns RMSE and NLL of predictions with this variance.
func gaussian(variance float64, predict func(i int) float64, y []float64) [2]float64 {
	var squares float64
	for i, v := range y {
		squares += float64((predict(i) - v) * (predict(i) - v))
	}
	mse := squares / float64(len(y))
	return [2]float64{math.Sqrt(mse), 0.5 * (math.Log(2*math.Pi*variance) + mse/variance)}
}
