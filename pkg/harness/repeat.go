package harness

import (
	"encoding/json"
	"reflect"
	"strings"

	"github.com/semi-implicit/sifg/pkg/harness/record"
)

// Repeat returns the arguments of the command that computes a stored trial again: with the labels it was stored under,
// and, where those settings are not the ones it was computed from, with all of its settings spelled out. It returns nil
// if neither leads to the trial's key, because the code is not the code that computed it.
func Repeat(e *Experiment, data Datasets, t record.Trial) ([]string, error) {
	args := []string{"run", e.Name, "--protocol", t.Protocol, "--scale", t.Scale}
	if leads(e, data, t, nil) {
		return append(args, "--trial", t.Key), nil
	}
	var c TrialConfig
	if err := json.Unmarshal([]byte(t.Config), &c); err != nil {
		return nil, err
	}
	sampler := map[string]any{} // zeros too, so that they replace what a layer says
	v := reflect.ValueOf(c.Sampler)
	for i := range v.NumField() {
		sampler[v.Type().Field(i).Tag.Get("mapstructure")] = v.Field(i).Interface()
	}
	all := map[string]any{
		"particles": c.Particles, "iterations": c.Iterations, "judge": c.Judge, "options": c.Options,
		"methods": map[string]any{t.Method: sampler}, "include": []string{t.Method}, "data": c.Data,
		"seeds": []uint64{t.Seed}, "iterations_of": map[string]int{t.Method: c.Iterations},
	}
	if len(c.Options) == 0 {
		delete(all, "options")
	}
	problem, err := json.Marshal(all) // JSON is YAML
	if err != nil {
		return nil, err
	}
	seed, err := json.Marshal([]uint64{t.Seed})
	if err != nil {
		return nil, err
	}
	set := []string{"seeds=" + string(seed), "problems." + t.Problem + "=" + string(problem)}
	if !leads(e, data, t, set) {
		return nil, nil
	}
	for _, s := range set {
		args = append(args, "--set", s)
	}
	return append(args, "--trial", t.Key), nil
}

// leads reports whether the plan of the trial's labels and the overrides has the trial.
func leads(e *Experiment, data Datasets, t record.Trial, set []string) bool {
	r := Request{Experiments: []*Experiment{e}, Protocols: []string{t.Protocol}, Scale: t.Scale, Data: data}
	for _, s := range set {
		r.Set = append(r.Set, Override{Text: s, From: "--set"})
	}
	p, err := NewPlan(r)
	return err == nil && p.Only(t.Key) == nil
}

// Quote joins arguments as a POSIX shell reads them.
func Quote(args []string) string {
	var out []string
	for _, a := range args {
		if strings.ContainsAny(a, " \t\n\"'`$\\*?[]{}()<>|&;#~!") || a == "" {
			a = "'" + strings.ReplaceAll(a, "'", `'\''`) + "'"
		}
		out = append(out, a)
	}
	return strings.Join(out, " ")
}
