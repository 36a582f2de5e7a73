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

// Result is what the last of some statements gave. Values are such that JSON
// can hold: null, booleans, numbers, JSON itself, and text as PostgreSQL writes
// it for everything else.
type Result struct {
	Columns []string
	Rows    [][]any
	// RowCount is how many rows the statement returned or changed.
	RowCount int
	// Command is the kind of statement, such as SELECT or CREATE TABLE.
	Command string
}

// ErrTooLarge is a result that would be too much for one answer.
var ErrTooLarge = fmt.Errorf("the result is larger than %d MB; ask for fewer rows", largestResult>>20)

// largestResult is how many bytes of values a result may hold.
const largestResult = 8 << 20

// ErrUnreachable is a server that takes no session now: it is restarting, or
// the plan's connections are used up.
var ErrUnreachable = errors.New("PostgreSQL takes no session now")

// Query runs statements as a role. Those of the owner run in one transaction,
// unless they say otherwise. Those of the read-only role run in read-only
// transactions, whatever they say.
func (c *Cluster) Query(ctx context.Context, role, database, sql string) (_ Result, err error) {
	conn, err := c.connect(ctx, role, database)
	if err != nil {
		return Result{}, fmt.Errorf("%w: %w", ErrUnreachable, err)
	}
	defer func() { err = errors.Join(err, conn.Close(context.WithoutCancel(ctx))) }()
	// PostgreSQL counts each statement, and a statement could lift that. This
	// counts all of them.
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

// errStatementTimeout is what PostgreSQL says when its own limit is over.
var errStatementTimeout error = &pgconn.PgError{
	Severity: "ERROR", Code: "57014", Message: "canceling statement due to statement timeout",
}

// runReadOnly runs statements one by one. A session may choose its own mode, but
// a transaction that is read-only stays so once it has seen data: so none of the
// caller's statements is the first of its transaction.
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

// lastResult reads all results and keeps the last, and never more than one.
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

// readResult reads one result. When it is too large, the rest is left unread:
// closing the connection ends the statement.
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

// jsonValue turns the text of a value into something that JSON can hold. The
// bytes are the reader's own and are copied.
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
