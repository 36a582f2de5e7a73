package fakeservice

import (
	"net/http"
	"time"
)

// LongestRequest is how long a request may take to arrive, with its body. Whoever sends
// half of one holds a connection no longer, key or not.
const LongestRequest = 30 * time.Second

// NewHTTPServer makes a server of requests that arrive within a time.
func NewHTTPServer(handler http.Handler, longest time.Duration) *http.Server {
	return &http.Server{Handler: handler, ReadHeaderTimeout: min(longest, 10*time.Second), ReadTimeout: longest}
}
