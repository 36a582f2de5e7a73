package core

import (
	"context"
	"errors"
	"slices"
	"time"
)

const (
	backupEvery = 24 * time.Hour
	// backupsKept is how many daily backups and how many undo snapshots stay.
	backupsKept = 7
)

// snapshot is what a backup holds of the records. Data itself is the data
// plane's.
type snapshot struct {
	Databases  []Database
	Extensions []Extension
}

// newBackup is a backup that has yet to be made, of a size that is plausible
// where nothing real is saved.
func newBackup(kind string) Backup {
	return Backup{ID: newID("bak"), Kind: kind, SizeBytes: 8 << 20}
}

// savingFirst makes work undoable: it saves the machine before it begins. A
// backup whose work then fails is of no use and is dropped again. Work that is cut
// off has not failed: it is begun again, and the backup is all that holds what was
// there before.
func savingFirst(b *Backup, then work) work {
	return func(ctx context.Context, t task) error {
		if err := t.backUp(ctx, b); err != nil {
			return err
		}
		err := then(ctx, t)
		if err != nil && ctx.Err() == nil {
			return errors.Join(err, t.plane.DropBackup(ctx, t.instanceID, b.ID))
		}
		return err
	}
}

// keepBackup adds a backup that has been made and lets the oldest of its kind
// go.
func (st *state) keepBackup(in *instance, b Backup) {
	kind := b.Kind
	if b.CreatedAt.IsZero() {
		b.CreatedAt = st.Now
	}
	if in.Snapshots == nil {
		in.Snapshots = map[string]snapshot{}
	}
	in.Snapshots[b.ID] = snapshot{slices.Clone(in.Databases), slices.Clone(in.Extensions)}
	in.Backups = slices.Insert(in.Backups, 0, b)
	// Real ones may be done in another order than they were due.
	slices.SortStableFunc(in.Backups, func(a, b Backup) int { return b.CreatedAt.Compare(a.CreatedAt) })
	seen := 0
	in.Backups = slices.DeleteFunc(in.Backups, func(b Backup) bool {
		if b.Kind == kind {
			seen++
		}
		gone := b.Kind == kind && seen > backupsKept
		if gone {
			delete(in.Snapshots, b.ID)
			st.dropBackup(in.ID, b.ID)
		}
		return gone
	})
}

// dropBackup lets the data of a backup go.
func (st *state) dropBackup(instanceID, backupID string) {
	if st.plane == nil {
		return
	}
	st.chore(func(ctx context.Context) error {
		return st.plane.DropBackup(ctx, instanceID, backupID)
	}, func(err error) {
		if err != nil {
			st.log.Warn("a backup could not be dropped", "instance", instanceID, "backup", backupID, "error", err)
		}
	})
}

// takeDaily makes a daily backup. Where that takes real work, the record comes
// when the work is done and bears the time at which it was due.
func (st *state) takeDaily(in *instance) {
	b := newBackup("daily")
	b.CreatedAt = st.Now
	if st.plane == nil {
		st.keepBackup(in, b)
		return
	}
	if in.backingUp {
		return // the days pass faster than a backup is made
	}
	in.backingUp = true
	id := in.ID
	st.chore(func(ctx context.Context) (err error) {
		b.SizeBytes, err = st.plane.Backup(ctx, id, b.ID)
		return err
	}, func(err error) {
		in.backingUp = false
		switch {
		case err != nil:
			st.log.Warn("a daily backup failed", "instance", in.ID, "error", err)
		case st.find(in.ID) == in:
			st.keepBackup(in, b)
		}
	})
}

// restoreBackup puts the records back. A backup that a test has added holds
// none, and then they stay.
func (st *state) restoreBackup(in *instance, id string) {
	saved, ok := in.Snapshots[id]
	if _, on := in.Engines[EnginePostgres]; !ok || !on || len(saved.Databases) == 0 {
		return
	}
	in.Databases, in.Extensions = slices.Clone(saved.Databases), slices.Clone(saved.Extensions)
}

// BackupList is the backups of an instance, the newest first.
type BackupList struct {
	Backups []BackupRecord `json:"backups"`
}

// BackupRecord is a backup as the API shows it.
type BackupRecord struct {
	ID        string    `json:"id"`
	Kind      string    `json:"kind"`
	CreatedAt time.Time `json:"created_at"`
	SizeBytes int64     `json:"size_bytes"`
}

// Backups lists the backups of an instance.
func (s *Service) Backups(ctx context.Context, id string) (BackupList, error) {
	return lookAt(ctx, s, id, func(_ *state, in *instance) (BackupList, error) {
		list := BackupList{Backups: []BackupRecord{}}
		for _, b := range in.Backups {
			list.Backups = append(list.Backups, BackupRecord(b))
		}
		return list, nil
	})
}

// doChores does what the calendar asks for: daily backups and monthly charges.
func (st *state) doChores() {
	for _, in := range st.Instances {
		if in.Status == StatusRunning && !in.NextBackup.IsZero() && !in.NextBackup.After(st.Now) {
			st.takeDaily(in)
			in.NextBackup = in.NextBackup.Add(backupEvery)
			st.touch(in)
		}
	}
	st.renew()
	st.planChores()
}

// planChores finds out when the calendar asks next, so that requests in between
// need not look at every instance.
func (st *state) planChores() {
	st.NextChore = st.nextRenewal()
	for _, in := range st.Instances {
		if in.Status != StatusRunning || in.NextBackup.IsZero() {
			continue
		}
		if st.NextChore.IsZero() || in.NextBackup.Before(st.NextChore) {
			st.NextChore = in.NextBackup
		}
	}
}
