package harness

import (
	"slices"

	"github.com/semi-implicit/sifg/pkg/harness/record"
)

// Report is what a report holds of one experiment under one protocol.
type Report struct {
	Info   RunInfo
	Claims []Verdict
	Set    *record.Set // its arrays are not at hand
}

// ReadReports returns what the report in results holds of the experiments under the protocols (nil: all), in order of
// presentation; what has no results is left out. Every file is checked against its digest.
func ReadReports(results string, experiments []*Experiment, protocols []string) ([]Report, error) {
	var out []Report
	for _, e := range experiments {
		all, err := folders(results, e.Name, nil)
		if err != nil {
			return nil, err
		}
		for _, f := range all {
			if protocols == nil || slices.Contains(protocols, f.info.Protocol) {
				out = append(out, Report{f.info, f.claims, f.set})
			}
		}
	}
	return out, nil
}
