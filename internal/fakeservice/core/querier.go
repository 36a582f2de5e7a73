package core

import "context"

// Querier runs SQL for the console. A real PostgreSQL implements it; without one, the
// fake refuses statements.
type Querier interface {
	// Query runs one statement. It returns a *SQLError if Postgres refused the statement.
	Query(ctx context.Context, q Query) (QueryResult, error)
}

// Query is a statement with its instance, database and mode.
type Query struct {
	Instance Instance
	Database string
	// Mode is ro or rw. In ro the statement runs as the read-only role.
	Mode string
	SQL  string
}

// QueryResult is the result of a statement.
type QueryResult struct {
	Columns  []string
	Rows     [][]any
	RowCount int
	Command  string
}

// SQLError is the error of a statement that Postgres refused.
type SQLError struct{ Message, SQLState string }

// Error returns Postgres's message with its SQLSTATE.
func (e *SQLError) Error() string { return e.Message + " (SQLSTATE " + e.SQLState + ")" }

// QuerierFunc is a function that implements Querier.
type QuerierFunc func(ctx context.Context, q Query) (QueryResult, error)

// Query calls the function.
func (f QuerierFunc) Query(ctx context.Context, q Query) (QueryResult, error) { return f(ctx, q) }

// recordsOnly is the reason that a fake without a data plane runs no SQL.
const recordsOnly = "this fake service has no data plane: it keeps records of instances and databases but runs no PostgreSQL, so it cannot run the statement"

// NoDataPlane returns a Querier that refuses every statement as unavailable. The reason
// should say how to get a data plane. If the fake pretended to run SQL, a module could
// pass its tests and fail on the service.
func NoDataPlane(reason string) Querier {
	return QuerierFunc(func(context.Context, Query) (QueryResult, error) {
		return QueryResult{}, unavailable("%s", reason)
	})
}

// UnavailableNow returns the error of a data plane that cannot answer now.
func UnavailableNow(reason string) error { return unavailable("%s", reason) }
