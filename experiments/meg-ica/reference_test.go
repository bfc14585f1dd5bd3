package megica

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"
)

// TestReference: a reference that was stopped and continued has the bytes of one that was not; a damaged summary is
// noticed.
func TestReference(t *testing.T) {
	d := synthetic(t, 60)
	d.o.Reference.Iterations, d.o.Reference.Leapfrog = 3000, 3
	whole, err := d.makeReference(context.Background(), t.TempDir(), func(int, int) {})
	if err != nil {
		t.Fatal(err)
	}
	cut, stops := t.TempDir(), 0
	for {
		ctx, stop := context.WithCancel(context.Background())
		// the next round ends at once, wherever it is
		again, err := d.makeReference(ctx, cut, func(int, int) { stop() })
		stop()
		if err == nil {
			if stops == 0 || !bytes.Equal(again[summaryFile], whole[summaryFile]) ||
				!bytes.Equal(again[drawsFile], whole[drawsFile]) {
				t.Errorf("after %d stops the reference is another", stops)
			}
			break
		}
		if stops++; !errors.Is(err, context.Canceled) || stops > 10 {
			t.Fatal(err)
		}
	}
	if _, err := readReference(from(whole)); err != nil {
		t.Error(err)
	}
	whole[summaryFile] = whole[summaryFile][1:]
	if _, err := readReference(from(whole)); err == nil || !strings.Contains(err.Error(), "damaged") {
		t.Errorf("a damaged summary: %v", err)
	}
}
