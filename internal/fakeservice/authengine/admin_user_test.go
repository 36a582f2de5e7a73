package authengine

import (
	"net/url"
	"reflect"
	"strings"
	"testing"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest/machine"
)

func TestAdminCreates(t *testing.T) {
	t.Parallel()
	b := start(t)
	b.signUp("taken@example.test")
	const id = "1b4e28ba-2fa1-41d2-883f-0016d3cca427"
	type form = map[string]any
	made := b.must(b.asService("POST", "/admin/users", form{
		"id": id, "email": "Ada@example.test", "password": testPassword, "email_confirm": true, "role": "editor",
		"user_metadata": form{"name": "Ada"}, "app_metadata": form{"plan": "all"},
	}), 200, "")
	if made.text("id") != id || made.text("email") != "ada@example.test" || made.text("email_confirmed_at") == "" || made.text("role") != "editor" ||
		made.body["user_metadata"].(form)["name"] != "Ada" || made.body["app_metadata"].(form)["plan"] != "all" || made.body["app_metadata"].(form)["provider"] != "email" {
		t.Errorf("the new user: got %v, want the confirmed editor %s with the name Ada, the plan all and the provider email", made.body, id)
	}
	if signed := b.must(b.signIn("ada@example.test", testPassword), 200, ""); signed.claims(t)["role"] != "editor" {
		t.Errorf("the claims of the user's token: got %v, want the role editor", signed.claims(t))
	}
	for what, row := range map[string]struct {
		form   form
		status int
		code   string
	}{
		"address taken":  {form{"email": "taken@example.test"}, 422, "email_exists"},
		"id taken":       {form{"email": "b@example.test", "id": id}, 422, "email_exists"},
		"no address":     {form{"password": testPassword}, 400, "validation_failed"},
		"no such id":     {form{"email": "b@example.test", "id": "7"}, 400, "validation_failed"},
		"phone":          {form{"phone": "123"}, 400, "phone_provider_disabled"},
		"weak password":  {form{"email": "b@example.test", "password": "short"}, 422, "weak_password"},
		"ban of nothing": {form{"email": "b@example.test", "ban_duration": "a while"}, 400, "validation_failed"},
		"ban in days":    {form{"email": "b@example.test", "ban_duration": "1d"}, 400, "validation_failed"},
		"no metadata":    {form{"email": "b@example.test", "app_metadata": 7}, 422, "validation_failed"},
	} {
		t.Run(what, func(t *testing.T) { b.must(b.asService("POST", "/admin/users", row.form), row.status, row.code) })
	}
	b.must(b.asService("POST", "/admin/users", ""), 400, "bad_json")
	b.must(b.call("POST", "/admin/users", "", form{"email": "b@example.test"}), 403, "not_admin")
	// A request with a user's access token acts as that user, even if it also has the
	// service key.
	token := b.signIn("ada@example.test", testPassword).text("access_token")
	b.must(b.send("POST", "/admin/users", map[string]string{"apikey": b.settings.Load().ServiceKey, "Authorization": "Bearer " + token}, form{}), 403, "not_admin")
	if want := []string{"auth_user_created", "auth_user_created"}; !reflect.DeepEqual(b.kinds(), want) {
		t.Errorf("the events: got %v, want %v", b.kinds(), want)
	}
}

func TestAdminUpdates(t *testing.T) {
	t.Parallel()
	b := start(t)
	b.signUp("taken@example.test")
	made := b.signUp("ada@example.test")
	path := "/admin/users/" + made.user()["id"].(string)
	type form = map[string]any
	b.mustAll(
		expected{b.asService("PUT", path, form{"email": "taken@example.test"}), 422, "email_exists"},
		expected{b.asService("PUT", path, form{"password": ""}), 422, "weak_password"},
		expected{b.asService("PUT", "/admin/users/7", form{}), 404, "user_not_found"},
		expected{b.asService("PUT", path, form{"user_metadata": form{"a": 1, "b": 2}}), 200, ""},
		expected{b.call("GET", "/user", made.text("access_token"), nil), 200, ""},
	)
	changed := b.must(b.asService("PUT", path, form{
		"email": "new@example.test", "password": "another horse", "user_metadata": form{"a": nil}, "app_metadata": form{"plan": "all"}, "role": "editor",
	}), 200, "")
	if changed.text("email") != "new@example.test" || !reflect.DeepEqual(changed.body["user_metadata"], form{"b": 2.0}) ||
		changed.body["app_metadata"].(form)["plan"] != "all" || changed.text("role") != "editor" {
		t.Errorf("the changed user: got %v, want the editor new@example.test with the metadata b = 2 and the plan all", changed.body)
	}
	// A password that an administrator sets ends every session.
	b.must(b.call("GET", "/user", made.text("access_token"), nil), 403, "session_not_found")
	b.must(b.signIn("new@example.test", "another horse"), 200, "")

	anonymous := b.must(b.call("POST", "/signup", "", form{}), 200, "")
	grown := b.must(b.asService("PUT", "/admin/users/"+anonymous.user()["id"].(string), form{"email": "eve@example.test"}), 200, "")
	if grown.body["is_anonymous"] != false || grown.body["email_confirmed_at"] != nil {
		t.Errorf("the anonymous user with an address: got %v, want a permanent user that is not confirmed", grown.body)
	}
	grown = b.must(b.asService("PUT", "/admin/users/"+anonymous.user()["id"].(string), form{"email_confirm": true}), 200, "")
	if grown.body["email_confirmed_at"] == nil {
		t.Errorf("the confirmed user: got %v, want the time of the confirmation", grown.body)
	}
}

// A banned user cannot sign in by any method, and is not signed out by the ban.
func TestBan(t *testing.T) {
	t.Parallel()
	b := start(t)
	made := b.signUp("ada@example.test")
	path := "/admin/users/" + made.user()["id"].(string)
	b.must(b.call("POST", "/otp", "", map[string]any{"email": "ada@example.test"}), 200, "")
	sent := b.mail("ada@example.test")
	ban := func(duration string) reply {
		return b.must(b.asService("PUT", path, map[string]any{"ban_duration": duration}), 200, "")
	}
	if banned := ban("24h"); banned.text("banned_until") == "" {
		t.Errorf("the banned user: got %v, want the end of the ban", banned.body)
	}
	b.mustAll(
		expected{b.signIn("ada@example.test", testPassword), 400, "user_banned"},
		expected{b.signIn("ada@example.test", "wrong password"), 400, "invalid_credentials"},
		expected{b.refresh(made.text("refresh_token")), 400, "user_banned"},
	)
	for _, ask := range [][2]string{{"GET", "/user"}, {"PUT", "/user"}, {"GET", "/reauthenticate"}} {
		b.must(b.call(ask[0], ask[1], made.text("access_token"), map[string]any{}), 403, "user_banned")
	}
	for _, form := range []map[string]any{{"type": "email", "token_hash": sent.token()}, {"type": "email", "email": sent.Email, "token": sent.Code}} {
		b.must(b.call("POST", "/verify", "", form), 403, "user_banned")
	}
	if to, _ := url.ParseQuery(b.follow(sent).Fragment); to.Get("error_code") != "user_banned" || to.Get("access_token") != "" {
		t.Errorf("the link of a banned user: got %v, want the error user_banned and no token", to)
	}
	if free := ban("none"); free.body["banned_until"] != nil {
		t.Errorf("the user after the ban: got %v, want no ban", free.body)
	}
	b.mustAll(
		expected{b.call("GET", "/user", made.text("access_token"), nil), 200, ""},
		expected{b.refresh(made.text("refresh_token")), 200, ""},
		expected{b.signIn("ada@example.test", testPassword), 200, ""},
	)
	ban("none")
	if want := []string{"auth_user_created", "auth_link_sent", "auth_user_banned", "auth_user_unbanned"}; !reflect.DeepEqual(b.kinds(), want) {
		t.Errorf("the events: got %v, want %v", b.kinds(), want)
	}
	// A ban ends by itself.
	ban("1s")
	machine.Until(t, "a ban of a second ends", func() bool { return b.signIn("ada@example.test", testPassword).status == 200 })
	born := b.must(b.asService("POST", "/admin/users", map[string]any{"email": "eve@example.test", "password": testPassword, "email_confirm": true, "ban_duration": "1h"}), 200, "")
	if born.text("banned_until") == "" {
		t.Errorf("the new user: got %v, want the end of the ban", born.body)
	}
	b.must(b.signIn("eve@example.test", testPassword), 400, "user_banned")
}

func TestSoftDeletion(t *testing.T) {
	t.Parallel()
	b := start(t)
	made := b.signUp("ada@example.test")
	path := "/admin/users/" + made.user()["id"].(string)
	for range 2 {
		b.must(b.asService("DELETE", path, map[string]any{"should_soft_delete": true}), 200, "")
	}
	left := b.must(b.asService("GET", path, nil), 200, "")
	if left.text("deleted_at") == "" || strings.Contains(left.text("email"), "ada") || len(left.body["identities"].([]any)) != 0 {
		t.Errorf("the user after a soft deletion: got %v, want an anonymized record", left.body)
	}
	b.must(b.call("GET", "/user", made.text("access_token"), nil), 403, "session_not_found")
	b.must(b.signIn("ada@example.test", testPassword), 400, "invalid_credentials")
	b.signUp("ada@example.test")
	b.must(b.asService("DELETE", path, nil), 200, "")
	b.must(b.asService("GET", path, nil), 404, "user_not_found")
	if want := []string{"auth_user_created", "auth_user_deleted", "auth_user_created"}; !reflect.DeepEqual(b.kinds(), want) {
		t.Errorf("the events: got %v, want %v", b.kinds(), want)
	}
}
