package cli

import (
	"bytes"
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

// serve shows the page of a plan at an address of this machine and makes it again as trials end, until it is interrupted.
func serve(e *env, w *work, address string) error {
	host, _, err := net.SplitHostPort(address)
	if ip := net.ParseIP(host); err != nil || host != "localhost" && (ip == nil || !ip.IsLoopback()) {
		return usage.Errorf("--serve %s: want an address of this machine with a port, such as 127.0.0.1:8080", address)
	}
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return usage.Errorf("--serve %s: %v", address, err)
	}
	soft, _, _, release := signals()
	defer release()
	l := &live{}
	if err := l.update(e, w); err != nil {
		return err
	}
	// Limits, so that nobody who connects can keep the program from its files or hold a connection for ever.
	server := &http.Server{Handler: l.handler(listener.Addr().String()), ReadHeaderTimeout: 5 * time.Second, ReadTimeout: 10 * time.Second,
		WriteTimeout: time.Minute, IdleTimeout: 30 * time.Second, MaxHeaderBytes: 1 << 16}
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(netutil.LimitListener(listener, 32)) }()
	fmt.Fprintf(e.err, "the page is at http://%s/ until this is interrupted\n", listener.Addr())
	for tick := time.NewTicker(2 * time.Second); ; {
		select {
		case <-soft.Done():
			return server.Close()
		case err := <-failed:
			return err
		case <-tick.C:
			if err := l.update(e, w); err != nil {
				return errors.Join(err, server.Close())
			}
		}
	}
}

// live is the page as it is served.
type live struct {
	mu      sync.Mutex
	page    []byte
	version int
	counts  string
}

// update makes the page again if trials ended since.
func (l *live) update(e *env, w *work) error {
	if err := w.look(e); err != nil {
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

// handler answers requests that name this very address: a page of another site could have a name of its own lead here.
func (l *live) handler(address string) http.Handler {
	mux := http.NewServeMux()
	_, port, _ := net.SplitHostPort(address)
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, r *http.Request) {
		l.mu.Lock()
		body := bytes.Clone(l.page)
		l.mu.Unlock()
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.Write(body)
	})
	mux.HandleFunc("GET /events", func(w http.ResponseWriter, r *http.Request) { // the browser asks again: no connection is held
		l.mu.Lock()
		defer l.mu.Unlock()
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprintf(w, "retry: 2000\ndata: %d\n\n", l.version)
	})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		host, p, err := net.SplitHostPort(r.Host)
		if ip := net.ParseIP(strings.Trim(host, "[]")); err != nil || p != port || host != "localhost" && (ip == nil || !ip.IsLoopback()) {
			http.Error(w, "this page is at http://"+address+"/", http.StatusForbidden)
			return
		}
		mux.ServeHTTP(w, r)
	})
}
