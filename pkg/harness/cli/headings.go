package cli

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// The headings of flags in --help, in order.
const (
	whichTrials = "Which trials:"
	settingsOf  = "Settings:"
	yourOwn     = "Data and programs of your own:"
	whereFiles  = "Where files are:"
	howComputed = "How trials are computed, which changes no result:"
	whatIsSaid  = "Output:"
	other       = "Flags:"
)

var headings = []string{whichTrials, settingsOf, other, yourOwn, whereFiles, howComputed, whatIsSaid}

const headingKey = "heading" // of a flag's annotations

// under adds flags under a heading.
func under(heading string, f *pflag.FlagSet, add func(f *pflag.FlagSet)) {
	part := pflag.NewFlagSet(heading, pflag.ContinueOnError)
	add(part)
	part.VisitAll(func(x *pflag.Flag) { x.Annotations = map[string][]string{headingKey: {heading}} })
	f.AddFlagSet(part)
}

// flagUsages describes the flags of a command under their headings.
func flagUsages(cmd *cobra.Command) string {
	parts := map[string]*pflag.FlagSet{}
	for _, heading := range headings {
		parts[heading] = pflag.NewFlagSet(heading, pflag.ContinueOnError)
	}
	add := func(f *pflag.Flag) {
		heading := slices.Concat(f.Annotations[headingKey], []string{other})[0]
		if f.Name != "help" {
			parts[heading].AddFlag(f)
		}
	}
	cmd.LocalFlags().VisitAll(add)
	cmd.InheritedFlags().VisitAll(add)
	var text strings.Builder
	for _, heading := range headings {
		if parts[heading].HasAvailableFlags() {
			text.WriteString("\n\n" + heading + "\n" + strings.TrimRight(parts[heading].FlagUsages(), "\n"))
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
