package report

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/plan"
	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/harness/settings"
	"github.com/semi-implicit/sifg/pkg/harness/store"
	"github.com/semi-implicit/sifg/pkg/harness/usage"
)

// Explained is what is known of a trial.
type Explained struct {
	*record.Result
	Final    map[string][]float64 // last values of each metric, by component
	Settings []Setting
	Repeat   string // the shortest command that computes it again, or why there is none
	From     string // the store or the report that has it
}

// Setting is one key of a trial's configuration and the layer that its value comes from.
type Setting struct{ Key, Value, Layer string }

// Explain says what is known of the trial whose key begins with prefix: from the store, which may be nil, else from the
// report in dir.
func Explain(dir string, s *store.Store, all []*harness.Experiment, data plan.Datasets,
	prefix string) (*Explained, error) {
	found, from, err := lookUp(dir, s, all, prefix)
	switch {
	case err != nil:
		return nil, err
	case len(found) == 0:
		return nil, usage.Errorf("no trial in the store, nor in the report in %s, has a key that begins with %q",
			dir, prefix)
	case len(found) > 1:
		var names []string
		for _, key := range slices.Sorted(maps.Keys(found))[:min(len(found), 5)] {
			t := found[key].Trial
			names = append(names, fmt.Sprintf("%.*s (%s, %s, %s, seed %d)",
				len(prefix)+6, key, t.Problem, t.Protocol, t.Method, t.Seed))
		}
		return nil, usage.Errorf("key prefix %q is ambiguous: %d trials have it, such as %s", prefix, len(found),
			strings.Join(names, ", "))
	}
	x := &Explained{Result: slices.Collect(maps.Values(found))[0], Final: map[string][]float64{}, From: from}
	for _, r := range x.Traces { // in order of iteration, then of component
		if r.Index == 0 {
			x.Final[r.Metric] = nil
		}
		x.Final[r.Metric] = append(x.Final[r.Metric], r.Value)
	}
	return x, x.settings(harness.ByName(all, x.Trial.Experiment), data)
}

// lookUp returns the trials whose keys begin with prefix, by key: those of the store, or else of the report. from is
// the folder of either.
func lookUp(dir string, s *store.Store, all []*harness.Experiment, prefix string) (found map[string]*record.Result,
	from string, err error) {
	found = map[string]*record.Result{}
	for _, e := range all {
		ids, err := s.Find(e.Name, prefix)
		if err != nil {
			return nil, "", err
		}
		for _, id := range ids {
			if found[id.Key], err = s.Result(id); err != nil {
				return nil, "", err
			}
		}
	}
	if len(found) > 0 {
		return found, s.Dir(), nil
	}
	r, err := Read(dir, all)
	if err != nil {
		return nil, "", err
	}
	for _, x := range r.Experiments {
		for _, p := range x.Protocols {
			for i := range p.Records.Trials {
				if t := &p.Records.Trials[i]; strings.HasPrefix(t.Key, prefix) {
					found[t.Key] = p.Records.Result(t)
				}
			}
		}
	}
	return found, dir, nil
}

// settings finds the layers of the trial's settings and the shortest command that leads to it. What is not as in the
// settings files was changed by an override, or is an axis of a grid.
func (x *Explained) settings(e *harness.Experiment, data plan.Datasets) error {
	t := x.Trial
	r := plan.Request{
		Experiments: []*harness.Experiment{e},
		Protocols:   []string{t.Protocol},
		Scale:       t.Scale,
		Data:        data,
	}
	file, err := e.File()
	if err == nil && e.Own != nil && !slices.Contains(file.Problems, t.Problem) {
		r.Own = []string{t.Problem}
		r.Experiments[0], err = e.On(r.Own, nil)
	}
	if err != nil {
		return err
	}
	if r.Own != nil || !slices.Contains(slices.Concat(file.Methods, file.Variants), t.Method) {
		r.Methods = []string{t.Method}
	}
	a, err := r.Admit()
	if err != nil {
		return err
	}
	l, err := a.Layout()
	if err != nil {
		return err
	}
	method, err := l.Settings.Method(t.Problem, t.Method)
	if err != nil {
		return err
	}
	layers, _ := l.Settings.Origins(t.Problem, t.Method)
	config, _ := json.Marshal(method.Config) // as for its key
	values, written := settings.Flatten([]byte(t.Config)), settings.Flatten(config)
	all := maps.Clone(written)
	maps.Copy(all, values)
	for _, key := range slices.Sorted(maps.Keys(all)) {
		layer, value := cmp.Or(layers[key], "default"), values[key]
		if value != written[key] {
			if layer = "--set"; value == "" {
				value = absent(key, written[key])
			}
			at := "problems." + t.Problem + "." + key
			if name, ok := strings.CutPrefix(key, "sampler."); ok {
				at = "problems." + t.Problem + ".methods." + t.Method + "." + name
			}
			r.Overrides = append(r.Overrides, settings.Override{Text: at + "=" + value, From: "--set"})
		}
		x.Settings = append(x.Settings, Setting{key, cmp.Or(value, "none"), layer})
	}
	x.Repeat = "none: the settings or the versions of this program lead to other keys"
	for range 2 { // with the seeds of the settings, else with this one
		if p, err := plan.New(r); err == nil && p.Only(t.Key) == nil {
			start := t.Key[:min(len(t.Key), 8)]
			x.Repeat = plan.Command("run", t.Experiment, t.Protocol, t.Scale, p.Set, "--trial", start)
			break
		}
		r.Seeds = []uint64{t.Seed}
	}
	return nil
}

// absent is what a setting must be set to so that a configuration lacks it: nothing for an option, and for others the
// zero that is not stored.
func absent(key, written string) string {
	switch {
	case strings.HasPrefix(key, "options."):
		return ""
	case strings.HasPrefix(written, "["):
		return "[]"
	case written == "true":
		return "false"
	}
	return "0"
}
