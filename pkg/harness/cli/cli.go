// Package cli is the command line of the harness.
package cli

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/dataset"
	"github.com/semi-implicit/sifg/pkg/harness/record"
)

// Exit codes (docs/command.md).
const (
	exitOK          = 0
	exitInternal    = 1
	exitUsage       = 2
	exitFailed      = 3   // finished, some trials did not end well
	exitOutside     = 4   // outside tolerance of the numbers compared with
	exitDamaged     = 5   // the store or data is not what was written
	exitStopped     = 75  // trials are missing: run again to continue
	exitInterrupted = 130 // SIGINT
	exitTerminated  = 143 // SIGTERM
)

// exit is an error with its code. Its text is one sentence.
type exit struct {
	code int
	text string
}

func (e *exit) Error() string { return e.text }

func exitf(code int, format string, args ...any) error {
	return &exit{code, fmt.Sprintf(format, args...)}
}

// app is one call of the program.
type app struct {
	out, err    io.Writer
	experiments []*harness.Experiment
	absent      []string // data sets that a run could not get
	sets        *dataset.Library
	args        []string
	verbose     bool
	quiet       bool
	opt         options
}

// Main runs the command line and returns the exit code. What is asked for goes to stdout; progress and the one sentence
// that says what went wrong go to stderr.
func Main(args []string, stdout, stderr io.Writer, experiments ...*harness.Experiment) int {
	out := &output{to: stdout}
	a := &app{out: out, err: stderr, experiments: experiments, args: args}
	root := a.root()
	root.SetArgs(args)
	err := execute(root)
	if err == nil && out.failed != nil {
		err = exitf(exitInternal, "stdout cannot be written: %v", cause(out.failed))
	}
	if err == nil {
		return exitOK
	}
	fmt.Fprintf(stderr, "sifg: %s\n", oneLine(err.Error()))
	return code(err)
}

// output is stdout, which remembers that it could not be written: commands need not look at each line they print.
type output struct {
	to     io.Writer
	failed error // the first
}

// Write implements io.Writer.
func (o *output) Write(b []byte) (int, error) {
	n, err := o.to.Write(b)
	if o.failed == nil {
		o.failed = err
	}
	return n, err
}

// oneLine joins the lines of a text: what a library says on several, or several errors.
func oneLine(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		switch {
		case line == "" || b.Len() == 0:
		case strings.HasSuffix(b.String(), ":"):
			b.WriteByte(' ')
		default:
			b.WriteString("; ")
		}
		b.WriteString(line)
	}
	return b.String()
}

// execute runs the command; a panic is an internal error.
func execute(root *cobra.Command) (err error) {
	defer func() {
		if p := recover(); p != nil {
			slog.Debug("panic", "stack", string(debug.Stack()))
			err = exitf(exitInternal, "internal error: %v (--verbose shows where)", p)
		}
	}()
	return root.Execute()
}

// code returns the exit code of an error.
func code(err error) int {
	var e *exit
	var u *harness.UsageError
	switch {
	case errors.As(err, &e):
		return e.code
	case errors.As(err, &u):
		return exitUsage
	case errors.Is(err, record.ErrDamaged):
		return exitDamaged
	}
	return exitInternal
}

func (a *app) root() *cobra.Command {
	root := &cobra.Command{
		Use:           "sifg",
		Short:         "Runs the experiments of semi-implicit functional gradient flow and reports what reproduced",
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          cobra.ArbitraryArgs,
		RunE:          subcommand,
		Version:       harness.ThisMachine().Commit + " " + runtime.Version() + " " + runtime.GOOS + "/" + runtime.GOARCH,
		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error {
			for i, e := range a.experiments { // the copy of another, most likely
				if slices.ContainsFunc(a.experiments[:i], func(x *harness.Experiment) bool { return x.Name == e.Name }) {
					return exitf(exitInternal, "two experiments have the name %q", e.Name)
				}
			}
			if err := notEmpty(cmd.Flags()); err != nil {
				return err
			}
			if err := environment(cmd); err != nil {
				return err
			}
			if !slices.Contains(harness.Scales, a.opt.scale) {
				return harness.Unknown("scale", a.opt.scale, "--scale", harness.Scales)
			}
			if a.verbose && a.quiet {
				return harness.Usagef("--verbose and --quiet contradict each other")
			}
			slog.SetDefault(slog.New(a.logTo(a.err)))
			if a.quiet {
				a.err = io.Discard // what went wrong is said by Main
			}
			var err error
			a.sets, err = a.library()
			return err
		},
	}
	root.SetVersionTemplate("sifg {{.Version}}\n")
	root.SetOut(a.out) // before the command completion, which keeps it
	root.SetErr(a.err)
	root.PersistentFlags().BoolVarP(&a.verbose, "verbose", "v", false, "say more on stderr")
	root.PersistentFlags().BoolVarP(&a.quiet, "quiet", "q", false, "no progress and no notes on stderr, only what went wrong")
	root.PersistentFlags().StringArrayVar(&a.opt.datasets, "datasets", nil, "`FILE` that describes data sets of your own; repeatable (docs/datasets.md)")
	root.SetFlagErrorFunc(flagError)
	cobra.EnableCommandSorting = false // groups and their order are that of the work
	for _, g := range []struct {
		title    string
		commands []*cobra.Command
	}{
		{"Run and report:", []*cobra.Command{a.plan(), a.run(), a.status(), a.report(), a.claims(), a.compare(), a.grid()}},
		{"Look and check:", []*cobra.Command{a.list(), a.explain(), a.verify(), a.mergeStores(), a.doctor(), a.data(), a.bench()}},
		{"On a cluster:", []*cobra.Command{a.submit(), a.resubmit(), a.cancel(), a.work()}},
	} {
		root.AddGroup(&cobra.Group{ID: g.title, Title: g.title})
		for _, c := range g.commands {
			c.GroupID = g.title
		}
		root.AddCommand(g.commands...)
	}
	root.AddCommand(a.worker())
	root.SetHelpCommand(&cobra.Command{
		Use: "help [COMMAND...]", Short: "Shows the help of a command",
		RunE: func(_ *cobra.Command, args []string) error {
			cmd, rest, err := root.Find(args)
			if err == nil && len(rest) > 0 {
				return subcommand(cmd, rest)
			}
			return errors.Join(err, cmd.Help())
		},
	})
	root.InitDefaultCompletionCmd()
	for _, c := range root.Commands() {
		if c.Name() == "completion" {
			c.Short, c.Args, c.RunE = "Prints what makes a shell complete commands, flags, names and keys", cobra.ArbitraryArgs, subcommand
			for _, shell := range c.Commands() {
				shell.Args = noArgs
			}
		}
	}
	a.completing(root)
	return root
}

// subcommand is what a command with commands below it does without one of them: it shows its help, or offers the nearest.
func subcommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return cmd.Help()
	}
	var names []string
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() {
			names = append(names, c.Name())
		}
	}
	return harness.Unknown("command", args[0], "", names)
}
