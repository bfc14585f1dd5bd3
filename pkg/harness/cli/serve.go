package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/semi-implicit/sifg/pkg/harness"
	"github.com/semi-implicit/sifg/pkg/harness/report"
)

// lookEvery is the time between looks at the store while a page is served, at least: making the report again takes no more than
// a tenth of the time. Tests shorten it.
var lookEvery = 5 * time.Second

// serve shows the report of what is in the store, made again as trials end, until the program is told to stop. The report in
// --results is not touched: the page is made in a folder of its own.
func (a *app) serve(names []string, address string, anyone bool) error {
	listener, local, err := listen(address, anyone)
	if err != nil {
		return err
	}
	defer listener.Close()
	dir, err := os.MkdirTemp("", "sifg-live-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	soft, _, _, release := signals()
	defer release()

	l := &liveReport{changed: make(chan struct{})}
	server := &http.Server{Handler: l.handler(local), ReadHeaderTimeout: 10 * time.Second, BaseContext: func(net.Listener) context.Context { return soft }}
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(listener) }()
	fmt.Fprintf(a.out, "http://%s/ shows the report as trials end; Ctrl-C ends it\n", listener.Addr())

	before := ""
	for first := true; ; first = false {
		begun := time.Now()
		if err := a.look(names, dir, l, &before, first); err != nil {
			return err
		}
		select {
		case <-soft.Done():
			stop, cancel := context.WithTimeout(context.Background(), time.Second)
			defer cancel()
			if err := server.Shutdown(stop); err != nil && !errors.Is(err, context.DeadlineExceeded) {
				return err
			}
			return nil
		case err := <-ended:
			return err
		case <-time.After(max(lookEvery, 9*time.Since(begun))):
		}
	}
}

// listen opens the address; one that others can reach has to be asked for.
func listen(address string, anyone bool) (l net.Listener, local bool, err error) {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, false, harness.Usagef("--serve %s: want an address such as 127.0.0.1:8080 or localhost:0", address)
	}
	ip, bad := netip.ParseAddr(host)
	local = host == "localhost" || bad == nil && ip.IsLoopback()
	if !local && !anyone {
		return nil, false, harness.Usagef("--serve %s can be reached from other machines, and everybody there could read the page: "+
			"take 127.0.0.1:%s (with ssh -L from elsewhere), or add --serve-anyone", address, port)
	}
	if l, err = net.Listen("tcp", address); err != nil {
		return nil, false, harness.Usagef("--serve %s: %v", address, err)
	}
	return l, local, nil
}

// look makes the report again if the store has changed since.
func (a *app) look(names []string, dir string, l *liveReport, before *string, first bool) error {
	r, err := a.request(names)
	if err != nil {
		return err
	}
	plan, err := harness.NewPlan(r)
	if err != nil {
		return err
	}
	s, err := a.open(false)
	if err != nil {
		return err
	}
	survey, _, err := harness.Glance(s, plan, a.resultsDir())
	if err != nil {
		return err
	}
	var state strings.Builder
	for _, f := range survey {
		fmt.Fprintln(&state, f.Trial.Key, f.Status, f.Seconds)
	}
	if state.String() == *before {
		return nil
	}
	*before = state.String()
	if first { // the rest of the page is what the report has
		for _, e := range a.experiments {
			err := os.CopyFS(filepath.Join(dir, e.Name), os.DirFS(filepath.Join(a.resultsDir(), e.Name)))
			if err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
		}
		last := ""
		for _, t := range plan.Trials {
			if part := filepath.Join(dir, t.Experiment, t.Protocol); part != last {
				last = part
				if err := os.RemoveAll(part); err != nil {
					return err
				}
			}
		}
	}
	if _, err := harness.Merge(dir, s, plan, a.experiments, false); err != nil {
		return err
	}
	page, err := os.ReadFile(filepath.Join(dir, "index.html"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	l.set(page)
	return nil
}

// liveReport is the page that is served, and who waits for the next.
type liveReport struct {
	mu      sync.Mutex
	page    []byte
	version int
	changed chan struct{} // closed when there is another
}

func (l *liveReport) set(page []byte) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.page = page
	l.version++
	close(l.changed)
	l.changed = make(chan struct{})
}

func (l *liveReport) get() (page []byte, version int, changed <-chan struct{}) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.page, l.version, l.changed
}

// handler serves the page at / and the number of its version at /events, again whenever there is another.
func (l *liveReport) handler(local bool) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, r *http.Request) {
		page, version, _ := l.get()
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.Header().Set("Cache-Control", "no-store")
		w.Write(report.Live(page, version))
	})
	mux.HandleFunc("GET /events", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		w.Header().Set("Cache-Control", "no-store")
		for {
			_, version, changed := l.get()
			if _, err := fmt.Fprintf(w, "data: %d\n\n", version); err != nil {
				return
			}
			if err := http.NewResponseController(w).Flush(); err != nil {
				return
			}
			select {
			case <-r.Context().Done():
				return
			case <-changed:
			case <-time.After(30 * time.Second): // so that a connection that died is noticed
			}
		}
	})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		// A page elsewhere whose name leads to this machine must not read what is served to this machine alone.
		host := r.Host
		if name, _, err := net.SplitHostPort(host); err == nil {
			host = name
		}
		if ip, err := netip.ParseAddr(host); local && host != "localhost" && (err != nil || !ip.IsLoopback()) {
			http.Error(w, "this page is served to this machine alone", http.StatusForbidden)
			return
		}
		w.Header().Set("X-Content-Type-Options", "nosniff")
		w.Header().Set("Referrer-Policy", "no-referrer")
		mux.ServeHTTP(w, r)
	})
}
