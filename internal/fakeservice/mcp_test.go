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
// is a job. A name in capitals stands for a value of an earlier answer.
func TestEveryToolAnswers(t *testing.T) {
	t.Parallel()
	a := start(t, withQueries)
	a.SetDuration("build", time.Second)
	agent := a.Agent(t)
	left := toolsOf(t, agent)
	known := map[string]string{}
	for _, call := range []struct {
		tool      string
		arguments object
		path      string // returns the same record
		has       object // members of the result
	}{
		{tool: "list_plans"},
		{tool: "app_guide"},
		{tool: "update_account", arguments: object{"company": "Tools", "name": nil}},
		{tool: "get_account", path: "/me", has: object{"company": "Tools", "name": nil}},
		{tool: "create_webhook", arguments: object{"url": "https://hooks.example.com"}},
		{tool: "update_webhook", arguments: object{"webhook_id": "WEBHOOK", "enabled": false}},
		{tool: "list_webhooks", path: "/webhooks"},
		{tool: "delete_webhook", arguments: object{"webhook_id": "WEBHOOK"}},
		{tool: "create_instance", arguments: object{
			"name": "toured", "tier": "small", "location": "eu-central", "engines": []string{"postgres", "apps", "auth"}, "tags": []string{"a"},
		}},
		{tool: "get_job", arguments: object{"job_id": "JOB"}, path: "/jobs/JOB", has: object{"status": "done"}},
		{tool: "update_instance", arguments: object{"name": "renamed", "tags": []string{}}},
		{tool: "set_engines", arguments: object{"engines": object{"postgres": object{"memory_mb": 600}, "apps": object{}, "auth": object{}}}},
		{tool: "set_allowlist", arguments: object{"allowlist": []string{"127.0.0.0/8"}}},
		{tool: "set_sql_console", arguments: object{"mode": "read-write"}},
		{tool: "postgres_query", arguments: object{"sql": "SELECT 1"}, has: object{"rows": []any{[]any{1.0}}}},
		{tool: "create_database", arguments: object{"name": "more"}},
		{tool: "list_databases", path: "/instances/ID/postgres/databases"},
		{tool: "drop_database", arguments: object{"name": "more"}},
		{tool: "set_extension", arguments: object{"name": "pgcrypto"}},
		{tool: "list_extensions", path: "/instances/ID/postgres/extensions"},
		{tool: "drop_extension", arguments: object{"name": "pgcrypto"}},
		{tool: "inspect_repo", arguments: object{"repo": "octo/app", "branch": "main"}, has: object{"recipe_found": true}},
		{tool: "import_repo", arguments: object{
			"repo": "octo/app", "branch": "main", "name": "web", "source": "git", "target": "runner", "port": 3000,
			"health_path": "/up", "public": true, "memory_mb": 512, "env": object{"COLOUR": "blue"},
		}},
		{tool: "update_app", arguments: object{"name": "web", "links": []string{"auth"}}},
		{tool: "get_app", arguments: object{"name": "web"}, path: "/instances/ID/apps/web", has: object{
			"health_path": "/up", "env": object{"COLOUR": "blue"}, "links": []any{"auth"},
		}},
		{tool: "list_apps", path: "/instances/ID/apps"},
		{tool: "list_builds", arguments: object{"name": "web"}, path: "/instances/ID/apps/web/builds"},
		{tool: "app_repo", arguments: object{"name": "web"}, has: object{"name": "web", "repo": "octo/app", "branch": "main", "status": "running"}},
		{tool: "list_repos", has: object{"repositories": []any{object{"repo": "octo/app"}}}},
		{tool: "redeploy_app", arguments: object{"name": "web"}},
		{tool: "restart_app", arguments: object{"name": "web"}},
		{tool: "set_auth_settings", arguments: object{"site_url": "https://toured.example", "redirect_urls": []string{"https://toured.example/**"}}},
		{tool: "get_auth_settings", path: "/instances/ID/engines/auth/settings"},
		{tool: "rotate_credentials"},
		{tool: "get_connection_urls", path: "/instances/ID/connection"},
		{tool: "resize_instance", arguments: object{"plan": "medium"}},
		{tool: "restart_engine", arguments: object{"engine": "postgres"}},
		{tool: "reset_instance", arguments: object{"confirm": "ID", "engine": "postgres"}},
		{tool: "list_backups", path: "/instances/ID/backups"},
		{tool: "restore_instance", arguments: object{"confirm": "ID", "backup_id": "BACKUP"}},
		{tool: "get_instance", path: "/instances/ID", has: object{
			"name": "renamed", "plan": "medium", "console_mode": "rw", "allowlist": []any{"127.0.0.0/8"},
		}},
		{tool: "list_instances", arguments: object{"limit": 10}, path: "/instances?limit=10"},
		{tool: "delete_app", arguments: object{"name": "web"}},
		{tool: "delete_instance", arguments: object{"confirm": "ID"}},
		{tool: "get_billing", path: "/billing"},
	} {
		if left[call.tool] == nil {
			t.Fatalf("the tool %s is unknown or was called before", call.tool)
		}
		arguments := object{}
		if schema := string(must.Get(json.Marshal(left[call.tool].InputSchema))(t)); strings.Contains(schema, `"instance_id"`) {
			arguments["instance_id"] = known["ID"]
		}
		for name, value := range call.arguments {
			arguments[name] = value
			if text, ok := value.(string); ok && known[text] != "" {
				arguments[name] = known[text]
			}
		}
		delete(left, call.tool)
		answer := agent.Do(call.tool, arguments)
		if call.path != "" {
			path := strings.NewReplacer("ID", known["ID"], "JOB", known["JOB"]).Replace(call.path)
			equal(t, path+" of the REST API and "+call.tool, answer, a.call("GET", path, nil).body)
		}
		for name, want := range call.has {
			equal(t, name+" in the result of "+call.tool, answer[name], want)
		}
		switch call.tool {
		case "create_webhook":
			known["WEBHOOK"] = answer["id"].(string)
		case "create_instance":
			known["ID"], known["JOB"] = answer["id"].(string), answer["job_id"].(string)
		case "list_backups":
			known["BACKUP"] = answer["backups"].([]any)[0].(object)["id"].(string)
		}
		if id, ok := answer["job_id"].(string); ok && call.tool != "get_instance" {
			must.Do(t, a.FinishJob(id))
			equal(t, "the job of "+call.tool, agent.Do("get_job", object{"job_id": id})["status"], any("done"))
			a.Advance(time.Minute)
		}
	}
	if len(left) > 0 {
		t.Errorf("not called in TestEveryToolAnswers (mcp_test.go): %v; call them in mcp/typescript/client.mjs too", slices.Sorted(maps.Keys(left)))
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
	hook := a.AddWebhook(fakeservice.Webhook{URL: "https://hooks.example.com"}).ID
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
		"a name of nothing": {
			"update_instance", object{"instance_id": idle, "name": ""}, "validation_failed", "PATCH", "/instances/" + idle, object{"name": ""},
		},
		"an endpoint without a secret": {
			"create_webhook", object{"url": "https://hooks.example.com", "secret": ""}, "validation_failed",
			"POST", "/webhooks", object{"url": "https://hooks.example.com", "secret": ""},
		},
		"an endpoint by http": {
			"update_webhook", object{"webhook_id": hook, "url": "http://hooks.example.com"}, "validation_failed",
			"PATCH", "/webhooks/" + hook, object{"url": "http://hooks.example.com"},
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
		if schema := string(must.Get(json.Marshal(tool.InputSchema))(t)); strings.Contains(schema, `"type":[`) {
			t.Errorf("the arguments of %s: got %s, want no type that is a list, which some clients refuse", name, schema)
		}
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
	response, err := http.DefaultClient.Do(request)
	must.Do(t, err)
	defer response.Body.Close()
	text := must.Get(io.ReadAll(response.Body))(t)
	return response.StatusCode, response.Header, string(text)
}
