package oauth

import (
	"fmt"
	"net/netip"
	"net/url"
	"slices"
	"strings"
)

// desktopSchemes are the private schemes of widely used clients of MCP. They have no period,
// although RFC 8252 asks for one. Any other scheme without a period is refused, because it
// could lead to a script, a file or another program.
var desktopSchemes = []string{"cursor", "vscode", "vscode-insiders", "windsurf"}

// checkRedirectURI returns an error unless a client may have a redirect URI: an https
// address, an http address on the person's own machine, or a private scheme, either with a
// period (RFC 8252, section 7.1) or of a known client.
func checkRedirectURI(text string) error {
	u, err := url.Parse(text)
	switch {
	case err != nil || !u.IsAbs():
		return fmt.Errorf("%q is not an absolute URI", text)
	case strings.Contains(text, "#"):
		return fmt.Errorf("%q has a fragment", text)
	case u.User != nil:
		return fmt.Errorf("%q has a user name", text)
	case u.Scheme == "https" && u.Hostname() != "", u.Scheme == "http" && isLoopback(u), strings.Contains(u.Scheme, "."), slices.Contains(desktopSchemes, u.Scheme):
		return nil
	}
	return fmt.Errorf("%q is neither https, nor http on this machine, nor a scheme with a period or of a known client", text)
}

// matchesRedirectURI reports whether a redirect URI is one of those of a client. They must
// be equal as text. Only the port of an http address on the person's own machine may
// differ, because a program listens at any free port there (RFC 8252, section 7.3).
func matchesRedirectURI(registered []string, text string) bool {
	for _, one := range registered {
		if one == text || withoutPort(one) == withoutPort(text) && withoutPort(one) != "" {
			return true
		}
	}
	return false
}

// withoutPort returns an http address on the person's own machine without its port. It is
// "" for any other URI.
func withoutPort(text string) string {
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "http" || !isLoopback(u) || checkRedirectURI(text) != nil {
		return ""
	}
	host := strings.TrimSuffix(u.Host, ":"+u.Port())
	before, after, _ := strings.Cut(text, u.Host)
	return before + host + after
}

// isLoopback reports whether a URI leads to the machine of its reader.
func isLoopback(u *url.URL) bool {
	address, err := netip.ParseAddr(u.Hostname())
	return u.Hostname() == "localhost" || err == nil && address.IsLoopback()
}
