package cli

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/plan"
	"github.com/semi-implicit/sifg/pkg/harness/program"
	"github.com/semi-implicit/sifg/pkg/harness/settings"
	"github.com/semi-implicit/sifg/pkg/harness/usage"
)

// selection is the flags that choose trials.
type selection struct {
	plan.Request // whole after request
	config, set  []string
	seeds        []string
	name         string
	shard        string // of a run
	results      string
	store        string
	paper        string // env.paper
	own
}

func (s *selection) flags(cmd *cobra.Command) {
	f := cmd.Flags()
	s.protocolFlag(f)
	s.reportFlags(cmd)
	s.own.flags(cmd)
	f.StringSliceVar(&s.Problems, "problems", nil, "only these problems, a comma-separated `LIST`")
	f.StringSliceVar(&s.Methods, "methods", nil, "only these methods, a comma-separated `LIST`, such as sifg,svgd")
	f.StringSliceVar(&s.seeds, "seeds", nil, "these seeds in place of those of the settings, as `1,2,5-20`")
	f.StringArrayVar(&s.config, "config", nil, "`FILE` that overrides settings, as a protocol does; repeatable")
	f.StringArrayVar(&s.set, "set", nil, "`KEY=VALUE` that overrides a setting; repeatable")
}

func (s *selection) protocolFlag(f *pflag.FlagSet) {
	f.StringSliceVar(&s.Protocols, "protocol", nil,
		"protocols, by `NAME` (sifg list), or all (default each experiment's own)")
}

// reportFlags are the flags that say which report is meant.
func (s *selection) reportFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&s.Scale, "scale", "full", "scale, by `NAME`: full, quick or smoke (with --data quick)")
	f.StringVar(&s.name, "name", "", "name of the report of changed settings, in results/custom/`NAME`")
	f.StringVar(&s.results, "results", "",
		"folder of the report, `DIR` (default results; results/quick and results/smoke for these scales,\n"+
			"a folder in results/custom for changed settings)")
	f.StringVar(&s.store, "store", "",
		"folder of the trials, `DIR` (default results/store; DIR/store with --results DIR)")
	cmd.MarkFlagsMutuallyExclusive("name", "results")
}

// resultsDir returns the folder of the report of a request: each choice of settings and scale has its own.
func (s *selection) resultsDir() string {
	custom := s.name
	if custom == "" && len(s.changed)+len(s.paper) > 0 {
		custom = s.customName()
	}
	switch {
	case s.results != "":
		return s.results
	case custom != "":
		return filepath.Join("results", "custom", custom)
	case s.Scale != "full":
		return filepath.Join("results", s.Scale)
	}
	return "results"
}

// customName is the folder in results/custom of a paper or of changed settings: their words, with the name of a model
// in the place of its command, and a digest unless these tell all.
func (s *selection) customName() string {
	var words []string
	if s.paper != "" {
		words = append(words, s.paper)
	}
	if s.Scale != "full" {
		words = append(words, s.Scale)
	}
	whole, set := true, slices.Concat(words, s.changed)
	for _, text := range s.changed {
		text = strings.TrimPrefix(text, "--data ")
		if command, ok := strings.CutPrefix(text, "--program "); ok {
			text, whole = program.Stem(command)
		}
		words = append(words, strings.TrimPrefix(text, "--"))
	}
	text := strings.Join(words, "_")
	name := strings.Trim(notPlain.ReplaceAllString(text, "-"), ".-")
	if whole && name == text && len(name) <= 100 {
		return name
	}
	sum := sha256.Sum256(fmt.Append(nil, set))
	return fmt.Sprintf("%s-%x", name[:min(len(name), 40)], sum[:3])
}

// notPlain is what a name of a folder does without: readers of Parquet take particles=50 for a column.
var notPlain = regexp.MustCompile(`[^A-Za-z0-9._-]+`)

func (s *selection) storeDir() string {
	return cmp.Or(s.store, filepath.Join(cmp.Or(s.results, "results"), "store"))
}

// request completes the request by the flags and the names of experiments. No name means all.
func (s *selection) request(e *env, names []string) error {
	r := &s.Request
	r.Experiments, r.Data, s.paper = e.experiments, e.data, e.paper
	if s.seeds != nil {
		seeds, err := settings.Seeds(strings.Join(s.seeds, ","))
		if err != nil {
			return usage.Errorf("--seeds: %v", err)
		}
		r.Seeds = seeds
	}
	if notPlain.MatchString(s.name) || strings.HasPrefix(s.name, ".") || len(s.name) > 100 {
		return usage.Errorf("--name %s: want at most 100 letters, digits, '.', '_', '-'", s.name)
	}
	if err := usage.Among("experiment", names, "", append(e.names(), "all")); err != nil {
		return err
	}
	if len(names) > 0 && !slices.Contains(names, "all") {
		unnamed := func(x *harness.Experiment) bool { return !slices.Contains(names, x.Name) }
		r.Experiments = slices.DeleteFunc(slices.Clone(e.experiments), unnamed)
	}
	for _, path := range s.config {
		over, err := settings.ReadOverrides(path)
		if err != nil {
			return err
		}
		r.Overrides = append(r.Overrides, over...)
	}
	for _, text := range s.set {
		r.Overrides = append(r.Overrides, settings.Override{Text: text, From: "--set"})
	}
	return s.own.use(e, r)
}

// heading is one of those of flags in --help.
type heading struct {
	title string
	flags []string // that stand under it
}

// headings are in order; the first has the flags that no other has.
var headings = []heading{
	{"Flags:", nil},
	{"Which trials:", []string{"protocol", "scale", "problems", "methods", "seeds", "shard"}},
	{"Settings:", []string{"config", "set"}},
	{"Data and programs of your own:", []string{"data", "target", "parse", "sampler", "program"}},
	{"Where files are:", []string{"name", "results", "store"}},
	{"How trials are computed, which changes no result:", []string{"jobs", "threads", "timeout"}},
	{"Output:", []string{"verbose", "quiet"}},
}

// flagUsages describes the flags of a command under their headings.
func flagUsages(cmd *cobra.Command) string {
	parts := make([]pflag.FlagSet, len(headings))
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		has := func(h heading) bool { return slices.Contains(h.flags, f.Name) }
		if f.Name != "help" {
			parts[1+slices.IndexFunc(headings[1:], has)].AddFlag(f)
		}
	})
	text := ""
	for i, h := range headings {
		if parts[i].HasAvailableFlags() {
			text += "\n\n" + h.title + "\n" + strings.TrimRight(parts[i].FlagUsages(), "\n")
		}
	}
	return text
}

// showHeadings makes --help of a command and of those below it show flags under headings.
func showHeadings(root *cobra.Command) {
	cobra.AddTemplateFunc("flagUsages", flagUsages)
	text := root.UsageTemplate()
	before, rest, _ := strings.Cut(text, "{{if .HasAvailableLocalFlags}}")
	_, after, _ := strings.Cut(rest, "{{if .HasHelpSubCommands}}")
	root.SetUsageTemplate(before + "{{flagUsages .}}{{if .HasHelpSubCommands}}" + after)
}
