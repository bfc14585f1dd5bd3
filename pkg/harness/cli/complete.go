package cli

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/semi-implicit/sifg/pkg/harness"
)

// completing tells the shell what can stand where: names of experiments, protocols, scales, metrics, methods, keys, folders.
func (a *app) completing(root *cobra.Command) {
	var experiments, metrics []string
	for _, e := range a.experiments {
		experiments = append(experiments, e.Name+"\t"+e.Title)
		metrics = append(append(metrics, e.Metrics...), e.Scores...)
	}
	slices.Sort(metrics)
	metrics = append(slices.Compact(metrics), "all")
	protocols := []string{"all\tevery protocol that an experiment has"}
	for _, p := range harness.Protocols {
		protocols = append(protocols, p+"\t"+harness.ProtocolNotes[p])
	}
	words := map[string][]string{"protocol": protocols, "scale": harness.Scales, "metric": metrics, "retry": append(slices.Clone(harness.Retryable), "none")}
	for _, c := range commands(root) {
		switch {
		case c.ValidArgsFunction != nil:
		case strings.Contains(c.Use, "EXPERIMENT..."):
			c.ValidArgsFunction = cobra.FixedCompletions(append(slices.Clone(experiments), "all\tevery experiment"), cobra.ShellCompDirectiveNoFileComp)
		case strings.Contains(c.Use, "KEY"):
			c.ValidArgsFunction = a.keys
		case !c.HasSubCommands():
			c.ValidArgsFunction = cobra.NoFileCompletions
		}
		for name, values := range words {
			complete(c, name, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp))
		}
		complete(c, "trial", a.keys)
		complete(c, "against", a.others)
		for _, name := range []string{"results", "store"} {
			complete(c, name, func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
				return nil, cobra.ShellCompDirectiveFilterDirs
			})
		}
	}
}

// complete sets what completes a flag that the command has of its own.
func complete(c *cobra.Command, flag string, with cobra.CompletionFunc) {
	if c.LocalNonPersistentFlags().Lookup(flag) == nil {
		return
	}
	if _, there := c.GetFlagCompletionFunc(flag); there {
		return
	}
	if err := c.RegisterFlagCompletionFunc(flag, with); err != nil {
		panic("cli: " + err.Error()) // the flag is there
	}
}

// commands returns a command with all below it.
func commands(c *cobra.Command) []*cobra.Command {
	out := []*cobra.Command{c}
	for _, d := range c.Commands() {
		out = append(out, commands(d)...)
	}
	return out
}

// keys are those of the trials in the store, by their folders.
func (a *app) keys(_ *cobra.Command, _ []string, begins string) ([]string, cobra.ShellCompDirective) {
	paths, err := filepath.Glob(filepath.Join(a.storeDir(), "*", "*", "trial.json"))
	if err != nil {
		return nil, cobra.ShellCompDirectiveError
	}
	var out []string
	for _, path := range paths {
		trial := filepath.Dir(path)
		if key := filepath.Base(trial); strings.HasPrefix(key, begins) {
			out = append(out, key+"\t"+filepath.Base(filepath.Dir(trial)))
		}
	}
	return out, cobra.ShellCompDirectiveNoFileComp
}

// others are what sifg compare can compare with: the paper, methods, folders.
func (a *app) others(_ *cobra.Command, _ []string, begins string) ([]string, cobra.ShellCompDirective) {
	out := []string{"published\tthe paper's numbers"}
	for _, e := range a.experiments {
		if c, err := harness.Contents(e); err == nil {
			for _, m := range c.Methods {
				if word := m + "\ta method"; !slices.Contains(out, word) {
					out = append(out, word)
				}
			}
		}
	}
	if dirs, err := os.ReadDir("."); err == nil {
		for _, d := range dirs {
			if d.IsDir() && !strings.HasPrefix(d.Name(), ".") {
				out = append(out, d.Name()+"/\ta folder")
			}
		}
	}
	return slices.DeleteFunc(out, func(s string) bool { return !strings.HasPrefix(s, begins) }), cobra.ShellCompDirectiveNoFileComp
}
