package cluster

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/record"
)

// What became of a shard. Those of Lost are computed by nobody any more.
const (
	Done       = "done"        // all its trials are in the store
	Waiting    = "waiting"     // Slurm has not started it
	Running    = "running"     // Slurm says so
	Unknown    = "unknown"     // Slurm cannot be asked, and its worker said nothing of its end
	TimeLimit  = "time"        // its job reached the time limit
	NodeFailed = "node"        // its node failed
	NoMemory   = "memory"      // its job was killed for want of memory
	Killed     = "killed"      // its worker is gone without a word
	Preempted  = "preempted"   // it had to give way, or was requeued and is not any more
	Cancelled  = "cancelled"   // somebody cancelled it
	Broken     = "error"       // its worker ended with an error, such as a full disk
	NotStarted = "not-started" // nobody knows of a start
	FailedOnes = "failed"      // all its trials are there, and some did not end well and may another time
)

// Retry are the states for which a shard is submitted again without being asked: nothing of what it computes was at fault.
var Retry = []string{TimeLimit, NodeFailed, NoMemory, Killed, Preempted, NotStarted}

// Reasons are all that a shard may be submitted again for.
var Reasons = append(slices.Clone(Retry), Cancelled, Broken, FailedOnes)

// Shard is what is known of a shard.
type Shard struct {
	Number   int    `json:"shard"`
	State    string `json:"state"`
	Task     string `json:"task,omitempty"`  // the last that had it
	Slurm    string `json:"slurm,omitempty"` // what Slurm said of that last
	Why      string `json:"why,omitempty"`
	Trials   int    `json:"trials"`
	Missing  int    `json:"missing"`
	Attempts int    `json:"attempts"`
	Computed int    `json:"computed"` // trials that the last attempt computed
}

// Report is what is known of a submission.
type Report struct {
	Shards []Shard `json:"shards"`
	Asked  string  `json:"asked,omitempty"` // why Slurm could not be asked
}

// Judge says what became of each shard: the store says whether it is done; otherwise Slurm, where it can be asked or was,
// and the attempts that workers recorded say why not.
func Judge(p *Plan, s *Submission, survey harness.Survey) Report {
	h := hear(p, s)
	r := Report{Asked: h.silent}
	for n, trials := range Pack(p.Seconds(), max(1, s.Shards)) {
		r.Shards = append(r.Shards, h.judge(n, trials, survey))
	}
	return r
}

// hearsay is what Slurm and the workers say of a submission.
type hearsay struct {
	last      map[int]Task      // a shard's last task
	cancelled map[string]bool   // arrays, by sifg cancel
	states    map[Task]State    // what Slurm says now
	seen      map[string]State  // what it said last of tasks that had ended
	attempts  map[int][]Attempt // at each shard, in order of their start
	silent    string            // why Slurm could not be asked
}

// hear asks Slurm and reads what the workers recorded.
func hear(p *Plan, s *Submission) hearsay {
	h := hearsay{last: map[int]Task{}, cancelled: map[string]bool{}, attempts: map[int][]Attempt{}}
	names := map[string]string{} // by number of the array
	for i := range s.Jobs {
		j := &s.Jobs[i]
		if j.ID == "" && h.silent == "" {
			var err error
			if j.ID, err = byName(j.Name); err != nil {
				h.silent = err.Error()
			}
		}
		tasks, err := expand(j.Tasks)
		if j.ID == "" || err != nil {
			continue
		}
		names[j.ID], h.cancelled[j.ID] = j.Name, j.Cancelled
		for _, t := range tasks {
			h.last[t] = Task{j.ID, t}
		}
	}
	if h.silent == "" {
		var err error
		if h.states, err = states(names); err != nil {
			h.silent = err.Error()
		}
	}
	h.seen = remember(p, h.states)
	for _, a := range attempts(p) {
		if a.Shards == s.Shards {
			h.attempts[a.Shard] = append(h.attempts[a.Shard], a)
		}
	}
	return h
}

// judge says what became of shard n, which has these trials of the plan.
func (h *hearsay) judge(n int, trials []int, survey harness.Survey) Shard {
	x := Shard{Number: n, Trials: len(trials), Attempts: len(h.attempts[n])}
	again := 0
	for _, i := range trials {
		switch status := survey[i].Status; {
		case status == harness.Missing || status == harness.Damaged:
			x.Missing++
		case slices.Contains(harness.Retryable, status):
			again++
		}
	}
	task, submitted := h.last[n]
	state, now := h.states[task]
	if submitted {
		x.Task = task.String()
	}
	var a *Attempt // the last of this task; where Slurm has none, of any worker
	for k := range h.attempts[n] {
		if !submitted || h.attempts[n][k].Job == x.Task {
			a = &h.attempts[n][k]
			x.Computed = a.Computed
		}
	}
	if !now {
		state = h.seen[task.String()]
	}
	x.Slurm = state.State
	switch live := liveness(state.State); {
	case x.Missing == 0 && again == 0:
		x.State = Done
	case live != "" && now:
		x.State = live
		if live == Waiting {
			x.Why = state.Reason // it may be that nothing but a person ends the waiting
		}
	case x.Missing == 0:
		x.State = FailedOnes
	default:
		x.State, x.Why = explain(state, a, submitted, h.silent == "")
		if h.cancelled[task.Array] && slices.Contains([]string{Killed, Preempted, NotStarted, Unknown}, x.State) {
			x.State, x.Why = Cancelled, ""
		}
	}
	return x
}

// liveness says whether Slurm still has a task.
func liveness(state string) string {
	switch state {
	case "PENDING", "REQUEUED", "REQUEUE_FED", "REQUEUE_HOLD", "CONFIGURING", "RESIZING", "SPECIAL_EXIT":
		return Waiting
	case "RUNNING", "COMPLETING", "SUSPENDED", "SIGNALING", "STAGE_OUT", "STOPPED":
		return Running
	}
	return ""
}

// explain says why a shard's trials are missing, from the last that Slurm said of it and its worker's last words.
func explain(slurm State, a *Attempt, submitted, answered bool) (state, why string) {
	spoke := a != nil && a.Ended != ""
	switch {
	case slurm.State == "TIMEOUT" || slurm.State == "DEADLINE" || spoke && a.Stop == StopTime:
		return TimeLimit, ""
	case slurm.State == "NODE_FAIL" || slurm.State == "BOOT_FAIL":
		return NodeFailed, ""
	case slurm.State == "OUT_OF_MEMORY":
		return NoMemory, ""
	case slurm.State == "CANCELLED":
		return Cancelled, slurm.Reason
	case slurm.State == "PREEMPTED" || spoke && a.Stop == StopTerminated:
		return Preempted, ""
	case spoke && a.Error != "":
		return Broken, a.Error
	case slurm.State == "FAILED" && a != nil && !spoke:
		return Killed, slurm.Reason
	case slurm.State == "FAILED" && a == nil:
		return Broken, "its worker could not start; its log says why"
	case submitted && !answered:
		return Unknown, ""
	case a != nil && !spoke && !submitted:
		return Unknown, "its worker on " + a.Host + " runs, or was killed"
	case a != nil && !spoke:
		return Killed, ""
	case a == nil:
		return NotStarted, ""
	}
	return Killed, "its worker ended, and what it computed is gone from the store"
}

// remember adds what Slurm says of tasks that have ended to what it said before, for it forgets them within minutes.
func remember(p *Plan, states map[Task]State) map[string]State {
	path := filepath.Join(p.Folder(), seenName)
	seen := map[string]State{}
	if b, err := os.ReadFile(path); err == nil {
		_ = json.Unmarshal(b, &seen)
	}
	changed := false
	for task, state := range states {
		if old, ok := seen[task.String()]; liveness(state.State) != "" {
			if ok {
				delete(seen, task.String()) // requeued
				changed = true
			}
		} else if old != state {
			seen[task.String()] = state
			changed = true
		}
	}
	if changed {
		_ = writeJSON(path, seen) // another user's folder: then it is not remembered
	}
	return seen
}

// In returns the shards of these states.
func (r Report) In(states ...string) []Shard {
	return slices.DeleteFunc(slices.Clone(r.Shards), func(s Shard) bool { return !slices.Contains(states, s.State) })
}

// CheckReasons refuses words that are no reason to submit a shard again.
func CheckReasons(reasons []string) error {
	for _, r := range reasons {
		if r == record.StatusDiverged {
			return harness.Usagef("--reason diverged: a trial that diverged would diverge again")
		}
		if !slices.Contains(Reasons, r) {
			return harness.Unknown("reason", r, "--reason", Reasons)
		}
	}
	return nil
}
