package client

import "testing"

func TestSameURL(t *testing.T) {
	for pair, want := range map[[2]string]bool{
		{"https://A.example/x", "https://a.example/x"}:                          true,
		{"HTTPS://a.example/x", "https://a.example/x"}:                          true,
		{"https://a.example/X", "https://a.example/x"}:                          false,
		{"https://a.example", "https://b.example"}:                              false,
		{"https://a.example", "https://a.example/"}:                             false,
		{"https://a.example:443/x", "https://a.example/x"}:                      true,
		{"http://a.example:80/x", "http://a.example/x"}:                         true,
		{"https://a.example:80/x", "https://a.example/x"}:                       false,
		{"https://[2001:DB8::1]:443/x", "https://[2001:db8::1]/x"}:              true,
		{"https://BÜcher.example/x", "https://xn--bcher-kva.example/x"}:         true,
		{"https://bücher.example:443/x", "https://xn--bcher-kva.example/x"}:     true,
		{"https://bücher.example:8443", "https://xn--bcher-kva.example:8443"}:   true,
		{"https://*.bücher.example/**", "https://*.xn--bcher-kva.example/**"}:   true,
		{"https://in:pw@bücher.example", "https://in:pw@xn--bcher-kva.example"}: true,
		{"https://straße.example", "https://strasse.example"}:                   false,
		{"myapp://login:443", "myapp://login"}:                                  false,
		{"://", "://"}:                                                          true,
		{"://", "https://a.example"}:                                            false,
	} {
		if got := SameURL(pair[0], pair[1]); got != want {
			t.Errorf("SameURL(%q, %q) = %v, want %v", pair[0], pair[1], got, want)
		}
	}
}
