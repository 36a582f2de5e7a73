package main

import (
	"net/http"
	"net/url"
)

// withHeaders tells browsers what the pages may do: load what comes from here,
// and talk to here and to the auth engine. Whatever a visitor writes, it is no
// script.
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
