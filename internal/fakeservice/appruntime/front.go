package appruntime

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"strconv"
	"sync"
	"time"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/loopback"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/publicaddr"
)

// front is an app's public address. It stays the same as long as the app exists, even if
// the process behind it changes.
type front struct {
	log    *slog.Logger
	public publicaddr.Addresses

	mu      sync.Mutex
	address string // the address that it listens on; kept while the app is not public
	shown   string // the public form of the address
	server  *http.Server
	served  chan struct{}
	target  int // the port of the process that answers, or 0
}

// open starts or stops listening.
func (f *front) open(public bool, port int) error {
	if !public {
		f.close()
		return nil
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.server != nil {
		return nil
	}
	listener, err := f.listen(port)
	if err != nil {
		return fmt.Errorf("find an address for the app: %w", err)
	}
	f.address, f.shown = listener.Addr().String(), f.public.Of(listener)
	f.server = &http.Server{Handler: f.handler(), ReadHeaderTimeout: 10 * time.Second}
	f.served = make(chan struct{})
	go func(server *http.Server, served chan struct{}) {
		defer close(served)
		if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			f.log.Error("an app's address is gone", "address", listener.Addr(), "error", err)
		}
	}(f.server, f.served)
	return nil
}

// listen listens on the app's previous address if it can. Otherwise each app gets its own
// address of the loopback network: that keeps the cookies of apps apart, and lets each have
// the port that it asks for. If there is only one loopback address, or other machines reach
// this one by a single host name, the apps share the address.
func (f *front) listen(port int) (net.Listener, error) {
	ctx := context.Background()
	if f.address != "" {
		if listener, err := loopback.ListenAgain(ctx, f.address); err == nil {
			return listener, nil
		}
	}
	if f.public.Shared() {
		return f.public.Listen(ctx, "", port)
	}
	listener, err := f.public.Listen(ctx, loopback.Address(ctx, port), port)
	if err != nil {
		return loopback.Listen(ctx, loopback.Shared, 0)
	}
	return listener, nil
}

func (f *front) close() {
	f.mu.Lock()
	server, served := f.server, f.served
	f.server = nil
	f.mu.Unlock()
	if server == nil {
		return
	}
	_ = server.Close() // the listener's error is of no use
	<-served
}

func (f *front) url() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.server == nil {
		return ""
	}
	return "http://" + f.shown
}

// kept returns the app's address, even if the app is not public at the moment.
func (f *front) kept() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.address
}

// point sends visitors to the process at a port, or to no process.
func (f *front) point(port int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.target = port
}

func (f *front) pointed() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.target
}

func (f *front) handler() http.Handler {
	proxy := &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(&url.URL{Scheme: "http", Host: "localhost:" + strconv.Itoa(f.pointed())})
			// The app sees the host that its visitors use.
			r.Out.Host = r.In.Host
			r.SetXForwarded()
		},
		// Connections to an ended process are of no use to its successor.
		Transport: &http.Transport{DialContext: dialLoopback, MaxIdleConnsPerHost: 16, IdleConnTimeout: 30 * time.Second},
		ErrorHandler: func(w http.ResponseWriter, r *http.Request, err error) {
			f.log.Debug("an app did not answer", "path", r.URL.Path, "error", err)
			unavailable(w)
		},
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if f.pointed() == 0 {
			unavailable(w)
			return
		}
		proxy.ServeHTTP(w, r)
	})
}

// unavailable answers requests while the app is down.
func unavailable(w http.ResponseWriter) {
	w.Header().Set("Retry-After", "1")
	w.Header().Set("Cache-Control", "no-store")
	http.Error(w, "The app is not running at the moment. Try again in a few seconds.", http.StatusServiceUnavailable)
}

// dialLoopback connects to a port of this machine. An app that listens on "localhost" may
// have taken an IPv4 or an IPv6 address.
func dialLoopback(ctx context.Context, network, address string) (net.Conn, error) {
	_, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	dialer := net.Dialer{Timeout: 2 * time.Second}
	var failures []error
	for _, host := range []string{"127.0.0.1", "::1"} {
		connection, err := dialer.DialContext(ctx, network, net.JoinHostPort(host, port))
		if err == nil {
			return connection, nil
		}
		failures = append(failures, err)
	}
	return nil, errors.Join(failures...)
}
