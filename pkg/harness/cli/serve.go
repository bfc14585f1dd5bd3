package cli

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	"golang.org/x/net/netutil"

	"github.com/semi-implicit/sifg/pkg/harness/page"
	"github.com/semi-implicit/sifg/pkg/harness/report"
	"github.com/semi-implicit/sifg/pkg/harness/usage"
)

// serve shows the page of a plan at an address of this machine and makes it again as trials end, until it is interrupted. It writes
// nothing to the disk.
func serve(e *env, s *selection, w *work, address string) error {
	host, _, err := net.SplitHostPort(address)
	if err != nil || !local(host) {
		return usage.Errorf("--serve %s: want an address of this machine with a port, such as 127.0.0.1:8080", address)
	}
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return usage.Errorf("--serve %s: %v", address, err)
	}
	soft, _, _, release := signals()
	defer release()
	l := &live{}
	if err := l.update(e, s, w); err != nil {
		return errors.Join(err, listener.Close())
	}
	// Limits, so that nobody who connects can keep the program from its files or hold a connection for ever.
	server := &http.Server{Handler: l, ReadHeaderTimeout: 5 * time.Second, ReadTimeout: 10 * time.Second,
		WriteTimeout: time.Minute, IdleTimeout: 30 * time.Second, MaxHeaderBytes: 1 << 16}
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(netutil.LimitListener(listener, 32)) }()
	fmt.Fprintf(e.err, "the page is at http://%s/ until this is interrupted\n", listener.Addr())
	tick := time.NewTicker(2 * time.Second)
	defer tick.Stop()
	for {
		select {
		case <-soft.Done():
			return server.Close()
		case err := <-failed:
			return err
		case <-tick.C:
			if err := l.update(e, s, w); err != nil {
				return errors.Join(err, server.Close())
			}
		}
	}
}

// local reports whether a host is this machine.
func local(host string) bool {
	ip := net.ParseIP(strings.Trim(host, "[]"))
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// live is the page as it is served.
type live struct {
	mu      sync.Mutex
	page    []byte
	version int
	counts  string
}

// update makes the page again if trials ended since.
func (l *live) update(e *env, s *selection, w *work) (err error) {
	if w.store == nil { // a run may have made it since
		if w.store, err = openStore(s.storeDir(), w.results, false); err != nil {
			return err
		}
	}
	if err := w.status(); err != nil {
		return err
	}
	counts := fmt.Sprint(w.counts())
	if counts == l.counts {
		return nil
	}
	r, _, err := report.Make(w.Plan, w.store, e.experiments, &report.Report{}, false)
	if err != nil {
		return err
	}
	html, err := page.Render(r, e.experiments)
	if err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.version++
	l.page, l.counts = page.Live(html, l.version), counts
	return nil
}

// ServeHTTP answers requests that name this machine: a page of another site could have a name of its own lead here.
func (l *live) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	host, _, err := net.SplitHostPort(r.Host)
	if err != nil {
		host = r.Host
	}
	l.mu.Lock()
	body, version := l.page, l.version
	l.mu.Unlock()
	switch {
	case !local(host):
		http.Error(w, "ask for this page by an address of this machine", http.StatusForbidden)
	case r.Method != http.MethodGet:
		http.Error(w, "only GET", http.StatusMethodNotAllowed)
	case r.URL.Path == "/":
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.Write(body)
	case r.URL.Path == "/events": // the browser asks again: no connection is held
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprintf(w, "retry: 2000\ndata: %d\n\n", version)
	default:
		http.NotFound(w, r)
	}
}
