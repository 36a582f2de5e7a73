package postgres

import (
	"context"
	"errors"
)

// Databases returns the names of the customer's databases, the default one first.
func (c *Cluster) Databases(ctx context.Context) ([]string, error) {
	rows, err := c.list(ctx, maintenance, "SELECT datname FROM pg_database WHERE NOT datistemplate AND datallowconn AND datname <> "+
		quote(maintenance)+" ORDER BY datname <> "+quote(DefaultDatabase)+", oid")
	var names []string
	for _, row := range rows {
		names = append(names, string(row[0]))
	}
	return names, err
}

// Extensions returns the versions of a database's extensions by their names.
func (c *Cluster) Extensions(ctx context.Context, database string) (map[string]string, error) {
	rows, err := c.list(ctx, database, "SELECT extname, extversion FROM pg_extension")
	versions := map[string]string{}
	for _, row := range rows {
		versions[string(row[0])] = string(row[1])
	}
	return versions, err
}

// list runs a query as the superuser. It takes the lock, so that it does not query a server
// that is being replaced.
func (c *Cluster) list(ctx context.Context, database, query string) (rows [][][]byte, err error) {
	ctx, release, err := c.lock.Acquire(ctx)
	if err != nil {
		return nil, err
	}
	defer release()
	conn, err := c.connect(ctx, superuser, database)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, conn.Close(context.WithoutCancel(ctx))) }()
	results, err := conn.Exec(ctx, query).ReadAll()
	if err != nil || len(results) != 1 {
		return nil, err
	}
	return results[0].Rows, nil
}
