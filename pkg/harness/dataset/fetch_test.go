package dataset

import (
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

// thousand is a file of a thousand rows and 8000 bytes.
var thousand = strings.Repeat("0,1,2,3\n", 1000)

// served is a library with the set mine, whose one file is thousand, from a server that answers with the handler.
type served struct {
	*Library
	address  string
	requests atomic.Int32
	said     []string
}

func serve(t *testing.T, mirror string, handler http.HandlerFunc) *served {
	t.Helper()
	s := &served{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.requests.Add(1)
		handler(w, r)
	}))
	t.Cleanup(server.Close)
	s.address = server.URL + "/a%20b/a.csv"
	from := fmt.Sprintf("source: '%s/a b', files: [{name: a.csv, bytes: %d, sha256: %x", server.URL, len(thousand),
		sha256.Sum256([]byte(thousand)))
	l, err := Open(Options{Cache: filepath.Join(t.TempDir(), "cache"), Mirror: mirror})
	if err = errors.Join(err, l.add([]byte(strings.Replace(plain, "files: [{name: a.csv", from, 1)))); err != nil {
		t.Fatal(err)
	}
	s.Library = l
	return s
}

func (s *served) get() error {
	return s.Fetch([]string{"mine"}, func(line string) { s.said = append(s.said, line) })
}

// arrived checks that the cache has the file whole and nothing beside it, after so many requests.
func (s *served) arrived(t *testing.T, requests int32) {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(s.Cache, "mine", "a.csv"))
	if err != nil || string(b) != thousand || s.requests.Load() != requests {
		t.Fatalf("%d bytes in the cache after %d requests, want %d (%v)", len(b), s.requests.Load(), requests, err)
	}
	if found, err := os.ReadDir(filepath.Join(s.Cache, "mine")); len(found) != 1 {
		t.Errorf("the cache has %v (%v)", found, err)
	}
	if d, err := s.Load("mine"); err != nil || d.Rows != 1000 {
		t.Errorf("not loaded: %v", err)
	}
}

func whole(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, thousand) }

func text(body string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, body) }
}

func status(code int) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) { http.Error(w, "<html>sorry</html>", code) }
}

// broken promises the whole file and ends the connection after n bytes.
func broken(n int) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Length", fmt.Sprint(len(thousand)))
		fmt.Fprint(w, thousand[:n])
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

// TestFetch: a file that comes whole replaces a link to a wrong one, and what that leads to stays as it was. Anything
// else is refused, and the cache stays as it was.
func TestFetch(t *testing.T) {
	for name, c := range map[string]struct {
		handler http.HandlerFunc
		words   []string // of the error; nil: none
		damaged bool
	}{
		"whole":       {whole, nil, false},
		"broken late": {broken(7999), []string{"connection broke", "7999 of 8000"}, false},
		"not found":   {status(404), []string{"404"}, false},
		"page":        {text("\n<!doctype HTML><html>Sign in</html>"), []string{"36 bytes, want 8000"}, true},
		"wrong bytes": {text(strings.ReplaceAll(thousand, "3", "4")), []string{"SHA-256", "want"}, true},
		"short":       {text(thousand[:80]), []string{"80 bytes, want 8000"}, true},
		"long":        {text(strings.Repeat(thousand, 1000)), []string{"8001 bytes, want 8000"}, true},
		"dripping":    {drip, []string{"the connection broke after", "Timeout"}, false},
		"terminal": {func(w http.ResponseWriter, r *http.Request) {
			c, _, _ := w.(http.Hijacker).Hijack()
			fmt.Fprint(c, "HTTP/1.1 404 \x1b[2J\r\n\r\n")
			c.Close()
		}, []string{`404 \x1b[2J`}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := serve(t, "", c.handler)
			victim, path := filepath.Join(t.TempDir(), "victim"), filepath.Join(s.Cache, "mine", "a.csv")
			write(t, victim, "damaged")
			if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o777), os.Symlink(victim, path)); err != nil {
				t.Fatal(err)
			}
			if name == "dripping" {
				s.client.Timeout = time.Second
			}
			err := s.get()
			if c.words == nil {
				s.arrived(t, 1)
				if b, _ := os.ReadFile(victim); string(b) != "damaged" {
					t.Errorf("outside of the cache is now %.20q", b)
				}
				if len(s.said) != 1 || s.said[0] != "data set mine: fetched "+s.address {
					t.Errorf("said %q", s.said)
				}
				if err := s.get(); err != nil || len(s.said) != 1 {
					t.Errorf("fetched again: %q (%v)", s.said, err)
				}
				return
			}
			wants(t, err, append(c.words, "mine", s.address)...)
			if s.requests.Load() != 1 || errors.Is(err, ErrDamaged) != c.damaged ||
				errors.Is(err, ErrAbsent) == c.damaged {
				t.Errorf("%v after %d requests", err, s.requests.Load())
			}
			if b, err := os.ReadFile(path); string(b) != "damaged" {
				t.Errorf("the cache has %d bytes (%v)", len(b), err)
			}
		})
	}
}

func TestMirror(t *testing.T) {
	// A folder is read without fetching, also where the cache has a wrong file. One with a wrong file changes nothing.
	for mirrored, requests := range map[string]int32{thousand: 0, "wrong": 1} {
		folder := t.TempDir()
		write(t, filepath.Join(folder, "mine", "a.csv"), mirrored)
		s := serve(t, folder, whole)
		write(t, filepath.Join(s.Cache, "mine", "a.csv"), "wrong too")
		if err := s.get(); err != nil || s.Absent("mine") != nil || s.requests.Load() != requests {
			t.Errorf("%d requests, %q (%v)", s.requests.Load(), s.said, err)
		}
		if d, err := s.Load("mine"); err != nil || d.Rows != 1000 {
			t.Errorf("not loaded: %v", err)
		}
	}
}

// TestFetchAll: without names the one that is not part of the program is fetched. One that only a person can put in
// place says so.
func TestFetchAll(t *testing.T) {
	s := serve(t, "", whole)
	s.client = &http.Client{Transport: only(s.address)}
	wants(t, s.Fetch(nil, nil), "MEG_data_reduced.csv", "not allowed", "without a network")
	wants(t, s.Fetch([]string{"meg-full"}, nil), "MEG_art.txt", "put the right file there")
}

// only is a network with one address.
type only string

func (o only) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.URL.String() != string(o) {
		return nil, &net.OpError{Op: "dial", Err: errors.New("not allowed")}
	}
	return http.DefaultTransport.RoundTrip(r)
}
