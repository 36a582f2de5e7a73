package core

import "context"

// Querier runs SQL for the console. It is the seam at which a real PostgreSQL
// takes part; without one the fake says that it has none.
type Querier interface {
	// Query runs one statement. It returns a *SQLError for what Postgres
	// refused.
	Query(ctx context.Context, q Query) (QueryResult, error)
}

// Query is a statement, with where and how it is to run.
type Query struct {
	Instance Instance
	Database string
	// Mode is ro or rw. In ro the statement runs as the read-only role.
	Mode string
	SQL  string
}

// QueryResult is what a statement gave.
type QueryResult struct {
	Columns  []string
	Rows     [][]any
	RowCount int
	Command  string
}

// SQLError is a statement that Postgres refused.
type SQLError struct{ Message, SQLState string }

// Error is Postgres's message with its SQLSTATE.
func (e *SQLError) Error() string { return e.Message + " (SQLSTATE " + e.SQLState + ")" }

// QuerierFunc makes a Querier of a function.
type QuerierFunc func(ctx context.Context, q Query) (QueryResult, error)

// Query calls the function.
func (f QuerierFunc) Query(ctx context.Context, q Query) (QueryResult, error) { return f(ctx, q) }

// recordsOnly is why a fake without a data plane runs no SQL.
const recordsOnly = "this fake service has no data plane: it keeps records of instances and databases but runs no PostgreSQL, so it cannot run the statement"

// NoDataPlane refuses every statement as unavailable, with a reason, which should say
// what to do about it. Pretending to run SQL would let a module pass that fails
// on the service.
func NoDataPlane(reason string) Querier {
	return QuerierFunc(func(context.Context, Query) (QueryResult, error) {
		return QueryResult{}, unavailable("%s", reason)
	})
}

// UnavailableNow is an error of a data plane that cannot answer now.
func UnavailableNow(reason string) error { return unavailable("%s", reason) }
