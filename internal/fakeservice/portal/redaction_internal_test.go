package portal

import (
	"strings"
	"testing"
)

// Secrets are hidden by their values, their forms and the names of their fields. Everything
// else stays.
func TestRedaction(t *testing.T) {
	t.Parallel()
	hide := redaction{strings.NewReplacer("known-secret", hiddenText), func(text string) bool { return text == "an-api-key-of-the-account" }}
	for text, want := range map[string]string{
		"a known-secret here":                     "a (hidden) here",
		"postgresql://owner:p@ss@host:5432/main":  "postgresql://(hidden)@host:5432/main",
		"https://token@git.example/web":           "https://(hidden)@git.example/web",
		"https://git.example/web?limit=5":         "https://git.example/web?limit=5",
		"/x?access_token=abc&limit=5":             "/x?access_token=(hidden)&limit=5",
		"/x?code_verifier=abc&code_challenge=def": "/x?code_verifier=(hidden)&code_challenge=def",
		"Bearer abc":                                   "Bearer (hidden)",
		"ALTER ROLE app PASSWORD 'it''s' VALID":        "ALTER ROLE app PASSWORD (hidden) VALID",
		"eyJhbGciOiJI.eyJyb2xlIjoi.c2lnbmF0dXJl":       "(hidden)",
		"an-api-key-of-the-account":                    "(hidden)",
		"0123456789abcdef0123456789abcdef01234567":     "0123456789abcdef0123456789abcdef01234567",
		"-----BEGIN EC PRIVATE KEY-----\nMHc\n-----EN": "(hidden)",
	} {
		if got := hide.text(text); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
	for body, want := range map[string]string{
		`{"env":{"A":"1","B":null},"port":3000}`:                             `{"env":{"A":"(hidden)","B":null},"port":3000}`,
		`{"secret_env":{"A":["1"]}}`:                                         `{"secret_env":{"A":["(hidden)"]}}`,
		`{"secret":"s","service_key":7,"code":"not_found","name":"<known>"}`: `{"code":"not_found","name":"<known>","secret":"(hidden)","service_key":"(hidden)"}`,
		`{"columns":["id","password_hash"],"rows":[[1,"h"]]}`:                `{"columns":["id","password_hash"],"rows":[[1,"(hidden)"]]}`,
		`["known-secret"]`:                                                   `["(hidden)"]`,
		`{"amount":12345678901234567890}`:                                    `{"amount":12345678901234567890}`,
		"plain known-secret":                                                 "plain (hidden)",
		"":                                                                   "",
	} {
		got, err := hide.body([]byte(body), true)
		if compact := strings.NewReplacer("\n", "", "  ", "", `": `, `":`).Replace(got); err != nil || compact != want {
			t.Errorf("%s: got %s, %v, want %s", body, compact, err, want)
		}
	}
	for _, half := range []string{`{"env":{"A":"1`, `{} {`, `["a"`} {
		if got, err := hide.body([]byte(half), true); err == nil {
			t.Errorf("%s: got %s, want an error", half, got)
		}
	}
	// The sender of a request may have misquoted it.
	for _, request := range []string{`'{"secret":"never-stored"}'`, "env:\n  TOKEN: never-stored", "\ufeff{\"secret\":\"never-stored\"}"} {
		if got, err := hide.body([]byte(request), false); err == nil {
			t.Errorf("%q: got %s, want an error", request, got)
		}
	}
}
