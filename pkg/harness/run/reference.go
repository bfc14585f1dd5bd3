package run

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/plan"
	"github.com/semi-implicit/sifg/pkg/harness/store"
)

// reference is what a trial is judged by.
type reference struct {
	*harness.Reference
	id store.ID
}

// referenceOf returns the trial's reference; nil if it has none.
func referenceOf(e *harness.Experiment, t *harness.Trial, data plan.Datasets) (x *reference, err error) {
	if e.Reference == nil {
		return nil, nil
	}
	err = guarded(t, func() error {
		r, err := e.Reference(t)
		if r == nil || err != nil {
			return err
		}
		key, err := plan.ReferenceKey(e, t, r, data)
		x = &reference{r, store.ID{Experiment: e.Name, Key: key}}
		return err
	})
	return x, err
}

// attach lets the trial read its reference; fs.ErrNotExist if the store has none.
func (x *reference) attach(s *store.Store, t *harness.Trial) error {
	read, err := s.Files(x.id)
	switch {
	case err != nil:
		return fmt.Errorf("%w: move it aside with `verify --repair`", err)
	case read == nil:
		return fmt.Errorf("reference %s: %w", x.id, fs.ErrNotExist)
	}
	t.Reference = read
	return nil
}

// references makes the references that the trials need and the store lacks, one at a time, and lets the trials read them. Where
// one cannot be made, its trials fail. The error is of the store; when ctx ends, the checkpoints stay for the next run.
func (r *runner) references(ctx context.Context, todo []harness.Trial) error {
	failed := map[store.ID]error{}
	for i := range todo {
		t := &todo[i]
		x, err := referenceOf(r.experiment(t), t, r.Data)
		if err != nil {
			r.unmade[t.Key] = fmt.Errorf("its reference: %w", err)
		}
		if x == nil || err != nil {
			continue
		}
		err = x.attach(r.store, t)
		if errors.Is(err, fs.ErrNotExist) && failed[x.id] == nil {
			if failed[x.id], err = r.makeReference(ctx, x, t); err == nil {
				err = x.attach(r.store, t)
			}
		}
		switch {
		case ctx.Err() != nil:
			return nil
		case failed[x.id] != nil:
			r.unmade[t.Key] = fmt.Errorf("making its reference: %w", failed[x.id])
		case err != nil:
			return fmt.Errorf("the reference of %s: %w", t.Name(), err)
		}
	}
	return nil
}

// makeReference makes a reference and stores it. failure is that of Make, err that of the store.
func (r *runner) makeReference(ctx context.Context, x *reference, t *harness.Trial) (failure, err error) {
	dir, release, err := r.store.Scratch(ctx, x.id)
	if err != nil {
		return nil, err
	}
	defer release()
	if read, err := r.store.Files(x.id); read != nil || err != nil { // another process made it while we waited
		return nil, err
	}
	name := t.Experiment + "/" + t.Problem
	r.Progress.Note(name + ": making the reference")
	var files map[string][]byte
	failure = guarded(t, func() (err error) {
		files, err = x.Make(ctx, dir, func(done, total int) {
			r.Progress.Note(fmt.Sprintf("%s: reference: %d of %d", name, done, total))
		})
		return err
	})
	if failure != nil {
		return failure, nil
	}
	return nil, r.store.PutFiles(x.id, files)
}
