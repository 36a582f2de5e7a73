package evidence_test

import (
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/instance-hosting/terraform-provider-hosting/internal/apispec"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/evidence"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/mcp"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/requestlog"
	"github.com/instance-hosting/terraform-provider-hosting/internal/must"
)

func operations(t *testing.T) []apispec.Operation {
	t.Helper()
	return must.Get(apispec.Operations())(t)
}

// The stored table has exactly one row for each operation of the document, and no
// required evidence is missing. `make evidence` updates it.
func TestKeptTableIsWhole(t *testing.T) {
	t.Parallel()
	page := must.Get(os.ReadFile("../evidence.md"))(t)
	counts := must.Get(evidence.Parse(string(page)))(t)
	for _, o := range operations(t) {
		if _, there := counts.Operations[o.String()]; !there {
			t.Errorf("%s has no row in internal/fakeservice/evidence.md: run make evidence", o)
		}
	}
	for _, lacking := range counts.Lacking(operations(t)) {
		t.Errorf("internal/fakeservice/evidence.md: %s", lacking)
	}
	for _, client := range []string{"@modelcontextprotocol/sdk", "@supabase/auth-js", "nano"} {
		if counts.Clients[client] == 0 {
			t.Errorf("the operations of the client %s: got none, want at least one", client)
		}
	}
}

// The exchange determines the kinds to count.
func TestKinds(t *testing.T) {
	t.Parallel()
	provider := http.Header{"User-Agent": {"terraform-provider-hosting/1 terraform/1.16"}}
	const get = "GET /instances/{id}"
	for name, row := range map[string]struct {
		request   requestlog.Request
		dataPlane bool
		operation string
		want      []evidence.Kind
	}{
		"by Terraform":       {requestlog.Request{Method: "GET", Path: "/instances/i-1", Header: provider, Status: 200, Served: 200}, false, get, []evidence.Kind{evidence.Terraform}},
		"by another":         {requestlog.Request{Method: "GET", Path: "/instances/i-1", Status: 200, Served: 200}, false, get, []evidence.Kind{evidence.Raw}},
		"for real":           {requestlog.Request{Method: "GET", Path: "/instances/i-1", Status: 200, Served: 200}, true, get, []evidence.Kind{evidence.DataPlane, evidence.Raw}},
		"refused":            {requestlog.Request{Method: "GET", Path: "/instances/i-1", Status: 404, Served: 404}, true, get, []evidence.Kind{evidence.Negative, evidence.Raw}},
		"a wrong key":        {requestlog.Request{Method: "GET", Path: "/instances/i-1", Status: 401, Served: 401}, false, get, []evidence.Kind{evidence.Raw}},
		"no status of its":   {requestlog.Request{Method: "GET", Path: "/instances/i-1", Status: 409, Served: 409}, false, get, []evidence.Kind{evidence.Raw}},
		"a gateway's page":   {requestlog.Request{Method: "GET", Path: "/instances/i-1", Status: 404, Fault: true}, false, get, []evidence.Kind{evidence.Faults}},
		"a lost answer":      {requestlog.Request{Method: "GET", Path: "/instances/i-1", Served: 200, Fault: true}, false, get, []evidence.Kind{evidence.Faults, evidence.Raw}},
		"an escaped element": {requestlog.Request{Method: "DELETE", Path: "/instances/i-1/postgres/databases/a%2Fb", Status: 202, Served: 202}, false, "DELETE /instances/{id}/postgres/databases/{name}", []evidence.Kind{evidence.Raw}},
		"missing":            {requestlog.Request{Method: "GET", Path: "/instances/i-1", Status: 501, Served: 501}, false, get, nil},
		"not in it":          {requestlog.Request{Method: "GET", Path: "/volumes", Status: 404, Served: 404}, false, "GET /volumes", nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := must.Get(evidence.NewCollector(row.dataPlane))(t)
			c.Count(row.request)
			folder := t.TempDir()
			must.Do(t, c.Write(folder))
			counts := must.Get(evidence.Read(folder))(t)
			var got []evidence.Kind
			for kind, n := range counts.Operations[row.operation] {
				if n == 1 {
					got = append(got, kind)
				}
			}
			slices.Sort(got)
			if diff := cmp.Diff(row.want, got); diff != "" {
				t.Errorf("the counted kinds differ (-want +got):\n%s", diff)
			}
		})
	}
}

// A successful call of a tool counts for each operation of the tool; a refused one does
// not count.
func TestTools(t *testing.T) {
	t.Parallel()
	c := must.Get(evidence.NewCollector(false))(t)
	for _, call := range []mcp.Call{{Tool: "set_sql_console"}, {Tool: "get_account"}, {Tool: "get_billing", Refused: "unauthorized"}, {Tool: "list_repos"}} {
		c.CountTool(call)
	}
	folder := t.TempDir()
	must.Do(t, c.Write(folder))
	counts := must.Get(evidence.Read(folder))(t)
	once := map[evidence.Kind]int{evidence.Tool: 1}
	want := map[string]map[evidence.Kind]int{
		"PUT /instances/{id}/sql-console": once, "PUT /instances/{id}/engines/postgres/console": once, "GET /me": once,
	}
	if diff := cmp.Diff(want, counts.Operations); diff != "" {
		t.Errorf("the counted operations differ (-want +got):\n%s", diff)
	}
}

// Parse reads a table as Table wrote it, and the table shows what is missing.
func TestTable(t *testing.T) {
	t.Parallel()
	some := []apispec.Operation{{Method: "GET", Path: "/me", Statuses: []int{200, 401, 429}}, {Method: "POST", Path: "/webhooks", Statuses: []int{201, 400}}}
	folder := t.TempDir()
	for range 2 { // two fakes
		one := evidence.Counts{Operations: map[string]map[evidence.Kind]int{"POST /webhooks": {evidence.Raw: 2, evidence.Tool: 1, evidence.Portal: 3}}, Clients: map[string]int{"client": 3}}
		must.Do(t, one.Write(folder))
	}
	counts := must.Get(evidence.Read(folder))(t)
	page := counts.Table(some, "# Evidence")
	for _, row := range []string{"| `GET /me` | missing | missing | missing | missing | missing | missing | missing |\n", "| `POST /webhooks` | missing | 4 | 2 | missing | missing | missing | 6 |\n", "| `client` | 6 |\n"} {
		if !strings.Contains(page, row) {
			t.Errorf("the table: got\n%s\nwant the row %s", page, row)
		}
	}
	read := must.Get(evidence.Parse(page))(t)
	want := []string{"GET /me is driven neither by Terraform nor by raw HTTP", "GET /me is driven by no MCP tool", "GET /me is not done in the portal", "POST /webhooks has no negative case"}
	if diff := cmp.Diff(want, read.Lacking(some)); diff != "" {
		t.Errorf("the lacking evidence differs (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(append(want[:3:3], "POST /webhooks is not in the document"), read.Lacking(some[:1])); diff != "" {
		t.Errorf("without an operation, the lacking evidence differs (-want +got):\n%s", diff)
	}
}
