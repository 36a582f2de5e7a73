// Package caller reads from a request what its sender brings, and how they found the fake.
package caller

import (
	"net/http"
	"net/url"
	"strings"
)

// Token is the bearer token that a request brings, or "". The scheme's name is
// case-insensitive.
func Token(r *http.Request) string {
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return ""
	}
	return token
}

// IsSecure tells whether a caller's connection is encrypted, here or by a proxy before.
func IsSecure(r *http.Request) bool {
	return r.TLS != nil || r.Header.Get("X-Forwarded-Proto") == "https"
}

// Root is the address at which a caller found the fake.
func Root(r *http.Request) string {
	root := url.URL{Scheme: "http", Host: r.Host}
	if IsSecure(r) {
		root.Scheme = "https"
	}
	return root.String()
}
