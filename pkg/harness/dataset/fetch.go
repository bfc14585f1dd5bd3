package dataset

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/semi-implicit/sifg/pkg/harness/internal/disk"
	"github.com/semi-implicit/sifg/pkg/harness/internal/safe"
	"github.com/semi-implicit/sifg/pkg/harness/usage"
)

const (
	attempts = 5       // requests to one address
	slowest  = 8 << 10 // bytes a second, below which a server is given up
)

// Fetch gets the files of the data sets into the cache, from the mirror, else from their published address; without names, those of
// all data sets with an address. It replaces wrong files in the cache and leaves right ones alone. A data set that fails does not
// stop the others. say is given a line for each file that was fetched, and for a mirror that lacked it. The error wraps ErrDamaged
// if an address gave something else, and ErrAbsent if one did not give the file or there is none.
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
	return errors.Join(failed...)
}

// fetch gets one file.
func (l *Library) fetch(ctx context.Context, e *Entry, f *File, say func(string)) error {
	_, _, err := l.read(e, f)
	if f.Source == "" || err == nil {
		return err
	}
	sources := []string{join(f.Source, f.Name)}
	if l.mirror != "" {
		sources = slices.Insert(sources, 0, join(l.mirror, e.Folder, f.Name))
	}
	var failed []error
	for _, from := range sources {
		var b []byte
		if isURL(from) {
			b, err = l.download(ctx, from, f.Bytes)
		} else {
			b, err = safe.Read(from, f.Bytes)
		}
		if err != nil {
			err = fmt.Errorf("%w: %w", ErrAbsent, err)
		} else if err = f.check(b); err == nil {
			if err := l.keep(filepath.Join(e.Folder, f.Name), b); err != nil {
				return usage.Errorf("the cache %s cannot be written: %v", l.cache, err)
			}
			for _, err := range failed { // the mirror
				say(err.Error())
			}
			say(fmt.Sprintf("data set %s: fetched %s", e.Name, from))
			return nil
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		failed = append(failed, fmt.Errorf("data set %s: %s: %w", e.Name, from, err))
	}
	return errors.Join(failed...)
}

// download gets a file of this size by HTTP. It asks again where another attempt may mend what went wrong.
func (l *Library) download(ctx context.Context, from string, size int64) ([]byte, error) {
	for attempt := 0; ; attempt++ {
		b, again, err := l.request(ctx, from, size)
		if err == nil || !again || attempt == attempts-1 {
			return b, err
		}
		select {
		case <-time.After(l.pause << attempt):
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// request makes one request. It returns more than size bytes where the server has more.
func (l *Library) request(ctx context.Context, from string, size int64) (b []byte, again bool, err error) {
	limit := l.patience + time.Duration(size)*time.Second/slowest
	ctx, cancel := context.WithTimeoutCause(ctx, limit, fmt.Errorf("no answer of %d bytes within %v", size, limit))
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, from, nil)
	if err != nil {
		return nil, false, err
	}
	answer, err := l.client.Do(r)
	if err == nil {
		defer answer.Body.Close()
		if code := answer.StatusCode; code != http.StatusOK {
			busy := code == http.StatusTooManyRequests || code == http.StatusRequestTimeout || code >= 500
			return nil, busy, fmt.Errorf("status %s", safe.Text(answer.Status))
		}
		if b, err = io.ReadAll(io.LimitReader(answer.Body, size+1)); err == nil {
			return b, false, nil
		}
		err = fmt.Errorf("the connection broke after %d of %d bytes: %w", len(b), size, err)
	}
	if ctx.Err() != nil {
		return nil, false, context.Cause(ctx)
	}
	dial := (*net.OpError)(nil) // without a network, waiting does not help
	return nil, !errors.As(err, &dial) || dial.Op != "dial", err
}

// keep writes a file of the cache. No link leads out of the cache.
func (l *Library) keep(name string, b []byte) error {
	if err := os.MkdirAll(l.cache, 0o777); err != nil {
		return err
	}
	root, err := os.OpenRoot(l.cache)
	if err != nil {
		return err
	}
	defer root.Close()
	if err := root.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		return err
	}
	return disk.Replace(root, name, b)
}
