package client

import (
	"net/url"
	"strings"
	"unicode"

	"golang.org/x/net/idna"
)

// SameURL reports whether two URLs have the same canonical form. A service may normalise a
// URL.
func SameURL(a, b string) bool { return CanonicalURL(a) == CanonicalURL(b) }

// ShowsURL reports whether a record shows a known URL, which it may mask in part.
func ShowsURL(shown, known string) bool { return SameURL(shown, known) || masks(shown, known) }

// SameURLs reports whether two lists contain the same URLs, by SameURL, in any order.
func SameURLs(a, b []string) bool { return sameSet(canonicalURLs(a), canonicalURLs(b)) }

func canonicalURLs(raw []string) []string {
	var canonical []string
	for _, one := range raw {
		canonical = append(canonical, CanonicalURL(one))
	}
	return canonical
}

// CanonicalURL returns a URL with its host in lower case and in ASCII (RFC 5891), and
// without the default port of its scheme. A URL that cannot be parsed is returned unchanged.
func CanonicalURL(raw string) string {
	u, err := url.Parse(raw)
	if err != nil {
		return raw
	}
	host := strings.ToLower(u.Host)
	if port := u.Port(); u.Scheme == "https" && port == "443" || u.Scheme == "http" && port == "80" {
		host = strings.TrimSuffix(host, ":"+port)
	}
	if strings.ContainsFunc(host, func(r rune) bool { return r > unicode.MaxASCII }) {
		if ascii, err := hostNames.ToASCII(host); err == nil {
			host = ascii
		}
	}
	u.Host = host
	return u.String()
}

// hostNames converts host names to ASCII. It keeps a port, and the * of a pattern.
var hostNames = idna.New(idna.MapForLookup(), idna.StrictDomainName(false))

// ShownURL returns a URL as messages show it: its scheme and host, because the rest may be
// secret. It returns "" for a text that is not an absolute URL, which may be secret too.
func ShownURL(raw string) string {
	u, err := url.Parse(raw)
	if err != nil || u.Scheme == "" || u.Host == "" {
		return ""
	}
	return u.Scheme + "://" + u.Host
}
