package harness

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"

	"github.com/semi-implicit/sifg/pkg/sifg"
)

// computing is the part of this package that a trial's result depends on.
//
//go:embed loop.go
var computing embed.FS

// fingerprint is the digest of all code that computes the experiment's trials: the sampler library, this package's
// loop, and the experiment's Source and Uses. Code that draws or formats is not in it, nor are comments and tests.
func fingerprint(e *Experiment) string {
	theirs := ""
	if e.Source != nil {
		theirs = sifg.FingerprintOf(e.Source)
	}
	for _, f := range e.Uses {
		theirs += "\n" + sifg.FingerprintOf(f)
	}
	sum := sha256.Sum256([]byte(sifg.Fingerprint() + "\n" + sifg.FingerprintOf(computing) + "\n" + theirs))
	return hex.EncodeToString(sum[:])
}
