package fakeservice_test

import (
	"cmp"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest"
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
		for path, token := range map[string]string{"/api/v1/plans": fakeservicetest.APIKey, "/_fake/left": a.ControlToken(), "/guides/apps": "", "/.well-known/oauth-protected-resource/mcp": ""} {
			want := row.want
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

// A page of another origin in a browser on this machine is refused every request, even
// with the API's key and the control token. The requests have no effect.
func TestForeignPage(t *testing.T) {
	t.Parallel()
	a := start(t)
	const page = "https://evil.example"
	creation := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"create_instance","arguments":{"name":"mined","tier":"free","location":"eu-central"}}}`
	token := map[string]string{"/api/v1": "Bearer " + fakeservicetest.APIKey, "/mcp": "Bearer " + fakeservicetest.APIKey, "/_fake": "Bearer " + a.ControlToken()}
	instance := `{"name":"mined","plan":"free","region":"eu-central","engines":{"postgres":true}}`
	for _, try := range []struct {
		what, method, face, path, body string
		host                           string // 127.0.0.1 if empty
		header                         []string
	}{
		{"reads the account's instances", "GET", "/api/v1", "/instances", "", "", []string{"Origin", page}},
		{"makes an instance", "POST", "/api/v1", "/instances", instance, "", []string{"Origin", page}},
		{"makes an instance by a form, without being asked first", "POST", "/api/v1", "/instances", instance, "", []string{"Origin", page, "Content-Type", "text/plain"}},
		{"asks beforehand whether it may", "OPTIONS", "/api/v1", "/instances", "", "", []string{"Origin", page, "Access-Control-Request-Method", "POST", "Access-Control-Request-Headers", "authorization"}},
		{"sends from a sandbox, which has no origin", "POST", "/api/v1", "/instances", instance, "", []string{"Origin", "null"}},
		{"reads as a picture, which tells no origin", "GET", "/api/v1", "/plans", "", "", []string{"Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "no-cors", "Sec-Fetch-Dest", "image"}},
		{"brings a name of its own that leads here", "GET", "/api/v1", "/instances", "", "evil.example", nil},
		{"makes an instance by a tool", "POST", "/mcp", "", creation, "", []string{"Origin", page}},
		{"makes an instance by a tool, by a name of its own", "POST", "/mcp", "", creation, "evil.example", nil},
		{"asks beforehand whether it may call tools", "OPTIONS", "/mcp", "", "", "", []string{"Origin", page, "Access-Control-Request-Method", "POST"}},
		{"reads where keys come from", "GET", "/.well-known", "/oauth-protected-resource/mcp", "", "", []string{"Origin", page}},
		{"reads mails", "GET", "/_fake", "/mail", "", "", []string{"Origin", page}},
		{"reads the records", "GET", "/_fake", "/state", "", "", []string{"Sec-Fetch-Site", "cross-site"}},
		{"forgets everything", "POST", "/_fake", "/reset", "", "", []string{"Origin", page}},
		{"sets a fault, by a name of its own", "POST", "/_fake", "/faults", `{"page":503,"times":-1}`, "evil.example:8080", []string{"Origin", "http://evil.example:8080"}},
		{"asks beforehand whether it may control", "OPTIONS", "/_fake", "/reset", "", "", []string{"Origin", page, "Access-Control-Request-Method", "POST"}},
	} {
		request := httptest.NewRequest(try.method, try.face+try.path, strings.NewReader(try.body))
		request.Host = cmp.Or(try.host, "127.0.0.1:8080")
		request.Header.Set("Authorization", token[try.face])
		request.Header.Set("Content-Type", "application/json")
		for i := 0; i+1 < len(try.header); i += 2 {
			request.Header.Set(try.header[i], try.header[i+1])
		}
		answer := httptest.NewRecorder()
		a.ServeHTTP(answer, request)
		verdict := "refused"
		for name := range answer.Header() {
			if strings.HasPrefix(name, "Access-Control-Allow-") {
				verdict = "ALLOWED by " + name
			}
		}
		if answer.Code != http.StatusForbidden {
			verdict = "NOT REFUSED"
		}
		line := fmt.Sprintf("%s: a page of another origin %s: %s %s%s (%d)", verdict, try.what, try.method, try.face, try.path, answer.Code)
		if verdict != "refused" {
			t.Error(line)
			continue
		}
		t.Log(line)
	}
	if in, requests := a.Instances(), a.Requests(); len(in) > 0 || len(requests) > 0 {
		t.Errorf("the service after the requests of the page: got instances %v and requests %v, want none", in, requests)
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
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
}
