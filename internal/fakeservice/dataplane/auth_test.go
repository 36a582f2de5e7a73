package dataplane_test

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest/tier"
	"github.com/instance-hosting/terraform-provider-hosting/internal/must"
)

// authRecord is the auth engine's part of the connection record.
type authRecord struct {
	URL        string `json:"url"`
	AnonKey    string `json:"anon_key"`
	ServiceKey string `json:"service_key"`
}

func (b *box) auth() authRecord {
	b.t.Helper()
	_, answer := b.call("GET", b.path+"/connection", nil)
	text := must.Get(json.Marshal(answer["engines"].(object)["auth"]))(b.t)
	var record authRecord
	must.Do(b.t, json.Unmarshal(text, &record))
	return record
}

func (a authRecord) post(t *testing.T, key, path string, body object) (int, object) {
	t.Helper()
	return a.send(t, key, "POST", path, body)
}

// send sends a request to the auth engine and returns the status and the body.
func (a authRecord) send(t *testing.T, key, method, path string, body object) (int, object) {
	t.Helper()
	text := must.Get(json.Marshal(body))(t)
	request := must.Get(http.NewRequest(method, a.URL+path, bytes.NewReader(text)))(t)
	request.Header.Set("apikey", key)
	response, err := http.DefaultClient.Do(request)
	must.Do(t, err)
	defer response.Body.Close()
	var answer object
	must.Do(t, json.NewDecoder(response.Body).Decode(&answer))
	return response.StatusCode, answer
}

var account = object{"email": "ada@example.test", "password": "correct horse"}

func (b *box) signIn() int {
	b.t.Helper()
	record := b.auth()
	status, _ := record.post(b.t, record.AnonKey, "/token?grant_type=password", account)
	return status
}

// Accounts and the anon key survive restarts and rotations. The accounts are deleted with
// the engine's data, and a restore brings them back.
func TestAuthEngine(t *testing.T) {
	t.Parallel()
	b := start(t).fullBox()
	record := b.auth()
	if !strings.HasSuffix(record.URL, "/auth/v1") {
		t.Errorf("the URL of the auth engine: got %s, want one that ends with /auth/v1", record.URL)
	}
	if status, answer := record.post(t, record.AnonKey, "/signup", account); status != http.StatusOK {
		t.Fatalf("the sign-up: got %d %v, want 200", status, answer)
	}
	created := slices.ContainsFunc(b.Events(), func(e fakeservice.Event) bool {
		return e.Type == "auth_user_created" && e.InstanceID == b.id && e.Data["user_id"] != ""
	})
	if !created {
		t.Errorf("the events: got %v, want auth_user_created of %s with a user", b.Events(), b.id)
	}
	for _, engine := range []string{"auth", "postgres"} {
		b.done("POST", b.path+"/engines/"+engine+"/actions/restart", object{})
		if status := b.signIn(); status != http.StatusOK {
			t.Errorf("the sign-in after a restart of %s: got %d, want 200", engine, status)
		}
	}
	b.done("POST", b.path+"/actions/rotate", object{})
	rotated := b.auth()
	if rotated.AnonKey != record.AnonKey || rotated.URL != record.URL || rotated.ServiceKey == record.ServiceKey {
		t.Error("the record after a rotation: got another anon key or URL or the old service key, want only a new service key")
	}
	if status := b.signIn(); status != http.StatusOK {
		t.Errorf("the sign-in after a rotation: got %d, want 200", status)
	}
	if status, _ := rotated.post(t, record.ServiceKey, "/signup", account); status != http.StatusUnauthorized {
		t.Errorf("a sign-up with the old service key: got %d, want 401", status)
	}

	b.done("POST", b.path+"/actions/reset", object{"confirm": b.id, "engine": "auth"})
	if status := b.signIn(); status != http.StatusBadRequest {
		t.Errorf("the sign-in after a reset: got %d, want 400", status)
	}
	in, _ := b.Instance(b.id)
	b.done("POST", b.path+"/actions/restore", object{"confirm": b.id, "backup_id": in.Backups[0].ID})
	if status := b.signIn(); status != http.StatusOK {
		t.Errorf("the sign-in after a restore: got %d, want 200", status)
	}
	// A new engine has new keys and no accounts.
	b.done("PUT", b.path+"/engines", object{"engines": object{"postgres": object{}, "apps": object{}}})
	b.done("PUT", b.path+"/engines", object{"engines": object{"postgres": object{}, "apps": object{}, "auth": object{}}})
	if fresh := b.auth(); fresh.AnonKey == record.AnonKey {
		t.Error("the anon key of a new engine: got the old one, want a new one")
	}
	if status := b.signIn(); status != http.StatusBadRequest {
		t.Errorf("the sign-in with a new engine: got %d, want 400", status)
	}
}

// A reset of an engine with accounts deletes them; any other reset does not.
func TestResetsThatEndAccounts(t *testing.T) {
	tier.Night.Only(t)
	t.Parallel()
	b := start(t).fullBox()
	b.done("PUT", b.path+"/engines", object{"engines": object{
		"postgres": object{}, "apps": object{}, "auth": object{}, "redis": object{}, "nats": object{},
	}})
	for _, row := range []struct {
		engine string
		status int
	}{{"redis", http.StatusOK}, {"nats", http.StatusOK}, {"apps", http.StatusOK}, {"postgres", http.StatusBadRequest}, {"auth", http.StatusBadRequest}} {
		record := b.auth()
		if status, answer := record.post(t, record.AnonKey, "/signup", account); status != http.StatusOK && answer["error_code"] != "user_already_exists" {
			t.Fatalf("the sign-up: got %d %v, want 200 or user_already_exists", status, answer)
		}
		b.done("POST", b.path+"/actions/reset", object{"confirm": b.id, "engine": row.engine})
		if status := b.signIn(); status != row.status {
			t.Errorf("the sign-in after a reset of %s: got %d, want %d", row.engine, status, row.status)
		}
	}
}

// The running engine uses the settings.
func TestAuthSettings(t *testing.T) {
	t.Parallel()
	b := start(t).fullBox()
	record := b.auth()
	if status, _ := record.post(t, record.AnonKey, "/signup", account); status != http.StatusOK {
		t.Fatalf("the sign-up: got %d, want 200", status)
	}
	b.done("PATCH", b.path+"/engines/auth/settings", object{"site_url": "https://app.example", "redirect_urls": []string{"https://app.example/**"}})
	for wanted, leads := range map[string]string{"https://app.example/reset": "https://app.example/reset", "https://evil.example/": "https://app.example"} {
		if status, answer := record.post(t, record.AnonKey, "/recover?redirect_to="+url.QueryEscape(wanted), account); status != http.StatusOK {
			t.Fatalf("the request for a link: got %d %v, want 200", status, answer)
		}
		mails := b.Mails()
		last := mails[len(mails)-1]
		link, err := url.Parse(last.Link)
		if err != nil || link.Query().Get("redirect_to") != leads || last.To != "ada@example.test" {
			t.Errorf("the mails: got %v, want one to ada@example.test with a redirect to %s", mails, leads)
		}
	}
	for _, e := range b.Events() {
		for name, value := range e.Data {
			if text, _ := value.(string); strings.Contains(text, "token=") || strings.Contains(text, "ada@") {
				t.Errorf("the event %s: got %s = %s, want no token and no address", e.Type, name, text)
			}
		}
	}
}
