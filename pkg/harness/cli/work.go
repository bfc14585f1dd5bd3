package cli

import (
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/semi-implicit/sifg/pkg/harness/cluster"
	"github.com/semi-implicit/sifg/pkg/harness/plan"
	"github.com/semi-implicit/sifg/pkg/harness/store"
	"github.com/semi-implicit/sifg/pkg/harness/usage"
)

func workCommand(e *env) *cobra.Command {
	var r runner
	var file, shard, dir string
	cmd := &cobra.Command{
		Use:   "work --plan FILE --shard i/n",
		Short: "Computes one shard of a plan, as a cluster's jobs do",
		Long: "After SIGUSR1 it starts no more trials, lets those that run finish, and exits with code 75; the same " +
			"command continues.",
		Example: `  sifg work --plan results/cluster/NAME/plan.json --shard 0/8`,
		Args:    arguments("no arguments", 0),
		RunE: func(*cobra.Command, []string) error {
			w, err := shardOf(e, file, shard)
			if err != nil {
				return err
			}
			if w.store, err = store.Open(dir); err != nil {
				return usage.Errorf("--store %s: %v", dir, err)
			}
			if err := w.status(); err != nil {
				return err
			}
			return w.run(e, &r, nil)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&file, "plan", "", "`FILE` of the plan")
	flags.StringVar(&shard, "shard", "", "`i/n`: shard i of n, counted from 0")
	flags.StringVar(&dir, "store", filepath.Join("results", "store"), "folder of the trials, `DIR`")
	r.flags(cmd)
	return cmd
}

// shardOf reads the trials of a shard. It refuses them where this program and the data here would compute something
// else.
func shardOf(e *env, file, shard string) (*work, error) {
	i, n, err := cluster.ParseShard(shard)
	if err != nil {
		return nil, err
	}
	p, err := cluster.Read(file)
	if err != nil {
		return nil, err
	}
	w := &work{Plan: &plan.Plan{Experiments: e.experiments}}
	for _, t := range p.Shard(i, n) {
		if _, err := plan.Revive(&t.Trial, e.experiments, e.data); err != nil {
			return nil, err
		}
		w.Trials = append(w.Trials, t.Trial)
		w.costs.Add(t.Experiment, t.Problem, t.Method, t.Config.Particles, t.Config.Iterations, t.Seconds)
	}
	return w, nil
}
