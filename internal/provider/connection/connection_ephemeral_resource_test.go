package connection

import "testing"

func TestCredentialsOf(t *testing.T) {
	for address, want := range map[string][2]string{
		"postgresql://owner:secret@h.example:5432/main": {"owner", "secret"},
		"postgresql://o%40w:p%2F%3A%40%25@h.example/m":  {"o@w", "p/:@%"},
		"postgresql://owner@h.example/main":             {"owner", ""},
		"postgresql://h.example/main":                   {"", ""},
		"postgresql://ow%ner:p@h.example/main":          {"", ""},
		"":                                              {"", ""},
	} {
		username, password := credentialsOf(address)
		if got := [2]string{username.ValueString(), password.ValueString()}; got != want {
			t.Errorf("the credentials of %s: got %q, want %q", address, got, want)
		}
		if username.IsNull() != (want[0] == "") || password.IsNull() != (want[1] == "") {
			t.Errorf("%s: got a missing username or password that is not null, want null", address)
		}
	}
}
