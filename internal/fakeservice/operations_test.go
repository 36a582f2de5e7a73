package fakeservice_test

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/instance-hosting/terraform-provider-hosting/internal/apispec"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest"
)

// withQueries answers every statement with one row.
func withQueries(o *fakeservice.Options) {
	o.Querier = fakeservice.QuerierFunc(func(context.Context, fakeservice.Query) (fakeservice.QueryResult, error) {
		return fakeservice.QueryResult{Columns: []string{"n"}, Rows: [][]any{{1}}, Command: "SELECT"}, nil
	})
}

// Each operation of the document answers, in fair weather and after a gateway's page.
func TestEveryOperationAnswers(t *testing.T) {
	t.Parallel()
	fakeservicetest.Tour(t, start(t, withQueries).Server, "acme/shop", func(string, string) {})
	a := start(t, withQueries)
	fakeservicetest.Tour(t, a.Server, "acme/shop", func(method, path string) {
		a.Inject(fakeservice.Fault{Page: http.StatusBadGateway})
		if status, _ := a.Send(t, method, path, nil); status != http.StatusBadGateway {
			t.Errorf("%s %s behind a gateway in trouble was answered %d", method, path, status)
		}
	})
}

// bodyFor is a body that an operation about an instance takes, or nil for none.
func bodyFor(o apispec.Operation, instanceID string) any {
	switch o.String() {
	case "PUT /instances/{id}/engines":
		return object{"engines": object{}}
	case "PUT /instances/{id}/allowlist":
		return object{"allowlist": []string{}}
	case "PUT /instances/{id}/sql-console", "PUT /instances/{id}/engines/postgres/console":
		return object{"mode": "off"}
	case "POST /instances/{id}/actions/resize":
		return object{"plan": "small"}
	case "POST /instances/{id}/actions/reset":
		return object{"confirm": instanceID, "engine": "postgres"}
	case "POST /instances/{id}/actions/restore":
		return object{"confirm": instanceID, "backup_id": "nothing"}
	case "POST /instances/{id}/engines/postgres/query":
		return object{"sql": "SELECT 1"}
	case "POST /instances/{id}/postgres/databases":
		return object{"name": "more"}
	case "POST /instances/{id}/apps/import":
		return guestbook()
	}
	if o.Method == http.MethodGet || o.Method == http.MethodDelete {
		return nil
	}
	return object{}
}

// Each operation of the document refuses what it cannot do, in the service's envelope:
// one about something that is not there by 404, any other by 400 for a parameter that
// there is not.
func TestEveryOperationRefuses(t *testing.T) {
	t.Parallel()
	operations, err := apispec.Operations()
	if err != nil {
		t.Fatal(err)
	}
	absent := strings.NewReplacer("{id}", "nothing", "{name}", "nothing", "{engine}", "postgres")
	unasked := 0
	for _, o := range operations {
		if !slices.Contains(o.Statuses, http.StatusNotFound) {
			unasked++
		}
	}
	a := &api{Server: serveWithViolations(t, unasked), t: t}
	for _, o := range operations {
		path, body := absent.Replace(o.Path), bodyFor(o, "nothing")
		if !slices.Contains(o.Statuses, http.StatusNotFound) {
			a.want(400, "invalid_request", o.Method, path+"?colour=red", body)
			continue
		}
		if o.Method == http.MethodDelete && o.Path == "/instances/{id}" {
			path += "?confirm=nothing"
		}
		a.want(404, "not_found", o.Method, path, body)
	}
}
