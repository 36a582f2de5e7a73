package postgres

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/unprivileged"
)

// Backup copies the data folder to another while the server runs, the way
// pg_basebackup does, and returns how many bytes that took. It needs nothing
// but the server: a dump would need programs that some machines have in another
// version, or not at all.
func (c *Cluster) Backup(ctx context.Context, folder string) (int64, error) {
	ctx, leave, err := c.enter(ctx)
	if err != nil {
		return 0, err
	}
	defer leave()
	if err := c.backUp(ctx, folder); err != nil {
		return 0, errors.Join(err, os.RemoveAll(folder))
	}
	return unprivileged.SizeOf(folder)
}

func (c *Cluster) backUp(ctx context.Context, folder string) (err error) {
	// The functions belong to one session, from the first to the last.
	conn, err := c.connect(ctx, superuser, maintenance)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, conn.Close(context.WithoutCancel(ctx))) }()
	begin, end := "pg_backup_start('hosting', true)", "pg_backup_stop(false)"
	if c.server.programs.Version < 15 {
		begin, end = "pg_start_backup('hosting', true, false)", "pg_stop_backup(false, false)"
	}
	if _, err := value(ctx, conn, "SELECT "+begin); err != nil {
		return fmt.Errorf("begin the backup: %w", err)
	}
	if err := c.server.account.CopyTree(ctx, c.data(), folder, notInBackups); err != nil {
		return err
	}
	label, err := value(ctx, conn, "SELECT labelfile FROM "+end)
	if err != nil {
		return fmt.Errorf("end the backup: %w", err)
	}
	// What was written meanwhile is in the log, so that is copied last.
	if err := c.server.account.CopyTree(ctx, filepath.Join(c.data(), logFolder), filepath.Join(folder, logFolder), nil); err != nil {
		return err
	}
	return c.server.account.WriteFile(filepath.Join(folder, "backup_label"), label)
}

// logFolder is where the write-ahead log is.
const logFolder = "pg_wal"

// notInBackups tells what belongs to a running server alone, after PostgreSQL's
// own list. Folders stay, without what is in them.
func notInBackups(path string) bool {
	name := path[strings.LastIndex(path, "/")+1:]
	if path == "postmaster.pid" || path == "postmaster.opts" || strings.HasPrefix(name, "pgsql_tmp") {
		return true
	}
	top, _, inside := strings.Cut(path, "/")
	return inside && slices.Contains([]string{
		logFolder, "pg_dynshmem", "pg_notify", "pg_replslot", "pg_serial", "pg_snapshots", "pg_stat_tmp", "pg_subtrans",
	}, top)
}

// Restore puts the data back to a backup. Passwords stay those of the settings.
func (c *Cluster) Restore(ctx context.Context, folder string) error {
	return c.replaceData(ctx, folder)
}

// Reset makes the cluster what it was when it was new.
func (c *Cluster) Reset(ctx context.Context) error {
	return c.replaceData(ctx, c.server.template.folder)
}

// replaceData starts the server with a copy of another data folder. If that
// fails, the data is as before.
func (c *Cluster) replaceData(ctx context.Context, from string) error {
	ctx, leave, err := c.enter(ctx)
	if err != nil {
		return err
	}
	defer leave()
	before := c.path("data.before")
	c.stop(stopFast)
	if err := errors.Join(os.RemoveAll(before), os.Rename(c.data(), before)); err != nil {
		return errors.Join(err, c.start(ctx))
	}
	err = c.server.account.CopyTree(ctx, from, c.data(), nil)
	if err == nil {
		err = c.start(ctx)
	}
	if err == nil {
		return os.RemoveAll(before)
	}
	// Where the caller has gone, there is still the data to put back.
	back, cancel := context.WithTimeout(context.WithoutCancel(ctx), startTime)
	defer cancel()
	c.stop(stopImmediate)
	return errors.Join(err, os.RemoveAll(c.data()), os.Rename(before, c.data()), c.start(back))
}

// IsSQLError tells whether PostgreSQL itself refused something, and gives its
// message and SQLSTATE.
func IsSQLError(err error) (message, state string, ok bool) {
	var refused *pgconn.PgError
	if !errors.As(err, &refused) {
		return "", "", false
	}
	return refused.Message, refused.Code, true
}
