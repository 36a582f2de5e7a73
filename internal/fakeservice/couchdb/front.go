package couchdb

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"time"
)

// Kinds of events.
const (
	DatabaseCreated = "couch_database_created"
	DatabaseDeleted = "couch_database_deleted"
)

// Event is a client's change of the set of databases.
type Event struct{ Kind, Database string }

// inside is the base of the server's URLs. The host means nothing at a socket.
var inside = &url.URL{Scheme: "http", Host: "couchdb"}

// front checks the password, passes requests on to the server and reports events. It is safe for
// concurrent use.
type front struct {
	listener  net.Listener
	inside    *net.UnixListener // of the server
	server    *http.Server
	proxy     *httputil.ReverseProxy
	transport http.RoundTripper
	access    atomic.Pointer[access]
	gate      *gate
}

// Names of the sockets. insideSocket is the longer one.
const (
	frontSocket  = "front.sock"
	insideSocket = "couchdb.sock"
)

// openFront begins to answer on a socket in a folder that belongs to this program alone. The
// server inherits another socket there: connections to it wait until a server accepts them.
func openFront(folder, password string, notify func(Event), log *slog.Logger) (*front, error) {
	// The folder of a killed fake has its sockets.
	if err := errors.Join(os.RemoveAll(folder), os.MkdirAll(folder, 0o700)); err != nil {
		return nil, err
	}
	listener, err := listenUnix(filepath.Join(folder, frontSocket))
	if err != nil {
		return nil, err
	}
	socket := filepath.Join(folder, insideSocket)
	inner, err := listenUnix(socket)
	if err != nil {
		return nil, errors.Join(err, listener.Close())
	}
	errorLog := slog.NewLogLogger(log.Handler(), slog.LevelWarn)
	f := &front{listener: listener, inside: inner, gate: newGate(), transport: &http.Transport{
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			var dialer net.Dialer
			return dialer.DialContext(ctx, "unix", socket)
		},
		// A connection may outlive the server, and would break the next request.
		DisableKeepAlives: true, DisableCompression: true,
	}}
	f.access.Store(newAccess(password))
	f.proxy = &httputil.ReverseProxy{
		Transport: f.transport, FlushInterval: -1, ErrorLog: errorLog, // a feed is sent as it comes
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(inside)
			r.Out.Header.Del("Authorization")
			r.Out.Header.Del("Cookie")
		},
		ModifyResponse: func(r *http.Response) error {
			if e, ok := eventOf(r); ok {
				notify(e)
			}
			return nil
		},
		ErrorHandler: func(w http.ResponseWriter, r *http.Request, err error) {
			if large := (*http.MaxBytesError)(nil); errors.As(err, &large) {
				refuse(w, http.StatusRequestEntityTooLarge, "too_large", "the request entity is too large")
				return
			}
			if r.Context().Err() == nil {
				log.Warn("CouchDB did not answer", "method", r.Method, "error", err)
			}
			refuse(w, http.StatusServiceUnavailable, "service_unavailable", "CouchDB does not answer.")
		},
	}
	f.server = &http.Server{Handler: f, ErrorLog: errorLog, ReadTimeout: patience}
	go func() { _ = f.server.Serve(listener) }() // it ends with close
	return f, nil
}

func listenUnix(path string) (*net.UnixListener, error) {
	return net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
}

func (f *front) address() net.Addr { return f.listener.Addr() }

func (f *front) close() {
	_ = f.server.Close() // it stops in any case
	_ = f.inside.Close()
}

// setPassword changes the password. Requests that came in with the old one end.
func (f *front) setPassword(password string) { f.access.Swap(newAccess(password)).end() }

// largestRequest limits the size of a request, in bytes.
const largestRequest = 64 << 20

// ServeHTTP answers about sessions, and passes other requests of the customer on.
func (f *front) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	access := f.access.Load()
	if r.URL.Path == sessionPath {
		access.session(w, r)
		return
	}
	if _, ok := access.admits(w, r); !ok {
		unauthorized(w)
		return
	}
	ctx := r.Context()
	if kind, _ := changeOf(r); kind != "" {
		ctx = context.WithoutCancel(ctx) // its event is reported even if the client has left
		r.Body, r.ContentLength, r.TransferEncoding = http.NoBody, 0, nil
	} else if err := http.NewResponseController(w).SetReadDeadline(time.Time{}); err != nil {
		// The customer's own requests may take longer, for example a feed.
		refuse(w, http.StatusInternalServerError, "internal_error", "The connection has failed.")
		return
	} else {
		r.Body = http.MaxBytesReader(w, r.Body, largestRequest)
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(access.life, cancel)()
	leave, err := f.gate.enter(ctx, cancel, isFeed(r))
	if err != nil {
		f.proxy.ErrorHandler(w, r, err)
		return
	}
	defer leave()
	f.proxy.ServeHTTP(w, r.WithContext(ctx))
}

// isFeed reports whether a request may never end.
func isFeed(r *http.Request) bool {
	feed := r.URL.Query().Get("feed")
	return feed == "continuous" || feed == "longpoll"
}

// changeOf returns the kind of event that a request causes if it succeeds, and the database,
// or "" if it does not concern the set of databases.
func changeOf(r *http.Request) (kind, database string) {
	database = strings.TrimSuffix(strings.TrimPrefix(r.URL.Path, "/"), "/")
	switch {
	case strings.Contains(database, "/"):
	case r.Method == http.MethodPut:
		return DatabaseCreated, database
	case r.Method == http.MethodDelete:
		return DatabaseDeleted, database
	}
	return "", ""
}

// eventOf returns the event of an answer, if it is one to a change of the set of databases.
func eventOf(r *http.Response) (Event, bool) {
	kind, database := changeOf(r.Request)
	ok := kind == DatabaseCreated && r.StatusCode == http.StatusCreated || kind == DatabaseDeleted && r.StatusCode == http.StatusOK
	return Event{kind, database}, ok
}

// refuse answers with an error in CouchDB's form.
func refuse(w http.ResponseWriter, status int, code, reason string) {
	answer(w, status, map[string]string{"error": code, "reason": reason})
}

func unauthorized(w http.ResponseWriter) {
	w.Header().Set("WWW-Authenticate", `Basic realm="CouchDB"`)
	refuse(w, http.StatusUnauthorized, "unauthorized", "Name or password is incorrect.")
}
