package dataset

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/semi-implicit/sifg/pkg/harness/record"
)

// table is a file of 8000 bytes.
var table = strings.Repeat("0,1,2,3\n", 1000)

// served is a library with the set mine, whose one file is table, from a server that answers with the handlers in
// turn, the last for all further requests.
type served struct {
	*Library
	cache, address string
	mu             sync.Mutex
	ranges         []string // asked for, one a request
	notes          []string
	from           []string
}

func serve(t *testing.T, mirror string, handlers ...http.HandlerFunc) *served {
	t.Helper()
	s := &served{cache: t.TempDir()}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		h := handlers[min(len(s.ranges), len(handlers)-1)]
		s.ranges = append(s.ranges, r.Header.Get("Range"))
		s.mu.Unlock()
		h(w, r)
	}))
	t.Cleanup(server.Close)
	s.address = server.URL
	manifest := fmt.Sprintf("datasets: {mine: {source: '%s/a b', files: [{name: a.csv, bytes: %d, sha256: %x}], parse: {separator: comma}, target: last}}",
		server.URL, len(table), sha256.Sum256([]byte(table)))
	path := filepath.Join(t.TempDir(), "own.yaml")
	write(t, path, manifest)
	if mirror == "self" {
		mirror = server.URL + "/mirror"
	}
	l, err := Open(Options{Manifest: []byte(noSets), Files: []string{path}, Cache: s.cache, Mirror: mirror})
	if err != nil {
		t.Fatal(err)
	}
	l.net.wait = func(int) time.Duration { return time.Millisecond }
	s.Library = l
	return s
}

// noSets is a manifest with a set that cannot be fetched.
const noSets = "datasets: {other: {files: [{name: other.csv}], parse: {separator: comma}, target: last}}"

func (s *served) get(ctx context.Context, names ...string) error {
	return s.Fetch(ctx, names, func(p Progress) {
		if p.Note != "" {
			s.notes = append(s.notes, p.Note)
		} else {
			s.from = append(s.from, p.From)
		}
	})
}

// arrived checks that the cache has the file whole and nothing beside it.
func (s *served) arrived(t *testing.T) {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(s.cache, "mine", "a.csv"))
	if err != nil || string(b) != table {
		t.Fatalf("%d bytes in the cache (%v)", len(b), err)
	}
	if found := s.found(t); len(found) != 1 {
		t.Errorf("the cache has %v", found)
	}
	if d, err := s.Load("mine"); err != nil || d.Rows != 1000 {
		t.Errorf("not loaded: %v", err)
	}
}

// found lists the files of the cache.
func (s *served) found(t *testing.T) []string {
	t.Helper()
	var out []string
	err := filepath.WalkDir(s.cache, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			out = append(out, filepath.Base(path))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// whole serves table, ranges of it too.
func whole(w http.ResponseWriter, r *http.Request) {
	http.ServeContent(w, r, "a.csv", time.Time{}, strings.NewReader(table))
}

func text(body string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, body) }
}

func status(code int) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) { http.Error(w, "<html>sorry</html>", code) }
}

// broken promises the whole file and ends the connection after n bytes of what was asked for.
func broken(n int) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		from := 0
		if _, err := fmt.Sscanf(r.Header.Get("Range"), "bytes=%d-", &from); err == nil {
			w.Header().Set("Content-Range", fmt.Sprintf("bytes %d-%d/%d", from, len(table)-1, len(table)))
			w.Header().Set("Content-Length", fmt.Sprint(len(table)-from))
			w.WriteHeader(http.StatusPartialContent)
		} else {
			w.Header().Set("Content-Length", fmt.Sprint(len(table)))
		}
		fmt.Fprint(w, table[from:from+n])
		w.(http.Flusher).Flush()
		panic(http.ErrAbortHandler)
	}
}

func TestFetch(t *testing.T) {
	ctx := context.Background()
	s := serve(t, "", whole)
	if err := s.get(ctx); err != nil { // all that have an address
		t.Fatal(err)
	}
	s.arrived(t)
	if want := s.address + "/a%20b/a.csv"; !slices.Equal(s.from, []string{want}) {
		t.Errorf("from %q, want %q", s.from, want)
	}
	if err := s.get(ctx, "mine"); err != nil || len(s.ranges) != 1 || s.from[1] != "" {
		t.Errorf("a second call asked again: %d requests, %q (%v)", len(s.ranges), s.from, err)
	}
	// A damaged file is replaced.
	write(t, filepath.Join(s.cache, "mine", "a.csv"), "damaged")
	if err := s.get(ctx, "mine"); err != nil {
		t.Fatal(err)
	}
	s.arrived(t)
	// One without an address says so.
	wants(t, s.get(ctx, "other"), "other.csv", "no public address")
	wants(t, s.get(ctx, "mein"), `"mein"`, `"mine"`)
}

// TestFetchRecovers: what another attempt can mend is mended.
func TestFetchRecovers(t *testing.T) {
	page := "<!DOCTYPE html><html><body>Too many requests</body></html>"
	for name, c := range map[string]struct {
		handlers []http.HandlerFunc
		ranges   []string
	}{
		"busy":            {[]http.HandlerFunc{status(503), status(429), whole}, []string{"", "", ""}},
		"broken once":     {[]http.HandlerFunc{broken(1000), whole}, []string{"", "bytes=1000-"}},
		"broken twice":    {[]http.HandlerFunc{broken(1000), broken(500), whole}, []string{"", "bytes=1000-", "bytes=1500-"}},
		"broken at once":  {[]http.HandlerFunc{broken(0), whole}, []string{"", ""}},
		"busy and broken": {[]http.HandlerFunc{broken(8), status(500), whole}, []string{"", "bytes=8-", "bytes=8-"}},
		// A server that knows no ranges sends the whole file again.
		"no ranges": {[]http.HandlerFunc{broken(1000), text(table)}, []string{"", "bytes=1000-"}},
		// One that cannot continue, or continues from elsewhere, is asked for the whole file.
		"not satisfiable": {[]http.HandlerFunc{broken(1000), status(416), whole}, []string{"", "bytes=1000-", ""}},
		"another range": {[]http.HandlerFunc{broken(1000), func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Range", fmt.Sprintf("bytes 0-%d/%d", len(table)-1, len(table)))
			w.WriteHeader(http.StatusPartialContent)
			fmt.Fprint(w, table)
		}, whole}, []string{"", "bytes=1000-", ""}},
		// The first part was of another file: the whole is wrong, and is got again.
		"wrong beginning": {[]http.HandlerFunc{func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Length", fmt.Sprint(len(table)))
			fmt.Fprint(w, "other bytes")
			w.(http.Flusher).Flush()
			panic(http.ErrAbortHandler)
		}, whole, whole}, []string{"", "bytes=11-", ""}},
		"page when continued": {[]http.HandlerFunc{broken(1000), text(page), whole}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			s := serve(t, "", c.handlers...)
			err := s.get(context.Background(), "mine")
			if c.ranges == nil { // refused at once, and right when asked again
				wants(t, err, "HTML page")
				err = s.get(context.Background(), "mine")
			}
			if err != nil {
				t.Fatal(err)
			}
			s.arrived(t)
			if c.ranges != nil && !slices.Equal(s.ranges, c.ranges) {
				t.Errorf("asked for %q, want %q", s.ranges, c.ranges)
			}
			if c.ranges != nil && len(s.notes) != len(c.ranges)-1 {
				t.Errorf("%d notes of %d attempts: %q", len(s.notes), len(c.ranges), s.notes)
			}
		})
	}
}

// TestFetchRefuses: what another attempt would not change is refused at once, and what never gets better after the last;
// the cache is left without the file.
func TestFetchRefuses(t *testing.T) {
	for name, c := range map[string]struct {
		handler  http.HandlerFunc
		requests int
		damaged  bool
		words    []string
	}{
		"not found":    {status(404), 1, false, []string{"404"}},
		"forbidden":    {status(403), 1, false, []string{"403"}},
		"page":         {text("\n<!doctype HTML><html>Sign in</html>"), 1, true, []string{"HTML page"}},
		"wrong bytes":  {text(strings.ReplaceAll(table, "3", "4")), 1, true, []string{"SHA-256", "want"}},
		"short":        {text(table[:80]), 1, true, []string{"80 bytes, want 8000", "cut short"}},
		"long":         {text(table + "0,1,2,3\n"), 1, true, []string{"more than 8000 bytes"}},
		"always busy":  {status(503), 5, false, []string{"503"}},
		"always broke": {broken(0), 5, false, []string{"connection broke", "0 of 8000"}},
	} {
		t.Run(name, func(t *testing.T) {
			s := serve(t, "", c.handler)
			err := s.get(context.Background(), "mine")
			wants(t, err, append(c.words, "mine", s.address+"/a%20b/a.csv")...)
			if len(s.ranges) != c.requests {
				t.Errorf("%d requests, want %d", len(s.ranges), c.requests)
			}
			if errors.Is(err, record.ErrDamaged) != c.damaged {
				t.Errorf("%v: about damaged data: %v", err, !c.damaged)
			}
			if slices.Contains(s.found(t), "a.csv") {
				t.Error("the cache has the file")
			}
		})
	}
}

// TestFetchContinues: what has arrived is kept for the next call, which may be another process.
func TestFetchContinues(t *testing.T) {
	s := serve(t, "", broken(1000), broken(1000), broken(1000), broken(1000), broken(1000), whole)
	wants(t, s.get(context.Background(), "mine"), "connection broke", "5000 of 8000")
	if err := s.get(context.Background(), "mine"); err != nil {
		t.Fatal(err)
	}
	s.arrived(t)
	if s.ranges[5] != "bytes=5000-" {
		t.Errorf("the second call asked for %q", s.ranges[5])
	}
}

func TestFetchStops(t *testing.T) {
	// A server that goes silent is left.
	s := serve(t, "", func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, "0,1")
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	}, whole)
	s.net.stall = 300 * time.Millisecond
	s.net.wait = func(int) time.Duration { s.net.stall = time.Hour; return 0 } // the second answer may take its time on a busy machine
	if err := s.get(context.Background(), "mine"); err != nil {
		t.Fatal(err)
	}
	s.arrived(t)
	if len(s.notes) != 1 || !strings.Contains(s.notes[0], "nothing arrived for 300ms") {
		t.Errorf("notes %q", s.notes)
	}
	// The caller stops while it waits for another attempt.
	s = serve(t, "", status(503))
	s.net.wait = func(int) time.Duration { return time.Hour }
	ctx, cancel := context.WithCancel(context.Background())
	time.AfterFunc(20*time.Millisecond, cancel)
	if err := s.get(ctx, "mine"); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	// No host answers.
	s = serve(t, nobody(t), whole)
	if err := s.get(context.Background(), "mine"); err != nil { // the source has it
		t.Fatal(err)
	}
	s.arrived(t)
}

// TestFetchOnce: another process that is at a file is not disturbed.
func TestFetchOnce(t *testing.T) {
	s := serve(t, "", whole)
	e, err := s.Entry("mine")
	if err != nil {
		t.Fatal(err)
	}
	part := filepath.Join(s.cache, "mine", ".a.csv."+e.Files[0].SHA256[:12]+".part")
	write(t, part, table[:80])
	f, err := os.Open(part)
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX); err != nil {
		t.Fatal(err)
	}
	wants(t, s.get(context.Background(), "mine"), "another process")
	f.Close()
	if err := s.get(context.Background(), "mine"); err != nil {
		t.Fatal(err)
	}
	s.arrived(t)
	if !slices.Equal(s.ranges, []string{"bytes=80-"}) {
		t.Errorf("asked for %q", s.ranges)
	}
}

func TestMirror(t *testing.T) {
	ctx := context.Background()
	// A folder: loaded from without fetching, and copied from.
	folder := t.TempDir()
	write(t, filepath.Join(folder, "mine", "a.csv"), table)
	s := serve(t, folder, status(404))
	if d, err := s.Load("mine"); err != nil || d.Path != filepath.Join(folder, "mine", "a.csv") {
		t.Errorf("not loaded from the mirror: %v", err)
	}
	if err := s.get(ctx, "mine"); err != nil || len(s.ranges) != 0 {
		t.Errorf("%v after %d requests", err, len(s.ranges))
	}
	s.arrived(t)
	// A mirror with a wrong file or without it: the source is next, and a note says why.
	for wrong, word := range map[string]string{"wrong": "cut short", "": "no such file"} {
		folder := t.TempDir()
		if wrong != "" {
			write(t, filepath.Join(folder, "mine", "a.csv"), wrong)
		}
		s := serve(t, folder, whole)
		if err := s.get(ctx, "mine"); err != nil {
			t.Fatal(err)
		}
		s.arrived(t)
		if len(s.notes) != 1 || !strings.Contains(s.notes[0], word) || !strings.Contains(s.notes[0], s.address) {
			t.Errorf("notes %q", s.notes)
		}
	}
	// An address, which has the folder's layout.
	s = serve(t, "self", func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/mirror/mine/a.csv" {
			t.Errorf("asked for %s", r.URL.Path)
		}
		whole(w, r)
	})
	if err := s.get(ctx, "mine"); err != nil {
		t.Fatal(err)
	}
	s.arrived(t)
	// Neither has it: both are named.
	s = serve(t, "self", status(404))
	wants(t, s.get(ctx, "mine"), "/mirror/mine/a.csv", "/a%20b/a.csv", "404")
}

// nobody returns an address at which no host answers.
func nobody(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return "http://" + l.Addr().String()
}

// TestFetchGoesOn: a set that fails does not stop the others, unless no host can be reached.
func TestFetchGoesOn(t *testing.T) {
	good := bytes.Repeat([]byte("1,2\n"), 3)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/good.csv" {
			status(404)(w, r)
			return
		}
		w.Write(good)
	}))
	defer server.Close()
	for _, c := range []struct {
		source, mirror string
		missing        []string
		words          []string
	}{
		{server.URL, "", []string{"bad"}, []string{"bad.csv", "404"}},
		{server.URL, nobody(t), []string{"bad"}, []string{"bad.csv", "404", "refused"}},
		{nobody(t), t.TempDir(), []string{"bad", "good"}, []string{"bad.csv", "no such file", "refused"}},
	} {
		manifest := "datasets:\n"
		for _, name := range []string{"bad", "good"} {
			manifest += fmt.Sprintf("  %s: {source: '%s', files: [{name: %s.csv, bytes: 12, sha256: %x}], parse: {separator: comma}, target: last}\n",
				name, c.source, name, sha256.Sum256(good))
		}
		l, err := Open(Options{Manifest: []byte(manifest), Cache: t.TempDir(), Mirror: c.mirror})
		if err != nil {
			t.Fatal(err)
		}
		l.net.wait = func(int) time.Duration { return 0 }
		err = l.Fetch(context.Background(), nil, nil)
		wants(t, err, c.words...)
		if strings.Contains(fmt.Sprint(err), "good.csv") { // got, or not asked for where no host answers
			t.Error(err)
		}
		if missing, err := l.Missing(); err != nil || !slices.Equal(missing, c.missing) {
			t.Errorf("missing are %v (%v), want %v", missing, err, c.missing)
		}
	}
}
