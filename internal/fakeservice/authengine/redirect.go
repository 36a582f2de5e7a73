package authengine

import (
	"net/http"
	"net/url"
	"regexp"
	"strings"
)

// redirectTarget returns the target of a link: the requested one if the settings allow it,
// and the site otherwise. Without this check, an attacker could send a signed-in visitor,
// with the tokens, to the attacker's page.
func redirectTarget(s *Settings, wanted string) (string, error) {
	if wanted != "" && allowed(s, wanted) {
		return wanted, nil
	}
	if s.SiteURL == "" {
		return "", &problem{http.StatusBadRequest, "validation_failed", "The auth engine has no site_url that a link could lead to."}
	}
	return s.SiteURL, nil
}

func allowed(s *Settings, wanted string) bool {
	target, err := url.Parse(wanted)
	if err != nil || target.Host == "" || target.User != nil || strings.ContainsAny(wanted, "\\\r\n\t ") {
		return false
	}
	// A path with dots could leave the part that a pattern allows.
	for part := range strings.SplitSeq(target.Path, "/") {
		if part == ".." || part == "." {
			return false
		}
	}
	target.RawQuery, target.Fragment, target.RawFragment = "", "", ""
	// An address without a path means the root.
	if target.Path == "" {
		target.Path = "/"
	}
	address := target.String()
	if site, err := url.Parse(s.SiteURL); err == nil && site.Host != "" && site.Scheme == target.Scheme && site.Host == target.Host {
		return true
	}
	for _, pattern := range s.RedirectURLs {
		if matchesPattern(pattern, address) {
			return true
		}
	}
	return false
}

// matchesPattern reports whether an address matches a pattern: ** stands for anything, *
// for anything except a slash or a dot, and ? for one such character.
func matchesPattern(pattern, address string) bool {
	if !strings.Contains(strings.TrimPrefix(pattern, schemeOf(pattern)), "/") {
		pattern += "/"
	}
	text := regexp.QuoteMeta(pattern)
	text = strings.NewReplacer(`\*\*`, `.*`, `\*`, `[^/.]*`, `\?`, `[^/.]`).Replace(text)
	expression, err := regexp.Compile("^" + text + "$")
	return err == nil && expression.MatchString(address)
}

func schemeOf(pattern string) string {
	scheme, _, found := strings.Cut(pattern, "://")
	if !found {
		return ""
	}
	return scheme + "://"
}
