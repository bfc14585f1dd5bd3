// Package cli is the command line: flags and printing. What they do is in the packages below.
package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
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
	exitInternal    = 1
	exitUsage       = 2
	exitFailed      = 3   // trials failed, or ran out of time
	exitDamaged     = 5   // the store, a report or data are not what was written
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
	ready       bool // flags and arguments were read: see prepare
	datasets    dataset.Options
	data        *dataset.Library
}

// Main runs the command line and returns the exit code. What is asked for goes to stdout. Progress, and the sentence
// that says what went wrong, go to stderr.
func Main(args []string, stdout, stderr io.Writer, experiments ...*harness.Experiment) int {
	debug.SetTraceback("crash") // a crash ends with a signal, as Go's exit code 2 means that nothing was computed
	out, errs := &output{to: stdout}, &output{to: stderr}
	e := &env{out: out, err: errs, experiments: experiments}
	root := newRoot(e)
	root.SetArgs(args)
	defer program.Close()
	err := safe.Call(root.Execute)
	if out.failed != nil && (err == nil || errors.Is(err, out.failed)) {
		err = exitf(exitInternal, "stdout cannot be written: %v", out.failed)
	}
	if err == nil {
		return 0
	}
	fmt.Fprintf(errs, "sifg: %s\n", usage.Line(err.Error()))
	return e.code(err)
}

// code returns the exit code of an error. What cobra refuses before a command begins is a mistake of usage.
func (e *env) code(err error) int {
	var x *exit
	var u *usage.Error
	switch {
	case errors.As(err, &x):
		return x.code
	case !e.ready, errors.As(err, &u), errors.Is(err, syscall.ENOTDIR): // a file in the place of a folder
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
	f.StringVar(&e.datasets.Mirror, "datasets-mirror", "", "folder with the layout of the cache")
	f.MarkHidden("datasets-mirror") // for SIFG_DATASETS_MIRROR
	root.MarkFlagsMutuallyExclusive("verbose", "quiet")
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
	return root
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
	e.ready = true
	if cmd.Name() == "help" { // whatever the flags are set to
		return nil
	}
	err := preset(cmd)
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if value := f.Value.String(); err == nil && (value == "" || value == "[]" || strings.HasPrefix(value, "~/")) {
			err = usage.Errorf("--%s=%s: want a value, and no ~ where no shell reads it", f.Name, value)
		}
	})
	if err != nil {
		return err
	}
	if err = cmd.ValidateFlagGroups(); err != nil {
		return usage.Errorf("%v", err)
	}
	level := slog.LevelWarn
	switch {
	case e.verbose:
		level = slog.LevelDebug
	case e.quiet:
		e.err = io.Discard // Main says what went wrong
	}
	slog.SetDefault(slog.New(slog.NewTextHandler(e.err, &slog.HandlerOptions{Level: level})))
	if e.data, err = dataset.Open(e.datasets); err != nil || cmd.Parent() != cmd.Root() {
		return err
	}
	return e.openPaper(args)
}

// names returns the names of the experiments.
func (e *env) names() (names []string) {
	for _, x := range e.experiments {
		names = append(names, x.Name)
	}
	return names
}

const presetFile = "sifg.yaml" // in the working folder; may be absent

// preset gives flags that the command line does not name the values of the environment, as in SIFG_JOBS, or else of
// sifg.yaml, whose keys are the names of flags of any command. A list there is as the flag given several times.
func preset(cmd *cobra.Command) error {
	v := viper.New()
	v.SetEnvPrefix("sifg")
	v.SetEnvKeyReplacer(strings.NewReplacer("-", "_"))
	v.AutomaticEnv()
	var file map[string]any
	text, err := safe.Read(presetFile, 1<<20)
	if err == nil {
		err = cmp.Or(settings.Document(text, &file), v.MergeConfigMap(file))
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return usage.Errorf("%s: %v", presetFile, err)
	}
	var known []string
	for _, c := range append(cmd.Root().Commands(), cmd.Root()) {
		c.LocalFlags().VisitAll(func(f *pflag.Flag) { known = append(known, f.Name) })
	}
	slices.Sort(known)
	err = usage.Among("key", v.AllKeys(), presetFile, slices.Compact(known))
	if v.InConfig("program") || v.InConfig("sampler") { // the folder may be another person's
		err = usage.Errorf("%s names a program: only the command line starts one", presetFile)
	}
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if err != nil || f.Changed || !v.IsSet(f.Name) {
			return
		}
		list, ok := v.Get(f.Name).([]any)
		if !ok {
			list = []any{v.Get(f.Name)}
		}
		for _, value := range list {
			if wrong := cmd.Flags().Set(f.Name, fmt.Sprint(value)); wrong != nil {
				err = usage.Errorf("the environment or %s: %v", presetFile, wrong)
			}
		}
	})
	return err
}
