package posteriors

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"sync"

	"gonum.org/v1/gonum/mat"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/program"
	"github.com/semi-implicit/sifg/pkg/sifg/hmc"
	"github.com/semi-implicit/sifg/pkg/sifg/judge"
	"github.com/semi-implicit/sifg/pkg/sifg/metric"
	"github.com/semi-implicit/sifg/pkg/sifg/npy"
)

// longChains are the chains of package judge that are the answer on a program, and judge other samples of it.
var longChains = hmc.Options{Seed: 1, Chains: seats, Config: hmc.Config{Warmup: 1000}, Draws: 1000,
	Until: hmc.Until{Draws: 5000}}

// reference implements harness.Experiment.Reference: long chains on a program, or exact draws where it gives them.
// Published posteriors need none.
func reference(t *harness.Trial) (*harness.Reference, error) {
	o, _, err := options(t)
	if err != nil || o.Program == nil {
		return nil, err
	}
	config := map[string]any{"program": o.Program, "judge": judge.Version, "files": 2,
		"warmup": longChains.Config.Warmup,
		"draws":  longChains.Draws, "most": longChains.Until.Draws}
	if p, err := program.Find(o.Program); err == nil && p.First.Target.Draws {
		config = map[string]any{"program": o.Program, "exact": exactVersion}
	}
	return &harness.Reference{Config: config,
		Make: func(ctx context.Context, _ string, told func(int, int)) (map[string][]byte, error) {
			p, err := program.Find(o.Program)
			if err != nil {
				return nil, err
			}
			session := program.Begin(ctx)
			defer session.End()
			target := p.Target(session)
			var found *judge.Result
			if target.Draws {
				found, err = exact(target)
			} else {
				chains := longChains
				chains.Names, chains.Progress = o.Values, told
				found, err = judge.Run(session.Context(), newGathered(session.Context(), target), chains)
			}
			if failure := session.Err(); failure != nil {
				return nil, failure
			}
			if err != nil {
				return nil, err
			}
			return filesOf(found)
		}}, nil
}

// filesOf are the files of the reference: coordinates, in which the draws have mean 0 and covariance I, draws of u and
// of the values, their weights, or one for all, where moves diverged, and the report.
func filesOf(found *judge.Result) (map[string][]byte, error) {
	if len(found.Values) == 0 {
		return nil, fmt.Errorf("no value varies and is finite in all draws: %s; values= names others, and a target "+
			"without values is evaluated by its coordinates", strings.Join(found.AllNames, ", "))
	}
	text, err := json.Marshal(numbers(&found.Report))
	if err != nil {
		return nil, err
	}
	by, err := standard(joined(found.U))
	if err != nil {
		return nil, err
	}
	d, weights := len(by.Shift), found.Weights
	if weights == nil {
		weights = []float64{1}
	}
	coordinates := slices.Concat(by.Shift, mat.DenseCopyOf(by.L).RawMatrix().Data)
	file := func(chains []metric.Points) []byte {
		return npy.Encode([]int{len(chains), chains[0].N, chains[0].D}, joined(chains).Data)
	}
	return map[string][]byte{"report.json": text, "coordinates.npy": npy.Encode([]int{1 + d, d}, coordinates),
		"u.npy": file(found.U), "draws.npy": file(found.Sample.Draws),
		"weights.npy":  npy.Encode([]int{1, len(weights)}, weights),
		"diverged.npy": npy.Encode([]int{found.Diverged.N, len(found.AllNames)}, found.Diverged.Data)}, nil
}

// joined returns the points of all chains.
func joined(chains []metric.Points) metric.Points {
	out := metric.Points{D: chains[0].D}
	for _, c := range chains {
		out.N, out.Data = out.N+c.N, append(out.Data, c.Data...)
	}
	return out
}

// standard returns coordinates in which draws have mean 0 and covariance I; variances alone where that is singular.
func standard(draws metric.Points) (judge.Affine, error) {
	covariance := metric.Covariance(draws)
	l := mat.NewTriDense(draws.D, mat.Lower, nil)
	var c mat.Cholesky
	if c.Factorize(covariance) {
		c.LTo(l)
		return judge.Affine{Shift: metric.Mean(draws), L: l}, nil
	}
	for j := range draws.D {
		sd := math.Sqrt(covariance.At(j, j))
		if !(sd > 0) {
			return judge.Affine{}, fmt.Errorf("coordinate %d did not move in %d draws: does the log density depend "+
				"on it?", j, draws.N)
		}
		l.SetTri(j, j, sd)
	}
	return judge.Affine{Shift: metric.Mean(draws), L: l}, nil
}

// number is one that JSON writes as null where it has no notation for it.
type number float64

func (n number) MarshalJSON() ([]byte, error) {
	if v := float64(n); v-v == 0 {
		return json.Marshal(v)
	}
	return []byte("null"), nil
}

func (n *number) UnmarshalJSON(b []byte) error {
	*n = number(math.NaN()) // which null leaves as it is
	return json.Unmarshal(b, (*float64)(n))
}

// numbers are those of a report: see fields.
func numbers(r *judge.Report) map[string][]number {
	out := map[string][]number{}
	for name, all := range fields(r, nil) {
		for _, v := range all {
			switch {
			case v.Kind() != reflect.Bool:
				out[name] = append(out[name], number(v.Convert(reflect.TypeFor[float64]()).Float()))
			case v.Bool():
				out[name] = []number{1}
			}
		}
	}
	return out
}

// reportOf returns the report of which these are the numbers, with the names of all values.
func reportOf(told map[string][]number, names []string) *judge.Report {
	r := &judge.Report{AllNames: names}
	for name, all := range fields(r, told) {
		for i, v := range all {
			switch {
			case i >= len(told[name]): // an earlier program did not say some
			case v.Kind() == reflect.Bool:
				v.SetBool(told[name][i] == 1)
			default:
				v.Set(reflect.ValueOf(float64(told[name][i])).Convert(v.Type()))
			}
		}
	}
	for j, name := range names {
		if !slices.Contains(r.Constant, j) {
			r.Names = append(r.Names, name)
		}
	}
	return r
}

// fields are the numbers of a report by the names of its fields, in lower case; those of its values by the names of
// theirs after "values-". Slices get the lengths of what was told, if anything was.
func fields(r *judge.Report, told map[string][]number) map[string][]reflect.Value {
	out, report := map[string][]reflect.Value{}, reflect.ValueOf(r).Elem()
	for i := range report.NumField() {
		name, v := strings.ToLower(report.Type().Field(i).Name), report.Field(i)
		switch {
		case v.Type() == reflect.TypeFor[[]string]():
			continue
		case v.Kind() != reflect.Slice:
			out[name] = []reflect.Value{v}
			continue
		case told != nil:
			if n := max(len(told[name]), len(told[name+"-mean"])); n > 0 {
				v.Set(reflect.MakeSlice(v.Type(), n, n))
			}
		}
		for j := range v.Len() {
			x := v.Index(j)
			if x.Kind() != reflect.Struct {
				out[name] = append(out[name], x)
				continue
			}
			for k := range x.NumField() {
				column := name + "-" + strings.ToLower(x.Type().Field(k).Name)
				out[column] = append(out[column], x.Field(k))
			}
		}
	}
	return out
}

// seats is how many points a question has while chains or searches run: of one number of points, always the same, a
// program that compiles itself for each does so once.
const seats = 4

// gathered is a program that is asked about seats points at once: when all that have joined wait for an answer. After
// ctx has ended every answer is NaN.
type gathered struct {
	*program.Target
	ctx context.Context

	mu   sync.Mutex
	here int // that have joined
	next *question
}

// question is about the points of those that wait.
type question struct {
	points, answers []float64
	done            chan struct{} // closed when there are answers
}

var _ judge.Gatherer = (*gathered)(nil)

func newGathered(ctx context.Context, t *program.Target) *gathered {
	return &gathered{Target: t, ctx: ctx, next: &question{done: make(chan struct{})}}
}

// Join implements judge.Gatherer.
func (g *gathered) Join() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.here++
}

// Leave implements judge.Gatherer.
func (g *gathered) Leave() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.here--
	g.ask()
}

// Values implements judge.Gatherer.
func (g *gathered) Values(points []float64) (out []float64) {
	for some := range slices.Chunk(points, block*g.Dim()) {
		out = append(out, g.Constrain(some)...)
	}
	return out
}

// ask asks the next question, if all that have joined wait. g.mu is held.
func (g *gathered) ask() {
	d, q := g.Dim(), g.next
	if n := len(q.points) / d; n == 0 || n < min(g.here, seats) {
		return
	}
	for len(q.points) < seats*d {
		q.points = append(q.points, q.points[:d]...)
	}
	q.answers = make([]float64, len(q.points)/d*(1+d))
	g.Evaluate(q.answers, q.points)
	close(q.done)
	g.next = &question{done: make(chan struct{})}
}

// Energy implements hmc.Density.
func (g *gathered) Energy(x []float64) float64 { return g.Grad(make([]float64, len(x)), x) }

// Grad implements hmc.Density.
func (g *gathered) Grad(dst, x []float64) float64 {
	g.mu.Lock()
	q := g.next
	at := len(q.points) / len(x)
	q.points = append(q.points, x...)
	g.ask()
	g.mu.Unlock()
	row := slices.Repeat([]float64{math.NaN()}, 1+len(x))
	select {
	case <-q.done:
		copy(row, q.answers[at*len(row):])
	case <-g.ctx.Done():
	}
	for k := range dst {
		dst[k] = -row[1+k]
	}
	return -row[0]
}
