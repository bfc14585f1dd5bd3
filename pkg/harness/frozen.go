package harness

// Revive gives trials that come from a file what they depend on, and refuses those whose key is not that of this program's
// code and data: the result of another code must not be stored under the key of the planned one.
func Revive(trials []Trial, experiments []*Experiment, data Datasets) error {
	known := map[*Experiment]string{}
	code := func(e *Experiment) string {
		if known[e] == "" {
			known[e] = fingerprint(e)
		}
		return known[e]
	}
	for i := range trials {
		if _, err := trials[i].revive(experiments, data, code); err != nil {
			return Usagef("%v", err)
		}
	}
	return nil
}
