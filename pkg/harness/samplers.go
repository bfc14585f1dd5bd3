package harness

import (
	"sync"

	"github.com/semi-implicit/sifg/pkg/sifg"
)

// registered are the experiments whose samplers are in the library's table.
var registered struct {
	sync.Mutex
	names map[string]bool
}

// Register adds the samplers of these experiments to the library's table, each name once: experiments may share a
// sampler.
func Register(experiments ...*Experiment) {
	registered.Lock()
	defer registered.Unlock()
	if registered.names == nil {
		registered.names = map[string]bool{}
	}
	for _, e := range experiments {
		for _, s := range e.Samplers {
			if !registered.names[s.Name] {
				sifg.Register(s)
				registered.names[s.Name] = true
			}
		}
	}
}
