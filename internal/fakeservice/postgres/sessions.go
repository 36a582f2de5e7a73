package postgres

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgconn/ctxwatch"
)

// connect comes in by the socket, where the kernel says who it is.
func (c *Cluster) connect(ctx context.Context, role, database string) (*pgconn.PgConn, error) {
	config, err := pgconn.ParseConfig("sslmode=disable")
	if err != nil {
		return nil, err
	}
	// The variables of libpq, which the parser reads, are whoever starts the
	// fake's own business.
	config.Host, config.Port = c.sockets(), uint16(c.inside.Load())
	config.User, config.Password, config.Database = role, "", database
	config.TLSConfig, config.Fallbacks, config.ValidateConnect = nil, nil, nil
	config.RuntimeParams = map[string]string{"application_name": "hosting"}
	if role == superuser {
		// The owner can set another search path for a database, and must not
		// get anything of its own run by the superuser.
		config.RuntimeParams["search_path"] = "pg_catalog"
	}
	// When the caller goes, the statement is cancelled and not only forgotten.
	config.BuildContextWatcherHandler = func(conn *pgconn.PgConn) ctxwatch.Handler {
		return &pgconn.CancelRequestContextWatcherHandler{Conn: conn}
	}
	return pgconn.ConnectConfig(ctx, config)
}

// asSuperuser runs statements one by one. They may be such that run in no
// transaction.
func (c *Cluster) asSuperuser(ctx context.Context, database string, statements ...string) error {
	conn, err := c.connect(ctx, superuser, database)
	if err != nil {
		return err
	}
	for _, statement := range statements {
		if _, err = conn.Exec(ctx, statement).ReadAll(); err != nil {
			break
		}
	}
	return errors.Join(err, conn.Close(context.WithoutCancel(ctx)))
}

// value asks the superuser's way for one text. It is "" where there is no row.
func value(ctx context.Context, conn *pgconn.PgConn, query string) (string, error) {
	results, err := conn.Exec(ctx, query).ReadAll()
	if err != nil {
		return "", err
	}
	if len(results) != 1 {
		return "", fmt.Errorf("%d results instead of one", len(results))
	}
	if len(results[0].Rows) == 0 {
		return "", nil
	}
	return string(results[0].Rows[0][0]), nil
}
