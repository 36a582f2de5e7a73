package verification_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/instance-hosting/terraform-provider-hosting/internal/client"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/dataplane"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest/tier"
	"github.com/instance-hosting/terraform-provider-hosting/internal/must"
	"github.com/instance-hosting/terraform-provider-hosting/internal/verification"
)

// object is a JSON object.
type object = map[string]any

// An agent with only the MCP tools deploys a working guestbook. It follows the order of
// work of SERVICE.md#guestbook, step by step, against a fake whose Postgres, apps and auth
// engine are real.
func TestGuestbookByMCP(t *testing.T) {
	t.Parallel()
	fake := fakeservicetest.Start(t,
		func(o *fakeservice.Options) { o.Speed = 2400 },
		fakeservicetest.WithDataPlane(t, func(o *dataplane.Options) {
			o.Repositories = map[string]string{"octo/guestbook": "../../examples/guestbook/app"}
		}))
	agent := fake.Agent(t)
	id, appURL, auth := deploy(t, agent)
	if requests := fake.Requests(); len(requests) > 0 {
		t.Errorf("requests to the REST API: got %v, want none", requests)
	}

	service := must.Get(client.New(client.Options{BaseURL: fake.BaseURL, APIKey: fakeservicetest.APIKey}))(t)
	browser := verification.FindChromium()
	if browser == "" && os.Getenv("HOSTING_TEST_STRICT") == "1" {
		t.Fatal("Chromium is missing, and HOSTING_TEST_STRICT=1 says that everything is there")
	}
	guestbook := verification.Guestbook{
		AppURL: appURL, AuthURL: auth["url"].(string), AnonKey: auth["anon_key"].(string),
		Service: service, InstanceID: id, App: "guestbook",
		Processes: func(_ context.Context, engine string) (int, error) {
			for _, p := range fake.Processes(id) {
				if p.Engine == engine {
					return p.PID, nil
				}
			}
			return 0, nil
		},
		Chromium: browser, Say: t.Logf, Brief: !tier.Night.Runs(),
	}
	if err := guestbook.Verify(t.Context()); err != nil {
		t.Fatalf("%s\nthe app's log:\n%s", err, fake.AppLog(id, "guestbook"))
	}

	agent.Done("delete_instance", object{"instance_id": id, "confirm": id})
	for what, n := range fake.Left() {
		if n != 0 {
			t.Errorf("%s that are left: got %d, want none", what, n)
		}
	}
}

// deploy follows the order of work of SERVICE.md#guestbook. It returns the instance, the
// app's public URL and the auth engine's part of the connection record.
func deploy(t *testing.T, agent *fakeservicetest.Agent) (id, appURL string, auth object) {
	t.Helper()
	// 1. The instance with postgres, apps and auth.
	created := agent.Done("create_instance", object{
		"name": "guestbook", "tier": "free", "location": "eu-central", "engines": []string{"postgres", "apps", "auth"},
	})
	id = created["id"].(string)
	on := object{"instance_id": id}
	// 2. The auth URL and the anon key.
	auth = agent.Do("get_connection_urls", on)["engines"].(object)["auth"].(object)
	if !strings.HasSuffix(auth["url"].(string), "/auth/v1") {
		t.Fatalf("the auth URL: got %v, want it to end in /auth/v1", auth["url"])
	}
	// 3. The table, with the console open only for this statement.
	schema := must.Get(os.ReadFile(filepath.Join("..", "..", "examples", "guestbook", "schema.sql")))(t)
	agent.Done("set_sql_console", object{"instance_id": id, "mode": "read-write"})
	agent.Do("postgres_query", object{"instance_id": id, "sql": string(schema)})
	agent.Done("set_sql_console", object{"instance_id": id, "mode": "off"})
	if answer, refused := agent.Call("postgres_query", object{"instance_id": id, "sql": "SELECT 1"}); !refused || answer["code"] != "console_off" {
		t.Errorf("a query with the console off: got %v, want console_off", answer)
	}
	// 4. The app, after an inspection.
	if listed := agent.Do("list_repos", nil)["repositories"].([]any); len(listed) != 1 || listed[0].(object)["repo"] != "octo/guestbook" {
		t.Errorf("the repositories: got %v, want octo/guestbook", listed)
	}
	if answer, refused := agent.Call("inspect_repo", object{"instance_id": id, "repo": "octo/other", "branch": "main"}); !refused || answer["code"] != "not_found" {
		t.Errorf("a repository that is not seen: got %v, want not_found", answer)
	}
	found := agent.Do("inspect_repo", object{"instance_id": id, "repo": "octo/guestbook", "branch": "main"})
	if found["recipe_found"] != true || found["recipe"] != "go.mod" || found["commit"] == nil {
		t.Errorf("the repository: got %v, want the recipe go.mod and a commit", found)
	}
	agent.Done("import_repo", object{
		"instance_id": id, "repo": "octo/guestbook", "branch": "main", "name": "guestbook", "source": "git", "target": "runner",
		"port": found["port"], "health_path": "/healthz", "public": true,
		"env": object{"NEXT_PUBLIC_AUTH_URL": auth["url"], "NEXT_PUBLIC_AUTH_ANON_KEY": auth["anon_key"]},
	})
	// 5. The build.
	app := object{"instance_id": id, "name": "guestbook"}
	agent.Until("the build", "list_builds", app, func(list object) bool {
		build := list["builds"].([]any)[0].(object)
		if build["status"] == "failed" {
			t.Fatalf("the build: got failed, want a success: %v", build["error"])
		}
		return build["status"] == "successful"
	})
	// 6. The link, which an import does not apply.
	agent.Done("update_app", object{"instance_id": id, "name": "guestbook", "links": []string{"auth"}})
	// 7. The addresses to which auth redirects return, once the app has its public URL.
	source := agent.Until("the public URL", "app_repo", app, func(source object) bool { return source["url"] != nil })
	appURL = source["url"].(string)
	agent.Done("set_auth_settings", object{"instance_id": id, "site_url": appURL, "redirect_urls": []string{appURL + "/**"}})
	agent.Until("the app", "get_app", app, func(record object) bool { return record["status"] == "running" })
	return id, appURL, auth
}
