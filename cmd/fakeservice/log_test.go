package main

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest/processes"
	"github.com/instance-hosting/terraform-provider-hosting/internal/must"
)

// Each level includes the previous one. On a day without trouble, warn prints nothing, info
// prints jobs and builds, and debug prints each request. Secrets are never logged, at any
// level.
func TestLogLevels(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		level      string
		jobs, asks bool
	}{{"error", false, false}, {"warn", false, false}, {"info", true, false}, {"debug", true, true}} {
		t.Run(row.level, func(t *testing.T) {
			t.Parallel()
			log := &processes.Output{}
			fake := runFake(t, log, "--control-token", "the-control-token", "--speed", "10000", "--data-plane", "off", "--log-level", row.level, "--log-format", "json")
			made := fake.call(t, http.MethodPost, "/instances", `{"name":"box","plan":"free","region":"eu-central","engines":{"postgres":true,"apps":true,"auth":true}}`)
			fake.wait(t, made)
			path := "/instances/" + made["id"].(string)
			fake.wait(t, fake.call(t, http.MethodPost, path+"/apps/import", `{"repo":"octo/app","branch":"main","name":"app","port":3000,"health_path":"/","env":{"TOKEN":"the-app-secret"}}`))
			fake.runs(t, path+"/apps/app")
			connection := fake.call(t, http.MethodGet, path+"/connection", "")["engines"].(map[string]any)
			auth := connection["auth"].(map[string]any)
			secrets := []string{fake.key, "the-control-token", "the-app-secret", auth["service_key"].(string)}
			owner := connection["postgres"].(map[string]any)["owner_url"].(string)
			_, password, _ := strings.Cut(strings.TrimPrefix(owner, "postgresql://"), ":")
			password, _, _ = strings.Cut(password, "@")
			secrets = append(secrets, password)

			said := map[string]bool{}
			for line := range strings.Lines(log.String()) {
				var entry struct {
					Level, Msg string
				}
				if err := json.Unmarshal([]byte(line), &entry); err != nil {
					t.Errorf("the line %q: got %v, want JSON", line, err)
				}
				said[entry.Msg] = true
			}
			for message, want := range map[string]bool{"job accepted": row.jobs, "job ended": row.jobs, "build ended": row.jobs, "request": row.asks} {
				if said[message] != want {
					t.Errorf("%q in the log: got %t, want %t", message, said[message], want)
				}
			}
			for _, secret := range secrets {
				if secret == "" || strings.Contains(log.String(), secret) {
					t.Errorf("the log contains the secret %q:\n%s", secret, log)
				}
			}
		})
	}
}

// The text form is the default, and has the same lines.
func TestLogFormats(t *testing.T) {
	t.Parallel()
	for format, want := range map[string]string{"text": `msg=hello`, "json": `"msg":"hello"`} {
		var out bytes.Buffer
		log := must.Get(newLog("info", format, &out))(t)
		if log.Info("hello"); !strings.Contains(out.String(), want) {
			t.Errorf("the format %s: got %q, want %q in it", format, out.String(), want)
		}
	}
}
