package page

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	"golang.org/x/net/netutil"

	"github.com/semi-implicit/sifg/pkg/harness/usage"
)

// Serve shows a page at an address of this machine until ctx ends. It calls render for the page, and again every two seconds: nil stands
// for no change. say is told the address. Nothing is written to the disk.
func Serve(ctx context.Context, address string, render func() ([]byte, error), say func(url string)) error {
	host, _, err := net.SplitHostPort(address)
	if err != nil || !local(host) {
		return usage.Errorf("--serve %s: want an address of this machine with a port, such as 127.0.0.1:8080", address)
	}
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return usage.Errorf("--serve %s: %v", address, err)
	}
	s := &served{}
	// Limits, so that nobody who connects can keep the program from its files or hold a connection for ever.
	server := &http.Server{Handler: s, ReadHeaderTimeout: 5 * time.Second, ReadTimeout: 10 * time.Second,
		WriteTimeout: time.Minute, IdleTimeout: 30 * time.Second, MaxHeaderBytes: 1 << 16}
	if err := s.update(render); err != nil {
		return errors.Join(err, listener.Close())
	}
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(netutil.LimitListener(listener, 32)) }()
	say("http://" + listener.Addr().String() + "/")
	tick := time.NewTicker(2 * time.Second)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return server.Close()
		case err := <-failed:
			return err
		case <-tick.C:
			if err := s.update(render); err != nil {
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

// served is the page as it is served.
type served struct {
	mu      sync.Mutex
	page    []byte
	version int
}

func (s *served) update(render func() ([]byte, error)) error {
	page, err := render()
	if err != nil || page == nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.version++
	s.page = live(page, s.version)
	return nil
}

// ServeHTTP answers requests that name this machine: a page of another site could have a name of its own lead here.
func (s *served) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	host, _, err := net.SplitHostPort(r.Host)
	if err != nil {
		host = r.Host
	}
	s.mu.Lock()
	body, version := s.page, s.version
	s.mu.Unlock()
	switch {
	case !local(host):
		http.Error(w, "ask for this page by an address of this machine", http.StatusForbidden)
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
