package authengine

import (
	"net/url"
	"reflect"
	"testing"
)

func TestInvite(t *testing.T) {
	t.Parallel()
	b := start(t)
	b.signUp("ada@example.test")
	invite := func(email string) reply {
		return b.asService("POST", "/invite"+query("redirect_to", "https://app.example/welcome"), map[string]any{"email": email, "data": map[string]any{"team": "red"}})
	}
	b.mustAll(
		expected{b.call("POST", "/invite", "", map[string]any{"email": "new@example.test"}), 403, "not_admin"},
		expected{invite("ada@example.test"), 422, "email_exists"},
		expected{invite("nobody"), 400, "email_address_invalid"},
	)
	invited := b.must(invite("new@example.test"), 200, "")
	if invited.text("invited_at") == "" || invited.body["email_confirmed_at"] != nil || invited.body["user_metadata"].(map[string]any)["team"] != "red" {
		t.Errorf("the invited user: got %v, want one that is invited, not confirmed and of the team red", invited.body)
	}
	b.must(b.call("POST", "/signup", "", map[string]any{"email": "new@example.test", "password": testPassword}), 422, "user_already_exists")
	first := b.mail("new@example.test")
	if again := b.must(invite("new@example.test"), 200, ""); again.text("id") != invited.text("id") {
		t.Error("a second invitation: got a different user ID, want that of the first")
	}
	if late, _ := url.ParseQuery(b.follow(first).Fragment); late.Get("error_code") != "otp_expired" {
		t.Errorf("the link of the first invitation: got %v, want the error otp_expired", late)
	}
	to := b.follow(b.mail("new@example.test"))
	said, _ := url.ParseQuery(to.Fragment)
	if to.Path != "/welcome" || said.Get("type") != "invite" {
		t.Fatalf("the target of the invitation: got %s, want /welcome with the type invite", to)
	}
	b.must(b.call("PUT", "/user", said.Get("access_token"), map[string]any{"password": testPassword}), 200, "")
	b.must(b.signIn("new@example.test", testPassword), 200, "")
	if want := []string{"auth_user_created", "auth_user_invited", "auth_user_invited"}; !reflect.DeepEqual(b.kinds(), want) {
		t.Errorf("the events: got %v, want %v", b.kinds(), want)
	}
}

// A generated link is not sent. It works like one that was sent.
func TestGenerateLink(t *testing.T) {
	t.Parallel()
	b := start(t)
	b.signUp("ada@example.test")
	type form = map[string]any
	for _, row := range []struct {
		what string
		form form
		// verification is the type in the answer, and linked is the type of the link.
		verification, linked string
		told                 []string
	}{
		{"signup", form{"type": "signup", "email": "signup@example.test", "password": testPassword}, "signup", "signup", []string{"auth_user_created"}},
		{"invite", form{"type": "invite", "email": "invite@example.test"}, "invite", "invite", []string{"auth_user_invited"}},
		{"magiclink", form{"type": "magiclink", "email": "ada@example.test"}, "magiclink", "magiclink", nil},
		{"magiclink of nobody", form{"type": "magiclink", "email": "magic@example.test"}, "signup", "signup", []string{"auth_user_created"}},
		{"recovery", form{"type": "recovery", "email": "ada@example.test"}, "recovery", "recovery", nil},
	} {
		t.Run(row.what, func(t *testing.T) {
			before := len(b.told())
			generate := func() reply {
				return b.must(b.asService("POST", "/admin/generate_link"+query("redirect_to", "https://app.example/in"), row.form), 200, "")
			}
			made := generate()
			link, err := url.Parse(made.text("action_link"))
			if err != nil || link.Query().Get("token") != made.text("hashed_token") || link.Query().Get("type") != row.linked ||
				made.text("verification_type") != row.verification || made.text("redirect_to") != "https://app.example/in" || made.text("email") != row.form["email"] {
				t.Errorf("the link: got %v, want one of type %s to https://app.example/in for %v, with verification type %s", made.body, row.linked, row.form["email"], row.verification)
			}
			got := b.must(b.call("POST", "/verify", "", form{"type": row.linked, "email": row.form["email"], "token": made.text("email_otp")}), 200, "")
			if got.user()["id"] != made.text("id") {
				t.Errorf("the user whom the code signs in: got %v, want %s", got.user(), made.text("id"))
			}
			var kinds []string
			for _, e := range b.told()[before:] {
				if kinds = append(kinds, e.Kind); e.Link != "" || e.Code != "" {
					t.Errorf("an event: got %v, want one without a link and a code", e)
				}
			}
			if !reflect.DeepEqual(kinds, row.told) {
				t.Errorf("the events: got %v, want %v", kinds, row.told)
			}
		})
	}
	for what, row := range map[string]struct {
		form   form
		status int
		code   string
	}{
		"signup of somebody":        {form{"type": "signup", "email": "ada@example.test", "password": testPassword}, 422, "email_exists"},
		"signup without password":   {form{"type": "signup", "email": "no@example.test"}, 400, "validation_failed"},
		"invitation of somebody":    {form{"type": "invite", "email": "ada@example.test"}, 422, "email_exists"},
		"recovery of nobody":        {form{"type": "recovery", "email": "no@example.test"}, 404, "user_not_found"},
		"change of nobody":          {form{"type": "email_change_new", "email": "no@example.test", "new_email": "b@example.test"}, 404, "user_not_found"},
		"change to no address":      {form{"type": "email_change_new", "email": "ada@example.test"}, 400, "email_address_invalid"},
		"change to a taken one":     {form{"type": "email_change_new", "email": "ada@example.test", "new_email": "invite@example.test"}, 422, "email_exists"},
		"type that there is not":    {form{"type": "spell", "email": "ada@example.test"}, 400, "validation_failed"},
		"address that there is not": {form{"type": "magiclink", "email": "ada"}, 400, "email_address_invalid"},
	} {
		t.Run(what, func(t *testing.T) {
			b.must(b.asService("POST", "/admin/generate_link", row.form), row.status, row.code)
		})
	}
	b.must(b.call("POST", "/admin/generate_link", "", form{"type": "magiclink", "email": "ada@example.test"}), 403, "not_admin")
	// A link whose target is not allowed leads to the site.
	away := b.must(b.asService("POST", "/admin/generate_link", form{"type": "magiclink", "email": "ada@example.test", "redirect_to": "https://evil.example/"}), 200, "")
	if away.text("redirect_to") != "https://app.example" {
		t.Errorf("the link: got %v, want a redirect to https://app.example", away.body)
	}
	// Both halves of a change of address, in any order.
	half := func(kind string) reply {
		return b.must(b.asService("POST", "/admin/generate_link", form{"type": kind, "email": "ada@example.test", "new_email": "new@example.test"}), 200, "")
	}
	verify := func(made reply) reply {
		return b.must(b.call("POST", "/verify", "", form{"type": "email_change", "token_hash": made.text("hashed_token")}), 200, "")
	}
	current, wanted := half("email_change_current"), half("email_change_new")
	if first := verify(wanted); first.body["access_token"] != nil || first.text("msg") == "" {
		t.Errorf("the answer to the first half: got %v, want a message and no token", first.body)
	}
	if second := verify(current); second.user()["email"] != "new@example.test" {
		t.Errorf("the user whom the second half signs in: got %v, want new@example.test", second.user())
	}
}
