package cli

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/run"
)

// slowWriter needs half a minute for a line, and knows when it got the last one.
type slowWriter struct{ last time.Time }

func (w *slowWriter) Write(b []byte) (int, error) {
	time.Sleep(30 * time.Second)
	w.last = time.Now()
	return len(b), nil
}

// TestNoBeatAfterClose: a line of progress that is being written when the run ends is the last.
func TestNoBeatAfterClose(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &slowWriter{}
		p := newProgress(w, make([]harness.Trial, 1), &run.Costs{})
		time.Sleep(70 * time.Second) // in the middle of the first line
		p.close()
		closed := time.Now()
		time.Sleep(5 * time.Minute)
		if w.last.IsZero() || w.last.After(closed) {
			t.Errorf("closed at %v, the last line came at %v", closed, w.last)
		}
	})
}
