package harness

// Revive gives trials that come from a file what they depend on, and refuses those whose key is not that of this program's
// code and data: the result of another code must not be stored under the key of the planned one.
func Revive(trials []Trial, experiments []*Experiment, data Datasets) error {
	for i := range trials {
		if _, err := trials[i].revive(experiments, data); err != nil {
			return Usagef("%v", err)
		}
	}
	return nil
}
