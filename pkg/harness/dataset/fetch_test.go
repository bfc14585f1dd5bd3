package dataset

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// table is a file of 8000 bytes.
var table = strings.Repeat("0,1,2,3\n", 1000)

// served is a library with the set mine, whose one file is table, from a server that answers with the handlers in turn, the last
// for all further requests.
type served struct {
	*Library
	address  string
	requests atomic.Int32
	said     []string
}

func serve(t *testing.T, mirror string, handlers ...http.HandlerFunc) *served {
	t.Helper()
	s := &served{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		handlers[min(int(s.requests.Add(1)), len(handlers))-1](w, r)
	}))
	t.Cleanup(server.Close)
	s.address = server.URL + "/a%20b/a.csv"
	path := filepath.Join(t.TempDir(), "own.yaml")
	write(t, path, fmt.Sprintf("datasets: {mine: {source: '%s/a b', files: [{name: a.csv, bytes: %d, sha256: %x}], parse: {separator: comma}, target: last}}",
		server.URL, len(table), sha256.Sum256([]byte(table))))
	if mirror == "self" {
		mirror = server.URL + "/mirror"
	}
	l, err := Open(Options{Manifests: []string{path}, Cache: filepath.Join(t.TempDir(), "cache"), Mirror: mirror})
	if err != nil {
		t.Fatal(err)
	}
	l.pause = time.Millisecond
	s.Library = l
	return s
}

func (s *served) get(ctx context.Context) error {
	return s.Fetch(ctx, []string{"mine"}, func(line string) { s.said = append(s.said, line) })
}

// arrived checks that the cache has the file whole and nothing beside it, after so many requests.
func (s *served) arrived(t *testing.T, requests int32) {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(s.cache, "mine", "a.csv"))
	if err != nil || string(b) != table || s.requests.Load() != requests {
		t.Fatalf("%d bytes in the cache after %d requests, want %d (%v)", len(b), s.requests.Load(), requests, err)
	}
	if found, err := os.ReadDir(filepath.Join(s.cache, "mine")); len(found) != 1 {
		t.Errorf("the cache has %v (%v)", found, err)
	}
	if d, err := s.Load("mine"); err != nil || d.Rows != 1000 {
		t.Errorf("not loaded: %v", err)
	}
}

func whole(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, table) }

func text(body string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, body) }
}

func status(code int) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) { http.Error(w, "<html>sorry</html>", code) }
}

// broken promises the whole file and ends the connection after n bytes.
func broken(n int) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Length", fmt.Sprint(len(table)))
		fmt.Fprint(w, table[:n])
		w.(http.Flusher).Flush()
		panic(http.ErrAbortHandler)
	}
}

// drip sends a byte now and then, without end.
func drip(w http.ResponseWriter, r *http.Request) {
	for r.Context().Err() == nil {
		fmt.Fprint(w, "0")
		w.(http.Flusher).Flush()
		time.Sleep(5 * time.Millisecond)
	}
}

// TestFetchRecovers: what another attempt can mend is mended, and a wrong file in the cache is replaced.
func TestFetchRecovers(t *testing.T) {
	for name, handlers := range map[string][]http.HandlerFunc{
		"at once":      {whole},
		"busy":         {status(503), status(429), status(408), whole},
		"broken":       {broken(1000), broken(0), whole},
		"both, longer": {broken(8), status(500), broken(7999), status(502), whole},
	} {
		t.Run(name, func(t *testing.T) {
			s := serve(t, "", handlers...)
			for _, before := range []string{"", "damaged"} {
				if before != "" {
					s.requests.Store(0)
					write(t, filepath.Join(s.cache, "mine", "a.csv"), before)
				}
				if err := s.get(context.Background()); err != nil {
					t.Fatal(err)
				}
				s.arrived(t, int32(len(handlers)))
				if n := len(s.said); n != len(handlers) || s.said[n-1] != "mine: fetched "+s.address {
					t.Errorf("said %q", s.said)
				}
				s.said = nil
			}
			if err := s.get(context.Background()); err != nil || s.said != nil {
				t.Errorf("fetched again: %q (%v)", s.said, err)
			}
		})
	}
}

// TestFetchRefuses: what another attempt would not change is refused at once, and what never gets better after the last. The cache
// stays without the file.
func TestFetchRefuses(t *testing.T) {
	for name, c := range map[string]struct {
		handler  http.HandlerFunc
		requests int32
		damaged  bool
		words    []string
	}{
		"not found":    {status(404), 1, false, []string{"404"}},
		"forbidden":    {status(403), 1, false, []string{"403"}},
		"page":         {text("\n<!doctype HTML><html>Sign in</html>"), 1, true, []string{"HTML page"}},
		"wrong bytes":  {text(strings.ReplaceAll(table, "3", "4")), 1, true, []string{"SHA-256", "want"}},
		"short":        {text(table[:80]), 1, true, []string{"80 bytes, want 8000", "cut short"}},
		"long":         {text(table + "0,1,2,3\n"), 1, true, []string{"more than 8000 bytes"}},
		"endless":      {func(w http.ResponseWriter, r *http.Request) { text(strings.Repeat(table, 1000))(w, r) }, 1, true, []string{"more than 8000"}},
		"always busy":  {status(503), 5, false, []string{"503"}},
		"always broke": {broken(0), 5, false, []string{"connection broke", "0 of 8000"}},
		"a byte a day": {drip, 1, false, []string{"no answer of 8000 bytes within 1.02"}},
		"silent":       {func(w http.ResponseWriter, r *http.Request) { <-r.Context().Done() }, 1, false, []string{"no answer of 8000 bytes within 1.02"}},
		"terminal": {func(w http.ResponseWriter, r *http.Request) {
			c, _, _ := w.(http.Hijacker).Hijack()
			fmt.Fprint(c, "HTTP/1.1 404 \x1b[2J\r\n\r\n")
			c.Close()
		}, 1, false, []string{`404 \x1b[2J`}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := serve(t, "", c.handler)
			s.patience = 50 * time.Millisecond // and 0.98 s for the size
			err := s.get(context.Background())
			wants(t, err, append(c.words, "mine", s.address)...)
			if s.requests.Load() != c.requests {
				t.Errorf("%d requests, want %d", s.requests.Load(), c.requests)
			}
			if errors.Is(err, ErrDamaged) != c.damaged || errors.Is(err, ErrAbsent) {
				t.Errorf("%v: about damaged data: %v", err, !c.damaged)
			}
			if _, err := os.Stat(s.cache); !errors.Is(err, os.ErrNotExist) {
				t.Errorf("there is a cache (%v)", err)
			}
		})
	}
}

func TestFetchStops(t *testing.T) {
	s := serve(t, "", status(503))
	s.pause = time.Hour
	ctx, cancel := context.WithCancel(context.Background())
	time.AfterFunc(20*time.Millisecond, cancel)
	if err := s.get(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

// TestFetchLinks: nothing outside the cache is written through links that somebody else has put there.
func TestFetchLinks(t *testing.T) {
	outside := t.TempDir()
	victim := filepath.Join(outside, "a.csv")
	write(t, victim, "mine")
	for name, link := range map[string]string{
		"part": filepath.Join("mine", fmt.Sprintf(".a.csv.%.12x.part", sha256.Sum256([]byte(table)))), // as it was once called
		"file": filepath.Join("mine", "a.csv"), "folder": "mine",
	} {
		t.Run(name, func(t *testing.T) {
			s := serve(t, "", whole)
			to := victim
			if name == "folder" {
				to = outside
			}
			path := filepath.Join(s.cache, link)
			if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o777), os.Symlink(to, path)); err != nil {
				t.Fatal(err)
			}
			if err := s.get(context.Background()); (err != nil) != (name == "folder") {
				t.Error(err)
			}
			if b, err := os.ReadFile(victim); err != nil || string(b) != "mine" {
				t.Errorf("a file outside the cache is now %.20q (%v)", b, err)
			}
			if all, _ := os.ReadDir(outside); len(all) != 1 {
				t.Errorf("files outside the cache: %v", all)
			}
		})
	}
}

func TestMirror(t *testing.T) {
	ctx := context.Background()
	// A folder: read without fetching. It replaces a wrong file in the cache.
	folder := t.TempDir()
	write(t, filepath.Join(folder, "mine", "a.csv"), table)
	s := serve(t, folder, status(404))
	if err := s.get(ctx); err != nil || s.Absent("mine") != nil || s.said != nil {
		t.Errorf("fetched in spite of the mirror: %q (%v)", s.said, err)
	}
	write(t, filepath.Join(s.cache, "mine", "a.csv"), "wrong")
	if err := s.get(ctx); err != nil {
		t.Fatal(err)
	}
	s.arrived(t, 0)
	// A mirror with a wrong file or without it, or that cannot be reached: the published address is next, and a line says why.
	for wrong, word := range map[string]string{"wrong": "cut short", "none": "no such file", "nobody": "refused"} {
		folder := t.TempDir()
		if wrong == "wrong" {
			write(t, filepath.Join(folder, "mine", "a.csv"), wrong)
		} else if wrong == "nobody" {
			folder = nobody(t)
		}
		s := serve(t, folder, whole)
		if err := s.get(ctx); err != nil {
			t.Fatal(err)
		}
		s.arrived(t, 1)
		if len(s.said) != 2 || !strings.Contains(s.said[0], word) || !strings.Contains(s.said[1], s.address) {
			t.Errorf("said %q", s.said)
		}
	}
	// An address, which has the folder's layout.
	s = serve(t, "self", func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/mirror/mine/a.csv" {
			t.Errorf("asked for %s", r.URL.Path)
		}
		whole(w, r)
	})
	if err := s.get(ctx); err != nil {
		t.Fatal(err)
	}
	s.arrived(t, 1)
	// Neither has it: both are named.
	s = serve(t, "self", status(404))
	wants(t, s.get(ctx), "/mirror/mine/a.csv", s.address, "404")
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

// TestFetchGoesOn: a set that fails does not stop the others. One that only a person can put in place says so.
func TestFetchGoesOn(t *testing.T) {
	s := serve(t, "", whole)
	s.client = &http.Client{Transport: only(s.address)}
	err := s.Fetch(context.Background(), nil, func(string) {})
	wants(t, err, "diabetes.csv", "MEG_data_reduced.csv", "not allowed")
	s.arrived(t, 1)
	for _, word := range []string{"MEG_art", "ccpp.csv", "a.csv"} { // no address, part of the program, got
		if strings.Contains(err.Error(), word) {
			t.Errorf("%v is about %s", err, word)
		}
	}
	var e interface{ Unwrap() []error }
	if !errors.As(err, &e) || len(e.Unwrap()) != 2 {
		t.Errorf("%v is not about two data sets", err)
	}
	wants(t, s.Fetch(context.Background(), []string{"meg-full"}, nil), "MEG_art.txt", "no public address")
	wants(t, s.Fetch(context.Background(), []string{"bostn"}, nil), `"bostn"`, `"boston"`)
}

// only lets requests to one address pass.
type only string

func (o only) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.URL.String() != string(o) {
		return nil, &net.OpError{Op: "dial", Err: errors.New("not allowed")}
	}
	return http.DefaultTransport.RoundTrip(r)
}
