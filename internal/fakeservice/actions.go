package fakeservice

import (
	"context"
	"slices"
)

func (st *state) rotate(c *call) response {
	in, err := st.changeable(c)
	if err != nil {
		return fail(err)
	}
	next := in.secrets
	next.rotate()
	j, err := st.startJob(in, jobSpec{
		operation: "rotate",
		work:      applying(func(m *Machine) { m.Credentials = next.credentials() }),
		apply: func() {
			next.ca = in.secrets.ca // it may have been made meanwhile
			in.secrets = next
		},
		event: "rotate",
	})
	if err != nil {
		return fail(err)
	}
	return accepted(j)
}

// resize moves the instance to another plan. Its engines have to fit there.
func (st *state) resize(c *call) response {
	in, err := st.changeable(c)
	if err != nil {
		return fail(err)
	}
	var wanted struct{ Plan string }
	if err := c.decode(&wanted); err != nil {
		return fail(err)
	}
	plan, ok := st.catalog.plan(wanted.Plan)
	if !ok {
		return fail(invalid("plan", "there is no plan %q", wanted.Plan))
	}
	sum := 0
	for _, engine := range in.Engines {
		sum += engine.MemoryMB
	}
	if sum > plan.MemoryMB {
		return fail(invalid("plan", "the engines' budgets come to %d MB and the plan %q has %d MB", sum, plan.ID, plan.MemoryMB))
	}
	j, err := st.startJob(in, jobSpec{
		operation: "resize",
		work:      applying(func(m *Machine) { m.Plan, m.Limits = plan.ID, plan }),
		apply: func() {
			in.Plan = plan.ID
			st.billing.move(in.ID, plan, st.now)
			st.planChores()
		},
		event: "resize",
		data:  func() map[string]any { return map[string]any{"plan": plan.ID} },
	})
	if err != nil {
		return fail(err)
	}
	return accepted(j)
}

// reset empties one engine, or all of them. An undo snapshot is taken first.
func (st *state) reset(c *call) response {
	in, err := st.lookup(c)
	if err != nil {
		return fail(err)
	}
	var wanted struct{ Confirm, Engine string }
	if err := c.decode(&wanted); err != nil {
		return fail(err)
	}
	if err := checkConfirm(in, wanted.Confirm); err != nil {
		return fail(err)
	}
	if _, err := st.changeable(c); err != nil {
		return fail(err)
	}
	if _, on := in.Engines[wanted.Engine]; wanted.Engine != "" && !on {
		return fail(invalid("engine", "%q is not on", wanted.Engine))
	}
	undo := newBackup("undo")
	j, err := st.startJob(in, jobSpec{
		operation: "reset",
		work: savingFirst(&undo, func(ctx context.Context, plane DataPlane, m Machine) error {
			return plane.Reset(ctx, m, wanted.Engine)
		}),
		apply: func() {
			st.keepBackup(in, undo)
			if wanted.Engine == "" || wanted.Engine == EnginePostgres {
				in.extensions = nil
				st.engineTurnedOn(in, EnginePostgres)
			}
		},
		event: "reset",
		data:  func() map[string]any { return map[string]any{"engine": textOrNull(wanted.Engine)} },
	})
	if err != nil {
		return fail(err)
	}
	return accepted(j)
}

// restore puts the data back to a backup. An undo snapshot is taken first.
func (st *state) restore(c *call) response {
	in, err := st.lookup(c)
	if err != nil {
		return fail(err)
	}
	var wanted struct {
		Confirm  string
		BackupID string `json:"backup_id"`
	}
	if err := c.decode(&wanted); err != nil {
		return fail(err)
	}
	if err := checkConfirm(in, wanted.Confirm); err != nil {
		return fail(err)
	}
	if _, err := st.changeable(c); err != nil {
		return fail(err)
	}
	if !slices.ContainsFunc(in.Backups, func(b Backup) bool { return b.ID == wanted.BackupID }) {
		return fail(invalid("backup_id", "the instance has no backup %q", wanted.BackupID))
	}
	undo := newBackup("undo")
	j, err := st.startJob(in, jobSpec{
		operation: "restore",
		work: savingFirst(&undo, func(ctx context.Context, plane DataPlane, m Machine) error {
			return plane.Restore(ctx, m, wanted.BackupID)
		}),
		apply: func() {
			st.keepBackup(in, undo)
			st.restoreBackup(in, wanted.BackupID)
		},
		event: "restore",
		data:  func() map[string]any { return map[string]any{"backup_id": wanted.BackupID} },
	})
	if err != nil {
		return fail(err)
	}
	return accepted(j)
}
