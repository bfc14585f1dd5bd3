package settings

import (
	"testing"

	"github.com/semi-implicit/sifg/pkg/sifg"
)

func TestDocs(t *testing.T) {
	keys := keysOf[sifg.Config]()
	for _, key := range keys {
		if Docs[key] == "" {
			t.Errorf("%s is not explained", key)
		}
	}
	if len(Docs) != len(keys) {
		t.Errorf("%d settings, %d explanations", len(keys), len(Docs))
	}
}

// TestKeyed: what is wrong with a setting is said with the keys of a configuration.
func TestKeyed(t *testing.T) {
	_, err := sifg.Config{Sampler: "ada-sifg", SigmaMin: 0.5, SigmaMax: 0.1}.Resolve()
	if got, want := keyed(err), "sigma_max: 0.1 is below sigma_min 0.5"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
