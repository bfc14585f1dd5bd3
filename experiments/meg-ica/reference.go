package megica

import (
	"context"
	"crypto/sha256"
	"embed"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/sifg/hmc"
	"github.com/semi-implicit/sifg/pkg/sifg/metric"
	"github.com/semi-implicit/sifg/pkg/sifg/npy"
	"github.com/semi-implicit/sifg/pkg/sifg/rng"
	"github.com/semi-implicit/sifg/pkg/sifg/target"
)

// ReferenceOptions say how the reference draws are made, which the particles are judged by.
type ReferenceOptions struct {
	Chains     int     `mapstructure:"chains" json:"chains"`
	Iterations int     `mapstructure:"iterations" json:"iterations"` // of each chain; the second half is kept
	Step       float64 `mapstructure:"step" json:"step"`             // ε; with a warm-up only where its search begins
	Leapfrog   int     `mapstructure:"leapfrog" json:"leapfrog"`     // steps an iteration
	Jitter     float64 `mapstructure:"jitter" json:"jitter"`         // of the step, a share of it
	// first iterations that adapt step and mass; 0: none
	Warmup int `mapstructure:"warmup" json:"warmup"`
	// the quirks of the released script, see hmc.Config
	Released bool `mapstructure:"released" json:"released"`
	// Start is prior: N(0, prior_sd² I), as in the released script, or mode: a signed permutation of the mode, another
	// for each chain, each entry displaced by N(0, s²), s a twentieth of the mode's root mean square.
	Start string `mapstructure:"start" json:"start"`
	// kept in the summary, spread evenly over the kept part of all chains
	Draws int    `mapstructure:"draws" json:"draws"`
	Seed  uint64 `mapstructure:"seed" json:"seed"`

	// of the committed summary, so that other draws give trials other keys; "": chains of the trial's own
	SHA256 string `mapstructure:"sha256" json:"-"`
}

func (r *ReferenceOptions) check() error {
	switch kept := r.Chains * (r.Iterations - r.Iterations/2); {
	case r.Chains < 1:
		return fmt.Errorf("options.reference.chains: must be 1 or more, got %d", r.Chains)
	case r.Iterations < 24:
		return fmt.Errorf("options.reference.iterations: must be 24 or more, got %d", r.Iterations)
	case r.Warmup > r.Iterations/2:
		return fmt.Errorf("options.reference.warmup: must end within the first half of %d iterations, got %d",
			r.Iterations, r.Warmup)
	case r.Leapfrog < 1:
		return fmt.Errorf("options.reference.leapfrog: must be 1 or more, got %d", r.Leapfrog)
	case r.Start != "prior" && r.Start != "mode":
		return fmt.Errorf("options.reference.start: %q is unknown: want prior or mode", r.Start)
	case r.Draws < 2 || r.Draws > kept:
		return fmt.Errorf("options.reference.draws: must be 2 to %d, the number of draws kept, got %d", kept, r.Draws)
	}
	return nil
}

// identity is what reference draws depend on, besides code.
type identity struct {
	// SHA-256 of the channels before scaling: float64, little-endian, channel after channel
	Data     string           `json:"data"`
	Channels int              `json:"channels"`
	Scaling  string           `json:"scaling"`
	Exponent float64          `json:"exponent"` // 1
	Average  bool             `json:"average"`
	PriorSD  float64          `json:"prior_sd"`
	HMC      ReferenceOptions `json:"hmc"`
}

func (d *posterior) identity() identity {
	o := d.o
	r := o.Reference
	r.SHA256 = ""
	return identity{d.digest, o.Channels, o.Scaling, 1, o.Average, o.PriorSD, r}
}

func sha(b []byte) string { return fmt.Sprintf("%x", sha256.Sum256(b)) }

// digestOf is the SHA-256 of float64 values, little-endian.
func digestOf(x []float64) string {
	b, _ := binary.Append(nil, binary.LittleEndian, x) // which fails for no numbers
	return sha(b)
}

// reference is the summary of the reference chains, with some of their draws.
type reference struct {
	Identity    identity             `json:"identity"`
	Mode        target.ICAMode       `json:"mode"`
	Mean        []float64            `json:"mean"`         // of the kept draws of the first chain, as they are
	AlignedMean []float64            `json:"aligned_mean"` // of all kept draws, aligned with the mode
	AlignedSD   []float64            `json:"aligned_sd"`   // their standard deviations
	Facts       map[string][]float64 `json:"facts"`        // see summarise
	Kept        []string             `json:"kept"`         // SHA-256 of each chain's kept draws: float64, little-endian
	Draws       string               `json:"draws"`        // SHA-256 of the file with the aligned draws

	draws metric.Points // aligned
}

// The files of a reference.
const summaryFile, drawsFile = "summary.json", "draws.npy"

const searches = 8 // for the mode

//go:embed reference
var committed embed.FS

// summaries are the committed references: of protocols on MEG's recordings, and on simulated ones.
var summaries = []string{"paper", "released", "tuned", "simulated-released", "simulated-tuned"}

// referenceOf implements harness.Experiment.Reference: the committed draws, if they were made for the same data and
// settings, or chains of the problem's own.
func referenceOf(t *harness.Trial) (*harness.Reference, error) {
	d, err := posteriorOf(t)
	if err != nil {
		return nil, err
	}
	for _, name := range summaries {
		summary, err1 := committed.ReadFile("reference/" + name + ".json")
		draws, err2 := committed.ReadFile("reference/" + name + ".npy")
		var ref reference
		if err := errors.Join(err1, err2, json.Unmarshal(summary, &ref)); err != nil {
			return nil, fmt.Errorf("the committed reference %s: %w", name, err)
		}
		if ref.Identity != d.identity() || sha(summary) != d.o.Reference.SHA256 {
			continue
		}
		files := map[string][]byte{summaryFile: summary, drawsFile: draws}
		return &harness.Reference{
			Config: map[string]any{"identity": d.identity(), "committed": d.o.Reference.SHA256},
			Make:   func(context.Context, string, func(int, int)) (map[string][]byte, error) { return files, nil },
		}, nil
	}
	return &harness.Reference{Config: d.identity(), Make: d.makeReference}, nil
}

// readReference reads a reference.
func readReference(read func(name string) ([]byte, error)) (*reference, error) {
	ref := &reference{}
	if err := harness.ReadJSON(read, summaryFile, ref); err != nil {
		return nil, err
	}
	var err error
	ref.draws, err = harness.ReadPoints(read, drawsFile)
	return ref, err
}

// truth is W₀ by its name in options.truth.
func (r *reference) truth(name string) []float64 {
	return map[string][]float64{"mean": r.Mean, "aligned-mean": r.AlignedMean}[name]
}

// standard returns aligned points less the mean of the reference draws, in units of their standard deviations.
func (r *reference) standard(x metric.Points) metric.Points {
	return x.Standard(r.AlignedMean, r.AlignedSD)
}

// start is where chain k begins.
func (d *posterior) start(m target.ICAMode, k int) []float64 {
	p := d.o.Channels
	r := rng.New(d.o.Reference.Seed, "reference-start", uint64(k))
	x := make([]float64, p*p)
	if d.o.Reference.Start == "prior" {
		for i := range x {
			x[i] = d.o.PriorSD * r.NormFloat64()
		}
		return x
	}
	s := 0.05 * rootMeanSquare(m.W)
	for a, b := range r.Rand().Perm(p) {
		sign := 1 - 2*float64(r.Uint32()&1)
		for c := range p {
			x[a*p+c] = float64(sign*m.W[b*p+c]) + float64(s*r.NormFloat64())
		}
	}
	return x
}

// makeReference implements harness.Reference.Make. It searches for the mode, which all searches should find.
func (d *posterior) makeReference(ctx context.Context, dir string, progress func(done, total int)) (map[string][]byte,
	error) {
	o := d.o.Reference
	m, err := d.Mode(searches)
	if err != nil {
		return nil, err
	}
	chains, err := hmc.Sample(ctx, d.ICA, hmc.Options{
		Config: hmc.Config{
			Step:     o.Step,
			Leapfrog: o.Leapfrog,
			Jitter:   o.Jitter,
			Warmup:   o.Warmup,
			Released: o.Released,
		},
		Chains:   o.Chains,
		Discard:  o.Iterations/2 - o.Warmup,
		Draws:    o.Iterations - o.Iterations/2,
		Seed:     o.Seed,
		Start:    func(k int) []float64 { return d.start(m, k) },
		Folder:   dir,
		Progress: progress,
	})
	if err != nil {
		return nil, err
	}
	ref := d.summarise(m, chains.Draws, chains.Tallies)
	array := npy.Encode([]int{ref.draws.N, ref.draws.D}, ref.draws.Data)
	ref.Draws = sha(array)
	summary, err := json.MarshalIndent(ref, "", " ")
	return map[string][]byte{summaryFile: summary, drawsFile: array}, err
}
