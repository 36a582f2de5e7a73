package authengine

import (
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"github.com/instance-hosting/terraform-provider-hosting/internal/must"
)

func TestSignUpSignInUserSignOut(t *testing.T) {
	t.Parallel()
	b := start(t)
	made := b.must(b.call("POST", "/signup", "", map[string]any{
		"email": " Ada@Example.Test ", "password": testPassword, "data": map[string]any{"name": "Ada"},
	}), 200, "")
	user := made.body["user"].(map[string]any)
	if user["email"] != "ada@example.test" || user["user_metadata"].(map[string]any)["name"] != "Ada" {
		t.Errorf("the new user: got %v, want ada@example.test with the name Ada", user)
	}
	if made.text("token_type") != "bearer" || made.body["expires_in"] != 3600.0 || made.text("refresh_token") == "" {
		t.Errorf("the session: got %v, want a bearer token for 3600 seconds and a refresh token", made.body)
	}
	if strings.Contains(made.text("access_token"), "encrypted") || user["encrypted_password"] != nil {
		t.Error("the answer contains the hash of the password")
	}
	if events := b.told(); len(events) != 1 || events[0].Kind != "auth_user_created" || events[0].UserID != user["id"] {
		t.Errorf("the events: got %v, want one auth_user_created of user %v", events, user["id"])
	}

	signed := b.must(b.signIn("ADA@example.test", testPassword), 200, "")
	access := signed.text("access_token")
	asked := b.must(b.call("GET", "/user", access, nil), 200, "")
	if asked.text("id") != user["id"] || asked.text("last_sign_in_at") == "" {
		t.Errorf("the signed-in user: got %v, want %v with the time of the last sign-in", asked.body, user["id"])
	}
	b.must(b.call("POST", "/logout", access, nil), 204, "")
	b.must(b.call("GET", "/user", access, nil), 403, "session_not_found")
	// Without a scope, a sign-out ends every session of the account.
	b.must(b.call("GET", "/user", made.text("access_token"), nil), 403, "session_not_found")
	b.must(b.refresh(signed.text("refresh_token")), 400, "refresh_token_not_found")
}

func TestSignOutScopes(t *testing.T) {
	t.Parallel()
	b := start(t)
	for _, row := range []struct {
		scope        string
		own, another int
	}{{"local", 403, 200}, {"others", 200, 403}, {"global", 403, 403}} {
		own := b.signUp(row.scope + "@example.test").text("access_token")
		another := b.signIn(row.scope+"@example.test", testPassword).text("access_token")
		b.must(b.call("POST", "/logout?scope="+row.scope, own, nil), 204, "")
		if got := b.call("GET", "/user", own, nil).status; got != row.own {
			t.Errorf("the own session after a sign-out with scope %s: got status %d, want %d", row.scope, got, row.own)
		}
		if got := b.call("GET", "/user", another, nil).status; got != row.another {
			t.Errorf("another session after a sign-out with scope %s: got status %d, want %d", row.scope, got, row.another)
		}
	}
	token := b.signUp("scope@example.test").text("access_token")
	b.must(b.call("POST", "/logout?scope=galaxy", token, nil), 400, "validation_failed")
}

// A wrong password and a missing account get the same answer.
func TestSignInTellsNothing(t *testing.T) {
	t.Parallel()
	b := start(t)
	b.signUp("here@example.test")
	known := b.must(b.signIn("here@example.test", "wrong password"), 400, "invalid_credentials")
	unknown := b.must(b.signIn("nobody@example.test", "wrong password"), 400, "invalid_credentials")
	if known.text("msg") != unknown.text("msg") {
		t.Errorf("the message for an unknown account: got %q, want that for a wrong password: %q", unknown.text("msg"), known.text("msg"))
	}
	b.must(b.signIn("no address", "x"), 400, "invalid_credentials")
	// A request for a link gets the same answer for both, too.
	for _, email := range []string{"here@example.test", "nobody@example.test"} {
		b.must(b.call("POST", "/recover", "", map[string]any{"email": email}), 200, "")
	}
}

func TestSignUpsThatAreRefused(t *testing.T) {
	t.Parallel()
	b := start(t)
	b.signUp("taken@example.test")
	for _, row := range []struct {
		email, password string
		status          int
		code            string
	}{
		{"TAKEN@example.test", testPassword, 422, "user_already_exists"},
		{"short@example.test", "seven77", 422, "weak_password"},
		{"long@example.test", strings.Repeat("x", 73), 422, "validation_failed"},
		{" ", testPassword, 400, "email_address_invalid"},
		{"no-at.example", testPassword, 400, "email_address_invalid"},
		{"Ada <ada@example.test>", testPassword, 400, "email_address_invalid"},
		{strings.Repeat("x", 250) + "@example.test", testPassword, 400, "email_address_invalid"},
	} {
		b.must(b.call("POST", "/signup", "", map[string]any{"email": row.email, "password": row.password}), row.status, row.code)
	}
	b.mustAll(
		expected{b.call("POST", "/signup", "", `{"email"`), 400, "bad_json"},
		expected{b.call("POST", "/signup", "", `{"email": "`+strings.Repeat("x", maxBody)+`"}`), 400, "bad_json"},
		expected{b.call("POST", "/signup", "", map[string]any{"email": "d@example.test", "password": testPassword, "data": "text"}), 422, "validation_failed"},
	)
	if n := len(b.told()); n != 1 {
		t.Errorf("events: got %d, want 1", n)
	}
}

// If several sign-ups use the same address at the same time, one succeeds.
func TestSignUpsAtOnce(t *testing.T) {
	t.Parallel()
	b := start(t)
	var all sync.WaitGroup
	statuses := make([]int, 8)
	for i := range statuses {
		all.Go(func() {
			statuses[i] = b.call("POST", "/signup", "", map[string]any{"email": "one@example.test", "password": testPassword}).status
		})
	}
	all.Wait()
	made := 0
	for _, status := range statuses {
		if status == 200 {
			made++
		} else if status != 422 {
			t.Errorf("a sign-up: got status %d, want 200 or 422", status)
		}
	}
	if made != 1 {
		t.Errorf("successful sign-ups: got %d, want 1", made)
	}
}

func TestUpdateUser(t *testing.T) {
	t.Parallel()
	b := start(t)
	b.signUp("other@example.test")
	first := b.signUp("me@example.test")
	second := b.signIn("me@example.test", testPassword)
	token := second.text("access_token")
	b.mustAll(
		expected{b.call("PUT", "/user", token, map[string]any{"email": "Other@example.test"}), 422, "email_exists"},
		expected{b.call("PUT", "/user", token, map[string]any{"password": "short"}), 422, "weak_password"},
		expected{b.call("PUT", "/user", token, map[string]any{"data": map[string]any{"a": 1}}), 200, ""},
		expected{b.call("PUT", "/user", token, map[string]any{"password": testPassword}), 422, "same_password"},
		expected{b.call("PUT", "/user", token, map[string]any{"app_metadata": map[string]any{"plan": "all"}}), 403, "not_admin"},
	)
	changed := b.must(b.call("PUT", "/user", token, map[string]any{
		"password": "another horse", "data": map[string]any{"a": nil, "b": 2},
	}), 200, "")
	if data := changed.body["user_metadata"].(map[string]any); len(data) != 1 || data["b"] != 2.0 {
		t.Errorf("the changed user: got %v, want only b = 2 in the metadata", changed.body)
	}
	b.must(b.signIn("me@example.test", testPassword), 400, "invalid_credentials")
	b.must(b.signIn("me@example.test", "another horse"), 200, "")
	// A change of password ends all sessions except the one that made it.
	b.must(b.call("GET", "/user", token, nil), 200, "")
	b.must(b.call("GET", "/user", first.text("access_token"), nil), 403, "session_not_found")
}

func TestRefreshTokensRotate(t *testing.T) {
	t.Parallel()
	b := start(t)
	first := b.signUp("ada@example.test").text("refresh_token")
	second := b.must(b.refresh(first), 200, "")
	b.must(b.call("GET", "/user", second.text("access_token"), nil), 200, "")
	// Two tabs may use the same token at about the same time.
	twin := b.must(b.refresh(first), 200, "")
	// A later reuse means that a token was stolen, and the session ends.
	b.in("UPDATE auth.refresh_tokens SET used_at = now() - interval '1 minute' WHERE used_at IS NOT NULL")
	b.mustAll(
		expected{b.refresh(first), 400, "refresh_token_already_used"},
		expected{b.refresh(second.text("refresh_token")), 400, "refresh_token_not_found"},
		expected{b.refresh(twin.text("refresh_token")), 400, "refresh_token_not_found"},
		expected{b.call("GET", "/user", second.text("access_token"), nil), 403, "session_not_found"},
		expected{b.refresh("made up"), 400, "refresh_token_not_found"},
		expected{b.call("POST", "/token?grant_type=magic", "", map[string]any{}), 400, "validation_failed"},
	)
}

// The content of the database does not let a reader sign in.
func TestSecretsAreKeptAsHashes(t *testing.T) {
	t.Parallel()
	b := start(t)
	made := b.signUp("ada@example.test")
	b.in("DO $$ BEGIN IF EXISTS (SELECT 1 FROM auth.users WHERE encrypted_password NOT LIKE '$2a$%') THEN RAISE 'no hash'; END IF; END $$")
	// The text of a refresh token's hash is not accepted as a token.
	b.must(b.refresh(string(hashToken(made.text("refresh_token")))), 400, "refresh_token_not_found")
}

func TestTokensThatAreNone(t *testing.T) {
	t.Parallel()
	b := start(t)
	made := b.signUp("ada@example.test")
	user := made.body["user"].(map[string]any)["id"].(string)
	var good claims
	if _, _, err := jwt.NewParser().ParseUnverified(made.text("access_token"), &good); err != nil {
		t.Fatal(err)
	}
	sign := func(method jwt.SigningMethod, key any, change func(*claims)) string {
		said := good
		change(&said)
		return must.Get(jwt.NewWithClaims(method, said).SignedString(key))(t)
	}
	same := func(*claims) {}
	if good.Subject != user || good.Role != "authenticated" || good.Issuer != b.URL() {
		t.Errorf("the token: got %+v, want subject %v, role authenticated and issuer %s", good, user, b.URL())
	}
	b.must(b.call("GET", "/user", sign(jwt.SigningMethodHS256, []byte(testSigningKey), same), nil), 200, "")
	for what, token := range map[string]string{
		"other key":    sign(jwt.SigningMethodHS256, []byte("another"), same),
		"no signature": sign(jwt.SigningMethodNone, jwt.UnsafeAllowNoneSignatureType, same),
		"expired":      sign(jwt.SigningMethodHS256, []byte(testSigningKey), func(c *claims) { c.ExpiresAt = jwt.NewNumericDate(time.Now().Add(-time.Minute)) }),
		"endless":      sign(jwt.SigningMethodHS256, []byte(testSigningKey), func(c *claims) { c.ExpiresAt = nil }),
		"other issuer": sign(jwt.SigningMethodHS256, []byte(testSigningKey), func(c *claims) { c.Issuer = "https://elsewhere" }),
		"nonsense":     "a.b.c",
		"service key":  b.settings.Load().ServiceKey,
	} {
		t.Run(what, func(t *testing.T) { b.must(b.call("GET", "/user", token, nil), 403, "bad_jwt") })
	}
	b.must(b.call("GET", "/user", "", nil), 401, "no_authorization")
	b.must(b.call("GET", "/user", b.settings.Load().AnonKey, nil), 401, "no_authorization")
}

func TestRateLimit(t *testing.T) {
	t.Parallel()
	b := start(t, func(o *Options) { o.Attempts = 3 })
	for range 3 {
		b.must(b.signIn("ada@example.test", "guess"), 400, "invalid_credentials")
	}
	b.must(b.signIn("ada@example.test", "guess"), 429, "over_request_rate_limit")
	b.must(b.call("POST", "/signup", "", map[string]any{"email": "new@example.test", "password": testPassword}), 429, "over_request_rate_limit")
	// Guesses of codes are limited too. They are counted separately, so an account whose
	// password was guessed at, or a client that guessed, can still request mail.
	b.must(b.call("POST", "/otp", "", map[string]any{"email": "ada@example.test"}), 200, "")
	guess := map[string]any{"type": "email", "email": "ada@example.test", "token": "guess"}
	for range 3 {
		b.must(b.call("POST", "/verify", "", guess), 403, "otp_expired")
	}
	b.must(b.call("POST", "/verify", "", guess), 429, "over_request_rate_limit")
}
