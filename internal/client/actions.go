package client

import (
	"context"
)

// Rotate changes every password of the instance and the auth service key.
func (t *Turn) Rotate(ctx context.Context) (Pending, error) {
	return t.action(ctx, OpRotate, "", struct{}{})
}

// Resize moves the instance to another plan.
func (t *Turn) Resize(ctx context.Context, plan string) (Pending, error) {
	return t.action(ctx, OpResize, plan, map[string]string{"plan": plan})
}

// Reset empties one engine, or the whole instance when engine is "". Its data
// is gone. confirm must equal the instance's id.
func (t *Turn) Reset(ctx context.Context, confirm, engine string) (Pending, error) {
	body := map[string]string{"confirm": confirm}
	if engine != "" {
		body["engine"] = engine
	}
	return t.action(ctx, OpReset, engine, body)
}

// Restore puts the instance back to a backup. What came after it is gone.
// confirm must equal the instance's id.
func (t *Turn) Restore(ctx context.Context, confirm, backupID string) (Pending, error) {
	return t.action(ctx, OpRestore, "", map[string]string{"confirm": confirm, "backup_id": backupID})
}

// action posts an action of the instance; its name is its operation's. on is what its
// duration depends on beside that.
func (t *Turn) action(ctx context.Context, operation, on string, body any) (Pending, error) {
	return t.act(ctx, mutation{
		request:   request{path: []string{"actions", operation}, body: body},
		operation: operation,
		on:        on,
	}, "")
}

// RestartEngine restarts one engine; its data stays.
func (t *Turn) RestartEngine(ctx context.Context, engine string) (Pending, error) {
	return t.act(ctx, mutation{
		request:   request{path: []string{"engines", engine, "actions", "restart"}, body: struct{}{}},
		operation: OpEngineRestart,
		on:        engine,
		target:    "engines/" + engine,
	}, "")
}

// A Backup is a daily backup or an undo snapshot.
type Backup struct {
	ID        string `json:"id"`
	Kind      string `json:"kind"` // daily or undo
	CreatedAt Time   `json:"created_at"`
	SizeBytes int64  `json:"size_bytes"`
}

// Identifier is the backup's id.
func (b Backup) Identifier() string { return b.ID }

// Backups reads the backups of an instance.
func (c *Client) Backups(ctx context.Context, instanceID string) ([]Backup, error) {
	return list[Backup](ctx, c, "backups", "instances", instanceID, "backups")
}
