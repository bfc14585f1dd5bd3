package harness

import (
	"context"
	"slices"

	"github.com/semi-implicit/sifg/pkg/harness/store"
)

// Share lets the experiments of the trials make what their trials share, and tells the trials where it is. It is called
// once before the trials are run, wherever they run. say is given lines for the user. The error is ctx's if that ends first:
// the next call continues.
func Share(ctx context.Context, s *store.Store, experiments []*Experiment, trials []Trial, say func(string)) error {
	for _, e := range experiments {
		if e.Prepare == nil {
			continue
		}
		folder, err := s.Shared(e.Name)
		if err != nil {
			return err
		}
		for i := range trials {
			if trials[i].Experiment == e.Name {
				trials[i].Shared = folder
			}
		}
		theirs := slices.DeleteFunc(slices.Clone(trials), func(t Trial) bool { return t.Experiment != e.Name })
		if len(theirs) == 0 {
			continue
		}
		if err := e.Prepare(ctx, theirs, func(line string) { say(e.Name + ": " + line) }); err != nil {
			return err
		}
	}
	return nil
}
