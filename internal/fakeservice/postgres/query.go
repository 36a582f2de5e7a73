package postgres

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"
)

// Result is the result of the last of some statements. Values are JSON values: null,
// booleans, numbers, JSON itself, and PostgreSQL's text form for everything else.
type Result struct {
	Columns []string
	Rows    [][]any
	// RowCount is the number of rows that the statement returned or changed.
	RowCount int
	// Command is the kind of statement, such as SELECT or CREATE TABLE.
	Command string
}

// ErrTooLarge is returned for a result that is too large for one answer.
var ErrTooLarge = fmt.Errorf("the result is larger than %d MB; ask for fewer rows", largestResult>>20)

// largestResult is the maximum size of a result's values in bytes.
const largestResult = 8 << 20

// ErrUnreachable is returned when the server accepts no sessions: it is restarting, or the
// plan's connections are used up.
var ErrUnreachable = errors.New("PostgreSQL takes no session now")

// Query runs statements as a role. The owner's statements run in one transaction, unless
// they end it. The read-only role's statements always run in read-only transactions.
func (c *Cluster) Query(ctx context.Context, role, database, sql string) (_ Result, err error) {
	conn, err := c.connect(ctx, role, database)
	if err != nil {
		return Result{}, fmt.Errorf("%w: %w", ErrUnreachable, err)
	}
	defer func() { err = errors.Join(err, conn.Close(context.WithoutCancel(ctx))) }()
	// PostgreSQL's limit applies to each statement, and a statement could lift it. This
	// limit applies to all of them together.
	ctx, cancel := context.WithTimeoutCause(ctx, c.server.patience, errStatementTimeout)
	defer cancel()
	var result Result
	if role == ReadOnlyRole {
		result, err = runReadOnly(ctx, conn, sql)
	} else {
		result, err = lastResult(conn.Exec(ctx, sql))
	}
	if err != nil && errors.Is(context.Cause(ctx), errStatementTimeout) {
		return Result{}, errStatementTimeout
	}
	return result, err
}

// errStatementTimeout is PostgreSQL's error when its own limit is exceeded.
var errStatementTimeout error = &pgconn.PgError{
	Severity: "ERROR", Code: "57014", Message: "canceling statement due to statement timeout",
}

// runReadOnly runs statements one by one. A session may choose its own mode, but a
// read-only transaction stays read-only once it has seen data. So none of the caller's
// statements is the first of its transaction.
func runReadOnly(ctx context.Context, conn *pgconn.PgConn, sql string) (Result, error) {
	var last Result
	for _, statement := range split(sql) {
		begin := "SELECT 1" // "COMMIT AND CHAIN" begins a transaction as well
		switch conn.TxStatus() {
		case 'I':
			begin = "BEGIN READ ONLY; SELECT 1"
		case 'E':
			begin = "" // nothing but a ROLLBACK can follow
		}
		if begin != "" {
			if _, err := conn.Exec(ctx, begin).ReadAll(); err != nil {
				return Result{}, err
			}
		}
		result, err := readResult(conn.ExecParams(ctx, statement, nil, nil, nil, nil))
		if err != nil {
			return Result{}, err
		}
		last = result
	}
	return last, nil
}

// lastResult reads all results and returns the last, and never stores more than one.
func lastResult(reader *pgconn.MultiResultReader) (Result, error) {
	var last Result
	for reader.NextResult() {
		result, err := readResult(reader.ResultReader())
		if err != nil {
			return Result{}, err
		}
		last = result
	}
	return last, reader.Close()
}

// readResult reads one result. When it is too large, the rest is left unread: closing the
// connection ends the statement.
func readResult(rows *pgconn.ResultReader) (Result, error) {
	fields := rows.FieldDescriptions()
	result := Result{}
	for _, field := range fields {
		result.Columns = append(result.Columns, field.Name)
	}
	size := 0
	for rows.NextRow() {
		row := make([]any, len(fields))
		for i, text := range rows.Values() {
			size += len(text)
			row[i] = jsonValue(fields[i].DataTypeOID, text)
		}
		if size > largestResult {
			return Result{}, ErrTooLarge
		}
		result.Rows = append(result.Rows, row)
	}
	tag, err := rows.Close()
	if err != nil {
		return Result{}, err
	}
	result.RowCount = int(tag.RowsAffected())
	result.Command = strings.TrimRight(tag.String(), " 0123456789")
	return result, nil
}

// jsonValue turns the text of a value into a JSON value. The bytes belong to the reader and
// are copied.
func jsonValue(oid uint32, text []byte) any {
	if text == nil {
		return nil
	}
	switch oid {
	case pgtype.BoolOID:
		return string(text) == "t"
	case pgtype.Int2OID, pgtype.Int4OID, pgtype.Int8OID, pgtype.OIDOID:
		return json.Number(text)
	case pgtype.Float4OID, pgtype.Float8OID:
		if f, err := strconv.ParseFloat(string(text), 64); err == nil && !math.IsInf(f, 0) && !math.IsNaN(f) {
			return json.Number(text)
		}
	case pgtype.JSONOID, pgtype.JSONBOID:
		return json.RawMessage(string(text))
	}
	return string(text)
}
