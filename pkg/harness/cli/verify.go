package cli

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"
	"go.yaml.in/yaml/v3"

	"github.com/semi-implicit/sifg/pkg/harness"
)

func (a *app) verify() *cobra.Command {
	var repair bool
	cmd := &cobra.Command{
		Use:   "verify",
		Short: "Reads every file of the store and of the report and names those that are not what was written",
		Args:  noArgs,
		RunE: func(*cobra.Command, []string) error {
			damaged, left := 0, 0
			s, err := a.open(repair)
			if err != nil {
				return err
			}
			if s != nil {
				found, err := s.Verify(context.Background(), repair)
				if err != nil {
					return err
				}
				for _, d := range found {
					line := fmt.Sprintf("%s: %s", d.Path, d.Reason)
					if d.MovedTo != "" {
						line += ", moved to " + d.MovedTo
					} else {
						left++
					}
					fmt.Fprintln(a.out, line)
				}
				damaged += len(found)
			}
			reports, err := harness.VerifyResults(a.resultsDir())
			if err != nil {
				return err
			}
			for _, line := range reports {
				fmt.Fprintln(a.out, line)
			}
			switch {
			case left > 0:
				return exitf(exitDamaged, "%d files are damaged: sifg verify --repair moves those of the store aside", damaged+len(reports))
			case len(reports) > 0:
				return exitf(exitDamaged, "%d files of the report are damaged: sifg report writes them again", len(reports))
			case damaged > 0:
				fmt.Fprintf(a.out, "%d damaged files were moved aside: the next run computes their trials again\n", damaged)
			default:
				fmt.Fprintln(a.out, "all files are what was written")
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&repair, "repair", false, "move what is damaged in the store aside; nothing is deleted")
	a.folders(cmd)
	return cmd
}

// manifest is the part of datasets/manifest.yaml that is listed.
type manifest struct {
	Datasets []struct {
		Name string `yaml:"name"`
	} `yaml:"datasets"`
}

func (a *app) data() *cobra.Command {
	cmd := &cobra.Command{Use: "data", Short: "Lists and verifies data files", Args: cobra.ArbitraryArgs, RunE: subcommand}
	for _, sub := range [][2]string{
		{"list", "Lists the data sets of datasets/manifest.yaml"}, {"verify", "Compares data files with their digests"},
	} {
		cmd.AddCommand(&cobra.Command{Use: sub[0], Short: sub[1], Args: noArgs,
			RunE: func(*cobra.Command, []string) error { return a.dataSets() }})
	}
	return cmd
}

func (a *app) dataSets() error {
	path := filepath.Join("datasets", "manifest.yaml")
	b, err := os.ReadFile(path)
	if err != nil && !os.IsNotExist(err) {
		return err
	}
	var m manifest
	if err := yaml.Unmarshal(b, &m); err != nil {
		return exitf(exitDamaged, "%s: %v", path, err)
	}
	for _, d := range m.Datasets {
		fmt.Fprintln(a.out, d.Name)
	}
	if len(m.Datasets) == 0 {
		fmt.Fprintln(a.out, "the experiments draw everything they need: there are no data files")
	}
	return nil
}
