package fakeservice

import (
	"net/http"
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
	databases  []Database
	extensions []Extension
}

// takeBackup adds a backup and lets the oldest of its kind go.
func (st *state) takeBackup(in *instance, kind string) {
	b := Backup{ID: newID("bak"), Kind: kind, CreatedAt: st.now, SizeBytes: 8 << 20}
	if in.snapshots == nil {
		in.snapshots = map[string]snapshot{}
	}
	in.snapshots[b.ID] = snapshot{slices.Clone(in.databases), slices.Clone(in.extensions)}
	in.Backups = slices.Insert(in.Backups, 0, b)
	seen := 0
	in.Backups = slices.DeleteFunc(in.Backups, func(b Backup) bool {
		if b.Kind == kind {
			seen++
		}
		gone := b.Kind == kind && seen > backupsKept
		if gone {
			delete(in.snapshots, b.ID)
		}
		return gone
	})
}

// restoreBackup puts the records back. A backup that a test has added holds
// none, and then they stay.
func (st *state) restoreBackup(in *instance, id string) {
	saved, ok := in.snapshots[id]
	if _, on := in.Engines[enginePostgres]; !ok || !on || len(saved.databases) == 0 {
		return
	}
	in.databases, in.extensions = slices.Clone(saved.databases), slices.Clone(saved.extensions)
}

func (st *state) listBackups(c *call) response {
	in, err := st.lookup(c)
	if err != nil {
		return fail(err)
	}
	views := make([]map[string]any, 0, len(in.Backups))
	for _, b := range in.Backups {
		views = append(views, map[string]any{"id": b.ID, "kind": b.Kind, "created_at": b.CreatedAt, "size_bytes": b.SizeBytes})
	}
	return answer(http.StatusOK, map[string]any{"backups": views})
}

// doChores does what the calendar asks for: daily backups and monthly charges.
func (st *state) doChores() {
	for _, in := range st.instances {
		if in.Status == StatusRunning && !in.nextBackup.IsZero() && !in.nextBackup.After(st.now) {
			st.takeBackup(in, "daily")
			in.nextBackup = in.nextBackup.Add(backupEvery)
		}
	}
	st.billing.renew(st.now)
	st.planChores()
}

// planChores finds out when the calendar asks next, so that requests in between
// need not look at every instance.
func (st *state) planChores() {
	st.nextChore = st.billing.nextRenewal()
	for _, in := range st.instances {
		if in.Status != StatusRunning || in.nextBackup.IsZero() {
			continue
		}
		if st.nextChore.IsZero() || in.nextBackup.Before(st.nextChore) {
			st.nextChore = in.nextBackup
		}
	}
}
