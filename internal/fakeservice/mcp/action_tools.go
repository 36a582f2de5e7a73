package mcp

import (
	"context"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/core"
)

// onPlan are the arguments of a move to another plan.
type onPlan struct {
	onInstance
	Plan string `json:"plan" jsonschema:"the id of a plan of list_plans"`
}

// emptied are the arguments of a reset.
type emptied struct {
	onInstanceConfirmed
	Engine string `json:"engine,omitempty" jsonschema:"the one engine to empty; left out, all of them"`
}

// restored are the arguments of a restoration.
type restored struct {
	onInstanceConfirmed
	BackupID string `json:"backup_id" jsonschema:"the id of a backup of list_backups"`
}

// onEngine is an engine of an instance.
type onEngine struct {
	onInstance
	Engine string `json:"engine" jsonschema:"the name of the engine"`
}

// addActions adds the tools that do something to an instance once.
func (t tools) addActions() {
	s := t.Service
	add(t, about{
		name: "rotate_credentials", title: "Rotate all passwords", effect: destroying,
		text: "Changes every password of an instance and the auth service key. Old connection URLs no longer work; get_connection_urls has the new ones.",
	}, func(_ context.Context, in onInstance) (core.Accepted, error) { return s.Rotate(in.InstanceID) })
	add(t, about{
		name: "resize_instance", title: "Move to another plan", effect: replacing,
		text: "Moves an instance to another plan. Its engines and apps have to fit there.",
	}, func(_ context.Context, in onPlan) (core.Accepted, error) { return s.Resize(in.InstanceID, in.Plan) })
	add(t, about{
		name: "reset_instance", title: "Empty engines", effect: destroying,
		text: "Empties one engine, or all of them: its data is gone. An undo snapshot is taken first.",
	}, func(_ context.Context, in emptied) (core.Accepted, error) {
		return s.ResetEngines(in.InstanceID, in.Confirm, in.Engine)
	})
	add(t, about{
		name: "restore_instance", title: "Restore a backup", effect: destroying,
		text: "Puts the data of an instance back to a backup: what is newer is gone. An undo snapshot is taken first.",
	}, func(_ context.Context, in restored) (core.Accepted, error) {
		return s.Restore(in.InstanceID, in.Confirm, in.BackupID)
	})
	add(t, about{
		name: "restart_engine", title: "Restart an engine", effect: doing,
		text: "Restarts one engine of an instance. Its data stays.",
	}, func(_ context.Context, in onEngine) (core.Accepted, error) {
		return s.RestartEngine(in.InstanceID, in.Engine)
	})
}
