package fakeservicetest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest/machine"
)

// Agent is a client of the MCP server for one test, based on the protocol's official
// library.
type Agent struct {
	*mcp.ClientSession
	t testing.TB
}

// Connect returns a client of the MCP server with an API key. The session ends with the
// test.
func (s *Server) Connect(t testing.TB, key string) (*Agent, error) {
	t.Helper()
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "v1"}, nil)
	session, err := client.Connect(t.Context(), &mcp.StreamableClientTransport{
		Endpoint: s.MCPURL, HTTPClient: &http.Client{Transport: Bearer(key)},
	}, nil)
	if err != nil {
		return nil, err
	}
	t.Cleanup(func() { _ = session.Close() }) // the test's end also ends the session of a revoked key
	return &Agent{session, t}, nil
}

// Agent connects with the account's key.
func (s *Server) Agent(t testing.TB) *Agent {
	t.Helper()
	agent, err := s.Connect(t, APIKey)
	if err != nil {
		t.Fatalf("connect to the MCP server: %s", err)
	}
	return agent
}

// Bearer adds a key to each request.
type Bearer string

// RoundTrip implements http.RoundTripper.
func (key Bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+string(key))
	return http.DefaultTransport.RoundTrip(r)
}

// Call calls a tool. The result is its structured content or, for an error, the error
// envelope.
func (a *Agent) Call(tool string, arguments map[string]any) (result map[string]any, refused bool) {
	a.t.Helper()
	answer, err := a.CallTool(a.t.Context(), &mcp.CallToolParams{Name: tool, Arguments: arguments})
	if err != nil {
		a.t.Fatalf("%s: %s", tool, err)
	}
	if !answer.IsError {
		result, _ = answer.StructuredContent.(map[string]any)
		return result, false
	}
	text, _ := answer.Content[0].(*mcp.TextContent)
	if err := json.Unmarshal([]byte(text.Text), &result); err != nil || len(result) != 2 {
		a.t.Fatalf("%s was refused without the envelope: %s", tool, text.Text)
	}
	return result, true
}

// Do calls a tool that must succeed.
func (a *Agent) Do(tool string, arguments map[string]any) map[string]any {
	a.t.Helper()
	result, refused := a.Call(tool, arguments)
	if refused {
		a.t.Fatalf("%s was refused: %v", tool, result)
	}
	return result
}

// Done calls a tool that changes an instance, and waits for its job, which must succeed.
func (a *Agent) Done(tool string, arguments map[string]any) map[string]any {
	a.t.Helper()
	accepted := a.Do(tool, arguments)
	a.Until("the job of "+tool, "get_job", map[string]any{"job_id": accepted["job_id"]}, func(job map[string]any) bool {
		if job["status"] == "failed" {
			a.t.Fatalf("%s: the job failed: %v", tool, job["error"])
		}
		return job["status"] == "done"
	})
	return accepted
}

// Until calls a tool until its result meets a condition, and returns the result.
func (a *Agent) Until(what, tool string, arguments map[string]any, come func(result map[string]any) bool) map[string]any {
	a.t.Helper()
	var result map[string]any
	machine.Until(a.t, what, func() bool {
		result = a.Do(tool, arguments)
		return come(result)
	}, func() string { return fmt.Sprintf("%s says %v", tool, result) })
	return result
}
