package main

import (
	"encoding/pem"
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/instance-hosting/terraform-provider-hosting/internal/must"
)

// The program reads the metadata documents of OAuth clients from where webhooks may go: on
// this machine only if it is told to.
func TestDocumentsOfOAuthClients(t *testing.T) {
	t.Parallel()
	id := ""
	documents := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"client_id": %q, "client_name": "Agent", "redirect_uris": ["http://127.0.0.1/callback"]}`, id)
	}))
	defer documents.Close()
	id = documents.URL + "/client.json"
	ca := filepath.Join(t.TempDir(), "ca.pem")
	must.Do(t, os.WriteFile(ca, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: documents.Certificate().Raw}), 0o600))
	for _, row := range []struct {
		flags []string
		want  string
	}{
		{[]string{"--webhook-loopback"}, "Connect Agent?"},
		{nil, "cannot be read"},
	} {
		fake := runFake(t, io.Discard, append([]string{"--data-plane", "off", "--portal-password", "p", "--webhook-ca", ca}, row.flags...)...)
		root := strings.TrimSuffix(fake.base, "/api/v1")
		jar := must.Get(cookiejar.New(nil))(t)
		response, err := (&http.Client{Jar: jar}).PostForm(root+"/portal/sign-in", url.Values{
			"email": {"customer@example.com"}, "password": {"p"}, "next": {"/portal/authorize?" + url.Values{
				"client_id": {id}, "redirect_uri": {"http://127.0.0.1:1/callback"}, "response_type": {"code"}, "resource": {root + "/mcp"},
				"code_challenge": {strings.Repeat("c", 43)}, "code_challenge_method": {"S256"},
			}.Encode()},
		})
		must.Do(t, err)
		text, err := io.ReadAll(response.Body)
		response.Body.Close()
		if err != nil || !strings.Contains(string(text), row.want) {
			t.Errorf("with the flags %q: got %d %s, %v, want %q", row.flags, response.StatusCode, text, err, row.want)
		}
	}
}
