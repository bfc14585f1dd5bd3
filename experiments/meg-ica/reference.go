package megica

import (
	"bytes"
	"context"
	"crypto/sha256"
	"embed"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/sifg/hmc"
	"github.com/semi-implicit/sifg/pkg/sifg/metric"
	"github.com/semi-implicit/sifg/pkg/sifg/rng"
)

// ReferenceOptions say how the reference draws are made, which the particles are judged by.
type ReferenceOptions struct {
	Chains     int     `mapstructure:"chains" json:"chains"`
	Iterations int     `mapstructure:"iterations" json:"iterations"` // of each chain; the second half is kept
	Step       float64 `mapstructure:"step" json:"step"`             // ε; with a warm-up only where its search begins
	Leapfrog   int     `mapstructure:"leapfrog" json:"leapfrog"`     // steps an iteration
	Jitter     float64 `mapstructure:"jitter" json:"jitter"`         // of the step, a share of it
	Warmup     int     `mapstructure:"warmup" json:"warmup"`         // first iterations that adapt step and mass; 0: none
	Released   bool    `mapstructure:"released" json:"released"`     // the quirks of the released script, see hmc.Config
	// Start is prior: N(0, prior_sd² I), as in the released script, or mode: a signed permutation of the mode, another for
	// each chain, each entry displaced by N(0, s²), s a twentieth of the mode's root mean square.
	Start string `mapstructure:"start" json:"start"`
	Draws int    `mapstructure:"draws" json:"draws"` // kept in the summary, spread evenly over the kept part of all chains
	Seed  uint64 `mapstructure:"seed" json:"seed"`

	SHA256    string `mapstructure:"sha256" json:"-"`    // of the committed summary that this stands for, in folder reference
	Recompute bool   `mapstructure:"recompute" json:"-"` // a committed summary is not used
}

func (r *ReferenceOptions) check() error {
	switch {
	case r.Chains < 1:
		return fmt.Errorf("options.reference.chains: must be 1 or more, got %d", r.Chains)
	case r.Iterations < 24:
		return fmt.Errorf("options.reference.iterations: must be 24 or more, got %d", r.Iterations)
	case r.Warmup > r.Iterations/2:
		return fmt.Errorf("options.reference.warmup: must end within the first half of %d iterations, got %d", r.Iterations, r.Warmup)
	case r.Start != "prior" && r.Start != "mode":
		return fmt.Errorf("options.reference.start: %q is unknown: want prior or mode", r.Start)
	case r.Draws < 2 || r.Draws > r.Chains*(r.Iterations-r.Iterations/2):
		return fmt.Errorf("options.reference.draws: must be 2 to %d, the number of draws kept, got %d", r.Chains*(r.Iterations-r.Iterations/2), r.Draws)
	}
	return nil
}

func (r *ReferenceOptions) hmc() hmc.Config {
	return hmc.Config{Step: r.Step, Leapfrog: r.Leapfrog, Jitter: r.Jitter, Warmup: r.Warmup, Released: r.Released}
}

// identity is what reference draws depend on, beside code.
type identity struct {
	Data     string           `json:"data"` // SHA-256 of the channels before scaling: float64, little-endian, channel after channel
	Channels int              `json:"channels"`
	Scaling  string           `json:"scaling"`
	Exponent float64          `json:"exponent"`
	Average  bool             `json:"average"`
	PriorSD  float64          `json:"prior_sd"`
	HMC      ReferenceOptions `json:"hmc"`
}

func (d *posterior) identity() identity {
	o := d.o
	r := o.Reference
	r.SHA256, r.Recompute = "", false
	return identity{d.digest, o.Channels, o.Scaling, o.Exponent, o.Average, o.PriorSD, r}
}

func (i identity) id() string {
	b, err := json.Marshal(i)
	if err != nil {
		panic("megica: " + err.Error()) // numbers and text
	}
	return sha(b)[:16]
}

func sha(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// digestOf is the SHA-256 of float64 values, little-endian.
func digestOf(x []float64) string {
	h := sha256.New()
	if err := binary.Write(h, binary.LittleEndian, x); err != nil {
		panic("megica: " + err.Error())
	}
	return hex.EncodeToString(h.Sum(nil))
}

// reference is the summary of the reference chains, with some of their draws.
type reference struct {
	Identity    identity             `json:"identity"`
	Made        map[string]string    `json:"made"`         // commit, processor and kernel of the program
	Mode        mode                 `json:"mode"`         // a point of highest density
	Mean        []float64            `json:"mean"`         // of the kept draws of the first chain, as they are
	AlignedMean []float64            `json:"aligned_mean"` // of all kept draws, each turned by the signed permutation that brings it nearest to the mode
	AlignedSD   []float64            `json:"aligned_sd"`   // their standard deviations
	Facts       map[string][]float64 `json:"facts"`        // see summarise
	Kept        []string             `json:"kept"`         // SHA-256 of each chain's kept draws: float64, little-endian
	Draws       string               `json:"draws"`        // SHA-256 of the file with the aligned draws

	draws metric.Points // aligned
}

//go:embed reference
var committed embed.FS

// errNoReference says that reference draws have not been made.
var errNoReference = errors.New("the reference draws are not there: sifg run makes them")

// findReference returns the reference draws for d: the committed ones, if they were made for the same data and settings and
// Recompute does not rule them out, or those in folder.
func findReference(d *posterior, folder string) (*reference, error) {
	if ref, _, err := findCommitted(d); ref != nil || err != nil {
		return ref, err
	}
	ref, err := readReference(os.DirFS(folder), path.Join(d.folder(), "reference.json"), "")
	if errors.Is(err, fs.ErrNotExist) {
		return nil, errNoReference
	}
	return ref, err
}

// folder is where draws that are not committed are made; another code makes others.
func (d *posterior) folder() string { return d.identity().id() + "-" + code()[:8] }

// findCommitted returns the committed summary for d and its name, or nil.
func findCommitted(d *posterior) (*reference, string, error) {
	if d.o.Reference.Recompute {
		return nil, "", nil
	}
	names, err := fs.Glob(committed, "reference/*.json")
	if err != nil {
		return nil, "", err
	}
	for _, name := range names {
		b, err := committed.ReadFile(name)
		if err != nil {
			return nil, "", err
		}
		var ref reference
		if err := json.Unmarshal(b, &ref); err != nil {
			return nil, "", fmt.Errorf("%s: %w", name, err)
		}
		if ref.Identity != d.identity() {
			continue
		}
		// The digest stands among the options, so that trials judged by other draws have other keys.
		found, err := readReference(committed, name, d.o.Reference.SHA256)
		return found, name, err
	}
	return nil, "", nil
}

// readReference reads a summary, which must have the digest want unless that is "", and the draws beside it.
func readReference(from fs.FS, name, want string) (*reference, error) {
	b, err := fs.ReadFile(from, name)
	if err != nil {
		return nil, err
	}
	if sum := sha(b); want != "" && sum != want {
		return nil, harness.Usagef("%s has the SHA-256 %s, options.reference.sha256 says %s", name, sum, want)
	}
	ref := &reference{}
	if err := json.Unmarshal(b, ref); err != nil {
		return nil, fmt.Errorf("%s: %w: %v", name, record.ErrDamaged, err)
	}
	npy := name[:len(name)-len(".json")] + ".npy"
	if b, err = fs.ReadFile(from, npy); err != nil {
		return nil, err
	}
	if sum := sha(b); sum != ref.Draws {
		return nil, fmt.Errorf("%s: %w: its SHA-256 is %s, %s says %s", npy, record.ErrDamaged, sum, name, ref.Draws)
	}
	shape, data, err := record.DecodeNPY[float64](b)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", npy, err)
	}
	ref.draws = metric.Points{N: shape[0], D: shape[1], Data: data}
	return ref, nil
}

// truth is W₀ by its name in options.truth.
func (r *reference) truth(name string) []float64 {
	switch name {
	case "mode":
		return r.Mode.W
	case "aligned-mean":
		return r.AlignedMean
	}
	return r.Mean
}

// standard returns aligned points less the mean of the reference draws, in units of their standard deviations.
func (r *reference) standard(x metric.Points) metric.Points {
	out := metric.NewPoints(x.N, x.D)
	for i, v := range x.Data {
		out.Data[i] = (v - r.AlignedMean[i%x.D]) / r.AlignedSD[i%x.D]
	}
	return out
}

// start is where chain k begins.
func (d *posterior) start(m mode, k int) []float64 {
	p := d.o.Channels
	r := rng.New(d.o.Reference.Seed, "reference-start", uint64(k))
	x := make([]float64, p*p)
	if d.o.Reference.Start == "prior" {
		for i := range x {
			x[i] = d.o.PriorSD * r.NormFloat64()
		}
		return x
	}
	var square float64
	for _, v := range m.W {
		square += v * v
	}
	s := 0.05 * rootMean(square, len(m.W))
	for a, b := range r.Rand().Perm(p) {
		sign := 1 - 2*float64(r.Uint32()&1)
		for c := range p {
			x[a*p+c] = sign*m.W[b*p+c] + s*r.NormFloat64()
		}
	}
	return x
}

// round is the number of iterations between two checkpoints of the chains.
const round = 1000

// makeReference runs the chains in dir, continuing what an earlier call left there, and writes the summary.
func (d *posterior) makeReference(ctx context.Context, dir string, say func(string)) error {
	o := d.o.Reference
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	m, err := findMode(d.ICA, d.x, 1/(d.exponent*float64(d.x.Cols)))
	if err != nil {
		return err
	}
	skip := o.Iterations / 2
	chains, files := make([]*hmc.Chain, o.Chains), make([]*hmc.Draws, o.Chains)
	for k := range chains {
		if chains[k], err = d.chain(dir, m, k); err != nil {
			return err
		}
		if files[k], err = hmc.OpenDraws(drawsOf(dir, k), d.Dim(), max(0, chains[k].Iteration()-skip)); err != nil {
			return err
		}
		defer files[k].Close()
	}
	for done := slices.MinFunc(chains, byIteration).Iteration(); done < o.Iterations; {
		done = min(done+round, o.Iterations)
		stopped := hmc.Run(ctx, chains, done, func(chain, iter int, x []float64, _ hmc.Info) error {
			if iter < skip {
				return nil
			}
			return files[chain].Append(x)
		})
		for k, c := range chains {
			if err := files[k].Sync(); err != nil {
				return err
			}
			if err := writeJSON(stateOf(dir, k), c.State()); err != nil {
				return err
			}
		}
		if stopped != nil {
			return stopped
		}
		say(fmt.Sprintf("%d of %d iterations of %d chains", done, o.Iterations, o.Chains))
	}
	draws := make([][]float64, o.Chains)
	tallies := make([]hmc.Tally, o.Chains)
	for k := range draws {
		if draws[k], _, err = hmc.ReadDraws(drawsOf(dir, k)); err != nil {
			return err
		}
		tallies[k] = chains[k].Tally()
	}
	ref := d.summarise(m, draws, tallies)
	var npy bytes.Buffer
	if err := record.EncodeNPY(&npy, []int{ref.draws.N, ref.draws.D}, ref.draws.Data); err != nil {
		return err
	}
	ref.Draws = sha(npy.Bytes())
	err = record.WriteFileAtomic(filepath.Join(dir, "reference.npy"), func(w io.Writer) error {
		_, err := w.Write(npy.Bytes())
		return err
	})
	if err != nil {
		return err
	}
	return writeJSON(filepath.Join(dir, "reference.json"), ref)
}

// chain returns chain k where it was stopped, or at its start.
func (d *posterior) chain(dir string, m mode, k int) (*hmc.Chain, error) {
	b, err := os.ReadFile(stateOf(dir, k))
	if errors.Is(err, fs.ErrNotExist) {
		c, err := hmc.NewChain(d.ICA, d.o.Reference.hmc(), d.start(m, k), d.o.Reference.Seed, k)
		if err != nil {
			err = harness.Usagef("options.reference: %v", err)
		}
		return c, err
	}
	if err != nil {
		return nil, err
	}
	var s hmc.State
	if err := json.Unmarshal(b, &s); err != nil {
		return nil, fmt.Errorf("%s: %w: %v", stateOf(dir, k), record.ErrDamaged, err)
	}
	return hmc.Resume(d.ICA, d.o.Reference.hmc(), s)
}

func stateOf(dir string, k int) string { return filepath.Join(dir, fmt.Sprintf("chain-%d.json", k)) }
func drawsOf(dir string, k int) string { return filepath.Join(dir, fmt.Sprintf("chain-%d.npy", k)) }

func byIteration(a, b *hmc.Chain) int { return a.Iteration() - b.Iteration() }

func writeJSON(path string, v any) error {
	return record.WriteFileAtomic(path, func(w io.Writer) error {
		e := json.NewEncoder(w)
		e.SetIndent("", " ")
		return e.Encode(v)
	})
}
