package sifg_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/semi-implicit/sifg/pkg/sifg"
)

// plain is N(0, I) in d dimensions.
type plain int

func (p plain) Dim() int { return int(p) }

func (plain) Score(dst, x sifg.Batch, _ int) {
	for i, v := range x.Data {
		dst.Data[i] = -v
	}
}

func small(t *testing.T, name string) *sifg.Flow {
	t.Helper()
	c := sifg.Config{Sampler: name}
	if name == "sifg" {
		c.Hidden = 4
	}
	f, err := sifg.New(c)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// TestRunEnds: what ends a run early is its error, and the cloud is there as far as it came.
func TestRunEnds(t *testing.T) {
	quota, halt := errors.New("quota"), errors.New("halt")
	for _, name := range []string{"sifg", "svgd", "sgld"} {
		f := small(t, name)
		o := sifg.Options{Particles: 10, Iterations: 6, Seed: 3}
		whole, err := sifg.Run(context.Background(), f, plain(2), o)
		if err != nil || whole.Iter != 6 {
			t.Fatalf("%s: %v", name, err)
		}

		ctx, cancel := context.WithCancelCause(context.Background())
		o.Every, o.Callback = 1, func(c *sifg.Cloud, _ sifg.Info) error {
			if c.Iter == 4 {
				cancel(quota)
			}
			return nil
		}
		c, err := sifg.Run(ctx, f, plain(2), o)
		if !errors.Is(err, quota) || !errors.Is(err, context.Canceled) || c == nil || c.Iter != 4 {
			t.Fatalf("%s, cancelled in iteration 4: %v", name, err)
		}
		for c.Iter < 6 { // and it goes on from there
			if _, err := f.Step(c); err != nil {
				t.Fatal(err)
			}
		}
		if !slices.Equal(c.Z.Data, whole.Z.Data) {
			t.Errorf("%s: stopped and continued, the particles are others", name)
		}

		o.Callback = func(c *sifg.Cloud, _ sifg.Info) error {
			if c.Iter == 2 {
				return halt
			}
			return nil
		}
		if c, err := sifg.Run(context.Background(), f, plain(2), o); !errors.Is(err, halt) || c.Iter != 2 {
			t.Errorf("%s, halted by the callback: %v", name, err)
		}
		// One Flow serves one run after another: Start begins afresh.
		o.Callback = nil
		if again, err := sifg.Run(context.Background(), f, plain(2), o); err != nil || !slices.Equal(again.Z.Data,
			whole.Z.Data) {
			t.Errorf("%s: the flow's fourth run differs from its first (%v)", name, err)
		}
	}
}
