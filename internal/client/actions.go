package client

import (
	"context"

	"github.com/instance-hosting/terraform-provider-hosting/internal/client/transport"
)

// Rotate changes every password of the instance and the auth service key.
func (t *Turn) Rotate(ctx context.Context) (Pending, error) {
	return t.action(ctx, OpRotate, struct{}{})
}

// Resize moves the instance to another plan. The record shows the plan, so a request whose
// response was lost is sent again if the record does not show it.
func (t *Turn) Resize(ctx context.Context, plan string) (Pending, error) {
	body := map[string]string{"plan": plan}
	return t.set(ctx, mutation{
		Request:   transport.Request{Path: []string{"actions", OpResize}},
		operation: OpResize,
		prepare:   func(context.Context) (any, error) { return body, nil },
		isMade: func(ctx context.Context) (bool, error) {
			i, err := t.c.Instance(ctx, t.id)
			return i.PlanID() == plan, err
		},
	})
}

// Reset deletes all data of one engine, or of the whole instance if engine is "". confirm
// must equal the instance's id.
func (t *Turn) Reset(ctx context.Context, confirm, engine string) (Pending, error) {
	body := map[string]string{"confirm": confirm}
	if engine != "" {
		body["engine"] = engine
	}
	return t.action(ctx, OpReset, body)
}

// Restore restores the instance from a backup. All data written after the backup is lost.
// confirm must equal the instance's id.
func (t *Turn) Restore(ctx context.Context, confirm, backupID string) (Pending, error) {
	return t.action(ctx, OpRestore, map[string]string{"confirm": confirm, "backup_id": backupID})
}

// action posts an action of the instance. The action has the same name as its operation.
func (t *Turn) action(ctx context.Context, operation string, body any) (Pending, error) {
	return t.act(ctx, mutation{
		Request:   transport.Request{Path: []string{"actions", operation}, Body: body},
		operation: operation,
	})
}

// RestartEngine restarts one engine and keeps its data.
func (t *Turn) RestartEngine(ctx context.Context, engine string) (Pending, error) {
	return t.act(ctx, mutation{
		Request:   transport.Request{Path: []string{"engines", engine, "actions", "restart"}, Body: struct{}{}},
		operation: OpEngineRestart,
		target:    "engines/" + engine,
	})
}

// A Backup is a daily backup or an undo snapshot.
type Backup struct {
	ID        string                  `json:"id"`
	Kind      string                  `json:"kind"` // daily or undo
	CreatedAt Time                    `json:"created_at"`
	SizeBytes Informal[Maybe[Amount]] `json:"size_bytes"`
}

// Identifier is the backup's id.
func (b Backup) Identifier() string { return b.ID }

// Backups reads the backups of an instance.
func (c *Client) Backups(ctx context.Context, instanceID string) ([]Backup, error) {
	backups, err := list[Backup](ctx, c, "backups", "instances", instanceID, "backups")
	return backups, c.missing(ctx, instanceID, "", err)
}
