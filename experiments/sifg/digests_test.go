package main

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"math"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/dataset"
	"github.com/semi-implicit/sifg/pkg/harness/plan"
	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/harness/run"
	"github.com/semi-implicit/sifg/pkg/harness/store"
	"github.com/semi-implicit/sifg/pkg/sifg"
	"github.com/semi-implicit/sifg/pkg/sifg/cpu"
)

var update = flag.Bool("update", false, "write testdata/digests.json anew")

// computed is what a trial came to, and the versions that identify what computed it.
type computed struct {
	Versions string `json:"versions"`
	Digest   string `json:"digest"` // of the last particles and all measured values
}

const digestsFile = "testdata/digests.json"

// TestNumerics: every method of every experiment gives at smoke scale the bits that it gave when its versions were last
// raised. The keys of stored results rest on those versions, so other bits under the same versions would pass for the
// same result.
func TestNumerics(t *testing.T) {
	long(t, "computes a trial of every method of every experiment")
	if cpu.Path() == "portable" {
		t.Skip("the portable kernels have other bits by design")
	}
	got, complete := computeAll(t)
	text := must(os.ReadFile(digestsFile))
	var want map[string]computed
	must(0, json.Unmarshal(text, &want))
	if *update {
		if !complete { // what was not computed stays
			maps.Copy(want, got)
			got = want
			t.Errorf("%s is written, but trials whose data set is not here keep the digests that they had", digestsFile)
		}
		must(0, os.WriteFile(digestsFile, append(must(json.MarshalIndent(got, "", " ")), '\n'), 0o666))
		return
	}
	for name := range want {
		if _, ok := got[name]; complete && !ok {
			t.Errorf("%s is written down and no longer computed: go test ./experiments/sifg -run TestNumerics -update",
				name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(got)) {
		switch g, w := got[name], want[name]; {
		case w.Digest == "":
			t.Errorf("%s is new: go test ./experiments/sifg -run TestNumerics -update writes it down", name)
		case g.Versions == w.Versions && g.Digest != w.Digest:
			t.Errorf("%s gives other numbers under the same versions (%s). If not by new settings or metrics, "+
				"raise the version of what changed: Version of the sampler's row (pkg/sifg/samplers.go), Version "+
				"of the experiment, sifg.Numerics for what all samplers share, or plan.LoopVersion for the loop; "+
				"then go test ./experiments/sifg -run TestNumerics -update", name, g.Versions)
		case g.Versions != w.Versions:
			t.Errorf("%s has the versions %s, written down are %s: go test ./experiments/sifg -run TestNumerics "+
				"-update", name, g.Versions, w.Versions)
		}
	}
}

// computeAll computes the first trial of every method on every problem under every protocol at smoke scale. Trials
// whose data are not here are left out, and the result is not complete.
func computeAll(t *testing.T) (out map[string]computed, complete bool) {
	data, err := dataset.Open(dataset.Options{Mirror: os.Getenv("SIFG_DATASETS_MIRROR"), Cache: "../../datasets/cache"})
	if err != nil {
		t.Fatal(err)
	}
	p := must(plan.New(plan.Request{
		Experiments: experiments, Protocols: []string{plan.All}, Scale: "smoke", Data: data,
	}))
	absent := func(tr trial) bool { return tr.Config.Data != "" && data.Absent(tr.Config.Data) != nil }
	all := p.Unique()
	trials := slices.DeleteFunc(slices.Clone(all), absent)
	st := must(store.Open(t.TempDir()))
	if _, err := run.Run(context.Background(), context.Background(), st, experiments, trials,
		run.Options{Jobs: 2, Threads: 1, Data: data, Progress: silent{}}); err != nil {
		t.Fatal(err)
	}
	out = map[string]computed{}
	for _, tr := range trials {
		e, err := st.Get(store.ID{Experiment: tr.Experiment, Key: tr.Key})
		if err != nil || e == nil || !e.Trial.Final() {
			t.Fatalf("%s: %v, %+v", tr.Name(), err, e)
		}
		name := fmt.Sprintf("%s/%s %s %s", tr.Experiment, tr.Protocol, tr.Problem, tr.Method)
		out[name] = computed{versions(t, tr), digest(t, e)}
	}
	return out, len(trials) == len(all)
}

// versions are those in the trial's key.
func versions(t *testing.T, tr trial) string {
	i := slices.IndexFunc(experiments, func(e experiment) bool { return e.Name == tr.Experiment })
	s := must(sifg.ByName(tr.Config.Sampler.Sampler))
	return fmt.Sprintf("loop %d, numerics %d, %s %d, %s %s", plan.LoopVersion, sifg.Numerics, s.Name, s.Version,
		tr.Experiment, experiments[i].Version)
}

// digest is the SHA-256 of the last particles and the measured values, in order.
func digest(t *testing.T, e *store.Entry) string {
	h := sha256.New()
	if e.Trial.Status == record.StatusOK {
		a := must(e.Array("particles"))
		binary.Write(h, binary.LittleEndian, a.Data)
	}
	traces := must(e.Traces())
	for _, r := range traces {
		fmt.Fprintf(h, "%d %s %d %x\n", r.Iteration, r.Metric, r.Index, math.Float64bits(r.Value))
	}
	return hex.EncodeToString(h.Sum(nil))[:16]
}

type (
	trial      = harness.Trial
	experiment = *harness.Experiment
)

// silent is the progress of a run that nobody looks at.
type silent struct{}

func (silent) Note(string)                               {}
func (silent) Start(*trial)                              {}
func (silent) Step(*trial, int)                          {}
func (silent) End(*trial, string, string, time.Duration) {}
