package main

import (
	"net/http"
	"net/url"
)

// withHeaders restricts what browsers let the pages do: load files from this server, and
// send requests to it and to the auth engine. A visitor's text can never run as a script.
func withHeaders(authURL string, next http.Handler) http.Handler {
	connect := "'self'"
	if auth, err := url.Parse(authURL); err == nil && auth.Host != "" {
		connect += " " + auth.Scheme + "://" + auth.Host
	}
	policy := "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src " + connect +
		"; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", policy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "same-origin")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		next.ServeHTTP(w, r)
	})
}
