package megica

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/semi-implicit/sifg/pkg/harness"
)

// prepare implements harness.Experiment.Prepare: it makes the reference draws of the trials that have no committed ones.
func prepare(ctx context.Context, trials []harness.Trial, say func(string)) error {
	seen := map[string]bool{}
	for i := range trials {
		t := &trials[i]
		same := t.Protocol + " " + t.Config.Data + fmt.Sprint(t.Config.Options) // a map is printed in order of its keys
		if seen[same] {
			continue
		}
		seen[same] = true
		o, err := options(t)
		if err != nil {
			return err
		}
		data, err := t.Load()
		if err != nil {
			return err
		}
		d, err := newPosterior(o, data)
		if err != nil {
			return err
		}
		if err := d.prepare(ctx, t, say); err != nil {
			return fmt.Errorf("reference draws for protocol %s: %w", t.Protocol, err)
		}
	}
	return nil
}

func (d *posterior) prepare(ctx context.Context, t *harness.Trial, say func(string)) error {
	ref, name, err := findCommitted(d)
	if err != nil {
		return err
	}
	if ref != nil {
		say(fmt.Sprintf("%s is judged by the committed reference draws, %s: data and settings are the same", t.Protocol, name))
		return nil
	}
	dir := filepath.Join(t.Shared, d.folder())
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	lock, err := lockFolder(ctx, dir, say)
	if err != nil {
		return err
	}
	defer lock.Close()
	if _, err := readReference(os.DirFS(dir), "reference.json", ""); err == nil {
		say(fmt.Sprintf("%s is judged by the reference draws made before, in %s", t.Protocol, dir))
		return nil
	}
	say(fmt.Sprintf("%s needs reference draws of its own: %d HMC chains, in %s", t.Protocol, d.o.Reference.Chains, dir))
	told := time.Now()
	return d.makeReference(ctx, dir, func(line string) {
		if time.Since(told) > 10*time.Second {
			told = time.Now()
			say(line)
		}
	})
}

// lockFolder waits until no other process makes draws in dir. The kernel drops the lock when the process ends.
func lockFolder(ctx context.Context, dir string, say func(string)) (*os.File, error) {
	f, err := os.OpenFile(filepath.Join(dir, "lock"), os.O_RDWR|os.O_CREATE, 0o666)
	if err != nil {
		return nil, err
	}
	for waited := false; ; waited = true {
		if syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) != syscall.EWOULDBLOCK {
			return f, nil // also where the file system knows no locks
		}
		if !waited {
			say("waiting for another process, which makes reference draws in " + dir)
		}
		select {
		case <-ctx.Done():
			f.Close()
			return nil, context.Cause(ctx)
		case <-time.After(time.Second):
		}
	}
}
