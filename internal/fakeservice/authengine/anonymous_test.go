package authengine

import (
	"reflect"
	"testing"
)

// A sign-up without an e-mail address creates an anonymous account. An e-mail address makes
// the account permanent, in the same session and with the same id.
func TestAnonymousBecomesPermanent(t *testing.T) {
	t.Parallel()
	b := start(t)
	b.signUp("taken@example.test")
	made := b.must(b.call("POST", "/signup", "", map[string]any{"data": map[string]any{"cart": 1}}), 200, "")
	id := made.user()["id"]
	if u := made.user(); u["is_anonymous"] != true || u["email"] != "" || u["email_confirmed_at"] != nil || len(u["app_metadata"].(map[string]any)) != 0 ||
		len(u["identities"].([]any)) != 0 || u["user_metadata"].(map[string]any)["cart"] != 1.0 {
		t.Errorf("the anonymous user: got %v, want only an id and the metadata cart = 1", u)
	}
	said := made.claims(t)
	if said["is_anonymous"] != true || said["amr"].([]any)[0].(map[string]any)["method"] != "anonymous" {
		t.Errorf("the claims of the anonymous user's token: got %v, want is_anonymous and the method anonymous", said)
	}
	// Two anonymous accounts do not conflict, because neither has an address.
	b.must(b.call("POST", "/signup", "", map[string]any{}), 200, "")

	token := made.text("access_token")
	b.mustAll(
		expected{b.call("GET", "/reauthenticate", token, nil), 422, "validation_failed"},
		expected{b.call("PUT", "/user", token, map[string]any{"password": testPassword}), 422, "validation_failed"},
		expected{b.call("PUT", "/user", token, map[string]any{"email": "taken@example.test"}), 422, "email_exists"},
	)
	grown := b.must(b.call("PUT", "/user", token, map[string]any{"email": "Ada@example.test", "password": testPassword}), 200, "")
	if grown.body["id"] != id || grown.text("email") != "ada@example.test" || grown.body["is_anonymous"] != false || grown.text("email_confirmed_at") == "" ||
		grown.body["app_metadata"].(map[string]any)["provider"] != "email" || grown.body["user_metadata"].(map[string]any)["cart"] != 1.0 {
		t.Errorf("the permanent user: got %v, want the confirmed user %v as ada@example.test with the provider email and cart = 1", grown.body, id)
	}
	if again := b.must(b.refresh(made.text("refresh_token")), 200, ""); again.claims(t)["is_anonymous"] != false || again.claims(t)["session_id"] != said["session_id"] {
		t.Errorf("the claims after a refresh: got %v, want a permanent user and session %v", again.claims(t), said["session_id"])
	}
	if again := b.must(b.signIn("ada@example.test", testPassword), 200, ""); again.user()["id"] != id {
		t.Errorf("the user who signs in: got %v, want %v", again.user(), id)
	}
	if want := []string{"auth_user_created", "auth_user_created", "auth_user_created"}; !reflect.DeepEqual(b.kinds(), want) {
		t.Errorf("the events: got %v, want %v", b.kinds(), want)
	}
}

// Tokens have the claims that clients of the open auth servers read.
func TestClaims(t *testing.T) {
	t.Parallel()
	b := start(t)
	made := b.signUp("ada@example.test")
	said := made.claims(t)
	first := said["amr"].([]any)[0].(map[string]any)
	for name, want := range map[string]any{
		"aud": "authenticated", "role": "authenticated", "email": "ada@example.test", "phone": "", "aal": "aal1",
		"is_anonymous": false, "sub": made.user()["id"], "iss": b.URL(), "exp": made.body["expires_at"],
	} {
		if said[name] != want {
			t.Errorf("the claim %s: got %v, want %v", name, said[name], want)
		}
	}
	if first["method"] != "password" || first["timestamp"] == nil || said["session_id"] == "" {
		t.Errorf("the claims: got %v, want a session and the method password with a time", said)
	}
	// A refresh continues the session: the user authenticated at its beginning.
	later := b.must(b.refresh(made.text("refresh_token")), 200, "").claims(t)
	if later["session_id"] != said["session_id"] || !reflect.DeepEqual(later["amr"], said["amr"]) {
		t.Errorf("the claims after a refresh: got %v, want session %v and amr %v", later, said["session_id"], said["amr"])
	}
}
