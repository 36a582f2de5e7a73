package httpauth_test

import (
	"crypto/tls"
	"net/http/httptest"
	"testing"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/httpauth"
)

func TestToken(t *testing.T) {
	t.Parallel()
	for header, want := range map[string]string{
		"": "", "Bearer": "", "Bearer ": "", "Bearer k": "k", "bearer k": "k", "BEARER k": "k", "Bearer  k": "k", "Basic k": "", "k": "", "Bearerk": "",
	} {
		r := httptest.NewRequest("GET", "/", nil)
		r.Header.Set("Authorization", header)
		if got := httpauth.Token(r); got != want {
			t.Errorf("the token of %q: got %q, want %q", header, got, want)
		}
	}
}

func TestRoot(t *testing.T) {
	t.Parallel()
	plain, proxied, secure := httptest.NewRequest("GET", "/x", nil), httptest.NewRequest("GET", "/x", nil), httptest.NewRequest("GET", "/x", nil)
	proxied.Header.Set("X-Forwarded-Proto", "https")
	secure.TLS = &tls.ConnectionState{}
	plain.Host, proxied.Host, secure.Host = "localhost:80", "fake.test", "[::1]:443"
	for _, row := range []struct{ got, want string }{
		{httpauth.Root(plain), "http://localhost:80"}, {httpauth.Root(proxied), "https://fake.test"}, {httpauth.Root(secure), "https://[::1]:443"},
	} {
		if row.got != row.want {
			t.Errorf("the root of the fake: got %s, want %s", row.got, row.want)
		}
	}
}
