package app

import "testing"

func TestPublicSecretsText(t *testing.T) {
	for want, names := range map[string][]string{
		"NEXT_PUBLIC_KEY of app web is built into what browsers download; it is not secret. Move public values to env. Name secrets without the prefix NEXT_PUBLIC_.":                  {"NEXT_PUBLIC_KEY"},
		"NEXT_PUBLIC_A, NEXT_PUBLIC_B of app web are built into what browsers download; they are not secret. Move public values to env. Name secrets without the prefix NEXT_PUBLIC_.": {"NEXT_PUBLIC_A", "NEXT_PUBLIC_B"},
	} {
		if got := publicSecretsText(names, "web"); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}
