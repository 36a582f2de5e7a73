package fakeservice_test

import (
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest"
	"github.com/instance-hosting/terraform-provider-hosting/internal/must"
)

// toolsOf returns the server's tools by name.
func toolsOf(t *testing.T, agent *fakeservicetest.Agent) map[string]*mcp.Tool {
	t.Helper()
	tools := map[string]*mcp.Tool{}
	for tool, err := range agent.Tools(t.Context(), nil) {
		if err != nil {
			t.Fatal(err)
		}
		tools[tool.Name] = tool
	}
	return tools
}

// Each tool works. The calls are in an order in which each has the objects that it needs.
// Tools that read return the same record as the REST API, and each change of an instance
// is a job.
func TestEveryToolAnswers(t *testing.T) {
	t.Parallel()
	a := start(t, withQueries)
	agent := a.Agent(t)
	left := toolsOf(t, agent)
	call := func(tool string, arguments object) object {
		t.Helper()
		if left[tool] == nil {
			t.Fatalf("the tool %s is unknown or was called before", tool)
		}
		delete(left, tool)
		answer := agent.Do(tool, arguments)
		if id, ok := answer["job_id"].(string); ok && tool != "get_instance" {
			must.Do(t, a.FinishJob(id))
			if job := agent.Do("get_job", object{"job_id": id}); job["status"] != "done" {
				t.Fatalf("the job of %s: got %v, want done", tool, job)
			}
		}
		return answer
	}
	// reads calls a tool that returns the same record as a path of the REST API.
	reads := func(tool string, arguments object, path string) object {
		t.Helper()
		answer := call(tool, arguments)
		if diff := cmp.Diff(a.call("GET", path, nil).body, answer); diff != "" {
			t.Errorf("%s of the REST API (-want) and %s (+got):\n%s", path, tool, diff)
		}
		return answer
	}

	offer := call("list_plans", nil)
	want := a.call("GET", "/plans", nil).body
	maps.Copy(want, a.call("GET", "/locations", nil).body)
	if diff := cmp.Diff(want, offer); diff != "" {
		t.Errorf("plans and locations of the REST API (-want) and list_plans (+got):\n%s", diff)
	}
	call("app_guide", nil)
	call("update_account", object{"company": "Tools", "name": nil})
	if account := reads("get_account", nil, "/me"); account["company"] != "Tools" || account["name"] != nil {
		t.Errorf("the account: got %v, want the company Tools and no name", account)
	}
	made := call("create_webhook", object{"url": "https://hooks.example.com"})
	if made["secret"] == "" {
		t.Errorf("the new endpoint: got %v, want a secret", made)
	}
	call("update_webhook", object{"webhook_id": made["id"], "enabled": false})
	reads("list_webhooks", nil, "/webhooks")
	call("delete_webhook", object{"webhook_id": made["id"]})

	created := call("create_instance", object{"name": "toured", "tier": "small", "location": "eu-central", "engines": []string{"postgres", "apps", "auth"}, "tags": []string{"a"}})
	if checkout, _ := created["checkout_url"].(string); !strings.HasPrefix(checkout, a.RootURL+"/checkout/") {
		t.Errorf("the creation: got %v, want a checkout at %s/checkout/", created, a.RootURL)
	}
	id := created["id"].(string)
	at := "/instances/" + id
	on := func(more object) object {
		arguments := object{"instance_id": id}
		maps.Copy(arguments, more)
		return arguments
	}
	reads("get_job", object{"job_id": created["job_id"]}, "/jobs/"+created["job_id"].(string))
	call("update_instance", on(object{"name": "renamed", "tags": []string{}}))
	call("set_engines", on(object{"engines": object{"postgres": object{"memory_mb": 600}, "apps": object{}, "auth": object{}}}))
	call("set_allowlist", on(object{"allowlist": []string{"127.0.0.0/8"}}))
	call("set_sql_console", on(object{"mode": "read-write"}))
	if rows := call("postgres_query", on(object{"sql": "SELECT 1"}))["rows"]; !cmp.Equal(rows, []any{[]any{1.0}}) {
		t.Errorf("the rows: got %v, want one of 1", rows)
	}
	call("create_database", on(object{"name": "more"}))
	reads("list_databases", on(nil), at+"/postgres/databases")
	call("drop_database", on(object{"name": "more"}))
	call("set_extension", on(object{"name": "pgcrypto"}))
	reads("list_extensions", on(nil), at+"/postgres/extensions")
	call("drop_extension", on(object{"name": "pgcrypto"}))

	a.SetDuration("build", time.Second)
	found := call("inspect_repo", on(object{"repo": "octo/app", "branch": "main"}))
	if found["recipe_found"] != true || !strings.Contains(found["note"].(string), "records alone") {
		t.Errorf("the repository: got %v, want a recipe and a note about records alone", found)
	}
	call("import_repo", on(object{
		"repo": "octo/app", "branch": "main", "name": "web", "source": "git", "target": "runner", "port": found["port"],
		"health_path": "/up", "public": true, "memory_mb": 512, "env": object{"COLOUR": "blue"},
	}))
	a.Advance(time.Minute)
	call("update_app", on(object{"name": "web", "links": []string{"auth"}}))
	app := reads("get_app", on(object{"name": "web"}), at+"/apps/web")
	if app["health_path"] != "/up" || !cmp.Equal(app["env"], object{"COLOUR": "blue"}) || !cmp.Equal(app["links"], []any{"auth"}) {
		t.Errorf("the app: got %v, want /up, COLOUR=blue and the link auth", app)
	}
	reads("list_apps", on(nil), at+"/apps")
	builds := reads("list_builds", on(object{"name": "web"}), at+"/apps/web/builds")
	source := call("app_repo", on(object{"name": "web"}))
	if diff := cmp.Diff(object{"name": "web", "repo": "octo/app", "branch": "main", "status": "running", "url": app["url"], "build": builds["builds"].([]any)[0]}, source); diff != "" {
		t.Errorf("app_repo (-want +got):\n%s", diff)
	}
	if listed := call("list_repos", nil); !cmp.Equal(listed["repositories"], []any{object{"repo": "octo/app"}}) {
		t.Errorf("the repositories: got %v, want octo/app", listed)
	}
	call("redeploy_app", on(object{"name": "web"}))
	call("restart_app", on(object{"name": "web"}))
	call("set_auth_settings", on(object{"site_url": "https://toured.example", "redirect_urls": []string{"https://toured.example/**"}}))
	reads("get_auth_settings", on(nil), at+"/engines/auth/settings")

	before := reads("get_connection_urls", on(nil), at+"/connection")
	call("rotate_credentials", on(nil))
	if cmp.Equal(before, agent.Do("get_connection_urls", on(nil))) {
		t.Error("the rotation has changed nothing")
	}
	call("resize_instance", on(object{"plan": "medium"}))
	call("restart_engine", on(object{"engine": "postgres"}))
	call("reset_instance", on(object{"confirm": id, "engine": "postgres"}))
	backups := reads("list_backups", on(nil), at+"/backups")
	call("restore_instance", on(object{"confirm": id, "backup_id": backups["backups"].([]any)[0].(object)["id"]}))
	record := reads("get_instance", on(nil), at)
	if record["name"] != "renamed" || record["plan"] != "medium" || record["console_mode"] != "rw" || !cmp.Equal(record["allowlist"], []any{"127.0.0.0/8"}) {
		t.Errorf("the instance: got %v, want renamed, medium, rw and 127.0.0.0/8", record)
	}
	reads("list_instances", object{"limit": 10}, "/instances?limit=10")
	call("delete_app", on(object{"name": "web"}))
	call("delete_instance", on(object{"confirm": id}))
	reads("get_billing", nil, "/billing")
	if len(left) > 0 {
		t.Errorf("not called in TestEveryToolAnswers (mcp_test.go): %v; call them in mcp/typescript/client.mjs too", slices.Sorted(maps.Keys(left)))
	}
}

// argumentsFor returns arguments that are valid for a tool's schema and name nothing that
// exists.
func argumentsFor(t *testing.T, tool *mcp.Tool) object {
	t.Helper()
	var schema struct {
		Required   []string
		Properties map[string]struct {
			Type string
			Enum []any
		}
	}
	text := must.Get(json.Marshal(tool.InputSchema))(t)
	// No type is a list, which some clients refuse.
	if err := json.Unmarshal(text, &schema); err != nil {
		t.Errorf("the arguments of %s: %v", tool.Name, err)
	}
	arguments := object{}
	for _, name := range schema.Required {
		property := schema.Properties[name]
		switch {
		case len(property.Enum) > 0:
			arguments[name] = property.Enum[0]
		case property.Type == "integer":
			arguments[name] = 3000
		case property.Type == "object":
			arguments[name] = object{}
		case property.Type == "string":
			arguments[name] = "nothing"
		default:
			arguments[name] = []string{}
		}
	}
	return arguments
}

// Each tool refuses ids of missing objects and unknown arguments, like the REST API.
func TestEveryToolRefuses(t *testing.T) {
	t.Parallel()
	a := start(t, withQueries)
	agent := a.Agent(t)
	for name, tool := range toolsOf(t, agent) {
		arguments := argumentsFor(t, tool)
		if about := []string{"instance_id", "job_id", "webhook_id"}; slices.ContainsFunc(about, func(id string) bool { return arguments[id] != nil }) {
			if answer, refused := agent.Call(name, arguments); !refused || answer["code"] != "not_found" {
				t.Errorf("%s of nothing: got %v, want not_found", name, answer)
			}
		}
		arguments["colour"] = "red"
		if answer, refused := agent.Call(name, arguments); !refused || answer["code"] != "invalid_request" {
			t.Errorf("%s with an unknown argument: got %v, want invalid_request", name, answer)
		}
	}
}

// A tool refuses a request with the same envelope as the REST API and without an effect.
func TestToolRefusalsAreThoseOfREST(t *testing.T) {
	t.Parallel()
	// The three requests without confirm and those with null also violate the API
	// document, which the REST API reports.
	a := &api{Server: serveWithViolations(t, 7), t: t}
	agent := a.Agent(t)
	idle := a.AddInstance(fakeservice.Instance{Name: "idle", Engines: map[string]*fakeservice.Engine{"postgres": {MemoryMB: 512}}}).ID
	busy := a.AddInstance(fakeservice.Instance{Name: "busy"}).ID
	a.HoldJobs(fakeservice.JobMatch{Operation: "update"}) // or a busy machine could ask after its end
	must.Get(a.StartJob(busy, "update", ""))(t)
	jobs := len(a.Jobs())
	for name, row := range map[string]struct {
		tool         string
		arguments    object
		code         string
		method, path string
		body         any
	}{
		"a job runs": {
			"update_instance", object{"instance_id": busy, "name": "x"}, "job_running",
			"PATCH", "/instances/" + busy, object{"name": "x"},
		},
		"no confirm": {"delete_instance", object{"instance_id": idle}, "confirm_mismatch", "DELETE", "/instances/" + idle, nil},
		"another confirm": {
			"delete_instance", object{"instance_id": idle, "confirm": busy}, "confirm_mismatch",
			"DELETE", "/instances/" + idle + "?confirm=" + busy, nil,
		},
		"reset without confirm": {
			"reset_instance", object{"instance_id": idle}, "confirm_mismatch",
			"POST", "/instances/" + idle + "/actions/reset", object{},
		},
		"restore without confirm": {
			"restore_instance", object{"instance_id": idle, "backup_id": "b"}, "confirm_mismatch",
			"POST", "/instances/" + idle + "/actions/restore", object{"backup_id": "b"},
		},
		"the console is off": {
			"postgres_query", object{"instance_id": idle, "sql": "SELECT 1"}, "console_off",
			"POST", "/instances/" + idle + "/engines/postgres/query", object{"sql": "SELECT 1"},
		},
		"a plan that there is not": {
			"create_instance", object{"name": "x", "tier": "tiny", "location": "eu-central"}, "validation_failed",
			"POST", "/instances", object{"name": "x", "plan": "tiny", "region": "eu-central", "engines": object{}},
		},
		"auth alone": {
			"create_instance", object{"name": "x", "tier": "free", "location": "eu-central", "engines": []string{"auth"}}, "validation_failed",
			"POST", "/instances", object{"name": "x", "plan": "free", "region": "eu-central", "engines": object{"auth": true}},
		},
		"a database that is there": {
			"create_database", object{"instance_id": idle, "name": "main"}, "already_exists",
			"POST", "/instances/" + idle + "/postgres/databases", object{"name": "main"},
		},
		"an address that is none": {
			"set_allowlist", object{"instance_id": idle, "allowlist": []string{"everybody"}}, "validation_failed",
			"PUT", "/instances/" + idle + "/allowlist", object{"allowlist": []string{"everybody"}},
		},
		"an allowlist that is null": {
			"set_allowlist", object{"instance_id": idle, "allowlist": nil}, "invalid_request",
			"PUT", "/instances/" + idle + "/allowlist", object{"allowlist": nil},
		},
		"a name that is null": {
			"update_instance", object{"instance_id": idle, "name": nil}, "invalid_request", "PATCH", "/instances/" + idle, object{"name": nil},
		},
		"a budget that is null": {
			"set_engines", object{"instance_id": idle, "engines": object{"redis": object{"memory_mb": nil}}}, "invalid_request",
			"PUT", "/instances/" + idle + "/engines", object{"engines": object{"redis": object{"memory_mb": nil}}},
		},
		"a list that is null": {
			"create_instance", object{"name": "x", "tier": "free", "location": "eu-central", "tags": nil}, "invalid_request",
			"POST", "/instances", object{"name": "x", "plan": "free", "region": "eu-central", "tags": nil},
		},
		"a page too long":      {"list_instances", object{"limit": 201}, "invalid_request", "GET", "/instances?limit=201", nil},
		"a page of nothing":    {"list_instances", object{"limit": 0}, "invalid_request", "GET", "/instances?limit=0", nil},
		"a cursor of nobody's": {"list_instances", object{"cursor": "nowhere"}, "invalid_request", "GET", "/instances?cursor=nowhere", nil},
	} {
		t.Run(name, func(t *testing.T) {
			answer, refused := agent.Call(row.tool, row.arguments)
			if !refused || answer["code"] != row.code {
				t.Fatalf("%s: got %v, want code %s", row.tool, answer, row.code)
			}
			byREST := a.call(row.method, row.path, row.body).body
			// The REST API checks the document first, and reports violations in different
			// words.
			if row.code != "invalid_request" && !cmp.Equal(byREST, answer) {
				t.Errorf("the tool: got %v, want the answer of REST: %v", answer, byREST)
			}
			if byREST["code"] != row.code {
				t.Errorf("the answer of REST: got %v, want code %s", byREST, row.code)
			}
		})
	}
	if got := len(a.Jobs()); got != jobs || len(a.Instances()) != 2 {
		t.Errorf("refused calls: got %d jobs and %d instances, want 0 of each", got-jobs, len(a.Instances())-2)
	}
}

// A panic in a tool is the error of that call, and the fake keeps running.
func TestToolThatPanics(t *testing.T) {
	t.Parallel()
	// The data plane lacks the method.
	agent := startWith(t, &stubPlane{}).Agent(t)
	if answer, refused := agent.Call("list_repos", nil); !refused || answer["code"] != "internal" {
		t.Errorf("list_repos: got %v, want code internal", answer)
	}
	agent.Do("get_account", nil)
}

// A wrong key is refused, and the error says where to find out how to sign in. A revoked
// key is refused immediately, even during a session.
func TestToolsWantAKey(t *testing.T) {
	t.Parallel()
	a := start(t)
	if _, err := a.Connect(t, "wrong"); err == nil || !strings.Contains(err.Error(), "Unauthorized") {
		t.Errorf("a wrong key: got error %v, want Unauthorized", err)
	}
	key := must.Get(a.CreateKey("for a while"))(t)
	agent := must.Get(a.Connect(t, key.Key))(t)
	agent.Do("get_account", nil)
	must.Do(t, a.RevokeKey(key.ID))
	if _, err := agent.CallTool(t.Context(), &mcp.CallToolParams{Name: "get_account"}); err == nil || !strings.Contains(err.Error(), "Unauthorized") {
		t.Errorf("a revoked key: got error %v, want Unauthorized", err)
	}

	metadata := a.RootURL + "/.well-known/oauth-protected-resource/mcp"
	for name, row := range map[string]struct{ authorization, challenge, body string }{
		"no key": {"", `Bearer resource_metadata="` + metadata + `"`, `{"detail":"the request has no API key and no access token; send one as a bearer token","code":"unauthorized"}`},
		"a wrong key": {
			"Bearer wrong", `Bearer resource_metadata="` + metadata + `", error="invalid_token"`,
			`{"detail":"the API key or access token is not valid","code":"unauthorized"}`,
		},
	} {
		request := must.Get(http.NewRequest(http.MethodPost, a.MCPURL,
			strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)))(t)
		request.Header.Set("Authorization", row.authorization)
		status, header, body := send(t, request)
		if status != http.StatusUnauthorized || header.Get("WWW-Authenticate") != row.challenge || body != row.body {
			t.Errorf("%s: got %d %q %s, want 401 %q %s", name, status, header.Get("WWW-Authenticate"), body, row.challenge, row.body)
		}
	}
	for _, at := range []string{metadata, strings.TrimSuffix(metadata, "/mcp")} {
		request := must.Get(http.NewRequest(http.MethodGet, at, nil))(t)
		want := `{"resource":"` + a.MCPURL + `","authorization_servers":["` + a.RootURL + `"],"bearer_methods_supported":["header"],"resource_name":"Instance hosting"}`
		if status, _, body := send(t, request); status != http.StatusOK || strings.TrimSpace(body) != want {
			t.Errorf("%s: got %d %s, want 200 %s", at, status, body, want)
		}
	}
}

// The tools describe themselves correctly. The annotations say which tools only read,
// which delete or overwrite something, and which are idempotent. The metadata, title and
// description say which tools return secrets.
func TestToolsSayWhatTheyDo(t *testing.T) {
	t.Parallel()
	tools := toolsOf(t, start(t).Agent(t))
	var reading, destroying, repeatable, secret []string
	for _, name := range slices.Sorted(maps.Keys(tools)) {
		tool := tools[name]
		hints := tool.Annotations
		if tool.Description == "" || tool.Title == "" || hints == nil || hints.DestructiveHint == nil || hints.OpenWorldHint == nil {
			t.Fatalf("the tool %s: got %+v, want a title, a description and hints", name, tool)
		}
		if hints.ReadOnlyHint {
			reading = append(reading, name)
		}
		if *hints.DestructiveHint {
			destroying = append(destroying, name)
		}
		if hints.IdempotentHint {
			repeatable = append(repeatable, name)
		}
		marks := []bool{tool.Meta["hosting/returnsSecrets"] == true, strings.Contains(hints.Title, "returns secrets"), strings.Contains(tool.Description, "The result holds secrets: ")}
		if slices.Contains(marks, true) {
			secret = append(secret, name)
			if slices.Contains(marks, false) {
				t.Errorf("the marks of secrets of %s: got %v of metadata, title and description, want all", name, marks)
			}
		}
	}
	for _, check := range []struct {
		what string
		want string
		got  []string
	}{
		{"read", "app_guide app_repo get_account get_app get_auth_settings get_billing get_connection_urls get_instance get_job inspect_repo list_apps list_backups list_builds list_databases list_extensions list_instances list_plans list_repos list_webhooks", reading},
		{"destroy", "delete_app delete_instance delete_webhook drop_database drop_extension postgres_query reset_instance resize_instance restore_instance rotate_credentials set_allowlist set_auth_settings set_engines set_sql_console update_account update_app update_instance update_webhook", destroying},
		{"are repeatable", "delete_app delete_instance delete_webhook drop_database drop_extension resize_instance set_allowlist set_auth_settings set_engines set_extension set_sql_console update_account update_app update_instance update_webhook", repeatable},
		{"return secrets", "create_webhook get_app get_connection_urls list_apps", secret},
	} {
		if diff := cmp.Diff(strings.Fields(check.want), check.got); diff != "" {
			t.Errorf("tools that %s (-want +got):\n%s", check.what, diff)
		}
	}
}

func send(t *testing.T, request *http.Request) (status int, header http.Header, body string) {
	t.Helper()
	response := must.Get(http.DefaultClient.Do(request))(t)
	defer response.Body.Close()
	text := must.Get(io.ReadAll(response.Body))(t)
	return response.StatusCode, response.Header, string(text)
}
