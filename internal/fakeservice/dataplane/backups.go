package dataplane

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/core"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/rescue"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/workdir"
)

// A backup is a folder with one folder for each engine that was on.

func (p *Plane) backup(instanceID, backupID, engine string) string {
	return filepath.Join(p.backupsOf(instanceID), backupID, engine)
}

// Backup saves the data of the machine. A complete backup with this id is kept.
func (p *Plane) Backup(ctx context.Context, instanceID, backupID string) (_ int64, err error) {
	defer rescue.Error(p.log, "back a machine up", &err)
	ctx, cancel := p.during(ctx)
	defer cancel()
	m, leave, err := p.enterByID(ctx, instanceID)
	if err != nil {
		return 0, err
	}
	defer leave()
	folder := p.backup(m.id, backupID, "")
	if there, err := os.ReadFile(filepath.Join(folder, sizeFile)); err == nil {
		return strconv.ParseInt(string(there), 10, 64)
	}
	next := folder + halfMade
	if err := errors.Join(workdir.Discard(next), os.MkdirAll(next, 0o700)); err != nil {
		return 0, err
	}
	size, err := p.copyOut(ctx, m, next)
	if err == nil {
		err = os.WriteFile(filepath.Join(next, sizeFile), strconv.AppendInt(nil, size, 10), 0o600)
	}
	if err == nil {
		err = os.Rename(next, folder)
	}
	if err != nil {
		return 0, errors.Join(failure(err), workdir.Discard(next))
	}
	return size, nil
}

// halfMade is the suffix of an incomplete backup's name.
const halfMade = ".next"

// sizeFile is the file with the size of a backup in bytes.
const sizeFile = "size"

// copyOut copies the data of the machine to a folder. The caller must hold the turn.
func (p *Plane) copyOut(ctx context.Context, m *machine, folder string) (int64, error) {
	if broken := m.broken(); len(broken) > 0 {
		return 0, &core.Failure{Code: "engine_down", Detail: fmt.Sprintf("the engine %s could not be started, so its data cannot be saved", broken[0])}
	}
	size, err := p.saveApps(ctx, m, filepath.Join(folder, core.EngineApps))
	if err != nil {
		return size, err
	}
	for _, e := range m.engines() {
		more, err := e.Backup(ctx, filepath.Join(folder, e.name))
		if size += more; err != nil {
			return size, err
		}
	}
	return size, nil
}

// restoreFrom restores the engine's data from a backup. It returns false if the backup
// has no data of the engine.
func (e namedEngine) restoreFrom(ctx context.Context, backup string) (bool, error) {
	folder := filepath.Join(backup, e.name)
	if _, err := os.Stat(folder); err != nil {
		return false, nil //nolint:nilerr // the engine was not on then
	}
	return true, e.Restore(ctx, folder)
}

// Restore restores the data from a backup. An engine that was not on at the time of the
// backup keeps its data.
func (p *Plane) Restore(ctx context.Context, instanceID, backupID string) (err error) {
	defer rescue.Error(p.log, "restore a machine", &err)
	ctx, cancel := p.during(ctx)
	defer cancel()
	m, wanted, leave, err := p.enterWanted(ctx, instanceID)
	if err != nil {
		return err
	}
	defer leave()
	if _, err := os.Stat(p.backup(m.id, backupID, "")); errors.Is(err, fs.ErrNotExist) {
		return &core.Failure{Code: "backup_missing", Detail: fmt.Sprintf("the backup %s holds no data", backupID)}
	}
	if err := p.restoreApps(ctx, m, p.backup(m.id, backupID, core.EngineApps)); err != nil {
		return err
	}
	restored := map[string]bool{}
	for _, e := range m.engines() {
		if restored[e.name], err = e.restoreFrom(ctx, p.backup(m.id, backupID, "")); err != nil {
			return failure(err)
		}
	}
	if !restored[core.EnginePostgres] {
		return nil
	}
	if err := p.reconnect(ctx, m, wanted); err != nil || m.auth == nil {
		return err
	}
	// The backup may be from before the engine's tables existed.
	return failure(m.auth.Restart(ctx))
}

// DropBackup deletes a backup.
func (p *Plane) DropBackup(ctx context.Context, instanceID, backupID string) (err error) {
	defer rescue.Error(p.log, "drop a backup", &err)
	if p.machine(instanceID) == nil {
		return nil // the backups were removed with their machine
	}
	_, leave, err := p.enterByID(ctx, instanceID)
	if err != nil {
		return err
	}
	defer leave()
	return workdir.Discard(p.backup(instanceID, backupID, ""))
}
