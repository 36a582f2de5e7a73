package fakeservice_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest"
	"github.com/instance-hosting/terraform-provider-hosting/internal/must"
)

// A page of another site in a browser on this machine cannot use any interface of the
// fake. It can use neither its own host name, if that resolves to this machine, nor a
// name of the fake.
func TestVisitors(t *testing.T) {
	t.Parallel()
	a := start(t, func(o *fakeservice.Options) { o.Names = []string{"fake.internal"} })
	for _, row := range []struct {
		host, header, value string
		want                int
	}{
		{"127.0.0.1:8080", "", "", 200}, {"localhost", "", "", 200}, {"LOCALHOST:8080", "", "", 200},
		{"[::1]:8080", "", "", 200}, {"[::1]", "", "", 200}, {"192.0.2.1:8080", "", "", 200}, {"fake.internal:8080", "", "", 200},
		{"evil.example", "", "", 403}, {"localhost.evil.example", "", "", 403}, {"127.0.0.1.evil.example:8080", "", "", 403},
		{"", "", "", 403}, {"[", "", "", 403},
		{"localhost:8080", "Origin", "http://localhost:8080", 200}, {"localhost:8080", "Origin", "http://localhost:9090", 403},
		{"localhost:8080", "Origin", "https://evil.example", 403}, {"localhost:8080", "Origin", "null", 403}, {"localhost:8080", "Origin", "::", 403},
		{"localhost:8080", "Sec-Fetch-Site", "same-origin", 200}, {"localhost:8080", "Sec-Fetch-Site", "none", 200},
		{"localhost:8080", "Sec-Fetch-Site", "cross-site", 403}, {"localhost:8080", "Sec-Fetch-Site", "same-site", 403},
	} {
		for path, token := range map[string]string{
			"/api/v1/plans": fakeservicetest.APIKey, "/_fake/left": a.ControlToken(), "/guides/apps": "", "/.well-known/oauth-protected-resource/mcp": "",
			"/mcp": fakeservicetest.APIKey,
		} {
			want := row.want
			if path == "/mcp" && want == http.StatusOK {
				want = http.StatusMethodNotAllowed // it takes only POST
			}
			if path == "/_fake/left" && row.header == "Origin" {
				want = http.StatusForbidden // pages may not use it at all
			}
			request := httptest.NewRequest(http.MethodGet, path, nil)
			request.Host = row.host
			request.Header.Set("Authorization", "Bearer "+token)
			if row.header != "" {
				request.Header.Set(row.header, row.value)
			}
			answer := httptest.NewRecorder()
			if a.ServeHTTP(answer, request); answer.Code != want {
				t.Errorf("%s as %q with %s %q: got %d, want %d", path, row.host, row.header, row.value, answer.Code, want)
			}
		}
	}
}

// Without an APIKey the fake generates random secrets.
func TestKeysAreRandom(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for range 3 {
		s := fakeservice.New(fakeservice.Options{})
		for _, secret := range []string{s.APIKey(), s.ControlToken()} {
			if len(secret) < 20 || seen[secret] {
				t.Errorf("the secret: got %q, want at least 20 characters and another one than before", secret)
			}
			seen[secret] = true
		}
		must.Report(t, s.Close())
	}
}
