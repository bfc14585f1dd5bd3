package cli

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// headings are those of flags in --help, in order, with the flags that stand under each.
var headings = []struct {
	title string
	flags []string // nil: those that no other heading has
}{
	{"Which trials:", []string{"protocol", "scale", "problems", "methods", "seeds", "shard"}},
	{"Settings:", []string{"config", "set"}},
	{"Flags:", nil},
	{"Data and programs of your own:", []string{"data", "target", "parse", "sampler", "program", "datasets"}},
	{"Where files are:", []string{"name", "results", "store"}},
	{"How trials are computed, which changes no result:", []string{"jobs", "threads", "timeout"}},
	{"Output:", []string{"verbose", "quiet"}},
}

// flagUsages describes the flags of a command under their headings.
func flagUsages(cmd *cobra.Command) string {
	var named []string
	for _, h := range headings {
		named = append(named, h.flags...)
	}
	var text strings.Builder
	for _, h := range headings {
		part := pflag.NewFlagSet(h.title, pflag.ContinueOnError)
		add := func(f *pflag.Flag) {
			other := h.flags == nil && !slices.Contains(named, f.Name)
			if f.Name != "help" && (other || slices.Contains(h.flags, f.Name)) {
				part.AddFlag(f)
			}
		}
		cmd.LocalFlags().VisitAll(add)
		cmd.InheritedFlags().VisitAll(add)
		if part.HasAvailableFlags() {
			text.WriteString("\n\n" + h.title + "\n" + strings.TrimRight(part.FlagUsages(), "\n"))
		}
	}
	return text.String()
}

// showHeadings makes --help of a command and of those below it show flags under headings.
func showHeadings(root *cobra.Command) {
	cobra.AddTemplateFunc("flagUsages", flagUsages)
	text := root.UsageTemplate()
	before, rest, _ := strings.Cut(text, "{{if .HasAvailableLocalFlags}}")
	_, after, _ := strings.Cut(rest, "{{if .HasHelpSubCommands}}")
	root.SetUsageTemplate(before + "{{flagUsages .}}{{if .HasHelpSubCommands}}" + after)
}
