package authengine

import (
	"reflect"
	"testing"

	"github.com/instance-hosting/terraform-provider-hosting/internal/must"
)

// Clients that ask for the newer form of errors get it, and others the older one.
func TestFormsOfErrors(t *testing.T) {
	t.Parallel()
	b := start(t)
	ask := func(version string) reply {
		header := map[string]string{"apikey": b.settings.Load().AnonKey, "Content-Type": "application/json"}
		if version != "" {
			header[versionHeader] = version
		}
		return b.send("POST", "/signup", header, map[string]any{"email": "ada@example.test", "password": "short"})
	}
	weak := map[string]any{"reasons": []any{"length"}}
	for _, version := range []string{"", "2023-01-01"} {
		got := ask(version)
		want := map[string]any{"code": 422.0, "error_code": "weak_password", "msg": got.text("msg"), "weak_password": weak}
		if got.status != 422 || got.text("msg") == "" || !reflect.DeepEqual(got.body, want) || got.header.Get(versionHeader) != "" {
			t.Errorf("the answer with version %q: got %d %v, want 422 %v", version, got.status, got.body, want)
		}
	}
	got := ask("2024-01-01")
	want := map[string]any{"code": "weak_password", "message": got.text("message"), "weak_password": weak}
	if got.status != 422 || got.text("message") == "" || !reflect.DeepEqual(got.body, want) || got.header.Get(versionHeader) != "2024-01-01" {
		t.Errorf("the answer with the newer version: got %d %v, want 422 %v", got.status, got.body, want)
	}
}

func TestWhatClientsAskFirst(t *testing.T) {
	t.Parallel()
	b := start(t)
	settings := b.must(b.call("GET", "/settings", "", nil), 200, "")
	if external := settings.body["external"].(map[string]any); external["email"] != true || external["anonymous_users"] != true || settings.body["mailer_autoconfirm"] != true {
		t.Errorf("the settings: got %v, want email, anonymous users and confirmation by itself", settings.body)
	}
	// The signing key is a secret, so no key is published.
	if keys := b.must(b.send("GET", "/.well-known/jwks.json", nil, nil), 200, ""); len(keys.body["keys"].([]any)) != 0 {
		t.Errorf("the published keys: got %v, want none", keys.body)
	}
}

// Codes that were sent before a restart still work after it, and the database does not
// contain their secrets.
func TestMailsOutliveRestarts(t *testing.T) {
	t.Parallel()
	b := start(t)
	b.must(b.call("POST", "/otp", "", map[string]any{"email": "ada@example.test"}), 200, "")
	sent := b.mail("ada@example.test")
	b.in("DO $$ BEGIN IF EXISTS (SELECT 1 FROM auth.one_time_tokens AS t WHERE t::text LIKE '%" + sent.token() + "%') THEN RAISE 'a token'; END IF; END $$")
	must.Do(t, b.Restart(t.Context()))
	b.must(b.call("POST", "/verify", "", map[string]any{"type": "email", "email": sent.Email, "token": sent.Code}), 200, "")
}
