package dataset

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/semi-implicit/sifg/pkg/harness/internal/disk"
	"github.com/semi-implicit/sifg/pkg/harness/internal/safe"
	"github.com/semi-implicit/sifg/pkg/harness/usage"
)

const slowest = 8 << 10 // bytes a second, below which a server is given up

// Fetch gets files that are not here, or wrong, into the cache from their published address; without names, those of
// all data sets with an address. A data set that fails does not stop the others; the same call tries again. say is
// given a line for each file that was fetched. The error wraps ErrDamaged if an address gave something else, and
// ErrAbsent if one did not give the file or there is none.
func (l *Library) Fetch(ctx context.Context, names []string, say func(string)) error {
	if len(names) == 0 {
		names = slices.DeleteFunc(l.Names(), func(name string) bool { return l.entries[name].Source == "" })
	}
	var failed []error
	for _, name := range names {
		e, err := l.Entry(name)
		if err != nil {
			return err
		}
		for i := 0; err == nil && i < len(e.Files); i++ {
			err = l.fetch(ctx, e, &e.Files[i], say)
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		failed = append(failed, err)
	}
	err := errors.Join(failed...)
	if errors.Is(err, ErrAbsent) {
		err = fmt.Errorf("%w; without a network, SIFG_DATASETS_MIRROR names a folder that has the files", err)
	}
	return err
}

// fetch gets one file.
func (l *Library) fetch(ctx context.Context, e *Entry, f *File, say func(string)) error {
	_, _, err := l.read(e, f)
	if f.Source == "" || err == nil {
		return err
	}
	address, err := url.JoinPath(f.Source, f.Name)
	if err != nil {
		return usage.Errorf("data set %s: %v", e.Name, err)
	}
	b, err := l.download(ctx, address, f.Bytes)
	if err != nil {
		return fmt.Errorf("data set %s: %s: %w: %w", e.Name, address, ErrAbsent, err)
	}
	if err := f.check(b); err != nil {
		return fmt.Errorf("data set %s: %s: %w", e.Name, address, err)
	}
	path := filepath.Join(l.cache, e.Folder, f.Name)
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o777), disk.WriteFileAtomic(path, b)); err != nil {
		return usage.Errorf("the cache %s cannot be written: %v", l.cache, err)
	}
	say(fmt.Sprintf("data set %s: fetched %s", e.Name, address))
	return nil
}

// download gets a file of this size by HTTP. It returns more than size bytes where the server has more.
func (l *Library) download(ctx context.Context, from string, size int64) ([]byte, error) {
	limit := l.patience + time.Duration(size)*time.Second/slowest
	ctx, cancel := context.WithTimeoutCause(ctx, limit, fmt.Errorf("no answer of %d bytes within %v", size, limit))
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, from, nil)
	if err != nil {
		return nil, err
	}
	answer, err := l.client.Do(r)
	if err == nil {
		defer answer.Body.Close()
		if answer.StatusCode != http.StatusOK {
			return nil, fmt.Errorf("status %s", safe.Text(answer.Status))
		}
		var b []byte
		if b, err = io.ReadAll(io.LimitReader(answer.Body, size+1)); err == nil {
			return b, nil
		}
		err = fmt.Errorf("the connection broke after %d of %d bytes: %w", len(b), size, err)
	}
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	return nil, err
}
