package fakeservice

import (
	"errors"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
)

// checkVisitor refuses what a page of another site has a browser send. Such a page can
// bring a name of its own that leads to this machine, so a name counts only where it is
// known; an address cannot be brought. And it can send to a known name, which a browser
// then says.
func (s *Service) checkVisitor(r *http.Request) error {
	if !s.knows(r.Host) {
		return errors.New("this fake service does not go by that name; reach it by an address, or start it with the name")
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

// knows tells whether the fake goes by a host: an address, localhost, a name that its
// options say, or one under test, which nobody can register (RFC 6761).
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
