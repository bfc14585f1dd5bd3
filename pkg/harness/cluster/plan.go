// Package cluster takes a plan to other machines: a frozen plan file with the program beside it, shards of it for
// workers that know nothing of each other, and what makes a scheduler start them (Slurm, Kubernetes, a shell).
//
// Nothing of ours runs but the workers. What has been computed is in the store, which several workers may fill at once;
// a scheduler's word is a hint that says why a trial is missing, and may be lacking.
package cluster

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/record"
)

// planVersion is the version of the plan file.
const planVersion = 1

// Plan is a frozen plan: trials that are to be computed, with all that their results depend on. Its file is named after
// its digest and never changes: JSON, the Header on the first line, then a Group a line.
type Plan struct {
	Header
	Groups []Group
	Path   string
	first  []int // index of each group's first trial, and the number of trials
}

// Header is what holds for all trials of a plan.
type Header struct {
	Version int               `json:"version"`
	Trials  int               `json:"trials"`
	Binary  string            `json:"binary"`         // SHA-256 of the program that made the plan and has to compute it
	Data    map[string]string `json:"data,omitempty"` // digests of the data sets that trials need
	Report  []string          `json:"report"`         // arguments of the command that reports what was asked for
}

// Group is trials of a plan that differ in their seeds alone.
type Group struct {
	Experiment string          `json:"experiment"`
	Protocol   string          `json:"protocol"`
	Scale      string          `json:"scale"`
	Problem    string          `json:"problem"`
	Method     string          `json:"method"`
	Label      string          `json:"label,omitempty"`
	Config     json.RawMessage `json:"config"`  // resolved
	Seconds    float64         `json:"seconds"` // estimated, of each
	Seeds      []uint64        `json:"seeds"`
	Keys       []string        `json:"keys"`
}

// id returns the digits of a digest that stand in a file's name.
func id(sha string) string { return sha[:16] }

// Estimate returns the predicted seconds of each trial. Where nothing like it was measured it is judged by its number of
// particles and iterations, against the measured ones if there are any; known is how many were measured.
func Estimate(costs *harness.Costs, trials []harness.Trial) (seconds []float64, known int) {
	work := func(t *harness.Trial) float64 { return float64(t.Config.Iterations+1) * float64(t.Config.Particles) }
	sum, done := 0.0, 0.0
	seconds = make([]float64, len(trials))
	for i := range trials {
		if s, ok := costs.Seconds(&trials[i]); ok {
			seconds[i], known = s, known+1
			sum, done = sum+s, done+work(&trials[i])
		}
	}
	each := 1e-6 // of one particle's iteration: a network of 32 units takes about so long
	if known > 0 {
		each = sum / done
	}
	for i := range trials {
		if _, ok := costs.Seconds(&trials[i]); !ok {
			seconds[i] = each * work(&trials[i])
		}
	}
	return seconds, known
}

// Encode returns the bytes of the plan file of these trials, which must have different keys, with their estimated seconds.
func Encode(h Header, trials []harness.Trial, seconds []float64) ([]byte, error) {
	h.Version, h.Trials = planVersion, len(trials)
	var b bytes.Buffer
	out := json.NewEncoder(&b)
	out.SetEscapeHTML(false)
	if err := out.Encode(h); err != nil {
		return nil, err
	}
	var g Group
	flush := func() error {
		if g.Keys == nil {
			return nil
		}
		return out.Encode(g)
	}
	for i := range trials {
		t := &trials[i]
		config, err := json.Marshal(t.Config)
		if err != nil {
			return nil, fmt.Errorf("the configuration of %s cannot be stored: %w", t.Name(), err)
		}
		next := Group{t.Experiment, t.Protocol, t.Scale, t.Problem, t.Method, t.Label, config, seconds[i], nil, nil}
		if g.Keys == nil || !g.like(&next) {
			if err := flush(); err != nil {
				return nil, err
			}
			g = next
		}
		g.Seeds, g.Keys = append(g.Seeds, t.Seed), append(g.Keys, t.Key)
	}
	err := flush() // before the bytes are taken
	return b.Bytes(), err
}

func (g *Group) like(o *Group) bool {
	return g.Experiment == o.Experiment && g.Protocol == o.Protocol && g.Scale == o.Scale && g.Problem == o.Problem &&
		g.Method == o.Method && g.Label == o.Label && g.Seconds == o.Seconds && bytes.Equal(g.Config, o.Config)
}

// PlanPath returns where under dir a plan belongs: in a folder of its own, under the name of its digest.
func PlanPath(dir string, plan []byte) string {
	sum := sha256.Sum256(plan)
	name := id(hex.EncodeToString(sum[:]))
	return filepath.Join(dir, name[:12], "plan-"+name+".jsonl")
}

// Read reads a plan file, or that in a folder, and refuses one that is not what was frozen.
func Read(path string) (*Plan, error) {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		found, err := fs.Glob(os.DirFS(path), "plan-*.jsonl")
		if err != nil || len(found) != 1 {
			return nil, harness.Usagef("there are %d files plan-*.jsonl in %s, want one: name the file", len(found), path)
		}
		path = filepath.Join(path, found[0])
	}
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, harness.Usagef("the plan cannot be read: %v", err)
	}
	if want := filepath.Base(PlanPath("", b)); want != filepath.Base(path) {
		return nil, harness.Usagef("%s is not the plan that was frozen: its name would be %s. It was changed or renamed since; a plan is "+
			"never changed, so submit anew (what is computed already is not computed again)", path, want)
	}
	return Decode(path, b)
}

// Decode reads the bytes of a plan file, of which path is or will be the name.
func Decode(path string, b []byte) (*Plan, error) {
	p := &Plan{Path: path}
	in := bufio.NewReaderSize(bytes.NewReader(b), 1<<16)
	line, err := in.ReadBytes('\n')
	if err == nil {
		err = json.Unmarshal(line, &p.Header)
	}
	if err != nil {
		return nil, harness.Usagef("%s is no plan file: %v", path, err)
	}
	if p.Version != planVersion {
		return nil, harness.Usagef("%s has version %d, this program knows version %d: compute it with the program beside it",
			path, p.Version, planVersion)
	}
	n := 0
	for d := json.NewDecoder(in); ; {
		var g Group
		if err := d.Decode(&g); err == io.EOF {
			break
		} else if err != nil || len(g.Keys) != len(g.Seeds) {
			return nil, harness.Usagef("%s, group %d: %d seeds, %d keys, %v", path, len(p.Groups)+1, len(g.Seeds), len(g.Keys), err)
		}
		p.Groups, p.first = append(p.Groups, g), append(p.first, n)
		n += len(g.Keys)
	}
	if p.first = append(p.first, n); n != p.Trials {
		return nil, harness.Usagef("%s has %d trials, its first line says %d", path, n, p.Trials)
	}
	return p, nil
}

// Folder returns the folder of the plan, which also has the program and what was submitted.
func (p *Plan) Folder() string { return filepath.Dir(p.Path) }

// Name returns the short name of the plan: the first digits of its digest.
func (p *Plan) Name() string {
	return strings.TrimPrefix(filepath.Base(p.Path), "plan-")[:12]
}

// Program returns the name of the program that computes the plan.
func (p *Plan) Program() string { return filepath.Join(p.Folder(), "sifg-"+id(p.Binary)) }

// at returns the group of trial i, and which it is there.
func (p *Plan) at(i int) (*Group, int) {
	g, exact := slices.BinarySearch(p.first, i)
	if !exact {
		g--
	}
	return &p.Groups[g], i - p.first[g]
}

// Seconds returns the estimated seconds of each trial.
func (p *Plan) Seconds() []float64 {
	out := make([]float64, 0, p.Trials)
	for _, g := range p.Groups {
		for range g.Keys {
			out = append(out, g.Seconds)
		}
	}
	return out
}

// Label returns trial i with its key and labels, without its configuration.
func (p *Plan) Label(i int) harness.Trial {
	g, j := p.at(i)
	return harness.Trial{Key: g.Keys[j], Experiment: g.Experiment, Protocol: g.Protocol, Scale: g.Scale, Problem: g.Problem,
		Method: g.Method, Label: g.Label, Seed: g.Seeds[j]}
}

// Take returns these trials, ready to be computed. It refuses a plan that was made by another program or from other data.
func (p *Plan) Take(shard []int, experiments []*harness.Experiment, data harness.Datasets) ([]harness.Trial, error) {
	for name, want := range p.Data {
		got, err := data.Digest(name)
		if err != nil {
			return nil, fmt.Errorf("a plan that needs the data set %s: %w", name, err)
		}
		if got != want {
			return nil, harness.Usagef("the data set %s is not the one of the plan: its digest is %s, want %s. Have the same files here, "+
				"or submit anew", name, got, want)
		}
	}
	out := make([]harness.Trial, len(shard))
	for n, i := range shard {
		g, _ := p.at(i)
		out[n] = p.Label(i)
		if err := json.Unmarshal(g.Config, &out[n].Config); err != nil {
			return nil, fmt.Errorf("%s: the configuration of %s: %w", p.Path, out[n].Name(), err)
		}
	}
	return out, harness.Revive(out, experiments, data)
}

// CheckProgram refuses to go on where the program that runs is not the one that made the plan.
func (p *Plan) CheckProgram(path string) error {
	sum, err := digestOf(path)
	if err != nil {
		return err
	}
	if sum != p.Binary {
		return harness.Usagef("%s was made by a program with SHA-256 %s…, this one has %s…: run %s, which was copied when the plan "+
			"was frozen, or submit anew with this program (what is computed already is not computed again)", p.Path, id(p.Binary), id(sum), p.Program())
	}
	return nil
}

func digestOf(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// copyProgram copies a program to the folder under the name of its digest, if it is not there.
func copyProgram(program, sha, folder string) error {
	path := filepath.Join(folder, "sifg-"+id(sha))
	if have, err := digestOf(path); err != nil || have != sha {
		from, err := os.Open(program)
		if err != nil {
			return err
		}
		defer from.Close()
		if err := record.WriteFileAtomic(path, func(w io.Writer) error { _, err := io.Copy(w, from); return err }); err != nil {
			return err
		}
	}
	// A copy that is there may be somebody else's, or of a call that was killed before it could be run.
	if info, err := os.Stat(path); err != nil || info.Mode().Perm()&0o111 == 0o111 {
		return err
	}
	return os.Chmod(path, 0o755)
}

// Digest returns the SHA-256 of a program.
func Digest(program string) (string, error) { return digestOf(program) }
