package fakeservice_test

import (
	"context"
	"testing"
	"time"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice"
)

func TestDatabases(t *testing.T) {
	t.Parallel()
	a := start(t)
	id := a.running("postgres")
	path := "/instances/" + id + "/postgres/databases"
	a.accepted("POST", path, object{"name": "shop"})
	equal(t, "databases before the job ends", len(a.Databases(id)), 1)
	a.Advance(5 * time.Second)
	listed := a.call("GET", path, nil).body["databases"].([]any)
	equal(t, "name", listed[1].(object)["name"], any("shop"))
	a.want(409, "already_exists", "POST", path, object{"name": "shop"})
	a.want(404, "not_found", "DELETE", path+"/none", nil)
	a.want(422, "validation_failed", "DELETE", path+"/main", nil)
	a.done("PUT", "/instances/"+id+"/postgres/extensions/pgvector", object{"database": "shop"})
	a.done("DELETE", path+"/shop", nil)
	equal(t, "databases", len(a.Databases(id)), 1)
	equal(t, "extensions of a dropped database", len(a.Extensions(id)), 0)
}

func TestExtensions(t *testing.T) {
	t.Parallel()
	a := start(t)
	id := a.running("postgres")
	path := "/instances/" + id + "/postgres/extensions"
	a.AddDatabase(id, "shop")
	a.done("PUT", path+"/pg_trgm", nil)
	a.done("PUT", path+"/pg_trgm", object{"database": "shop"})
	a.done("PUT", path+"/pg_trgm", object{"database": "shop"})
	equal(t, "all", len(a.call("GET", path, nil).body["extensions"].([]any)), 2)
	equal(t, "of one database", len(a.call("GET", path+"?database=shop", nil).body["extensions"].([]any)), 1)
	a.want(422, "validation_failed", "PUT", path+"/postgis", nil)
	a.want(422, "validation_failed", "PUT", path+"/pgcrypto", object{"database": "none"})
	a.want(422, "validation_failed", "GET", path+"?database=none", nil)
	a.want(404, "not_found", "DELETE", path+"/pgcrypto", nil)
	a.done("DELETE", path+"/pg_trgm?database=shop", nil)
	equal(t, "left", a.Extensions(id), []fakeservice.Extension{{Name: "pg_trgm", Database: "main", Version: "1.6"}})
}

func TestQueryWithoutDataPlane(t *testing.T) {
	t.Parallel()
	a := start(t)
	id := a.running("postgres")
	path := "/instances/" + id + "/engines/postgres/query"
	a.want(403, "console_off", "POST", path, object{"sql": "SELECT 1"})
	a.done("PUT", "/instances/"+id+"/sql-console", object{"mode": "ro"})
	a.want(503, "unavailable", "POST", path, object{"sql": "SELECT 1"})
	a.want(422, "validation_failed", "POST", path, object{"sql": ""})
	a.want(422, "validation_failed", "POST", path, object{"sql": "SELECT 1", "database": "none"})
	a.want(422, "validation_failed", "POST", "/instances/"+a.running("redis")+"/engines/postgres/query", object{"sql": "SELECT 1"})
}

func TestQueryGoesToTheQuerier(t *testing.T) {
	t.Parallel()
	a := start(t, func(o *fakeservice.Options) {
		o.Querier = fakeservice.QuerierFunc(func(_ context.Context, q fakeservice.Query) (fakeservice.QueryResult, error) {
			if q.SQL == "SELEC" {
				return fakeservice.QueryResult{}, &fakeservice.SQLError{Message: "syntax error", SQLState: "42601"}
			}
			return fakeservice.QueryResult{Columns: []string{"mode", "database"}, Rows: [][]any{{q.Mode, q.Database}}, RowCount: 1, Command: "SELECT"}, nil
		})
	})
	id := a.running("postgres")
	path := "/instances/" + id + "/engines/postgres/query"
	a.done("PUT", "/instances/"+id+"/sql-console", object{"mode": "rw"})
	// A query is not a job, so it can run during one.
	a.accepted("PATCH", "/instances/"+id, object{"name": "n"})
	got := a.want(200, "", "POST", path, object{"sql": "SELECT 1"}, "Idempotency-Key", "k")
	equal(t, "rows", got.body["rows"], any([]any{[]any{"rw", "main"}}))
	refused := a.want(422, "sql_error", "POST", path, object{"sql": "SELEC"})
	equal(t, "detail", refused.string("detail"), "syntax error (SQLSTATE 42601)")
	again := a.want(200, "", "POST", path, object{"sql": "SELECT 1"}, "Idempotency-Key", "k")
	equal(t, "repeated", again.text, got.text)
}
