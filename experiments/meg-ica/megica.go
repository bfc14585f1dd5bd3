// Package megica is the experiment with Bayesian independent component analysis of MEG recordings: Figure 4 left and middle of
// the paper.
package megica

import (
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"io/fs"
	"sync"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/sifg"
	"github.com/semi-implicit/sifg/pkg/sifg/hmc"
)

//go:embed meg-ica.yaml
var config []byte

// code is the digest of the code that makes reference draws.
var code = sync.OnceValue(func() string {
	sum := sha256.Sum256([]byte(sifg.Fingerprint() + sifg.FingerprintOf(hmc.Source) + sifg.FingerprintOf(source)))
	return hex.EncodeToString(sum[:])
})

// Experiment registers the experiment.
var Experiment = &harness.Experiment{
	Name:    "meg-ica",
	Title:   "Bayesian ICA on MEG recordings",
	Config:  config,
	Setup:   setup,
	Check:   check,
	Prepare: prepare,
	Source:  source,
	Uses:    []fs.FS{hmc.Source},
	Metrics: Metrics(),
}
