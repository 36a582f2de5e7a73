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

// Query runs statements as a role. Several run in one transaction, unless they
// say otherwise.
func (c *Cluster) Query(ctx context.Context, role, database, sql string) (_ Result, err error) {
	conn, err := c.connect(ctx, role, database)
	if err != nil {
		return Result{}, fmt.Errorf("%w: %w", ErrUnreachable, err)
	}
	defer func() { err = errors.Join(err, conn.Close(context.WithoutCancel(ctx))) }()
	return lastResult(conn.Exec(ctx, sql))
}

// lastResult reads all results and keeps the last, and never more than one.
func lastResult(reader *pgconn.MultiResultReader) (Result, error) {
	var last Result
	var tooLarge error
	for reader.NextResult() {
		rows := reader.ResultReader()
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
				// Closing the connection ends the statement.
				tooLarge = ErrTooLarge
				break
			}
			result.Rows = append(result.Rows, row)
		}
		if tooLarge != nil {
			break
		}
		tag, err := rows.Close()
		if err != nil {
			return Result{}, err
		}
		result.RowCount = int(tag.RowsAffected())
		result.Command = strings.TrimRight(tag.String(), " 0123456789")
		last = result
	}
	if tooLarge != nil {
		return Result{}, tooLarge
	}
	return last, reader.Close()
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
