package density

import (
	_ "embed"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/study"
)

//go:embed words.yaml
var words []byte

// Metrics describes what trials of this package can measure.
func Metrics() []harness.Metric { return study.ReadWords(words).Metrics }
