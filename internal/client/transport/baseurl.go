package transport

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"strings"
)

// apiPath is the required suffix of every base URL (SERVICE.md#base-url).
const apiPath = "/api/v1"

// ParseBaseURL parses a base URL. The URL must be absolute, end in /api/v1 and have no
// user, query or fragment. It must use https unless its host is a loopback address.
func ParseBaseURL(raw string) (*url.URL, error) {
	u, err := url.Parse(raw)
	switch {
	case err != nil:
		return nil, errors.New("the base URL is not a URL")
	case u.Host == "":
		return nil, errors.New("the base URL must be absolute, like https://hosting.example/api/v1")
	case u.User != nil:
		return nil, errors.New("the base URL must not contain a user")
	case strings.ContainsAny(raw, "?#"):
		return nil, errors.New("the base URL must not contain a query or a fragment, not even an empty one")
	case u.Scheme == "https", u.Scheme == "http" && IsLoopback(u.Hostname()):
	case u.Scheme == "http":
		return nil, errors.New("the base URL must use https, as http would send the API key unencrypted (http is accepted for loopback addresses only)")
	default:
		return nil, fmt.Errorf("the base URL must use https, not %q", u.Scheme)
	}
	// Proxies are never used for "localhost", but Go compares only this spelling.
	u.Host = strings.ToLower(u.Host)
	u.Path, u.RawPath = strings.TrimRight(u.Path, "/"), ""
	if !strings.HasSuffix(u.Path, apiPath) {
		return nil, fmt.Errorf("the base URL must end in %s, like %s://%s%s; %q does not", apiPath, u.Scheme, u.Host, apiPath, raw)
	}
	return u, nil
}

// CheckAPIKey rejects a value that cannot be an API key, such as one that ends with the
// newline of the file from which it was read.
func CheckAPIKey(key string) error {
	if key == "" {
		return errors.New("the API key is empty")
	}
	for _, char := range key {
		if char <= ' ' || char > '~' {
			return errors.New("the API key contains white space or another character that no key has; a key read from a file often ends in a newline, which trimspace() removes")
		}
	}
	return nil
}

// IsLoopback reports whether a host is a loopback address.
func IsLoopback(host string) bool {
	if strings.EqualFold(host, "localhost") {
		return true
	}
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback()
}
