package postgres

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgconn/ctxwatch"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/process"
)

// pinned are the settings of the superuser's sessions. The owner of a database can set
// others for all its sessions, and must neither make the superuser run the owner's functions
// nor make the service's own statements fail.
var pinned = map[string]string{
	"search_path":                         "pg_catalog",
	"role":                                "none",
	"statement_timeout":                   "0",
	"lock_timeout":                        "0",
	"idle_in_transaction_session_timeout": "0",
	"idle_session_timeout":                "0",
	"default_transaction_read_only":       "off",
	"default_transaction_deferrable":      "off",
	"default_transaction_isolation":       "read committed",
	"default_tablespace":                  "",
	"default_table_access_method":         "heap",
	"temp_tablespaces":                    "",
	"check_function_bodies":               "on",
	"row_security":                        "on",
	"standard_conforming_strings":         "on",
	"client_encoding":                     "UTF8",
	"DateStyle":                           "ISO, MDY",
	"TimeZone":                            "UTC",
}

// connect connects through the socket, where the kernel identifies the caller.
func (c *Cluster) connect(ctx context.Context, role, database string) (*pgconn.PgConn, error) {
	config, err := pgconn.ParseConfig("sslmode=disable")
	if err != nil {
		return nil, err
	}
	// The parser reads libpq's variables, which belong to the user who starts the fake and
	// not to this package.
	config.Host, config.Port = c.sockets(), uint16(c.inside.Load())
	config.User, config.Password, config.Database = role, "", database
	config.TLSConfig, config.Fallbacks, config.ValidateConnect = nil, nil, nil
	config.RuntimeParams = map[string]string{"application_name": "hosting"}
	config.DialFunc = func(ctx context.Context, _, path string) (net.Conn, error) { return process.DialSocket(ctx, path) }
	if role == superuser {
		maps.Copy(config.RuntimeParams, pinned)
		if c.server.programs.Version >= 17 {
			config.RuntimeParams["transaction_timeout"] = "0"
		}
	}
	// If the caller's context ends, the statement is cancelled and not only abandoned.
	config.BuildContextWatcherHandler = func(conn *pgconn.PgConn) ctxwatch.Handler {
		return &pgconn.CancelRequestContextWatcherHandler{Conn: conn}
	}
	return pgconn.ConnectConfig(ctx, config)
}

// asSuperuser runs statements one by one, so they may be statements that cannot run in a
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

// value returns the one value of a query, or "" if it has no row.
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
