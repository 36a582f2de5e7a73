package fakeservice

import (
	"net/http"
	"time"
)

// LongestRequest is the time limit for the arrival of a request with its body. It keeps
// clients that send only half a request from holding connections, even without a key.
const LongestRequest = 30 * time.Second

// NewHTTPServer makes a server whose requests must arrive within a time.
func NewHTTPServer(handler http.Handler, longest time.Duration) *http.Server {
	return &http.Server{Handler: handler, ReadHeaderTimeout: min(longest, 10*time.Second), ReadTimeout: longest}
}
