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

// Backup copies the data folder to another, which is not there yet, while the server
// runs, the way pg_basebackup does, and returns how many bytes that took. It needs nothing
// but the server: a dump would need programs that some machines have in another
// version, or not at all.
func (c *Cluster) Backup(ctx context.Context, folder string) (int64, error) {
	ctx, leave, err := c.turn.Enter(ctx)
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
	first, err := value(ctx, conn, "SELECT pg_walfile_name("+begin+")")
	if err != nil {
		return fmt.Errorf("begin the backup: %w", err)
	}
	if err := c.server.account.CopyTree(ctx, c.data(), folder, notInBackups); err != nil {
		return err
	}
	told, err := value(ctx, conn, `SELECT pg_walfile_name(lsn) || E'\n' || labelfile FROM `+end)
	if err != nil {
		return fmt.Errorf("end the backup: %w", err)
	}
	last, label, _ := strings.Cut(told, "\n")
	// What was written meanwhile is in the log, so that is copied last.
	old := func(path string) bool { return notInLog(path, first, last) }
	if err := c.server.account.CopyTree(ctx, filepath.Join(c.data(), logFolder), filepath.Join(folder, logFolder), old); err != nil {
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

// notInLog tells what of the log a backup does not need, which begins in one of its files
// and ends in another: those from before, which are many times as big as the rest, and
// those that the server has ready for later. Their names sort as they were written.
func notInLog(path, first, last string) bool {
	return len(path) == len(first) && (path < first || path > last)
}

// Restore puts the data back to a backup. Passwords stay those of the settings.
func (c *Cluster) Restore(ctx context.Context, folder string) error {
	return c.replaceData(ctx, folder)
}

// Reset makes the cluster what it was when it was new.
func (c *Cluster) Reset(ctx context.Context) error {
	if err := c.server.Prepare(ctx); err != nil {
		return err
	}
	return c.replaceData(ctx, c.server.template.folder)
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
