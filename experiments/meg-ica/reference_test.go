package megica

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
)

func readBack(t *testing.T, dir string) *reference {
	t.Helper()
	ref, err := readReference(os.DirFS(dir), "reference.json", "")
	if err != nil {
		t.Fatal(err)
	}
	return ref
}

// TestReferenceContinues: chains that are stopped and continued leave the same files as those that were not.
func TestReferenceContinues(t *testing.T) {
	d := synthetic(t, 60)
	d.o.Reference.Iterations, d.o.Reference.Leapfrog = 5*round, 3
	whole, cut := t.TempDir(), t.TempDir()
	if err := d.makeReference(context.Background(), whole, func(string) {}); err != nil {
		t.Fatal(err)
	}
	for stops := 0; ; stops++ {
		ctx, stop := context.WithCancel(context.Background())
		rounds := 0
		err := d.makeReference(ctx, cut, func(string) {
			if rounds++; rounds == 2 {
				stop() // the next round ends at once, wherever it is
			}
		})
		stop()
		if err == nil {
			if stops < 2 {
				t.Errorf("stopped %d times only", stops)
			}
			break
		}
		if !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"reference.json", "reference.npy", "chain-0.npy", "chain-1.npy", "chain-0.json", "chain-1.json"} {
		a, err := os.ReadFile(filepath.Join(whole, name))
		b, err2 := os.ReadFile(filepath.Join(cut, name))
		if err = errors.Join(err, err2); err != nil {
			t.Fatal(err)
		}
		if string(a) != string(b) {
			t.Errorf("%s differs", name)
		}
	}
}

// TestReferenceDamaged: a changed draw is noticed, a summary of another digest refused.
func TestReferenceDamaged(t *testing.T) {
	d := synthetic(t, 60)
	dir := t.TempDir()
	if err := d.makeReference(context.Background(), dir, func(string) {}); err != nil {
		t.Fatal(err)
	}
	readBack(t, dir)
	if _, err := readReference(os.DirFS(dir), "reference.json", "00"); err == nil {
		t.Error("another digest was accepted")
	}
	path := filepath.Join(dir, "reference.npy")
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	b[len(b)-1] ^= 1
	if err := os.WriteFile(path, b, 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := readReference(os.DirFS(dir), "reference.json", ""); err == nil {
		t.Error("a changed draw was not noticed")
	}
}
