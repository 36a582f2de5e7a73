package fakeservice_test

import (
	"context"
	"net/http"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest"
	"github.com/instance-hosting/terraform-provider-hosting/internal/must"
)

// A client that sends a progress token is told while a tool runs. The statement ends when the
// first notification has come.
func TestLongToolsNotify(t *testing.T) {
	t.Parallel()
	notified := make(chan struct{})
	a := start(t, func(o *fakeservice.Options) {
		o.Querier = fakeservice.QuerierFunc(func(ctx context.Context, _ fakeservice.Query) (fakeservice.QueryResult, error) {
			select {
			case <-notified:
				return fakeservice.QueryResult{}, nil
			case <-ctx.Done():
				return fakeservice.QueryResult{}, ctx.Err()
			}
		})
	})
	id := a.running("postgres")
	a.done("PUT", "/instances/"+id+"/sql-console", object{"mode": "rw"})
	told := make(chan *mcp.ProgressNotificationParams, 100)
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "v1"}, &mcp.ClientOptions{
		ProgressNotificationHandler: func(_ context.Context, r *mcp.ProgressNotificationClientRequest) {
			if told <- r.Params; len(told) == 1 {
				close(notified)
			}
		},
	})
	session := must.Get(client.Connect(t.Context(), &mcp.StreamableClientTransport{
		Endpoint: a.MCPURL, HTTPClient: &http.Client{Transport: fakeservicetest.Bearer(fakeservicetest.APIKey)},
	}, nil))(t)
	defer session.Close()
	call := &mcp.CallToolParams{Name: "postgres_query", Arguments: object{"instance_id": id, "sql": "SELECT pg_sleep(3)"}}
	call.SetProgressToken("the token")
	result, err := session.CallTool(t.Context(), call)
	if err != nil || result.IsError {
		t.Fatalf("the call: got %v and error %v, want no error", result, err)
	}
	if first := <-told; first.ProgressToken != "the token" || first.Progress <= 0 || first.Message == "" {
		t.Errorf("the notification: got %+v, want the token, a progress above 0 and a message", first)
	}
}
