package fakeservice_test

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest"
	"github.com/instance-hosting/terraform-provider-hosting/internal/must"
)

// A client that can ask a person does so before a call that destroys something. If the
// person does not agree, nothing changes. A client that cannot ask just calls.
func TestPersonIsAsked(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		tool      string
		arguments object
		question  string
	}{
		"a deletion":                   {"delete_instance", object{"confirm": "ID"}, "Delete the instance shop "},
		"a reset":                      {"reset_instance", object{"confirm": "ID"}, "Empty the instance shop?"},
		"a restore":                    {"restore_instance", object{"confirm": "ID", "backup_id": "BACKUP"}, "Put the data of the instance shop back"},
		"a rotation":                   {"rotate_credentials", object{}, "Change every password of the instance shop?"},
		"an allowlist of all":          {"set_allowlist", object{"allowlist": []string{"0.0.0.0/0"}}, "Open the instance shop to the whole internet?"},
		"an allowlist of all of IPv6":  {"set_allowlist", object{"allowlist": []string{"203.0.113.0/24", "::/0"}}, "Open the instance shop "},
		"an empty allowlist":           {"set_allowlist", object{"allowlist": []string{}}, "Open the instance shop "},
		"an allowlist of some":         {"set_allowlist", object{"allowlist": []string{"203.0.113.0/24"}}, ""},
		"a restart":                    {"restart_engine", object{"engine": "postgres"}, ""},
		"a deletion that is not meant": {"delete_instance", object{"confirm": "another"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := start(t)
			id := a.AddInstance(fakeservice.Instance{Name: "shop", Status: "running", Engines: map[string]*fakeservice.Engine{"postgres": {MemoryMB: 512}}}).ID
			arguments := object{"instance_id": id}
			for field, value := range row.arguments {
				switch value {
				case "ID":
					value = id
				case "BACKUP":
					value = backupOf(t, a, id)
				}
				arguments[field] = value
			}
			before := len(a.Jobs())
			for _, action := range []string{"decline", "cancel"} {
				asked, result := a.askedFor(t, action, row.tool, arguments)
				if row.question == "" {
					equal(t, "the question", asked, "")
					return
				}
				if !strings.HasPrefix(asked, row.question) {
					t.Errorf("the question: got %q, want %q", asked, row.question)
				}
				if text := result.Content[0].(*mcp.TextContent).Text; !result.IsError || !strings.Contains(text, `"code":"confirm_mismatch"`) {
					t.Errorf("after %s: got %s, want a refusal", action, text)
				}
				equal(t, "the jobs after "+action, len(a.Jobs()), before)
			}
			if _, result := a.askedFor(t, "accept", row.tool, arguments); result.IsError {
				t.Errorf("after an agreement: got %s, want no error", result.Content[0].(*mcp.TextContent).Text)
			}
			equal(t, "the jobs after an agreement", len(a.Jobs()), before+1)
		})
	}
}

// backupOf returns the id of a backup of an instance.
func backupOf(t *testing.T, a *api, id string) string {
	t.Helper()
	a.Agent(t).Do("reset_instance", object{"instance_id": id, "confirm": id})
	for _, j := range a.Jobs() {
		must.Do(t, a.FinishJob(j.ID))
	}
	return a.Agent(t).Do("list_backups", object{"instance_id": id})["backups"].([]any)[0].(object)["id"].(string)
}

// askedFor calls a tool as a client with a person who answers every question the same. It
// returns the question, if there was one.
func (a *api) askedFor(t *testing.T, action, tool string, arguments object) (question string, result *mcp.CallToolResult) {
	t.Helper()
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "v1"}, &mcp.ClientOptions{
		ElicitationHandler: func(_ context.Context, request *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			question = request.Params.Message
			return &mcp.ElicitResult{Action: action}, nil
		},
	})
	session := must.Get(client.Connect(t.Context(), &mcp.StreamableClientTransport{
		Endpoint: a.MCPURL, HTTPClient: &http.Client{Transport: fakeservicetest.Bearer(fakeservicetest.APIKey)},
	}, nil))(t)
	defer func() { _ = session.Close() }()
	result = must.Get(session.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: arguments}))(t)
	return question, result
}

// inSession sends a request of a client that can ask a person by the earlier version of
// the protocol. session is "" for the first one. The answer stays open until the end of the
// test, because it may be a stream.
func (a *api) inSession(t *testing.T, method, key, session, body string) (status int, opened string, answer io.Reader) {
	t.Helper()
	request := must.Get(http.NewRequestWithContext(t.Context(), method, a.MCPURL, strings.NewReader(body)))(t)
	request.Header.Set("Authorization", "Bearer "+key)
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Accept", "application/json, text/event-stream")
	if session != "" {
		request.Header.Set("Mcp-Session-Id", session)
	}
	response, err := http.DefaultClient.Do(request)
	must.Do(t, err)
	t.Cleanup(func() { _ = response.Body.Close() })
	return response.StatusCode, response.Header.Get("Mcp-Session-Id"), response.Body
}

// A session admits nobody without a valid key, and ends with the fake. Clients that cannot
// ask get no session.
func TestSessions(t *testing.T) {
	t.Parallel()
	const initialize = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":CAPABILITIES,"clientInfo":{"name":"test","version":"v1"}}}`
	a := start(t)
	key := must.Get(a.CreateKey("for a while"))(t)
	_, none, _ := a.inSession(t, http.MethodPost, key.Key, "", strings.Replace(initialize, "CAPABILITIES", "{}", 1))
	equal(t, "the session of a client that cannot ask", none, "")
	status, session, _ := a.inSession(t, http.MethodPost, key.Key, "", strings.Replace(initialize, "CAPABILITIES", `{"elicitation":{}}`, 1))
	if session == "" {
		t.Fatalf("a client that can ask: got %d and no session, want a session", status)
	}
	status, _, stream := a.inSession(t, http.MethodGet, key.Key, session, "")
	equal(t, "the stream", status, http.StatusOK)
	status, _, _ = a.inSession(t, http.MethodGet, key.Key, "other", "")
	equal(t, "another session", status, http.StatusNotFound)
	must.Do(t, a.RevokeKey(key.ID))
	status, _, _ = a.inSession(t, http.MethodPost, key.Key, session, `{"jsonrpc":"2.0","id":2,"method":"tools/list"}`)
	equal(t, "a revoked key", status, http.StatusUnauthorized)
	must.Do(t, a.Close())
	if _, err := io.Copy(io.Discard, stream); err != nil {
		t.Errorf("the end of the stream: got error %v, want none", err)
	}
}
