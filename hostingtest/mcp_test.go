package hostingtest_test

import (
	"net/http"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/instance-hosting/terraform-provider-hosting/hostingtest"
	"github.com/instance-hosting/terraform-provider-hosting/internal/must"
)

// bearer is a transport that adds a key to each request.
type bearer string

func (key bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+string(key))
	return http.DefaultTransport.RoundTrip(r)
}

// An agent connects to the MCP server at its address with the API key. A fork has its own
// address and key.
func TestMCP(t *testing.T) {
	t.Parallel()
	s := hostingtest.Start(t)
	id := s.AddInstance(hostingtest.Instance{Name: "shop"}).ID
	for _, service := range []*hostingtest.Service{s, s.Fork(t)} {
		session := must.Get(mcp.NewClient(&mcp.Implementation{Name: "agent"}, nil).Connect(t.Context(), &mcp.StreamableClientTransport{
			Endpoint: service.MCPURL, HTTPClient: &http.Client{Transport: bearer(service.APIKey)},
		}, nil))(t)
		defer session.Close()
		answer, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "get_instance", Arguments: map[string]any{"instance_id": id}})
		if err != nil || answer.IsError {
			t.Fatalf("get_instance: got answer %+v and error %v, want the instance", answer, err)
		}
		if record, _ := answer.StructuredContent.(map[string]any); record["name"] != "shop" {
			t.Errorf("the instance: got %v, want the name shop", record)
		}
	}
}
