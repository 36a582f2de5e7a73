package fakeservice

import (
	"errors"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/oauth"
)

// checkVisitor refuses requests that a page of another site makes a browser send. Such a
// page can use its own host name that resolves to this machine, so only known names and
// addresses are accepted. It can also send requests to a known name, but then the
// browser's headers show the origin.
func (s *Service) checkVisitor(r *http.Request) error {
	if !s.knows(r.Host) {
		return errors.New("this fake service does not go by that name; reach it by an address, or start it with the name")
	}
	if isConsentPage(r) {
		return nil
	}
	if origin := r.Header.Get("Origin"); origin != "" {
		if u, err := url.Parse(origin); err != nil || u.Host == "" || !strings.EqualFold(u.Host, r.Host) {
			return errors.New("requests of other sites are refused")
		}
	}
	switch r.Header.Get("Sec-Fetch-Site") {
	case "", "none", "same-origin":
		return nil
	}
	return errors.New("requests of other sites are refused")
}

// isConsentPage reports whether a browser opens the page for the consent to an
// application, to which the application's own site leads. The page only shows a form.
func isConsentPage(r *http.Request) bool {
	return r.Method == http.MethodGet && r.URL.Path == oauth.AuthorizePath &&
		r.Header.Get("Sec-Fetch-Mode") == "navigate" && r.Header.Get("Sec-Fetch-Dest") == "document"
}

// knows reports whether a host is one of the fake's: an address, localhost, a name in its
// options, or a name under .test, which cannot be registered (RFC 6761).
func (s *Service) knows(host string) bool {
	name := host
	if before, _, err := net.SplitHostPort(host); err == nil {
		name = before
	}
	name = strings.ToLower(strings.TrimSuffix(strings.TrimPrefix(name, "["), "]"))
	if _, err := netip.ParseAddr(name); err == nil {
		return true
	}
	return name == "localhost" || strings.HasSuffix(name, ".test") || slices.Contains(s.names, name)
}
