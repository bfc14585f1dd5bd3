package run

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/internal/safe"
	"github.com/semi-implicit/sifg/pkg/harness/plan"
	"github.com/semi-implicit/sifg/pkg/harness/store"
)

// referenceOf returns the trial's reference and its name in the store; nil if it has none.
func referenceOf(e *harness.Experiment, t *harness.Trial, data plan.Datasets) (
	r *harness.Reference, id store.ID, err error) {
	if e.Reference == nil {
		return nil, id, nil
	}
	err = safe.Call(func() (err error) {
		if r, err = e.Reference(t); r == nil || err != nil {
			return err
		}
		id.Experiment = e.Name
		id.Key, err = plan.ReferenceKey(e, t, r, data)
		return err
	})
	return r, id, err
}

// attach lets the trial read its reference; fs.ErrNotExist if the store has none.
func attach(s *store.Store, id store.ID, t *harness.Trial) (err error) {
	if t.Reference, err = s.Files(id); err != nil {
		return fmt.Errorf("%w: remove its folder", err)
	}
	if t.Reference == nil {
		return fmt.Errorf("reference %s: %w", id, fs.ErrNotExist)
	}
	return nil
}

// references makes the references that the trials need and the store lacks, one at a time, and lets the trials read
// them. Where one cannot be made, its trials fail. The error is of the store; when ctx ends, the checkpoints stay for
// the next run.
func (r *runner) references(ctx context.Context, todo []harness.Trial) error {
	failed := map[store.ID]error{}
	for i := range todo {
		t := &todo[i]
		x, id, err := referenceOf(harness.ByName(r.experiments, t.Experiment), t, r.Data)
		if err != nil {
			r.unmade[t.Key] = fmt.Errorf("its reference: %w", err)
		}
		if x == nil || err != nil {
			continue
		}
		err = attach(r.store, id, t)
		if errors.Is(err, fs.ErrNotExist) && failed[id] == nil {
			if failed[id], err = r.makeReference(ctx, x, id, t); err == nil {
				err = attach(r.store, id, t)
			}
		}
		switch {
		case ctx.Err() != nil:
			return nil
		case failed[id] != nil:
			r.unmade[t.Key] = fmt.Errorf("making its reference: %w", failed[id])
		case err != nil:
			return fmt.Errorf("the reference of %s: %w", t.Name(), err)
		}
	}
	return nil
}

// makeReference makes a reference and stores it. failure is that of Make, err that of the store.
func (r *runner) makeReference(ctx context.Context, x *harness.Reference, id store.ID,
	t *harness.Trial) (failure, err error) {
	dir, release, err := r.store.Scratch(ctx, id)
	if err != nil {
		return nil, err
	}
	defer release()
	if read, err := r.store.Files(id); read != nil || err != nil { // another process made it while we waited
		return nil, err
	}
	name := t.Experiment + "/" + t.Problem
	r.Progress.Note(name + ": computing reference draws")
	timed, cancel := context.WithTimeout(ctx, r.Timeout)
	defer cancel()
	var files map[string][]byte
	failure = safe.Call(func() (err error) {
		files, err = x.Make(timed, dir, func(done, total int) {
			r.Progress.Note(fmt.Sprintf("%s: reference: %d of %d", name, done, total))
		})
		return err
	})
	switch {
	case failure == nil:
		return nil, r.store.PutFiles(ctx, id, files)
	case ctx.Err() == nil && timed.Err() != nil:
		failure = fmt.Errorf("%w %v, the --timeout of trials: %w", errLate, r.Timeout, failure)
	}
	return failure, nil
}

// errLate is why a reference is not made.
var errLate = errors.New("not finished after")
