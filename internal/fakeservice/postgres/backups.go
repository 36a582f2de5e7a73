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

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/engineaccount"
)

// Backup copies the data folder to a new folder while the server runs, in the way of
// pg_basebackup. It returns the number of bytes copied. It needs only the server. A dump
// would need programs that some machines have in a different version or not at all.
func (c *Cluster) Backup(ctx context.Context, folder string) (int64, error) {
	ctx, release, err := c.lock.Acquire(ctx)
	if err != nil {
		return 0, err
	}
	defer release()
	if err := c.backUp(ctx, folder); err != nil {
		return 0, errors.Join(err, os.RemoveAll(folder))
	}
	return engineaccount.SizeOf(folder)
}

func (c *Cluster) backUp(ctx context.Context, folder string) (err error) {
	// The backup functions must all be called in one session.
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
	// Changes made during the copy are in the log, so the log is copied last. It is copied
	// as a part of the data folder, because the server may have put a link in its place.
	notNeeded := func(path string) bool {
		top, file, inside := strings.Cut(path, "/")
		return top != logFolder || inside && notInLog(file, first, last)
	}
	if err := c.server.account.CopyTree(ctx, c.data(), folder, notNeeded); err != nil {
		return err
	}
	if _, err := os.Stat(filepath.Join(folder, logFolder, last)); err != nil {
		return fmt.Errorf("the backup has no complete log: %w", err)
	}
	return c.server.account.WriteFile(filepath.Join(folder, "backup_label"), label)
}

// logFolder is the folder of the write-ahead log.
const logFolder = "pg_wal"

// notInBackups reports whether a file belongs only to a running server, according to
// PostgreSQL's own list. Folders are copied without such content.
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

// notInLog reports whether a backup does not need a file of the log. A backup begins in the
// file first and ends in last. Earlier files are many times as big as the rest, and later
// ones are prepared by the server in advance. Their names sort in the order of writing.
func notInLog(path, first, last string) bool {
	return len(path) == len(first) && (path < first || path > last)
}

// Restore replaces the data with a backup. Passwords stay those of the settings.
func (c *Cluster) Restore(ctx context.Context, folder string) error {
	return c.replaceData(ctx, folder)
}

// Reset restores the cluster's initial state.
func (c *Cluster) Reset(ctx context.Context) error {
	if err := c.server.Prepare(ctx); err != nil {
		return err
	}
	return c.replaceData(ctx, c.server.template.folder)
}

// IsSQLError reports whether PostgreSQL itself returned an error, with its message and
// SQLSTATE.
func IsSQLError(err error) (message, state string, ok bool) {
	var refused *pgconn.PgError
	if !errors.As(err, &refused) {
		return "", "", false
	}
	return refused.Message, refused.Code, true
}
