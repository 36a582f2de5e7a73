package main

import (
	"net/http"
	"sync/atomic"
)

// A front answers as soon as the program listens: 503 until the service is ready.
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
