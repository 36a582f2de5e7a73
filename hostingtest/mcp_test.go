package hostingtest_test

import (
	"net/http"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/instance-hosting/terraform-provider-hosting/hostingtest"
)

// bearer sends a key along.
type bearer string

func (key bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+string(key))
	return http.DefaultTransport.RoundTrip(r)
}

// An agent's client finds the MCP server at its address, by the key of the API, and that
// of a fork by its own.
func TestMCP(t *testing.T) {
	t.Parallel()
	s := hostingtest.Start(t)
	id := s.AddInstance(hostingtest.Instance{Name: "shop"}).ID
	for _, service := range []*hostingtest.Service{s, s.Fork(t)} {
		session, err := mcp.NewClient(&mcp.Implementation{Name: "agent"}, nil).Connect(t.Context(), &mcp.StreamableClientTransport{
			Endpoint: service.MCPURL, HTTPClient: &http.Client{Transport: bearer(service.APIKey)},
		}, nil)
		if err != nil {
			t.Fatal(err)
		}
		defer session.Close()
		answer, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "get_instance", Arguments: map[string]any{"instance_id": id}})
		if err != nil || answer.IsError {
			t.Fatalf("it was answered %+v, %v", answer, err)
		}
		if record, _ := answer.StructuredContent.(map[string]any); record["name"] != "shop" {
			t.Errorf("the instance is %v", record)
		}
	}
}
