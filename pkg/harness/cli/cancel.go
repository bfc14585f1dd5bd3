package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/cluster"
)

func (a *app) cancel() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "cancel [PLAN|last]",
		Short:   "Cancels the jobs of a plan, by their recorded numbers alone; what they have computed stays",
		Example: "  sifg cancel last",
		Args:    atMostOne("plan"),
		RunE: func(_ *cobra.Command, args []string) error {
			p, err := a.findPlan(strings.Join(args, ""))
			if err != nil {
				return err
			}
			sub, err := cluster.ReadSubmission(p.Folder())
			if err != nil {
				return err
			}
			jobs, err := sub.Cancel(p)
			if err != nil {
				return harness.Usagef("%v", err)
			}
			fmt.Fprintf(a.out, "cancelled jobs %s of plan %s\n", strings.Join(jobs, ", "), p.Name())
			return nil
		},
	}
	a.folders(cmd, alone)
	return cmd
}
