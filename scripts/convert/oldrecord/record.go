// Package record holds the rows and arrays that trials leave behind, and their files: Parquet for rows, NPY for arrays.
package record

// Status of a trial.
const (
	StatusOK       = "ok"
	StatusDiverged = "diverged" // a non-finite value; deterministic, so never retried
	StatusFailed   = "failed"   // an error or a panic
	StatusTimeout  = "timeout"  // not finished within its limit of time
	StatusMemory   = "memory"   // over its limit of memory
	StatusKilled   = "killed"   // its process was killed by someone else: the kernel short of memory, a scheduler, a person
)

// Trial is one row of trials.parquet: one trial and how it ended. Times are not here but in timings.parquet, so that
// the same trials give the same bytes.
type Trial struct {
	Key        string `json:"key"` // hex digest of everything the result depends on
	Experiment string `json:"experiment"`
	Protocol   string `json:"protocol"`
	Scale      string `json:"scale"`
	Problem    string `json:"problem"`
	Method     string `json:"method"`
	Seed       uint64 `json:"seed"`
	Status     string `json:"status"`
	Reason     string `json:"reason,omitempty"` // why it is not ok, one line
	Particles  int    `json:"particles"`
	Dim        int    `json:"dim"`
	Iterations int    `json:"iterations"` // outer iterations completed
	Config     string `json:"-"`          // resolved configuration, JSON; trial.json holds it as an object
}

// Trace is one row of trace.parquet: one value measured at one checkpoint.
type Trace struct {
	Key, Experiment, Protocol, Scale, Problem, Method string
	Seed                                              uint64
	Iteration                                         int
	Metric                                            string // knn-kl, exact-kl, exact-kl-se, coverage, sigma, p, …
	Index                                             int    // component of a vector metric (mode, coordinate), 0 otherwise
	Value                                             float64
}

// Timing is one row of timings.parquet.
type Timing struct {
	Key     string  `json:"-"`
	Seconds float64 `json:"seconds"` // wall time of the trial
	CPU     string  `json:"cpu"`     // processor model
	Kernel  string  `json:"kernel"`  // compute path: avx512, avx2, portable
	Started string  `json:"started"` // RFC 3339, UTC
	Commit  string  `json:"commit"`  // of the program that ran it, "+dirty" if so
}

// Array is a C-ordered array read from or written to an .npy file (float32 values).
type Array struct {
	Shape []int
	Data  []float32
}

// Set is the records of one experiment under one protocol and scale: what figures, tables and claims are made from.
// Rows are sorted by (problem, method, seed), traces further by (iteration, metric, index).
type Set struct {
	Experiment, Protocol, Scale string
	Trials                      []Trial
	Traces                      []Trace
	Load                        func(key, name string) (*Array, error) // an array of a trial: particles, sample-2000, …
}

// Curve is one trial's values of one metric over the checkpoints.
type Curve struct {
	Seed      uint64
	Iteration []int
	Value     []float64
}

// Curves returns the curves of one method on one problem, one a seed, in order of seed. Trials that did not end with
// StatusOK are left out.
func (s *Set) Curves(problem, method, metric string, index int) []Curve {
	ok := map[string]bool{}
	for _, t := range s.Trials {
		ok[t.Key] = t.Status == StatusOK
	}
	var out []Curve
	last := ""
	for _, r := range s.Traces {
		if r.Problem != problem || r.Method != method || r.Metric != metric || r.Index != index || !ok[r.Key] {
			continue
		}
		if r.Key != last {
			out, last = append(out, Curve{Seed: r.Seed}), r.Key
		}
		c := &out[len(out)-1]
		c.Iteration, c.Value = append(c.Iteration, r.Iteration), append(c.Value, r.Value)
	}
	return out
}

// At returns the curve's value at the last checkpoint not after iteration, and false if there is none.
func (c Curve) At(iteration int) (float64, bool) {
	for i := len(c.Iteration) - 1; i >= 0; i-- {
		if c.Iteration[i] <= iteration {
			return c.Value[i], true
		}
	}
	return 0, false
}

// Methods returns the methods that have trials on the problem, in order of appearance in Trials.
func (s *Set) Methods(problem string) []string {
	var out []string
	seen := map[string]bool{}
	for _, t := range s.Trials {
		if t.Problem == problem && !seen[t.Method] {
			seen[t.Method], out = true, append(out, t.Method)
		}
	}
	return out
}
