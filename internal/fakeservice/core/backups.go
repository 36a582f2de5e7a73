package core

import (
	"context"
	"slices"
	"time"
)

const (
	backupEvery = 24 * time.Hour
	// backupsKept is the number of daily backups, and of undo snapshots, that are kept.
	backupsKept = 7
)

// snapshot has the records that a backup saves. The data plane saves the data itself.
type snapshot struct {
	Databases  []Database
	Extensions []Extension
}

// newBackup returns a backup that is not made yet. Its size is plausible for a fake
// without a data plane.
func newBackup(kind string) Backup {
	return Backup{ID: newID("bak"), Kind: kind, SizeBytes: 8 << 20}
}

// savingFirst makes work undoable: it saves the machine of an instance before the work
// begins. The backup is listed even if the work fails, which may have replaced the data of
// some engines. If the work is interrupted, it has not failed: it is started again.
func (st *state) savingFirst(in *instance, b *Backup, then work) work {
	return func(ctx context.Context, t task) error {
		if err := t.backUp(ctx, b); err != nil {
			return err
		}
		err := then(ctx, t)
		if err != nil && ctx.Err() == nil {
			t.note(func() {
				if st.find(in.ID) == in {
					st.keepBackup(in, *b)
					st.touch(in)
				}
			})
		}
		return err
	}
}

// keepBackup adds a finished backup and removes the oldest of its kind if there are too
// many.
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
	// With a data plane, backups may finish in a different order than they were due.
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

// dropBackup deletes the data of a backup.
func (st *state) dropBackup(instanceID, backupID string) {
	if st.plane == nil {
		return
	}
	st.runInBackground(func(ctx context.Context) error {
		return st.plane.DropBackup(ctx, instanceID, backupID)
	}, func(err error) {
		if err != nil {
			st.log.Warn("a backup could not be dropped", "instance", instanceID, "backup", backupID, "error", err)
		}
	})
}

// takeDaily makes a daily backup. With a data plane, the record appears when the work is
// done, and its time is the time at which the backup was due.
func (st *state) takeDaily(in *instance) {
	b := newBackup("daily")
	b.CreatedAt = st.Now
	if st.plane == nil {
		st.keepBackup(in, b)
		return
	}
	if in.backingUp {
		return // the fake's days pass faster than a backup is made
	}
	in.backingUp = true
	id := in.ID
	st.runInBackground(func(ctx context.Context) (err error) {
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

// restoreBackup restores the records of a backup. A backup that a test added has no
// records; then the current ones stay.
func (st *state) restoreBackup(in *instance, id string) {
	saved, ok := in.Snapshots[id]
	if _, on := in.Engines[EnginePostgres]; !ok || !on || len(saved.Databases) == 0 {
		return
	}
	in.Databases, in.Extensions = slices.Clone(saved.Databases), slices.Clone(saved.Extensions)
}

// BackupList lists the backups of an instance, the newest first.
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

// doChores makes the daily backups and verifications and the monthly charges that are due.
func (st *state) doChores() {
	for _, in := range st.Instances {
		if in.Status == StatusRunning && !in.NextBackup.IsZero() && !in.NextBackup.After(st.Now) {
			st.takeDaily(in)
			st.verify(in)
			in.NextBackup = in.NextBackup.Add(backupEvery)
			st.touch(in)
		}
	}
	st.renew()
	st.planChores()
}

// planChores computes when the next backup or charge is due, so that requests before then
// need not look at every instance. The first daily backup of an instance is due a day after
// the instance begins to run.
func (st *state) planChores() {
	st.NextChore = st.nextRenewal()
	for _, in := range st.Instances {
		if in.Status != StatusRunning {
			continue
		}
		if in.NextBackup.IsZero() {
			in.NextBackup = st.Now.Add(backupEvery)
			st.touch(in)
		}
		if st.NextChore.IsZero() || in.NextBackup.Before(st.NextChore) {
			st.NextChore = in.NextBackup
		}
	}
}
