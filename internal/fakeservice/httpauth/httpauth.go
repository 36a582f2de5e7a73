// Package httpauth reads the caller's token from a request, and the address that it used.
package httpauth

import (
	"net/http"
	"net/url"
	"strings"
)

// Token returns the bearer token of a request, or "". The scheme's name is
// case-insensitive, and any number of spaces may follow it (RFC 9110).
func Token(r *http.Request) string {
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return ""
	}
	return strings.TrimLeft(token, " ")
}

// IsSecure reports whether a caller's connection is encrypted, here or by a proxy.
func IsSecure(r *http.Request) bool {
	return r.TLS != nil || r.Header.Get("X-Forwarded-Proto") == "https"
}

// Root returns the address at which a caller found the fake.
func Root(r *http.Request) string {
	root := url.URL{Scheme: "http", Host: r.Host}
	if IsSecure(r) {
		root.Scheme = "https"
	}
	return root.String()
}
