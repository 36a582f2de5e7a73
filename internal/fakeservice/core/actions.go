package core

import (
	"context"
	"slices"
)

// Rotate changes every password and the auth service key.
func (s *Service) Rotate(id string) (Accepted, error) {
	return s.mutate(id, func(_ *state, in *instance) (jobKind, error) {
		next := in.Secrets
		next.rotate()
		return &rotateJob{next.Credentials}, nil
	})
}

// rotateJob replaces an instance's credentials.
type rotateJob struct{ Credentials Credentials }

func (j *rotateJob) spec(_ *state, in *instance) jobSpec {
	return jobSpec{
		change: func(m *DesiredMachine) { m.Credentials = j.Credentials },
		work:   applyChange,
		apply:  func() { in.Secrets.Credentials = j.Credentials },
	}
}

// Resize moves the instance to a different plan. Its engines must fit into the new plan.
func (s *Service) Resize(id, planID string) (Accepted, error) {
	return s.mutate(id, func(st *state, in *instance) (jobKind, error) {
		plan, ok := st.Catalog.plan(planID)
		if !ok {
			return nil, invalid("plan", "there is no plan %q", planID)
		}
		if plan.ID == in.Plan {
			return nil, invalid("plan", "the instance has the plan %q already", plan.ID)
		}
		sum := 0
		for _, engine := range in.Engines {
			sum += engine.MemoryMB
		}
		if sum > plan.MemoryMB {
			return nil, invalid("plan", "the engines' budgets come to %d MB and the plan %q has %d MB", sum, plan.ID, plan.MemoryMB)
		}
		return &resizeJob{plan}, nil
	})
}

// resizeJob moves an instance to a different plan.
type resizeJob struct{ Plan Plan }

func (j *resizeJob) spec(st *state, in *instance) jobSpec {
	return jobSpec{
		change: func(m *DesiredMachine) { m.Plan, m.Limits = j.Plan.ID, j.Plan },
		work:   applyChange,
		apply: func() {
			in.Plan = j.Plan.ID
			st.movePlan(in.ID, j.Plan)
			st.planChores()
		},
		data: func() map[string]any { return map[string]any{"plan": j.Plan.ID} },
	}
}

// ResetEngines empties one engine, or all of them if engine is "". An undo snapshot is
// taken first. confirm must be the instance's id.
func (s *Service) ResetEngines(id, confirm, engine string) (Accepted, error) {
	return s.mutateConfirmed(id, confirm, func(_ *state, in *instance) (jobKind, error) {
		if _, on := in.Engines[engine]; engine != "" && !on {
			return nil, invalid("engine", "%q is not on", engine)
		}
		return &resetJob{engine, newBackup("undo")}, nil
	})
}

// resetJob empties one engine, or all of them if Engine is "".
type resetJob struct {
	Engine string
	Undo   Backup
}

func (j *resetJob) spec(st *state, in *instance) jobSpec {
	return jobSpec{
		work: st.savingFirst(in, &j.Undo, func(ctx context.Context, t task) error {
			return t.plane.Reset(ctx, t.instanceID, j.Engine)
		}),
		apply: func() {
			st.keepBackup(in, j.Undo)
			if j.Engine == "" || j.Engine == EnginePostgres {
				in.Extensions = nil
				st.engineTurnedOn(in, EnginePostgres)
			}
		},
		data: func() map[string]any { return map[string]any{"engine": textOrNull(j.Engine)} },
	}
}

// Restore restores the data from a backup. An undo snapshot is taken first. confirm must
// be the instance's id.
func (s *Service) Restore(id, confirm, backupID string) (Accepted, error) {
	return s.mutateConfirmed(id, confirm, func(_ *state, in *instance) (jobKind, error) {
		if !slices.ContainsFunc(in.Backups, func(b Backup) bool { return b.ID == backupID }) {
			return nil, invalid("backup_id", "the instance has no backup %q", backupID)
		}
		return &restoreJob{backupID, newBackup("undo")}, nil
	})
}

// restoreJob restores the data from a backup.
type restoreJob struct {
	BackupID string
	Undo     Backup
}

func (j *restoreJob) spec(st *state, in *instance) jobSpec {
	return jobSpec{
		work: st.savingFirst(in, &j.Undo, func(ctx context.Context, t task) error {
			return t.plane.Restore(ctx, t.instanceID, j.BackupID)
		}),
		apply: func() {
			st.keepBackup(in, j.Undo)
			st.restoreBackup(in, j.BackupID)
		},
		data: func() map[string]any { return map[string]any{"backup_id": j.BackupID} },
	}
}

// mutateConfirmed is mutate for requests that must repeat the instance's id in confirm.
func (s *Service) mutateConfirmed(id, confirm string, plan func(*state, *instance) (jobKind, error)) (Accepted, error) {
	return change(s, func(st *state) (Accepted, error) {
		if _, err := st.lookupConfirmed(id, confirm); err != nil {
			return Accepted{}, err
		}
		in, err := st.changeable(id)
		if err != nil {
			return Accepted{}, err
		}
		return st.begin(in, plan)
	})
}
