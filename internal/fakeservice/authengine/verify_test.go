package authengine

import (
	"crypto/sha256"
	"encoding/base64"
	"maps"
	"net/url"
	"reflect"
	"strings"
	"testing"
)

// A code and the token of a link each sign in once, for the purpose that they were sent
// for.
func TestVerify(t *testing.T) {
	t.Parallel()
	b := start(t)
	b.signUp("ada@example.test")
	magic := func(email string) Event {
		b.must(b.call("POST", "/otp", "", map[string]any{"email": email}), 200, "")
		return b.mail(email)
	}
	recovery := func(email string) Event {
		b.must(b.call("POST", "/recover", "", map[string]any{"email": email}), 200, "")
		return b.mail(email)
	}
	invitation := func(email string) Event {
		b.must(b.asService("POST", "/invite", map[string]any{"email": email}), 200, "")
		return b.mail(email)
	}
	const ada = "ada@example.test"
	type form = map[string]any
	for what, row := range map[string]struct {
		mail   func(string) Event
		to     string
		form   func(Event) form
		status int
		code   string
	}{
		"magic code":          {magic, ada, func(e Event) form { return form{"type": "email", "email": ada, "token": e.Code} }, 200, ""},
		"magic code, by name": {magic, ada, func(e Event) form { return form{"type": "magiclink", "email": "Ada@example.test ", "token": e.Code} }, 200, ""},
		"magic token":         {magic, ada, func(e Event) form { return form{"type": "email", "token_hash": e.token()} }, 200, ""},
		"recovery code":       {recovery, ada, func(e Event) form { return form{"type": "recovery", "email": ada, "token": e.Code} }, 200, ""},
		"recovery token":      {recovery, ada, func(e Event) form { return form{"type": "recovery", "token_hash": e.token()} }, 200, ""},
		"invitation's code":   {invitation, "bob@example.test", func(e Event) form { return form{"type": "invite", "email": e.Email, "token": e.Code} }, 200, ""},
		"invitation's token":  {invitation, "eve@example.test", func(e Event) form { return form{"type": "invite", "token_hash": e.token()} }, 200, ""},
		"somebody new":        {magic, "new@example.test", func(e Event) form { return form{"type": "email", "email": e.Email, "token": e.Code} }, 200, ""},

		"another's code":    {magic, ada, func(e Event) form { return form{"type": "email", "email": "bob@example.test", "token": e.Code} }, 403, "otp_expired"},
		"nobody's code":     {magic, ada, func(e Event) form { return form{"type": "email", "email": "no@example.test", "token": e.Code} }, 403, "otp_expired"},
		"wrong code":        {magic, ada, func(Event) form { return form{"type": "email", "email": ada, "token": "no"} }, 403, "otp_expired"},
		"wrong token":       {magic, ada, func(Event) form { return form{"type": "email", "token_hash": "no"} }, 403, "otp_expired"},
		"code as token":     {magic, ada, func(e Event) form { return form{"type": "email", "token_hash": e.Code} }, 403, "otp_expired"},
		"other type":        {magic, ada, func(e Event) form { return form{"type": "signup", "token_hash": e.token()} }, 403, "otp_expired"},
		"no type":           {magic, ada, func(e Event) form { return form{"token_hash": e.token()} }, 400, "validation_failed"},
		"unknown type":      {magic, ada, func(e Event) form { return form{"type": "spell", "token_hash": e.token()} }, 400, "validation_failed"},
		"reauthentication":  {magic, ada, func(e Event) form { return form{"type": "reauthentication", "email": ada, "token": e.Code} }, 400, "validation_failed"},
		"no token":          {magic, ada, func(Event) form { return form{"type": "email", "email": ada} }, 400, "validation_failed"},
		"code without mail": {magic, ada, func(e Event) form { return form{"type": "email", "token": e.Code} }, 400, "validation_failed"},
		"both":              {magic, ada, func(e Event) form { return form{"type": "email", "token_hash": e.token(), "email": ada} }, 400, "validation_failed"},
		"phone":             {magic, ada, func(e Event) form { return form{"type": "sms", "phone": "1", "token": e.Code} }, 400, "phone_provider_disabled"},
	} {
		t.Run(what, func(t *testing.T) {
			sent := row.mail(row.to)
			got := b.must(b.call("POST", "/verify", "", row.form(sent)), row.status, row.code)
			if row.status != 200 {
				return
			}
			if got.user()["email"] != row.to || got.user()["email_confirmed_at"] == nil || got.claims(t)["amr"].([]any)[0].(map[string]any)["method"] != "otp" {
				t.Errorf("the user who is signed in: got %v, want the confirmed %s by the method otp", got.user(), row.to)
			}
			b.must(b.call("GET", "/user", got.text("access_token"), nil), 200, "")
			b.must(b.call("POST", "/verify", "", row.form(sent)), 403, "otp_expired")
			// The other of the two no longer works either.
			b.must(b.call("POST", "/verify", "", form{"type": "email", "token_hash": sent.token()}), 403, "otp_expired")
		})
	}
	old := magic(ada)
	b.in("UPDATE auth.one_time_tokens SET created_at = now() - interval '2 hours'")
	b.must(b.call("POST", "/verify", "", form{"type": "email", "email": ada, "token": old.Code}), 403, "otp_expired")
}

func TestOTP(t *testing.T) {
	t.Parallel()
	b := start(t)
	b.mustAll(
		expected{b.call("POST", "/otp", "", map[string]any{"email": "no@example.test", "create_user": false}), 422, "otp_disabled"},
		expected{b.call("POST", "/otp", "", map[string]any{"phone": "123"}), 400, "phone_provider_disabled"},
		expected{b.call("POST", "/otp", "", map[string]any{}), 400, "email_address_invalid"},
		expected{b.call("POST", "/otp", "", map[string]any{"email": "ada@example.test", "data": map[string]any{"name": "Ada"}}), 200, ""},
		expected{b.call("POST", "/otp", "", map[string]any{"email": "ada@example.test", "create_user": false}), 200, ""},
	)
	if want := []string{"auth_user_created", "auth_link_sent", "auth_link_sent"}; !reflect.DeepEqual(b.kinds(), want) {
		t.Errorf("the events: got %v, want %v", b.kinds(), want)
	}
	if sent := b.mail("ada@example.test"); len(sent.Code) != 6 || strings.Trim(sent.Code, "0123456789") != "" || !strings.Contains(sent.Link, "type=magiclink") {
		t.Errorf("the mail: got %+v, want a code of 6 digits and a magic link", sent)
	}
	got := b.must(b.call("POST", "/verify", "", map[string]any{"type": "email", "email": "ada@example.test", "token": b.mail("ada@example.test").Code}), 200, "")
	if got.user()["user_metadata"].(map[string]any)["name"] != "Ada" {
		t.Errorf("the user who is signed in: got %v, want the name Ada", got.user())
	}
	// An account created by a code has no password, so no password fits.
	b.must(b.signIn("ada@example.test", ""), 400, "invalid_credentials")
}

// A new address counts once the links to both addresses have been followed.
func TestChangeOfAddress(t *testing.T) {
	t.Parallel()
	b := start(t)
	token := b.signUp("old@example.test").text("access_token")
	b.signUp("taken@example.test")
	change := func(email string) reply { return b.call("PUT", "/user", token, map[string]any{"email": email}) }
	verify := func(e Event) reply {
		return b.call("POST", "/verify", "", map[string]any{"type": "email_change", "email": e.Email, "token": e.Code})
	}
	b.must(change("taken@example.test"), 422, "email_exists")
	if asked := b.must(change("new@example.test"), 200, ""); asked.text("email") != "old@example.test" || asked.text("new_email") != "new@example.test" {
		t.Errorf("the user who asks for another address: got %v, want old@example.test with new@example.test as the new one", asked.body)
	}
	first := b.mail("new@example.test")
	b.must(b.call("POST", "/resend", "", map[string]any{"type": "email_change", "email": "old@example.test"}), 200, "")
	b.must(verify(first), 403, "otp_expired")
	if half := b.must(verify(b.mail("new@example.test")), 200, ""); half.body["access_token"] != nil || !strings.Contains(half.text("msg"), "other email") {
		t.Errorf("the answer to half a change: got %v, want a message about the other email and no token", half.body)
	}
	b.must(verify(b.mail("new@example.test")), 403, "otp_expired")
	if whole := b.must(verify(b.mail("old@example.test")), 200, ""); whole.user()["email"] != "new@example.test" || whole.user()["new_email"] != nil {
		t.Errorf("the changed user: got %v, want new@example.test and no further new address", whole.user())
	}
	b.must(b.signIn("old@example.test", testPassword), 400, "invalid_credentials")
	b.must(b.signIn("new@example.test", testPassword), 200, "")

	// By links, and with an address that another account takes in the meantime.
	b.must(change("third@example.test"), 200, "")
	if to := b.follow(b.mail("new@example.test")); !strings.Contains(to.Fragment, "message=") {
		t.Errorf("the target of half a change: got %s, want one with a message", to)
	}
	b.signUp("third@example.test")
	if to := b.follow(b.mail("third@example.test")); !strings.Contains(to.Fragment, "error_code=email_exists") {
		t.Errorf("the target of a change to a taken address: got %s, want the error email_exists", to)
	}
}

func TestResend(t *testing.T) {
	t.Parallel()
	b := start(t)
	b.must(b.asService("POST", "/admin/users", map[string]any{"email": "new@example.test", "password": testPassword}), 200, "")
	b.signUp("ada@example.test")
	for what, row := range map[string]struct {
		form   map[string]any
		status int
		code   string
		mails  int
	}{
		"waits for confirmation": {map[string]any{"type": "signup", "email": "new@example.test"}, 200, "", 1},
		"is confirmed":           {map[string]any{"type": "signup", "email": "ada@example.test"}, 200, "", 0},
		"is nobody":              {map[string]any{"type": "signup", "email": "no@example.test"}, 200, "", 0},
		"changes no address":     {map[string]any{"type": "email_change", "email": "ada@example.test"}, 200, "", 0},
		"no type":                {map[string]any{"email": "ada@example.test"}, 400, "validation_failed", 0},
		"phone":                  {map[string]any{"type": "sms", "phone": "1"}, 400, "phone_provider_disabled", 0},
	} {
		t.Run(what, func(t *testing.T) {
			before := len(b.told())
			b.must(b.call("POST", "/resend", "", row.form), row.status, row.code)
			if n := len(b.told()) - before; n != row.mails {
				t.Errorf("mails: got %d, want %d", n, row.mails)
			}
		})
	}
	b.mustAll(
		expected{b.signIn("new@example.test", "wrong password"), 400, "invalid_credentials"},
		expected{b.signIn("new@example.test", testPassword), 400, "email_not_confirmed"},
		expected{b.call("POST", "/verify", "", map[string]any{"type": "signup", "token_hash": b.mail("new@example.test").token()}), 200, ""},
		expected{b.signIn("new@example.test", testPassword), 200, ""},
	)
}

// An old session can change the password only with the code of a mail.
func TestReauthenticate(t *testing.T) {
	t.Parallel()
	b := start(t)
	token := b.signUp("ada@example.test").text("access_token")
	other := b.signUp("eve@example.test").text("access_token")
	password := func(token, password, nonce string) reply {
		return b.call("PUT", "/user", token, map[string]any{"password": password, "nonce": nonce})
	}
	b.in("UPDATE auth.sessions SET created_at = now() - interval '25 hours'")
	b.must(password(token, "another horse", ""), 400, "reauthentication_needed")
	told := len(b.kinds())
	b.must(b.call("GET", "/reauthenticate", token, nil), 200, "")
	sent := b.mail("ada@example.test")
	if sent.Link != "" || len(b.kinds()) != told {
		t.Errorf("a request for a code: got mail %+v and events %v, want a mail without a link and no new event", sent, b.kinds())
	}
	b.mustAll(
		expected{password(other, "another horse", sent.Code), 422, "reauthentication_not_valid"},
		expected{password(token, "another horse", "000"), 422, "reauthentication_not_valid"},
		expected{password(token, "another horse", sent.Code), 200, ""},
		expected{password(token, "yet another horse", sent.Code), 422, "reauthentication_not_valid"},
		expected{b.signIn("ada@example.test", "another horse"), 200, ""},
		expected{b.call("GET", "/reauthenticate", "", nil), 401, "no_authorization"},
	)
}

// If a browser asks for it, only that browser can use the session of its link.
func TestLinksOfOneBrowser(t *testing.T) {
	t.Parallel()
	b := start(t)
	verifier := strings.Repeat("v", 56)
	sum := sha256.Sum256([]byte(verifier))
	challenge := base64.RawURLEncoding.EncodeToString(sum[:])
	exchange := func(code, verifier string) reply {
		return b.call("POST", "/token?grant_type=pkce", "", map[string]any{"auth_code": code, "code_verifier": verifier})
	}
	ask := func(more map[string]any) reply {
		form := map[string]any{"email": "ada@example.test"}
		maps.Copy(form, more)
		return b.call("POST", "/otp"+query("redirect_to", "https://app.example/in?x=1"), "", form)
	}
	for _, wrong := range []map[string]any{
		{"code_challenge": "short", "code_challenge_method": "s256"}, {"code_challenge": challenge, "code_challenge_method": "md5"},
		{"code_challenge": challenge}, {"code_challenge_method": "s256"},
	} {
		b.must(ask(wrong), 400, "validation_failed")
	}
	for _, row := range []map[string]any{
		{"code_challenge": challenge, "code_challenge_method": "s256"}, {"code_challenge": verifier, "code_challenge_method": "plain"},
	} {
		b.must(ask(row), 200, "")
		to := b.follow(b.mail("ada@example.test"))
		code := to.Query().Get("code")
		if code == "" || to.Fragment != "" || to.Query().Get("x") != "1" {
			t.Fatalf("the target of the link: got %s, want one with x = 1 and a code, without a fragment", to)
		}
		b.must(exchange(code, strings.Repeat("w", 56)), 400, "bad_code_verifier")
		got := b.must(exchange(code, verifier), 200, "")
		if got.user()["email"] != "ada@example.test" || got.claims(t)["amr"].([]any)[0].(map[string]any)["method"] != "magiclink" {
			t.Errorf("the signed-in session: got user %v with the claims %v, want ada@example.test by the method magiclink", got.user(), got.claims(t))
		}
		b.must(exchange(code, verifier), 404, "flow_state_not_found")
	}
	b.must(exchange("", verifier), 400, "validation_failed")
	b.must(ask(map[string]any{"code_challenge": challenge, "code_challenge_method": "s256"}), 200, "")
	code := b.follow(b.mail("ada@example.test")).Query().Get("code")
	b.in("UPDATE auth.flow_states SET created_at = now() - interval '6 minutes'")
	b.must(exchange(code, verifier), 404, "flow_state_not_found")
	if to := b.follow(Event{Link: b.URL() + "/verify?" + url.Values{"token": {"no"}, "type": {"magiclink"}}.Encode()}); to.Query().Get("error_code") != "otp_expired" {
		t.Errorf("a link with an invalid token: got a redirect to %s, want the error otp_expired", to)
	}
}
