package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
)

func TestSecretsReachNoLogAndNoError(t *testing.T) {
	const password, serviceKey = "pass-canary-1", "service-canary-2"
	var log strings.Builder
	c, _ := newTestClient(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/api/v1/instances/i/connection":
			respond(w, 200, object{"engines": object{
				"postgres": object{"owner_url": "postgresql://owner:" + password + "@h:5432/db"},
				"auth":     object{"service_key": serviceKey},
			}})
		default:
			respond(w, 422, object{"code": "validation_failed", "detail": "not " + password + " nor " + serviceKey + " with key-of-the-test at redis://u:unseen-canary@h and env-canary"})
		}
	}, func(o *Options) {
		o.Log = func(_ context.Context, message string, fields map[string]any) {
			encoded, _ := json.Marshal(fields)
			fmt.Fprintln(&log, message, string(encoded))
		}
	})
	if _, err := c.Connection(t.Context(), "i"); err != nil {
		t.Fatal(err)
	}
	c.HideSecret("env-canary")
	_, err := c.Instance(t.Context(), password)
	text := err.Error() + log.String()
	for _, secret := range []string{password, serviceKey, "key-of-the-test", "unseen-canary", "env-canary"} {
		if strings.Contains(err.Error(), secret) && secret != password || strings.Contains(log.String(), secret) {
			t.Errorf("%s leaked: %s", secret, text)
		}
	}
	if !strings.Contains(text, "validation_failed") {
		t.Errorf("the control is missing: %s", text)
	}
}

// An error is parsed before secrets are hidden in it, so that its meaning does not depend
// on the secrets.
func TestErrorsAreReadBeforeTheyAreHidden(t *testing.T) {
	for secret, row := range map[string]struct {
		status       int
		code, detail string
		is           error
	}{
		"running":       {409, "job_running", "is running", ErrJobRunning},
		"job_running":   {409, "job_running", "job_running", ErrJobRunning},
		"not_found":     {404, "not_found", "not_found", ErrNotFound},
		"code":          {404, "not_found", "no code", ErrNotFound},
		"detail":        {409, "already_exists", "the detail", ErrAlreadyExists},
		`"code"`:        {404, "not_found", `says "code"`, ErrNotFound},
		"already":       {409, "already_exists", "at postgresql://owner:pass@h/db", ErrAlreadyExists},
		"another-value": {422, "sql_error", "postgresql://owner:pass@h:5432/db", ErrSQL},
	} {
		c, _ := newTestClient(t, says(row.status, object{"code": row.code, "detail": row.detail}))
		c.HideSecret(secret)
		_, err := c.Instance(t.Context(), "i")
		var refused *APIError
		if !errors.Is(err, row.is) || errors.Is(err, ErrForeign) || !errors.As(err, &refused) || refused.Code != row.code {
			t.Errorf("with the secret %q: %v", secret, err)
		}
		if refused != nil && (strings.Contains(refused.Detail, secret) || strings.Contains(refused.Detail, "owner:pass")) {
			t.Errorf("with the secret %q: %s", secret, refused.Detail)
		}
	}
	// Secrets are hidden in a gateway's page, too.
	c, _ := newTestClient(t, func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(400)
		fmt.Fprint(w, "<html>a-canary", strings.Repeat(" a-canary", 200))
	})
	c.HideSecret("a-canary")
	if _, err := c.Instance(t.Context(), "i"); strings.Contains(err.Error(), "canary") {
		t.Error(err)
	}
}

func TestHide(t *testing.T) {
	for name, row := range map[string]struct {
		secrets    []string
		text, want string
	}{
		"none":                           {nil, "text", "text"},
		"empty":                          {[]string{""}, "text", "text"},
		"each time":                      {[]string{"secret-1"}, "secret-1, secret-1secret-1", "(secret), (secret)(secret)"},
		"one within another":             {[]string{"abcd", "xabcdx"}, "xabcdx abcd", "(secret) (secret)"},
		"one within another, turned":     {[]string{"xabcdx", "abcd"}, "xabcdx abcd", "(secret) (secret)"},
		"in a URL's query":               {[]string{"a b&c"}, "?x=a+b%26c", "?x=(secret)"},
		"in a URL's path":                {[]string{"a b/c"}, "/a%20b%2Fc", "/(secret)"},
		"in JSON":                        {[]string{"a\"b\nc"}, `{"x": "a\"b\nc"}`, `{"x": "(secret)"}`},
		"in JSON, as others escape":      {[]string{"a<b&c"}, `{"x": "a<b&c"}`, `{"x": "(secret)"}`},
		"in JSON, quoted by others":      {[]string{"a\"<b"}, `{"x": "a\"<b"}`, `{"x": "(secret)"}`},
		"in JSON, as Go escapes":         {[]string{"a<b&c"}, `{"x": "a\u003cb\u0026c"}`, `{"x": "(secret)"}`},
		"a short one, as a word":         {[]string{"abc"}, "the abc, (abc)", "the (secret), ((secret))"},
		"a short one, within a word":     {[]string{"ab"}, "cabin ab1 éab", "cabin ab1 éab"},
		"a short one, at both ends":      {[]string{"1"}, "1 of 11 is 1", "(secret) of 11 is (secret)"},
		"a short one, each time":         {[]string{"1"}, "1 1 1", "(secret) (secret) (secret)"},
		"a short one of signs":           {[]string{"%%"}, "100%% of %%", "100%% of (secret)"},
		"a password of a URL":            {nil, "at redis://u:p4ss@h:1/0 now", "at redis://u:(secret)@h:1/0 now"},
		"a password with an at sign":     {nil, "redis://u:p@ss@h:1/0", "redis://u:(secret)@h:1/0"},
		"passwords of two URLs":          {nil, "redis://u:a@h nats://v:b@h", "redis://u:(secret)@h nats://v:(secret)@h"},
		"a URL without a password":       {nil, "https://h:8080/x?mail=1", "https://h:8080/x?mail=1"},
		"a URL without a user":           {nil, "redis://:p4ss@h:1", "redis://:(secret)@h:1"},
		"a URL with a port and an email": {nil, "https://h:80 and a@b", "https://h:80 and a@b"},
	} {
		var s secrets
		s.add(row.secrets...)
		if got := s.hide(row.text); got != row.want {
			t.Errorf("%s: %q, want %q", name, got, row.want)
		}
	}
}

func TestPasswordsOfAConnectionAreHidden(t *testing.T) {
	const password = "p@ss/w:rd%"
	var s secrets
	s.addURL("postgresql://owner:" + url.QueryEscape(password) + "@h:5432/db")
	for _, text := range []string{password, "postgresql://owner:" + url.QueryEscape(password) + "@h:5432/db", url.QueryEscape(password), url.PathEscape(password)} {
		if got := s.hide("<" + text + ">"); strings.Contains(got, "ss") || strings.Contains(got, "rd") {
			t.Errorf("%q is left of %q", got, text)
		}
	}
}

// A secret that the provider sends may be a URL, and the service may quote its password.
func TestPasswordOfASentURLIsHidden(t *testing.T) {
	c, _ := newTestClient(t, says(422, object{"code": "validation_failed", "detail": "no login with pw-canary"}))
	c.HideSecret("redis://u:pw-canary@h")
	if _, err := c.Instance(t.Context(), "i"); err == nil || strings.Contains(err.Error(), "pw-canary") {
		t.Errorf("got %v, want an error without the password", err)
	}
}

// Hiding changes the text of an error, but not its identity.
func TestHiddenErrorsStayWhatTheyAre(t *testing.T) {
	var s secrets
	s.add("a-canary")
	err := s.hideError(fmt.Errorf("with a-canary: %w", context.DeadlineExceeded))
	if strings.Contains(err.Error(), "canary") || !errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
	plain := errors.New("plain")
	if s.hideError(plain) != plain {
		t.Error("an error without a secret is wrapped")
	}
}

// The text of a job is shown to users, too.
func TestSecretsOfJobs(t *testing.T) {
	c, _ := newTestClient(t, says(200, object{"id": "j", "status": "failed", "error": "with a-canary"}))
	c.HideSecret("a-canary")
	job, err := c.Job(t.Context(), "j")
	if err != nil || job.Error.Detail != "with (secret)" {
		t.Errorf("%+v, %v", job, err)
	}
}

// A decoding error quotes its input.
func TestSecretsOfDecodingErrors(t *testing.T) {
	c, _ := newTestClient(t, func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, `{"id": "i", "engines": {"a-canary": 7}}`) })
	c.HideSecret("a-canary")
	if _, err := c.Instance(t.Context(), "i"); err == nil || strings.Contains(err.Error(), "canary") {
		t.Error(err)
	}
}
