package fakeservicetest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"testing"
	"time"

	"github.com/instance-hosting/terraform-provider-hosting/internal/apispec"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest/machine"
)

// Tour sends each operation of the document at least once, in an order in which each finds
// what it needs, and lets each job end. Every answer must be a success. repo is what an app
// is imported from, and before is called ahead of each request, with its method and path.
func Tour(t testing.TB, s *Server, repo string, before func(method, path string)) {
	t.Helper()
	operations, err := apispec.Operations()
	if err != nil {
		t.Fatal(err)
	}
	left := map[string]bool{}
	for _, o := range operations {
		left[o.String()] = true
	}
	// send sends an operation to a path, with the answer as an object.
	send := func(operation, path string, body any) map[string]any {
		t.Helper()
		if !left[operation] {
			t.Fatalf("%s is not in the document, or was sent before", operation)
		}
		delete(left, operation)
		method, _, _ := bytes.Cut([]byte(operation), []byte(" "))
		before(string(method), path)
		status, answer := s.Send(t, string(method), path, body)
		if status >= http.StatusBadRequest {
			t.Fatalf("%s %s answered %d %v", method, path, status, answer)
		}
		if id, ok := answer["job_id"].(string); ok && status == http.StatusAccepted {
			if err := s.FinishJob(id); err != nil {
				t.Fatal(err)
			}
			for _, j := range s.Jobs() {
				if j.ID == id && j.Status != fakeservice.StatusDone {
					t.Fatalf("%s %s: the job is %s: %s", method, path, j.Status, j.ErrorDetail)
				}
			}
		}
		return answer
	}

	for _, path := range []string{"/plans", "/locations", "/me", "/billing", "/guides/apps"} {
		send("GET "+path, path, nil)
	}
	send("PATCH /me", "/me", object{"company": "Tour"})
	webhook, _ := send("POST /webhooks", "/webhooks", object{"url": "https://hooks.example.com"})["id"].(string)
	send("GET /webhooks", "/webhooks", nil)
	send("GET /webhooks/{id}", "/webhooks/"+webhook, nil)
	send("PATCH /webhooks/{id}", "/webhooks/"+webhook, object{"enabled": false})
	send("DELETE /webhooks/{id}", "/webhooks/"+webhook, nil)

	made := send("POST /instances", "/instances", object{
		"name": "tour", "plan": "free", "region": "eu-central", "engines": object{"postgres": true, "apps": true, "auth": true},
	})
	id, _ := made["id"].(string)
	const instance = "/instances/{id}"
	at := "/instances/" + id
	on := func(method, path string, body any) map[string]any {
		t.Helper()
		return send(method+" "+instance+path, at+path, body)
	}
	send("GET /jobs/{id}", "/jobs/"+made["job_id"].(string), nil)
	send("GET /instances", "/instances", nil)
	on("GET", "", nil)
	on("PATCH", "", object{"name": "toured"})
	on("PUT", "/engines", object{"engines": object{"postgres": object{}, "apps": object{}, "auth": object{}}})
	on("GET", "/allowlist", nil)
	on("PUT", "/allowlist", object{"allowlist": []string{"127.0.0.0/8"}})
	on("GET", "/sql-console", nil)
	on("PUT", "/sql-console", object{"mode": "ro"})
	on("GET", "/engines/postgres/console", nil)
	on("PUT", "/engines/postgres/console", object{"mode": "rw"})
	on("POST", "/engines/postgres/query", object{"sql": "SELECT 1"})
	on("GET", "/connection", nil)
	on("POST", "/postgres/databases", object{"name": "more"})
	on("GET", "/postgres/databases", nil)
	send("DELETE /instances/{id}/postgres/databases/{name}", at+"/postgres/databases/more", nil)
	send("PUT /instances/{id}/postgres/extensions/{name}", at+"/postgres/extensions/pgcrypto", object{})
	on("GET", "/postgres/extensions", nil)
	send("DELETE /instances/{id}/postgres/extensions/{name}", at+"/postgres/extensions/pgcrypto", nil)

	const app = "/apps/{name}"
	s.SetDuration("build", time.Millisecond)
	on("POST", "/apps/import", object{"repo": repo, "branch": "main", "name": "web", "port": 3000, "health_path": "/healthz", "public": true})
	s.settle(t, id)
	on("GET", "/apps", nil)
	for _, path := range []string{"", "/builds"} {
		send("GET "+instance+app+path, at+"/apps/web"+path, nil)
	}
	send("PATCH "+instance+app, at+"/apps/web", object{"links": []string{"auth"}})
	send("POST "+instance+app+"/actions/redeploy", at+"/apps/web/actions/redeploy", object{})
	s.settle(t, id)
	send("POST "+instance+app+"/actions/restart", at+"/apps/web/actions/restart", object{})
	on("GET", "/engines/auth/settings", nil)
	on("PATCH", "/engines/auth/settings", object{"site_url": "https://tour.example"})

	on("POST", "/actions/rotate", object{})
	on("POST", "/actions/resize", object{"plan": "small"})
	send("POST "+instance+"/engines/{engine}/actions/restart", at+"/engines/postgres/actions/restart", object{})
	on("POST", "/actions/reset", object{"confirm": id, "engine": "postgres"})
	backups, _ := on("GET", "/backups", nil)["backups"].([]any)
	newest, _ := backups[0].(map[string]any)
	on("POST", "/actions/restore", object{"confirm": id, "backup_id": newest["id"]})
	send("DELETE "+instance+app, at+"/apps/web", nil)
	send("DELETE "+instance, at+"?confirm="+url.QueryEscape(id), nil)
	for operation := range left {
		t.Errorf("the tour does not have %s", operation)
	}
}

// object is a JSON object.
type object = map[string]any

// Send sends a request with the key of the account, and returns the status and the body,
// where that is an object.
func (s *Server) Send(t testing.TB, method, path string, body any) (int, map[string]any) {
	t.Helper()
	var text []byte
	if body != nil {
		var err error
		if text, err = json.Marshal(body); err != nil {
			t.Fatal(err)
		}
	}
	request, err := http.NewRequestWithContext(t.Context(), method, s.BaseURL+path, bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+APIKey)
	if body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	read, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	var answer map[string]any
	_ = json.Unmarshal(read, &answer) // the guide is text
	return response.StatusCode, answer
}

// settle waits until the app's build is over and the app runs.
func (s *Server) settle(t testing.TB, instanceID string) {
	t.Helper()
	s.Advance(time.Second)
	var a fakeservice.App
	machine.Until(t, "the app runs", func() bool {
		a, _ = s.App(instanceID, "web")
		return len(a.Builds) > 0 && !a.Builds[0].InProgress() && a.Status == fakeservice.StatusRunning
	}, func() string {
		return fmt.Sprintf("the app is %s, its builds are %v, its log:\n%s", a.Status, a.Builds, s.AppLog(instanceID, "web"))
	})
}
