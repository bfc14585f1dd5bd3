package main

import (
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/dataset"
	"github.com/semi-implicit/sifg/pkg/harness/plan"
	"github.com/semi-implicit/sifg/pkg/harness/run"
	"github.com/semi-implicit/sifg/pkg/harness/settings"
	"github.com/semi-implicit/sifg/pkg/harness/store"
)

var pairs = flag.Int("pairs", 4, "how many trials TestMeasuredAgainAtRandom measures again, of thrice as many")

// looks are the settings of an experiment that decide what is measured of 40 iterations: one of the values, or any of
// those in [].
var looks = []struct{ experiment, problem, settings string }{
	{"gmm", "gmm-2d", `judge.sample=particles|fresh|perturbed options.displacement_from=0|5|10|20|30
		options.metrics=[knn-kl,coverage,exact-kl,energy] options.detail=[ksd,mode-weights,smoothed-kl,blur-kl]
		options.at_end=[blur-kl,moments,stein-variance] options.detail_every=0|5|10|20 options.reference=100|200
		options.reference_fresh=true|false options.smooth=0.1|0.2 options.draws=100|200`},
	{"monomial-gamma", "monomial-gamma", `judge.sample=particles|fresh|perturbed options.displacement_from=0|5|10
		options.metrics=[knn-kl,knn-kl-small,moments] options.detail=[ksd,smoothed-kl]
		options.at_end=[gradient-variance,knn-kl-exact,ksd] options.reference_law=exact|released
		options.reference_small=50|60`},
	{"funnel", "funnel-2d", `judge.sample=particles|fresh options.metrics=[knn-kl,ksd] options.detail=[ksd,moments]
		options.displacement_from=0|10|20`},
	{"meg-ica", "ica-simulated", `judge.sample=particles|fresh options.truth=mean|aligned-mean
		options.settled_from=0|5|10|20 options.metrics=[amari-truth,amari,energy,rms]`},
	{"uci-bnn", "boston", `judge.sample=particles|fresh options.precision=released|fitted options.repeats=0|1|3
		options.curve=true|false`},
}

const looksOfAll = " judge.every=0|1|5|10|20|40 judge.track=0|1|5 judge.snapshots="

// drawn returns values of settings, in their order.
func drawn(r *rand.Rand, list string) (out []string) {
	for _, text := range strings.Fields(list + looksOfAll) {
		key, values, _ := strings.Cut(text, "=")
		choices := strings.Split(values, "|")
		value := choices[r.IntN(len(choices))]
		any := strings.Split(strings.Trim(value, "[]"), ",")
		if key == "judge.snapshots" { // often all, so that much can be measured again
			every := 5 * (1 + r.IntN(3))
			for any = nil; len(any)*every <= 40; any = append(any, fmt.Sprint(len(any)*every)) {
			}
		}
		if len(any) > 1 {
			r.Shuffle(len(any), func(i, j int) { any[i], any[j] = any[j], any[i] })
			value = "[" + strings.Join(any[:len(any)-r.IntN(len(any))*r.IntN(2)], ",") + "]"
		}
		out = append(out, key+"="+value)
	}
	return out
}

// TestMeasuredAgainAtRandom: a trial that differs from a stored one in what is measured of it has the values and arrays
// of a run, whatever is measured, and whether the stored particles suffice or not.
func TestMeasuredAgainAtRandom(t *testing.T) {
	long(t, "computes hundreds of trials")
	data, err := dataset.Open(dataset.Options{Mirror: os.Getenv("SIFG_DATASETS_MIRROR"), Cache: "../../datasets/cache"})
	if err != nil {
		t.Fatal(err)
	}
	later, fresh := must(store.Open(t.TempDir())), must(store.Open(t.TempDir()))
	r := rand.New(rand.NewPCG(1, 0))
	planned := func(x int, seed uint64, set []string) []trial {
		e := harness.ByName(experiments, looks[x].experiment)
		p := plan.Request{Experiments: []experiment{e}, Problems: []string{looks[x].problem}, Scale: "smoke",
			Seeds: []uint64{seed}, Data: data}
		for _, text := range append(set, "iterations=40", "particles=12") {
			p.Overrides = append(p.Overrides, settings.Override{Text: text, From: "--set"})
		}
		return must(plan.New(p)).Unique()
	}
	compute := func(s *store.Store, x trial) {
		o := run.Options{Jobs: 1, Threads: 1, Data: data, Progress: silent{}}
		must(run.Run(t.Context(), t.Context(), s, experiments, []trial{x}, o))
	}
	again, different, i := 0, 0, 0
	for ; again < *pairs && i < 20**pairs; i++ {
		x := i % len(looks)
		if looks[x].experiment == "uci-bnn" && data.Absent("boston") != nil {
			continue
		}
		set := drawn(r, looks[x].settings)
		before := planned(x, uint64(i+1), set)
		other := drawn(r, looks[x].settings)
		if r.IntN(3) > 0 { // the same but for one or two of the settings
			for range 1 + r.IntN(2) {
				k := r.IntN(len(set))
				set[k] = other[k]
			}
			other = set
		}
		after := planned(x, uint64(i+1), other)
		k := r.IntN(len(after))
		compute(later, before[k])
		if run.Again(later, harness.ByName(experiments, after[k].Experiment), &after[k], data) {
			again++
		}
		compute(later, after[k])
		compute(fresh, after[k])
		id := store.ID{Experiment: after[k].Experiment, Key: after[k].Key}
		a, err1 := later.Get(id)
		b, err2 := fresh.Get(id)
		if err := errors.Join(err1, err2); err != nil || a == nil || b == nil {
			t.Fatalf("%s: %v, %v, %v", after[k].Name(), a, b, err)
		}
		if a.Trial.Reason != b.Trial.Reason || !slices.Equal(a.Files, b.Files) {
			different++
			t.Errorf("%s, of %v and then %v:\n%v\n%v", after[k].Name(), before[k].Row().Config, other, a.Files, b.Files)
		}
	}
	t.Logf("%d pairs of settings, %d measured again, %d different", i, again, different)
	if again < *pairs {
		t.Errorf("only %d of %d pairs were measured again", again, i)
	}
}
