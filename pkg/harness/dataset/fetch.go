package dataset

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/semi-implicit/sifg/pkg/harness/record"
	"github.com/semi-implicit/sifg/pkg/harness/usage"
)

// Progress is what Fetch says of one file.
type Progress struct {
	Set, File    string
	Index, Files int    // the file's place among those of the set, from 0
	Bytes        int64  // of the file
	From         string // where it was got; "": it was in the cache
	Note         string // before the file is there: why another attempt is made
}

// network says how patiently addresses are asked.
type network struct {
	client   *http.Client
	attempts int                             // at each address
	wait     func(attempt int) time.Duration // before another attempt
	stall    time.Duration                   // longest time without a byte
}

func defaultNetwork() network {
	return network{
		client:   http.DefaultClient,
		attempts: 5,
		wait:     func(attempt int) time.Duration { return time.Second << attempt }, // 1, 2, 4, 8 s
		stall:    time.Minute,
	}
}

// final is an error that another attempt at the same address would not change.
type final struct{ error }

func (f final) Unwrap() error { return f.error }

// offline is an error that none of the hosts that were asked can be reached.
type offline struct{ error }

func (o offline) Unwrap() error { return o.error }

// Fetch gets the files of the data sets (none named: of all that have an address) into the cache: from the mirror where it
// has them, else from their source. A file in the cache that is what the manifest pins is left alone, another is
// replaced. What has arrived of a file is kept, and continued from, also by the next call. A set that fails does
// not stop the others, unless no host can be reached. progress may be nil.
func (l *Library) Fetch(ctx context.Context, names []string, progress func(Progress)) error {
	sets, err := l.chosen(names)
	if err != nil {
		return err
	}
	if progress == nil {
		progress = func(Progress) {}
	}
	var failed []error
	for _, e := range sets {
		for i := range e.Files {
			if len(names) == 0 && e.Files[i].Source == "" {
				continue
			}
			p := Progress{Set: e.Name, File: e.Files[i].Name, Index: i, Files: len(e.Files), Bytes: e.Files[i].Bytes}
			if err := l.fetch(ctx, e, &e.Files[i], p, progress); err != nil {
				if ctx.Err() != nil {
					return ctx.Err()
				}
				failed = append(failed, err)
				if errors.As(err, &offline{}) {
					return errors.Join(failed...) // the other sets would wait for the same
				}
				break
			}
		}
	}
	return errors.Join(failed...)
}

// fetch gets one file.
func (l *Library) fetch(ctx context.Context, e *Entry, f *File, p Progress, progress func(Progress)) error {
	if f.Source == "" {
		if l.locate(e, f) == "" {
			return l.missing(e, f)
		}
		progress(p)
		return nil
	}
	path := l.cached(e, f)
	if intact(path, f) {
		progress(p)
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return usage.Errorf("the cache %s cannot be written: %v", l.cache, reason(err))
	}
	noted := func(note string) {
		q := p
		q.Note = note
		progress(q)
	}
	var why []error
	reached := false
	sources := l.sources(e, f)
	for i, from := range sources {
		var err error
		if isURL(from) {
			err = l.download(ctx, from, path, f, noted)
			dial := (*net.OpError)(nil)
			reached = reached || !errors.As(err, &dial) || dial.Op != "dial"
		} else {
			err = copyFile(from, path, f)
		}
		if err == nil {
			p.From = from
			progress(p)
			return nil
		}
		if ctx.Err() != nil {
			return err
		}
		why = append(why, fmt.Errorf("data set %s: %s: %w", e.Name, from, err))
		if i+1 < len(sources) {
			noted(fmt.Sprintf("%s: %v; trying %s", from, err, sources[i+1]))
		}
	}
	if !reached {
		return offline{errors.Join(why...)}
	}
	return errors.Join(why...)
}

// sources lists where a file can be got: the mirror, then its own source.
func (l *Library) sources(e *Entry, f *File) []string {
	var out []string
	switch {
	case isURL(l.mirror):
		out = append(out, address(l.mirror, e.Folder, f.Name))
	case l.mirror != "":
		out = append(out, filepath.Join(l.mirror, e.Folder, f.Name))
	}
	return append(out, address(f.Source, f.Name))
}

// address appends names to an address.
func address(base string, names ...string) string {
	u, err := url.JoinPath(base, names...)
	if err != nil {
		return base
	}
	return u
}

// intact says whether the file is there as it is pinned.
func intact(path string, f *File) bool {
	b, err := os.ReadFile(path)
	return err == nil && f.matches(b, f.SHA256) == nil
}

// copyFile copies a file of a mirror's folder.
func copyFile(from, to string, f *File) error {
	b, err := os.ReadFile(from)
	if err != nil {
		return reason(err)
	}
	if err := f.matches(b, f.SHA256); err != nil {
		return faultf("%v", err)
	}
	return record.WriteFileAtomic(to, func(w io.Writer) error {
		_, err := w.Write(b)
		return err
	})
}

// download gets a file by HTTP. What arrives is appended to a dotted file beside path, named after the digest it must
// have, and renamed when it is whole and right.
func (l *Library) download(ctx context.Context, from, path string, f *File, note func(string)) error {
	dir, base := filepath.Split(path)
	part, err := os.OpenFile(filepath.Join(dir, "."+base+"."+f.SHA256[:12]+".part"), os.O_RDWR|os.O_CREATE, 0o666)
	if err != nil {
		return usage.Errorf("the cache %s cannot be written: %v", l.cache, reason(err))
	}
	defer part.Close()
	if syscall.Flock(int(part.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) != nil {
		return errors.New("another process is fetching this file: try again when it has ended")
	}
	if intact(path, f) { // another process was faster
		return nil
	}
	for attempt := 0; ; attempt++ {
		err := l.receive(ctx, from, part, f)
		if err == nil {
			break
		}
		if errors.As(err, &final{}) || attempt+1 == l.net.attempts || ctx.Err() != nil {
			return err
		}
		wait := l.net.wait(attempt)
		note(fmt.Sprintf("%v; again in %v", err, wait))
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	if err := part.Sync(); err != nil {
		return err
	}
	if err := os.Rename(part.Name(), path); err != nil {
		return err
	}
	return record.SyncDir(filepath.Dir(path))
}

// receive makes one request for what part lacks and checks the whole.
func (l *Library) receive(ctx context.Context, from string, part *os.File, f *File) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	stalled := fmt.Errorf("nothing arrived for %v", l.net.stall)
	timer := time.AfterFunc(l.net.stall, func() { cancel(stalled) })
	defer timer.Stop()

	have, err := part.Seek(0, io.SeekEnd)
	if err != nil {
		return err
	}
	if have >= f.Bytes {
		if have, err = 0, part.Truncate(0); err != nil {
			return err
		}
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, from, nil)
	if err != nil {
		return final{err}
	}
	r.Header.Set("Accept-Encoding", "identity")
	if have > 0 {
		r.Header.Set("Range", fmt.Sprintf("bytes=%d-", have))
	}
	answer, err := l.net.client.Do(r)
	if err != nil {
		return causeOf(ctx, err)
	}
	defer answer.Body.Close()
	if have, err = begin(part, answer, have); err != nil {
		return err
	}
	awake := reader(func(b []byte) (int, error) {
		n, err := answer.Body.Read(b)
		timer.Reset(l.net.stall)
		return n, err
	})
	n, err := io.Copy(part, io.LimitReader(awake, f.Bytes-have+1))
	if err != nil {
		return fmt.Errorf("the connection broke after %d of %d bytes: %w", have+n, f.Bytes, causeOf(ctx, err))
	}
	return f.arrived(part, have, n, answer.ContentLength < 0)
}

// begin makes part ready for the body of an answer to a request for what stands after its first have bytes, and returns how many of
// these stay.
func begin(part *os.File, answer *http.Response, have int64) (int64, error) {
	switch code := answer.StatusCode; {
	case code == http.StatusPartialContent && strings.HasPrefix(answer.Header.Get("Content-Range"), "bytes "+strconv.FormatInt(have, 10)+"-"):
	case code == http.StatusOK: // the whole file, whatever was asked
		have = 0
	case code == http.StatusPartialContent || code == http.StatusRequestedRangeNotSatisfiable:
		if err := part.Truncate(0); err != nil {
			return 0, err
		}
		if have > 0 {
			return 0, fmt.Errorf("the file cannot be continued after %d bytes: status %s", have, answer.Status)
		}
		return 0, final{fmt.Errorf("status %s", answer.Status)}
	case code == http.StatusTooManyRequests || code == http.StatusRequestTimeout || code >= 500:
		return 0, fmt.Errorf("status %s", answer.Status)
	default:
		return 0, final{fmt.Errorf("status %s", answer.Status)}
	}
	if err := part.Truncate(have); err != nil {
		return 0, err
	}
	return part.Seek(have, io.SeekStart)
}

// arrived checks the whole of part, to whose first have bytes n were added. Where the server had not said how many there would be, too
// few are kept, to be continued: the connection may have broken.
func (f *File) arrived(part *os.File, have, n int64, unsaid bool) error {
	if _, err := part.Seek(0, io.SeekStart); err != nil {
		return err
	}
	b, err := io.ReadAll(part)
	if err != nil {
		return err
	}
	wrong := f.matches(b, f.SHA256)
	switch {
	case wrong == nil:
		return nil
	case have+n > f.Bytes:
		wrong = fmt.Errorf("has more than %d bytes", f.Bytes)
	case have+n < f.Bytes && unsaid && !isHTML(b):
		return faultf("the file %v", wrong)
	}
	if err := part.Truncate(0); err != nil { // so that no later attempt continues it
		return err
	}
	if have > 0 { // what was there before may be the wrong part
		return faultf("the file %v", wrong)
	}
	return final{faultf("the file %v", wrong)}
}

// causeOf prefers the reason a request was cancelled for.
func causeOf(ctx context.Context, err error) error {
	if c := context.Cause(ctx); c != nil {
		return c
	}
	var u *url.Error
	if errors.As(err, &u) {
		return u.Err
	}
	return err
}

type reader func([]byte) (int, error)

func (r reader) Read(b []byte) (int, error) { return r(b) }
