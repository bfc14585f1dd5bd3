package cli

import (
	"io"
	"math"
	"testing"
	"testing/synctest"
	"time"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/harness/run"
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
		p := newProgress(w, []harness.Trial{{Config: &settings.Config{}}}, &run.Costs{}, 1)
		time.Sleep(70 * time.Second) // in the middle of the first line
		p.close()
		closed := time.Now()
		time.Sleep(5 * time.Minute)
		if w.last.IsZero() || w.last.After(closed) {
			t.Errorf("closed at %v, the last line came at %v", closed, w.last)
		}
	})
}

// TestProgress: trials of a kind that was never measured count as much as the mean of the others.
func TestProgress(t *testing.T) {
	trial := func(problem, key string) harness.Trial {
		return harness.Trial{
			Experiment: "e", Problem: problem, Method: "m", Key: key,
			Config: &settings.Config{Particles: 1, Iterations: 1},
		}
	}
	todo := []harness.Trial{trial("measured", "a"), trial("new", "b"), trial("new", "c"), trial("new", "d")}
	costs := &run.Costs{}
	costs.Add(&todo[0], 1, "", 60)
	p := newProgress(io.Discard, todo, costs, 1)
	defer p.close()
	p.Start(&todo[0])
	p.End(&todo[0], record.StatusOK, "", time.Minute)
	if got := p.fraction(); math.Abs(got-0.25) > 1e-9 {
		t.Errorf("%g of the run is over, want 0.25", got)
	}
}

// TestTimeLeft: the time that is left starts at the forecast and goes over to what the speed so far gives.
func TestTimeLeft(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		for _, x := range []struct {
			after              time.Duration
			fraction, forecast float64
			want               string
		}{
			{0, 0, 3600, ", about 60 min left"},
			{0, 0, 0, ""},
			{10 * time.Minute, 0.5, 0, ", about 10 min left"},
			{10 * time.Minute, 0.5, 3600, ", about 12 min left"}, // of 20 min by the speed, 60 min by the forecast
			{20 * time.Minute, 1, 3600, ""},
		} {
			time.Sleep(time.Until(began.Add(x.after)))
			if got := left(began, x.fraction, x.forecast); got != x.want {
				t.Errorf("after %v, %v done: %q, want %q", x.after, x.fraction, got, x.want)
			}
		}
	})
}
