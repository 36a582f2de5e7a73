package main

import (
	"net/http"
	"sync/atomic"
	"time"
)

// longestRequest is how long a request may take to arrive, with its body. Whoever sends
// half of one holds a connection no longer, key or not.
const longestRequest = 30 * time.Second

// newServer makes a server of requests that arrive within a time.
func newServer(handler http.Handler, longest time.Duration) *http.Server {
	return &http.Server{Handler: handler, ReadHeaderTimeout: min(longest, 10*time.Second), ReadTimeout: longest}
}

// A front answers from the moment that the port is taken: 503 until the service is there.
type front struct {
	service atomic.Pointer[http.Handler]
}

func (f *front) open(service http.Handler) { f.service.Store(&service) }

func (f *front) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if service := f.service.Load(); service != nil {
		(*service).ServeHTTP(w, r)
		return
	}
	w.Header().Set("Retry-After", "1")
	http.Error(w, "The fake service is starting.", http.StatusServiceUnavailable)
}
