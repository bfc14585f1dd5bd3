// Package cli is the command line: flags and printing. What they do is in the packages below.
package cli

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"github.com/spf13/viper"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/dataset"
	"github.com/semi-implicit/sifg/pkg/harness/internal/machine"
	"github.com/semi-implicit/sifg/pkg/harness/internal/safe"
	"github.com/semi-implicit/sifg/pkg/harness/program"
	"github.com/semi-implicit/sifg/pkg/harness/settings"
	"github.com/semi-implicit/sifg/pkg/harness/usage"
	"github.com/semi-implicit/sifg/pkg/sifg/cpu"
)

// Exit codes (docs/command.md).
const (
	exitOK          = 0
	exitInternal    = 1
	exitUsage       = 2
	exitFailed      = 3   // trials failed, or ran out of time or memory
	exitDamaged     = 5   // the store, a report or data are not what was written
	exitUnchosen    = 6   // grid: no cell can be chosen
	exitStopped     = 75  // trials are missing: the same command continues
	exitInterrupted = 130 // SIGINT
	exitTerminated  = 143 // SIGTERM
)

// exit is an error with its exit code.
type exit struct {
	code int
	text string
}

func (e *exit) Error() string { return e.text }

func exitf(code int, format string, args ...any) error {
	return &exit{code, fmt.Sprintf(format, args...)}
}

// env is what every command works with.
type env struct {
	out, err    io.Writer // what was asked for; progress and notes
	experiments []*harness.Experiment
	paper       string // the name of the one that is a paper of a person's own; "": none
	verbose     bool
	quiet       bool
	manifests   []string // --datasets
	data        *dataset.Library
}

// Main runs the command line and returns the exit code. What is asked for goes to stdout. Progress, and the sentence
// that says what went wrong, go to stderr.
func Main(args []string, stdout, stderr io.Writer, experiments ...*harness.Experiment) int {
	debug.SetTraceback("crash") // a crash ends with a signal, as Go's exit code 2 means that nothing was computed
	out, errs := &output{to: stdout}, &output{to: stderr}
	harness.Register(experiments...)
	root := newRoot(&env{out: out, err: errs, experiments: experiments})
	root.SetArgs(args)
	defer program.Close()
	err := execute(root)
	if out.failed != nil && (err == nil || errors.Is(err, out.failed)) {
		err = exitf(exitInternal, "stdout cannot be written: %v", out.failed)
	}
	if err == nil {
		return exitOK
	}
	fmt.Fprintf(errs, "sifg: %s\n", oneLine(err.Error()))
	return code(err)
}

// execute runs the command. A panic is an internal error.
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
	var u *usage.Error
	switch {
	case errors.As(err, &e):
		return e.code
	case errors.As(err, &u), errors.Is(err, syscall.ENOTDIR): // a file in the place of a folder
		return exitUsage
	case errors.Is(err, safe.ErrDamaged), errors.Is(err, dataset.ErrDamaged):
		return exitDamaged
	case errors.Is(err, dataset.ErrAbsent):
		return exitStopped
	}
	return exitInternal
}

func newRoot(e *env) *cobra.Command {
	root := &cobra.Command{
		Use:           "sifg",
		Short:         "Runs the experiments of semi-implicit functional gradient flow and reports what reproduced",
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          cobra.ArbitraryArgs,
		RunE:          subcommand,
		Version:       version(),
		Long: "sifg runs the experiments of semi-implicit functional gradient flow and reports what reproduced.\n" +
			"A flag may also stand in the environment, as SIFG_JOBS=4, or in sifg.yaml of the working folder, as " +
			"jobs: 4.",
		PersistentPreRunE: func(cmd *cobra.Command, args []string) error { return e.prepare(cmd, args) },
	}
	root.SetVersionTemplate("sifg {{.Version}}\n")
	root.SetOut(e.out)
	root.SetErr(e.err)
	f := root.PersistentFlags()
	f.BoolVarP(&e.verbose, "verbose", "v", false, "say more on stderr")
	f.BoolVarP(&e.quiet, "quiet", "q", false, "no progress and no notes on stderr, only what went wrong")
	f.StringArrayVar(&e.manifests, "datasets", nil,
		"`FILE` that describes data sets of your own; repeatable (docs/datasets.md)")
	root.SetFlagErrorFunc(flagError)
	root.CompletionOptions.HiddenDefaultCmd = true
	showHeadings(root)
	cobra.EnableCommandSorting = false
	for _, g := range []struct {
		title    string
		commands []*cobra.Command
	}{
		{"Run and report:", []*cobra.Command{
			planCommand(e), runCommand(e), reportCommand(e), claimsCommand(e),
			compareCommand(e), gridCommand(e)}},
		{"Inspect and check:", []*cobra.Command{listCommand(e), verifyCommand(e), dataCommand(e)}},
	} {
		root.AddGroup(&cobra.Group{ID: g.title, Title: g.title})
		for _, c := range g.commands {
			c.GroupID = g.title
			if c.Long != "" {
				c.Long = c.Short + ". " + c.Long
			}
		}
		root.AddCommand(g.commands...)
	}
	root.SetHelpCommand(helpCommand())
	return root
}

// helpCommand is cobra's, which shows the help of sifg for a command that does not exist.
func helpCommand() *cobra.Command {
	return &cobra.Command{
		Use:               "help [command]",
		Short:             "Help about any command",
		PersistentPreRunE: func(*cobra.Command, []string) error { return nil }, // whatever the flags are set to
		RunE: func(help *cobra.Command, args []string) error {
			cmd, left, _ := help.Root().Find(args) // which finds the root at least
			if len(left) > 0 {
				return subcommand(cmd, left)
			}
			return cmd.Help()
		},
	}
}

// version says what program this is, and what it computes on.
func version() string {
	m := machine.This()
	return fmt.Sprintf("%s, commit %s\nbuilt with %s for %s/%s\nkernels %s of %s on %d cores of %s",
		machine.Version, m.Commit, runtime.Version(), runtime.GOOS, runtime.GOARCH,
		m.Kernel, strings.Join(cpu.Supported(), ", "), runtime.GOMAXPROCS(0), m.CPU)
}

// prepare does what every command needs first: logging, data sets, and the paper whose folder is one of the arguments.
func (e *env) prepare(cmd *cobra.Command, args []string) error {
	if err := usage.Twice("experiment", e.names()); err != nil {
		return exitf(exitInternal, "%v", err)
	}
	preset, err := preset(cmd)
	if err != nil {
		return err
	}
	if err := notEmpty(cmd.Flags()); err != nil {
		return err
	}
	level := slog.LevelWarn
	switch {
	case e.verbose && e.quiet:
		return usage.Errorf("--verbose and --quiet contradict each other")
	case e.verbose:
		level = slog.LevelDebug
	case e.quiet:
		e.err = io.Discard // Main says what went wrong
	}
	slog.SetDefault(slog.New(slog.NewTextHandler(e.err, &slog.HandlerOptions{Level: level})))
	e.data, err = dataset.Open(dataset.Options{Manifests: e.manifests, Mirror: preset.GetString(mirrorKey)})
	if err != nil || cmd.Parent() != cmd.Root() {
		return err
	}
	return e.openPaper(args)
}

// subcommand is what a command with commands below it does without one of them: it shows its help, or offers the
// nearest name.
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
	if !cmd.HasParent() {
		names = append(names, "--version")
	}
	return usage.Unknown("command", args[0], "", names)
}

// names returns the names of the experiments.
func (e *env) names() (names []string) {
	for _, x := range e.experiments {
		names = append(names, x.Name)
	}
	return names
}

const (
	presetFile = "sifg.yaml"       // in the working folder; may be absent
	mirrorKey  = "datasets-mirror" // a key that is no flag: see dataset.Options
)

// preset gives the flags that the command line does not name the values of the environment, as in SIFG_JOBS, or else
// those of sifg.yaml, whose keys are the names of flags of any command. It returns what reads both.
func preset(cmd *cobra.Command) (*viper.Viper, error) {
	v := viper.New()
	v.SetEnvPrefix("sifg")
	v.SetEnvKeyReplacer(strings.NewReplacer("-", "_"))
	v.AutomaticEnv()
	v.SetConfigType("yaml")
	text, absent := safe.Read(presetFile, 1<<20)
	if absent != nil && !errors.Is(absent, fs.ErrNotExist) {
		return nil, usage.Errorf("%v", absent)
	}
	err := cmp.Or(settings.Document(text, new(any)), v.ReadConfig(bytes.NewReader(text)))
	if err != nil {
		return nil, usage.Errorf("%s: %v", presetFile, err)
	}
	err = usage.Among("key", v.AllKeys(), presetFile, append(flagNames(cmd.Root()), mirrorKey))
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if err == nil {
			err = presetFlag(v, cmd.Flags(), f)
		}
	})
	return v, err
}

// flagNames returns the names of all flags of a command and those below it, but for help and version.
func flagNames(cmd *cobra.Command) (out []string) {
	add := func(f *pflag.Flag) {
		if f.Name != "help" && f.Name != "version" {
			out = append(out, f.Name)
		}
	}
	cmd.Flags().VisitAll(add)
	cmd.PersistentFlags().VisitAll(add)
	for _, c := range cmd.Commands() {
		out = append(out, flagNames(c)...)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// presetFlag sets one flag that the command line does not name. A list in the file is as the flag given several times.
func presetFlag(v *viper.Viper, flags *pflag.FlagSet, f *pflag.Flag) error {
	if f.Changed || f.Name == "help" || f.Name == "version" || !v.IsSet(f.Name) {
		return nil
	}
	from := presetFile
	if name := "SIFG_" + strings.ToUpper(strings.ReplaceAll(f.Name, "-", "_")); os.Getenv(name) != "" {
		from = name
	}
	list, ok := v.Get(f.Name).([]any)
	if !ok {
		list = []any{v.Get(f.Name)}
	}
	for _, value := range list {
		if err := flags.Set(f.Name, fmt.Sprint(value)); err != nil {
			return usage.Errorf("%s: %v", from, valueError(err))
		}
	}
	return nil
}
