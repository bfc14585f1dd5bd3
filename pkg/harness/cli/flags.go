package cli

import (
	"errors"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/semi-implicit/sifg/pkg/harness"
)

// flagError offers the nearest flag for one that does not exist, and says of a value what would be right.
func flagError(cmd *cobra.Command, err error) error {
	var unknown *pflag.NotExistError
	var value *pflag.InvalidValueError
	switch {
	case errors.As(err, &unknown) && unknown.GetSpecifiedShortnames() == "":
		var names []string
		cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, "--"+f.Name) })
		slices.Sort(names)
		return harness.Unknown("flag", "--"+unknown.GetSpecifiedName(), "", names)
	case errors.As(err, &value):
		return valueError("--"+value.GetFlag().Name+"="+value.GetValue(), err)
	}
	return harness.Usagef("%v", err)
}

// valueError is the error of a value that a flag does not take; written is where it stands, with the value.
func valueError(written string, err error) error {
	var value *pflag.InvalidValueError
	if !errors.As(err, &value) {
		return harness.Usagef("%s: %v", written, err)
	}
	switch value.GetFlag().Value.Type() {
	case "int":
		return harness.Usagef("%s: want a whole number", written)
	case "bool":
		return harness.Usagef("%s: want true or false", written)
	case "duration":
		return harness.Usagef("%s: want a time with its unit, such as 90s or 10m", written)
	}
	return harness.Usagef("%s: %v", written, value.Unwrap())
}

// notEmpty refuses a flag with nothing in it, such as --trial "$KEY" where KEY is not set. A plan without a name is the one
// that there is, see findPlan.
func notEmpty(flags *pflag.FlagSet) (err error) {
	flags.Visit(func(f *pflag.Flag) {
		var values []string
		switch v := f.Value.(type) {
		case pflag.SliceValue:
			values = v.GetSlice()
		default:
			if v.Type() != "string" {
				return
			}
			values = []string{v.String()}
		}
		if err == nil && f.Name != "plan" && (len(values) == 0 || slices.Contains(values, "")) {
			err = harness.Usagef("--%s has an empty value", f.Name)
		}
	})
	return err
}

// environment sets the flags that were not given from variables: SIFG_JOBS is --jobs, SIFG_FAIL_FAST is --fail-fast. An
// empty one is as good as none. A variable SIFG_… that is no flag of any command is refused, as a misspelt flag is.
func environment(cmd *cobra.Command) error {
	known := map[string]bool{ // read by the sampler library, by the data part, by tests
		"SIFG_KERNEL": true, "SIFG_DATASETS_MIRROR": true, "SIFG_READERS_DIR": true,
	}
	name := func(f *pflag.Flag) string { return "SIFG_" + strings.ToUpper(strings.ReplaceAll(f.Name, "-", "_")) }
	know := func(f *pflag.Flag) { known[name(f)] = f.Name != "help" }
	cmd.Root().PersistentFlags().VisitAll(know)
	for _, c := range commands(cmd.Root()) {
		c.LocalFlags().VisitAll(know)
	}
	for _, pair := range os.Environ() {
		key, _, _ := strings.Cut(pair, "=")
		if strings.HasPrefix(key, "SIFG_") && !known[key] {
			var names []string
			for k, ok := range known {
				if ok {
					names = append(names, k)
				}
			}
			slices.Sort(names)
			return harness.Unknown("variable", key, "the environment", names)
		}
	}
	var err error
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		value := os.Getenv(name(f))
		if value == "" || f.Changed || err != nil || f.Name == "set" { // set: layers of their own, see request
			return
		}
		if e := cmd.Flags().Set(f.Name, value); e != nil {
			err = valueError("the variable "+name(f)+"="+value, e)
		}
	})
	return err
}

// noArgs refuses arguments with one sentence.
func noArgs(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return harness.Usagef("%s takes no arguments, got %q", words(cmd), args[0])
	}
	return nil
}

// one wants one argument, which is a what.
func one(what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) != 1 {
			return harness.Usagef("%s takes one %s, got %d", words(cmd), what, len(args))
		}
		return nil
	}
}

// atMostOne wants one argument, which is a what, or none.
func atMostOne(what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) > 1 {
			return harness.Usagef("%s takes one %s or none, got %d", words(cmd), what, len(args))
		}
		return nil
	}
}

// words are those by which a command is called, without the program's name.
func words(cmd *cobra.Command) string { return strings.TrimPrefix(cmd.CommandPath(), "sifg ") }
