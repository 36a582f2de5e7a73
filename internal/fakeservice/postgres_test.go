package fakeservice_test

import (
	"context"
	"testing"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice"
)

func TestDatabases(t *testing.T) {
	t.Parallel()
	a := start(t)
	a.play("/instances/"+a.running("postgres")+"/postgres", `
		POST /databases {"name":"shop"} => 202
		GET /databases => 200 | databases#=1
		advance 5s
		GET /databases => 200 | databases/1/name="shop"
		POST /databases {"name":"shop"} => 409 already_exists
		DELETE /databases/none => 404 not_found
		DELETE /databases/main => 422 validation_failed
		PUT /extensions/pgvector {"database":"shop"} => done
		DELETE /databases/shop => done
		GET /databases => 200 | databases#=1
		GET /extensions => 200 | extensions=[]
	`)
}

func TestExtensions(t *testing.T) {
	t.Parallel()
	a := start(t)
	id := a.running("postgres")
	a.AddDatabase(id, "shop")
	a.play("/instances/"+id+"/postgres/extensions", `
		PUT /pg_trgm => done
		PUT /pg_trgm {"database":"shop"} => done
		PUT /pg_trgm {"database":"shop"} => done
		GET . => 200 | extensions#=2
		GET ?database=shop => 200 | extensions#=1
		PUT /postgis => 422 validation_failed
		PUT /pgcrypto {"database":"none"} => 422 validation_failed
		GET ?database=none => 422 validation_failed
		DELETE /pgcrypto => 404 not_found
		DELETE /pg_trgm?database=shop => done
		GET . => 200 | extensions=[{"name":"pg_trgm","database":"main","version":"1.6"}]
	`)
}

func TestQueryWithoutDataPlane(t *testing.T) {
	t.Parallel()
	a := start(t)
	a.play("/instances/"+a.running("postgres"), `
		POST /engines/postgres/query {"sql":"SELECT 1"} => 403 console_off
		PUT /sql-console {"mode":"ro"} => done
		POST /engines/postgres/query {"sql":"SELECT 1"} => 503 unavailable
		POST /engines/postgres/query {"sql":""} => 422 validation_failed
		POST /engines/postgres/query {"sql":"SELECT 1","database":"none"} => 422 validation_failed
	`)
	a.play("/instances/"+a.running("redis"), `POST /engines/postgres/query {"sql":"SELECT 1"} => 422 validation_failed`)
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
