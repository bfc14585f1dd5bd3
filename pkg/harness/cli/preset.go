package cli

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"github.com/spf13/viper"

	"github.com/semi-implicit/sifg/pkg/harness/internal/safe"
	"github.com/semi-implicit/sifg/pkg/harness/settings"
	"github.com/semi-implicit/sifg/pkg/harness/usage"
)

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
