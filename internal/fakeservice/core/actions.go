package core

import (
	"context"
	"slices"
)

// Rotate changes every password and the auth service key.
func (s *Service) Rotate(id string) (Accepted, error) {
	return s.mutate(id, func(_ *state, in *instance) (jobSpec, error) {
		next := in.secrets
		next.rotate()
		return jobSpec{
			operation: "rotate",
			change:    func(m *Machine) { m.Credentials = next.credentials() },
			work:      applyChange,
			apply: func() {
				next.ca = in.secrets.ca // it may have been made meanwhile
				in.secrets = next
			},
			event: "rotate",
		}, nil
	})
}

// Resize moves the instance to another plan. Its engines have to fit there.
func (s *Service) Resize(id, planID string) (Accepted, error) {
	return s.mutate(id, func(st *state, in *instance) (jobSpec, error) {
		plan, ok := st.catalog.plan(planID)
		if !ok {
			return jobSpec{}, invalid("plan", "there is no plan %q", planID)
		}
		for _, a := range in.apps {
			if a.MemoryMB > plan.MemoryMB {
				return jobSpec{}, invalid("plan", "the app %q has %d MB and the plan %q has %d MB", a.Name, a.MemoryMB, plan.ID, plan.MemoryMB)
			}
		}
		sum := 0
		for _, engine := range in.Engines {
			sum += engine.MemoryMB
		}
		if sum > plan.MemoryMB {
			return jobSpec{}, invalid("plan", "the engines' budgets come to %d MB and the plan %q has %d MB", sum, plan.ID, plan.MemoryMB)
		}
		return jobSpec{
			operation: "resize",
			change:    func(m *Machine) { m.Plan, m.Limits = plan.ID, plan },
			work:      applyChange,
			apply: func() {
				in.Plan = plan.ID
				st.billing.move(in.ID, plan, st.now)
				st.planChores()
			},
			event: "resize",
			data:  func() map[string]any { return map[string]any{"plan": plan.ID} },
		}, nil
	})
}

// ResetEngines empties one engine, or all of them for "". An undo snapshot is taken
// first. confirm must be the instance's id.
func (s *Service) ResetEngines(id, confirm, engine string) (Accepted, error) {
	return s.mutateConfirmed(id, confirm, func(st *state, in *instance) (jobSpec, error) {
		if _, on := in.Engines[engine]; engine != "" && !on {
			return jobSpec{}, invalid("engine", "%q is not on", engine)
		}
		undo := newBackup("undo")
		return jobSpec{
			operation: "reset",
			work: savingFirst(&undo, func(ctx context.Context, t task) error {
				return t.plane.Reset(ctx, t.instanceID, engine)
			}),
			apply: func() {
				st.keepBackup(in, undo)
				if engine == "" || engine == EnginePostgres {
					in.extensions = nil
					st.engineTurnedOn(in, EnginePostgres)
				}
			},
			event: "reset",
			data:  func() map[string]any { return map[string]any{"engine": textOrNull(engine)} },
		}, nil
	})
}

// Restore puts the data back to a backup. An undo snapshot is taken first. confirm
// must be the instance's id.
func (s *Service) Restore(id, confirm, backupID string) (Accepted, error) {
	return s.mutateConfirmed(id, confirm, func(st *state, in *instance) (jobSpec, error) {
		if !slices.ContainsFunc(in.Backups, func(b Backup) bool { return b.ID == backupID }) {
			return jobSpec{}, invalid("backup_id", "the instance has no backup %q", backupID)
		}
		undo := newBackup("undo")
		return jobSpec{
			operation: "restore",
			work: savingFirst(&undo, func(ctx context.Context, t task) error {
				return t.plane.Restore(ctx, t.instanceID, backupID)
			}),
			apply: func() {
				st.keepBackup(in, undo)
				st.restoreBackup(in, backupID)
			},
			event: "restore",
			data:  func() map[string]any { return map[string]any{"backup_id": backupID} },
		}, nil
	})
}

// mutateConfirmed is mutate for what wants the instance's id once more.
func (s *Service) mutateConfirmed(id, confirm string, plan func(*state, *instance) (jobSpec, error)) (Accepted, error) {
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
