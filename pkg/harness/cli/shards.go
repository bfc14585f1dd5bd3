package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"text/tabwriter"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/cluster"
)

// planStatus is what is known of a plan that was submitted.
type planStatus struct {
	Plan   string         `json:"plan"`
	Counts map[string]int `json:"counts"` // trials by status
	Ended  []ended        `json:"ended,omitempty"`
	Jobs   []cluster.Job  `json:"jobs"`
	cluster.Report
}

// statusOf says what became of a plan: from the store, and why trials are missing from what Slurm and the workers said.
func (a *app) statusOf(name string) error {
	p, err := a.findPlan(name)
	if err != nil {
		return err
	}
	sub, err := cluster.ReadSubmission(p.Folder())
	if err != nil {
		return err
	}
	survey, err := a.glance(p, sub)
	if err != nil {
		return err
	}
	s := planStatus{Plan: p.Name(), Counts: map[string]int{}, Jobs: sub.Jobs, Report: cluster.Judge(p, sub, survey)}
	for _, t := range tallies(survey) {
		for status, n := range t.Counts {
			s.Counts[status] += n
		}
		s.Ended = append(s.Ended, t.Ended...)
	}
	if a.opt.json {
		if err := writeJSON(a.out, s); err != nil {
			return err
		}
	} else if err := a.showPlan(p, s); err != nil {
		return err
	}
	if len(s.In(cluster.Done)) < len(s.Shards) && s.Counts[harness.Missing] > 0 && len(survey.Is(harness.Damaged)) == 0 {
		return exitf(exitStopped, "%d of %d trials are missing: %s%s", s.Counts[harness.Missing], p.Trials, states(s.Report), again(p, sub, s.Report))
	}
	return verdict(survey, nil)
}

// again says what to do about shards that nobody computes.
func again(p *cluster.Plan, sub *cluster.Submission, r cluster.Report) string {
	if len(sub.Jobs) == 0 {
		return "; no job of Slurm has this plan: sifg work computes its shards"
	}
	if n := len(r.In(cluster.Retry...)); n > 0 {
		return fmt.Sprintf("; sifg resubmit %s submits %d again", p.Name(), n)
	}
	return ""
}

// mostShards is how many shards that are not done are shown.
const mostShards = 20

func (a *app) showPlan(p *cluster.Plan, s planStatus) error {
	w := tabwriter.NewWriter(a.out, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "plan %s\t%d trials", p.Name(), p.Trials)
	for _, status := range statuses {
		if n := s.Counts[status]; n > 0 {
			fmt.Fprintf(w, "\t%d %s", n, status)
		}
	}
	fmt.Fprintf(w, "\nshards\t%d\t%s\n", len(s.Shards), states(s.Report))
	if s.Asked != "" {
		fmt.Fprintf(w, "Slurm\tcould not be asked\t%s\n", s.Asked)
	}
	shown := 0
	for _, x := range s.Shards {
		if x.State == cluster.Done {
			continue
		}
		if shown++; shown > mostShards {
			fmt.Fprintln(w, "…\t(--json has all)")
			break
		}
		task := x.Task
		if task == "" {
			task = "no job"
		}
		fmt.Fprintf(w, "shard %d\t%s\t%d of %d missing\t%s\t%s\t%s\n", x.Number, x.State, x.Missing, x.Trials, task, x.Slurm, x.Why)
	}
	for _, e := range s.Ended {
		fmt.Fprintf(w, "%s\t%s\t%s\n", e.Key, e.Trial, became(e.Status, e.Reason))
	}
	return w.Flush()
}

// submitted names the plans that were submitted, for sifg status.
func (a *app) submitted() {
	for _, path := range cluster.Find(a.clusterDir()) {
		sub, err := cluster.ReadSubmission(filepath.Dir(path))
		if err != nil || len(sub.Jobs) == 0 {
			continue
		}
		fmt.Fprintf(a.out, "submitted: %s as job", filepath.Dir(path))
		for _, j := range sub.Jobs {
			fmt.Fprintf(a.out, " %s", j.ID)
		}
		fmt.Fprintf(a.out, " (sifg status --plan %s)\n", filepath.Base(filepath.Dir(path)))
	}
}

// findPlan returns the plan of that name, folder or file; of no name the one that there is, of "last" the latest.
func (a *app) findPlan(name string) (*cluster.Plan, error) {
	if name != "" {
		if _, err := os.Stat(name); err == nil {
			return cluster.Read(name)
		}
	}
	var names, found []string
	for _, path := range cluster.Find(a.clusterDir()) {
		folder := filepath.Base(filepath.Dir(path))
		names = append(names, folder)
		if strings.HasPrefix(folder, name) {
			found = append(found, path)
		}
	}
	if plans := cluster.Find(a.clusterDir()); name == "last" && len(plans) > 0 {
		return cluster.Read(plans[len(plans)-1])
	}
	switch {
	case len(found) == 1:
		return cluster.Read(found[0])
	case len(names) == 0:
		return nil, harness.Usagef("there is no plan in %s: sifg submit freezes one; --results or --store name other folders", a.clusterDir())
	case len(found) == 0:
		return nil, harness.Unknown("plan", name, "", names)
	}
	return nil, harness.Usagef("several plans are in %s: name one of %s, or last", a.clusterDir(), strings.Join(names, ", "))
}

// glance looks what the store has of a plan.
func (a *app) glance(p *cluster.Plan, sub *cluster.Submission) (harness.Survey, error) {
	if a.opt.store == "" && a.opt.results == "" && sub.Store != "" {
		a.opt.store = sub.Store
	}
	s, err := a.open(false)
	if err != nil {
		return nil, err
	}
	trials := make([]harness.Trial, p.Trials)
	for i := range trials {
		trials[i] = p.Label(i)
	}
	survey, _, err := harness.Glance(s, &harness.Plan{Trials: trials}, "")
	return survey, err
}
