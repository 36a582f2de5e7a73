package fakeservice_test

import (
	"context"
	"net/http"
	"slices"
	"testing"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/operations"
)

// withQueries answers every statement with one row.
func withQueries(o *fakeservice.Options) {
	o.Querier = fakeservice.QuerierFunc(func(context.Context, fakeservice.Query) (fakeservice.QueryResult, error) {
		return fakeservice.QueryResult{Columns: []string{"n"}, Rows: [][]any{{1}}, Command: "SELECT"}, nil
	})
}

// Each operation of the document answers, without faults and after a gateway's page.
func TestEveryOperationAnswers(t *testing.T) {
	t.Parallel()
	fakeservicetest.Tour(t, start(t, withQueries).Server, "acme/shop", func(string, string) {})
	a := start(t, withQueries)
	fakeservicetest.Tour(t, a.Server, "acme/shop", func(method, path string) {
		a.Inject(fakeservice.Fault{Page: http.StatusBadGateway})
		if status, _ := a.Send(t, method, path, nil); status != http.StatusBadGateway {
			t.Errorf("%s %s behind a gateway in trouble: got %d, want 502", method, path, status)
		}
	})
}

// Each operation of the document refuses invalid requests, in the service's envelope. One
// with an id answers 404 for a missing object. Any other answers 400 for an unknown
// parameter. The tools refuse unknown arguments.
func TestEveryOperationRefuses(t *testing.T) {
	t.Parallel()
	statuses := map[string][]int{}
	unasked := 0
	for _, o := range documented(t) {
		statuses[o.String()] = o.Statuses
		if !slices.Contains(o.Statuses, http.StatusNotFound) {
			unasked++
		}
	}
	a := &api{Server: serveWithViolations(t, unasked), t: t}
	nothing := object{"instance_id": "nothing", "job_id": "nothing", "webhook_id": "nothing", "backup_id": "nothing", "confirm": "nothing", "repo": "acme/shop"}
	for _, o := range operations.All {
		for _, address := range o.REST {
			method, path, body := fakeservicetest.Request(address, fakeservicetest.Arguments(o, nothing))
			if slices.Contains(statuses[address], http.StatusNotFound) {
				a.want(404, "not_found", method, path, body)
			} else {
				a.want(400, "invalid_request", method, path+"?colour=red", body)
			}
		}
	}
	agent := a.Agent(t)
	for name := range toolsOf(t, agent) {
		if answer, refused := agent.Call(name, object{"colour": "red", "instance_id": "nothing", "confirm": "nothing"}); !refused || answer["code"] != "invalid_request" {
			t.Errorf("%s with an unknown argument: got %v, want invalid_request", name, answer)
		}
	}
	for name, arguments := range map[string]object{"app_repo": {"name": "web"}, "inspect_repo": {"repo": "acme/shop", "branch": "main"}} {
		arguments["instance_id"] = "nothing"
		if answer, refused := agent.Call(name, arguments); !refused || answer["code"] != "not_found" {
			t.Errorf("%s of nothing: got %v, want not_found", name, answer)
		}
	}
}
