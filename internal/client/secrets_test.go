package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/instance-hosting/terraform-provider-hosting/internal/client/transport"
	"github.com/instance-hosting/terraform-provider-hosting/internal/must"
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
	must.Get(c.Connection(t.Context(), "i"))(t)
	c.HideSecret("env-canary")
	_, err := c.Instance(t.Context(), password)
	text := err.Error() + log.String()
	for _, secret := range []string{password, serviceKey, "key-of-the-test", "unseen-canary", "env-canary"} {
		if strings.Contains(err.Error(), secret) && secret != password || strings.Contains(log.String(), secret) {
			t.Errorf("%s leaked: %s", secret, text)
		}
	}
	if !strings.Contains(text, "validation_failed") {
		t.Errorf("the control: got %s, want the code validation_failed in it", text)
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
		var refused *transport.APIError
		if !errors.Is(err, row.is) || errors.Is(err, transport.ErrForeign) || !errors.As(err, &refused) || refused.Code != row.code {
			t.Errorf("with the secret %q: got error %v, want %v with the code %s", secret, err, row.is, row.code)
		}
		if refused != nil && (strings.Contains(refused.Detail, secret) || strings.Contains(refused.Detail, "owner:pass")) {
			t.Errorf("with the secret %q: got detail %s, want it without the secret", secret, refused.Detail)
		}
	}
	// Secrets are hidden in a gateway's page, too.
	c, _ := newTestClient(t, func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(400)
		fmt.Fprint(w, "<html>a-canary", strings.Repeat(" a-canary", 200))
	})
	c.HideSecret("a-canary")
	if _, err := c.Instance(t.Context(), "i"); strings.Contains(err.Error(), "canary") {
		t.Errorf("Instance: got error %v, want it without the canary", err)
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

// A build may print a variable with an indentation, and a service may quote one line of it.
func TestLinesOfASentVariableAreHidden(t *testing.T) {
	c, _ := newTestClient(t, says(422, object{"code": "validation_failed", "detail": "#7 > first-canary\n#7 > second-canary\n"}))
	c.HideVariable("first-canary\n  second-canary\n")
	if _, err := c.Instance(t.Context(), "i"); err == nil || strings.Contains(err.Error(), "canary") {
		t.Errorf("got %v, want an error without the variable's lines", err)
	}
}

// The text of a job is shown to users, too.
func TestSecretsOfJobs(t *testing.T) {
	c, _ := newTestClient(t, says(200, object{"id": "j", "status": "failed", "error": "with a-canary"}))
	c.HideSecret("a-canary")
	job, err := c.Job(t.Context(), "j")
	if err != nil || job.Error.Detail != "with (secret)" {
		t.Errorf("Job: got %+v and error %v, want the detail \"with (secret)\"", job, err)
	}
}

// A decoding error quotes its input.
func TestSecretsOfDecodingErrors(t *testing.T) {
	c, _ := newTestClient(t, func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, `{"id": "i", "engines": {"a-canary": 7}}`) })
	c.HideSecret("a-canary")
	if _, err := c.Instance(t.Context(), "i"); err == nil || strings.Contains(err.Error(), "canary") {
		t.Errorf("Instance: got error %v, want one without the canary", err)
	}
}

// An endpoint's secret is hidden once the client has sent it.
func TestSecretsOfEndpoints(t *testing.T) {
	secret := "endpoint-canary"
	for name, send := range map[string]func(*Client) error{
		"created": func(c *Client) error {
			_, err := c.CreateWebhook(t.Context(), endpointOf("https://h.example", secret))
			return err
		},
		"changed": func(c *Client) error {
			_, err := c.UpdateWebhook(t.Context(), "wh", WebhookSettings{Secret: Some(secret)})
			return err
		},
	} {
		c, _ := newTestClient(t, says(422, object{"code": "validation_failed", "detail": "no secret is endpoint-canary"}))
		if err := send(c); err == nil || strings.Contains(err.Error(), "canary") {
			t.Errorf("%s: got %v, want an error without the secret", name, err)
		}
	}
}
