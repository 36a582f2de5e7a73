package properties

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"

	"pgregory.net/rapid"
)

// called is the result of a tool.
type called struct {
	// content is the structured content, or nil for a refusal.
	content json.RawMessage
	// refusal is the text of a refusal in the API's envelope, or "".
	refusal string
}

// canCall reports whether a request can be expressed as arguments of a tool.
func canCall(r *request) bool {
	if r.invalid && !r.misshapen || r.stranger || r.isOutsized() {
		return false
	}
	if _, list := r.value["engines"].([]any); list {
		return false // the tool expects a list there
	}
	_, plan := r.value["plan"]
	_, tier := r.value["tier"]
	return !plan || !tier
}

// arguments returns the arguments of the tool for a request.
func arguments(r *request) map[string]any {
	given := map[string]any{}
	if r.operation.String() == "GET /webhooks/{id}" {
		return given // its tool lists all endpoints
	}
	for name, value := range r.path {
		switch {
		case name != "id":
			given[name] = value
		case strings.HasPrefix(r.operation.Path, "/jobs"):
			given["job_id"] = value
		case strings.HasPrefix(r.operation.Path, "/webhooks"):
			given["webhook_id"] = value
		default:
			given["instance_id"] = value
		}
	}
	for name := range r.query {
		given[name] = r.query.Get(name)
		if name == "limit" {
			given[name] = json.Number(r.query.Get(name))
		}
	}
	for name, value := range r.value {
		given[name] = value
	}
	if r.operation.tools[0] == "create_instance" {
		rename(given, "plan", "tier")
		rename(given, "region", "location")
		if engines, ok := given["engines"].(map[string]any); ok {
			given["engines"] = namesOf(engines)
		}
	}
	return given
}

// namesOf returns the names of the engines that are on, or engines itself if a value is
// not a boolean.
func namesOf(engines map[string]any) any {
	on := []string{}
	for name, value := range engines {
		is, ok := value.(bool)
		if !ok {
			return engines
		}
		if is {
			on = append(on, name)
		}
	}
	slices.Sort(on)
	return on
}

func rename(given map[string]any, from, to string) {
	if value, ok := given[from]; ok {
		delete(given, from)
		given[to] = value
	}
}

// callTool calls the tool of a request's operation.
func callTool(t *rapid.T, a *account, r *request) called {
	t.Helper()
	message, err := json.Marshal(map[string]any{
		"jsonrpc": "2.0", "id": 1, "method": "tools/call",
		"params": map[string]any{"name": r.operation.tools[0], "arguments": arguments(r)},
	})
	if err != nil {
		t.Fatal(err)
	}
	h := newRequest(http.MethodPost, "/mcp", message)
	h.Header.Set("Content-Type", "application/json")
	h.Header.Set("Accept", "application/json, text/event-stream")
	h.Header.Set("MCP-Protocol-Version", "2025-06-18")
	h.Header.Set("Authorization", r.scheme+" "+r.key)
	got := ask(a.service, h)
	var answer struct {
		Error  json.RawMessage
		Result struct {
			IsError           bool
			StructuredContent json.RawMessage
			Content           []struct{ Text string }
		}
	}
	if err := json.Unmarshal(got.body, &answer); err != nil || got.status != http.StatusOK || answer.Error != nil {
		t.Fatalf("the tool %s: got %d %s, want 200 with a result", r.operation.tools[0], got.status, got.body)
	}
	if answer.Result.IsError {
		return called{refusal: answer.Result.Content[0].Text}
	}
	if answer.Result.StructuredContent == nil { // the guide
		text, err := json.Marshal(answer.Result.Content[0].Text)
		if err != nil {
			t.Fatal(err)
		}
		return called{content: text}
	}
	return called{content: answer.Result.StructuredContent}
}

// part returns the part of a tool's result that is the answer to a request, because some
// tools return the data of several operations.
func part(t *rapid.T, r *request, content json.RawMessage) any {
	t.Helper()
	var whole any
	if err := json.Unmarshal(content, &whole); err != nil {
		t.Fatal(err)
	}
	members := func(names ...string) map[string]any {
		some := map[string]any{}
		for to, from := range pairs(names) {
			some[to] = whole.(map[string]any)[from]
		}
		return some
	}
	switch r.operation.String() {
	case "GET /plans":
		return members("plans", "plans", "engines", "engines")
	case "GET /locations":
		return members("locations", "locations")
	case "GET /instances/{id}/allowlist":
		return members("allowlist", "allowlist")
	case "GET /instances/{id}/sql-console", "GET /instances/{id}/engines/postgres/console":
		return members("mode", "console_mode")
	case "GET /webhooks/{id}":
		for _, one := range members("webhooks", "webhooks")["webhooks"].([]any) {
			if one.(map[string]any)["id"] == r.path["id"] {
				return one
			}
		}
		return nil
	}
	return whole
}

func pairs(list []string) map[string]string {
	all := map[string]string{}
	for two := range slices.Chunk(list, 2) {
		all[two[0]] = two[1]
	}
	return all
}
