package attributes

import (
	"net/url"

	"github.com/instance-hosting/terraform-provider-hosting/internal/client"
)

// HTTPSURL returns the rule for an https URL. Its error shows nothing behind the host,
// which may be secret.
func HTTPSURL() TextRule {
	return TextRule{
		must: "must be an absolute https URL, like https://example.com/hook",
		holds: func(s string) bool {
			u, err := url.Parse(s)
			return err == nil && u.Scheme == "https" && u.Hostname() != ""
		},
		shown: client.ShownURL,
	}
}

// AbsoluteURL returns the rule for a URL of any scheme: an app on a phone may have a scheme
// of its own, like myapp://login.
func AbsoluteURL() TextRule {
	return TextRule{
		must: "must be an absolute URL, like https://example.com",
		holds: func(s string) bool {
			u, err := url.Parse(s)
			isWeb := err == nil && (u.Scheme == "http" || u.Scheme == "https")
			return err == nil && u.Scheme != "" && u.Opaque == "" && (u.Hostname() != "" || !isWeb && u.Path != "")
		},
		shown: client.ShownURL,
	}
}
