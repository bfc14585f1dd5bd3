package harness

import (
	"errors"
	"io/fs"
	"path/filepath"
)

// Decided are the claims of one experiment under one protocol, as a report decided them.
type Decided struct {
	Experiment string    `json:"experiment"`
	Protocol   string    `json:"protocol"`
	Scale      string    `json:"scale"`
	Complete   bool      `json:"complete"` // no planned trial is missing
	Claims     []Verdict `json:"claims"`
}

// ReadClaims returns what the report in results says of the experiments' claims, in order of presentation; protocols
// without results are left out.
func ReadClaims(results string, experiments []*Experiment) ([]Decided, error) {
	var out []Decided
	for _, e := range experiments {
		for _, protocol := range Protocols {
			dir := filepath.Join(results, e.Name, protocol)
			var info RunInfo
			if err := readJSON(filepath.Join(dir, "run.json"), "", &info); errors.Is(err, fs.ErrNotExist) {
				continue
			} else if err != nil {
				return nil, err
			}
			d := Decided{Experiment: e.Name, Protocol: protocol, Scale: info.Scale, Complete: info.Complete()}
			if err := readJSON(filepath.Join(dir, "claims.json"), info.Files["claims.json"], &d.Claims); err != nil {
				return nil, damagedIfAbsent(err)
			}
			out = append(out, d)
		}
	}
	return out, nil
}
