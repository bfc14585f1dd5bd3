package cli

import (
	"io"
	"testing"
	"testing/synctest"
	"time"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/harness/settings"
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
		p := newProgress(w, []harness.Trial{{Config: &settings.Config{}}}, nil, times{}, 1)
		time.Sleep(70 * time.Second) // in the middle of the first line
		p.close()
		closed := time.Now()
		time.Sleep(5 * time.Minute)
		if w.last.IsZero() || w.last.After(closed) {
			t.Errorf("closed at %v, the last line came at %v", closed, w.last)
		}
	})
}

// TestTimeLeft: what is left takes as long as the mean of the trials of the same problem and method; nothing is said
// where a kind has none, and trials that are measured of stored particles count for nothing.
func TestTimeLeft(t *testing.T) {
	trial := func(problem, key string) harness.Trial {
		return harness.Trial{
			Experiment: "e", Problem: problem, Method: "m", Key: key,
			Config: &settings.Config{Particles: 1, Iterations: 10},
		}
	}
	todo := []harness.Trial{trial("p", "a"), trial("p", "b"), trial("q", "c"), trial("q", "d"), trial("q", "e")}
	p := newProgress(io.Discard, todo, map[string]bool{"e": true}, times{}, 2)
	defer p.close()
	wants := func(want string) {
		t.Helper()
		if got := p.state(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	wants("0 of 5 trials, 0 running")
	p.Start(&todo[0])
	p.End(&todo[0], record.StatusOK, "", time.Minute)
	wants("1 of 5 trials, 0 running") // nothing is known of q
	p.times.add(&todo[2], 20)
	p.times.add(&todo[2], 40)
	wants("1 of 5 trials, 0 running, about 60 s left") // 60 and twice 30 s, two at once
	p.Start(&todo[2])
	p.Step(&todo[2], 5)
	wants("1 of 5 trials, 1 running, about 52 s left")
	p.Start(&todo[4])
	p.End(&todo[4], record.StatusOK, "", time.Microsecond)
	wants("2 of 5 trials, 1 running, about 52 s left")
	if got := p.fraction(); got != 0.5 {
		t.Errorf("%g of the run is over, want 0.5", got)
	}
}
