package authengine

import (
	"context"
	_ "embed"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
)

//go:embed schema.sql
var schema string

// databasePatience is the time that a request waits for a database that is starting.
const databasePatience = 5 * time.Second

// accounts is the engine's part of the database.
type accounts struct{ pool *pgxpool.Pool }

// openAccounts creates missing tables. It calls dsn for each new connection, because
// passwords change.
func openAccounts(ctx context.Context, dsn func() string) (*accounts, error) {
	config, err := pgxpool.ParseConfig(dsn())
	if err != nil {
		// The parser's own error would show the password.
		return nil, errors.New("invalid database address")
	}
	config.MaxConns = 4
	config.BeforeConnect = func(_ context.Context, connection *pgx.ConnConfig) error {
		now, err := pgx.ParseConfig(dsn())
		if err != nil {
			return errors.New("invalid database address")
		}
		*connection = *now
		return nil
	}
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, err
	}
	a := &accounts{pool: pool}
	if err := a.inTransaction(ctx, func(tx pgx.Tx) error {
		// Two engines that start at the same time would both create the tables.
		if _, err := tx.Exec(ctx, "SELECT pg_advisory_xact_lock(7331926404)"); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, schema)
		return err
	}); err != nil {
		pool.Close()
		return nil, err
	}
	return a, nil
}

// Erase deletes everything that engines have stored in a database. No engine may be running
// there.
func Erase(ctx context.Context, dsn string) error {
	pool, err := pgxpool.New(ctx, dsn)
	if err != nil {
		// The parser's own error would show the password.
		return errors.New("invalid database address")
	}
	defer pool.Close()
	return (&accounts{pool}).erase(ctx)
}

func (a *accounts) erase(ctx context.Context) error {
	return a.inTransaction(ctx, func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, "DROP SCHEMA IF EXISTS auth CASCADE")
		return err
	})
}

func (a *accounts) close() { a.pool.Close() }

// inTransaction runs the database work of a request in one transaction. While the database
// is starting, after a restart or a crash, it tries again: because nothing was committed,
// nothing can happen twice.
func (a *accounts) inTransaction(ctx context.Context, do func(pgx.Tx) error) error {
	give := time.Now().Add(databasePatience)
	for pause := 20 * time.Millisecond; ; pause = min(2*pause, time.Second) {
		committing := false
		err := pgx.BeginFunc(ctx, a.pool, func(tx pgx.Tx) error {
			if err := do(tx); err != nil {
				return err
			}
			committing = true
			return nil
		})
		if err == nil || committing || !isUnavailable(err) || time.Now().After(give) {
			return err
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return errors.Join(err, ctx.Err())
		}
	}
}

// isUnavailable reports whether a database was unreachable, as opposed to answering with an
// error.
func isUnavailable(err error) bool {
	if refused := (*pgconn.PgError)(nil); errors.As(err, &refused) {
		switch refused.Code {
		// Shutting down, crashed, starting, and out of the plan's connections.
		case "57P01", "57P02", "57P03", "53300":
			return true
		}
		return false
	}
	if errors.Is(err, pgx.ErrNoRows) {
		return false
	}
	if failed := (*pgconn.ConnectError)(nil); errors.As(err, &failed) {
		return true
	}
	return pgconn.SafeToRetry(err) || isBroken(err)
}
