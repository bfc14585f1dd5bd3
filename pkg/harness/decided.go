package harness

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"github.com/semi-implicit/sifg/pkg/harness/record"
)

// Decided are the claims of one experiment under one protocol, as a report decided them.
type Decided struct {
	Experiment string    `json:"experiment"`
	Protocol   string    `json:"protocol"`
	Scale      string    `json:"scale"`
	Complete   bool      `json:"complete"`          // no planned trial is missing
	Changed    bool      `json:"changed,omitempty"` // settings were given on the command line, or by --config
	Claims     []Verdict `json:"claims"`
}

// ReadClaims returns what the report in results says of the experiments' claims, in order of presentation; protocols
// without results are left out.
func ReadClaims(results string, experiments []*Experiment) ([]Decided, error) {
	var out []Decided
	for _, e := range experiments {
		for _, protocol := range Protocols {
			dir := record.PresentFolder(filepath.Join(results, e.Name, protocol))
			var info RunInfo
			if err := readJSON(filepath.Join(dir, "run.json"), "", &info); errors.Is(err, fs.ErrNotExist) {
				continue
			} else if err != nil {
				return nil, err
			}
			if info.Experiment != e.Name || info.Protocol != protocol {
				return nil, fmt.Errorf("%s: %w: it is of experiment %q and protocol %q", filepath.Join(dir, "run.json"), record.ErrDamaged, info.Experiment, info.Protocol)
			}
			d := info.decided(e.Name, protocol)
			if err := readJSON(filepath.Join(dir, "claims.json"), info.Files["claims.json"], &d.Claims); err != nil {
				return nil, damagedIfAbsent(err)
			}
			out = append(out, d)
		}
	}
	return out, nil
}

// decided returns what the run's report can say of claims, without them.
func (i *RunInfo) decided(experiment, protocol string) Decided {
	return Decided{Experiment: experiment, Protocol: protocol, Scale: i.Scale, Complete: i.Complete(), Changed: len(i.Set) > 0}
}
