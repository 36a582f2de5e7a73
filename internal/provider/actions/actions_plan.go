package actions

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/action"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/instance-hosting/terraform-provider-hosting/internal/client"
	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/attributes"
	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/diagnostics"
)

// A Plan is the state of planning one action.
type Plan struct {
	client    *client.Client // nil while the provider's configuration is unknown
	reach     *diagnostics.ServiceCheck
	arguments map[string]types.String
	diags     *diag.Diagnostics
}

// ModifyPlan warns about the effects of the action, and checks the arguments that are
// known.
func (a *InstanceAction) ModifyPlan(ctx context.Context, req action.ModifyPlanRequest, resp *action.ModifyPlanResponse) {
	a.validate(ctx, req.Config, &resp.Diagnostics)
	if a.Plan == nil || resp.Diagnostics.HasError() {
		return
	}
	p := &Plan{client: a.Client, reach: a.Service, arguments: map[string]types.String{}, diags: &resp.Diagnostics}
	for _, name := range a.arguments(ctx) {
		var value types.String
		resp.Diagnostics.Append(req.Config.GetAttribute(ctx, path.Root(name), &value)...)
		p.arguments[name] = value
	}
	a.Plan(ctx, p)
}

// known returns the value of an argument, and whether it is set and known.
func (p *Plan) known(name string) (string, bool) {
	value := p.arguments[name]
	return value.ValueString(), !value.IsNull() && !value.IsUnknown()
}

// named returns an argument in the form used in messages.
func (p *Plan) named(what, name string) string {
	if value, known := p.known(name); known {
		return what + " " + value
	}
	return "the " + what + " that is known after apply"
}

// PlanRotate warns that a rotation replaces all passwords.
func PlanRotate(ctx context.Context, p *Plan) {
	instance := p.named("instance", "instance_id")
	if id, known := p.known("instance_id"); known && p.client != nil {
		// Only the name is read, so an error does not deserve a second warning.
		if record, err := p.client.Instance(ctx, id); err == nil && record.Name.Value != "" {
			instance = "instance " + record.Name.Value + " (" + id + ")"
		}
	}
	p.diags.AddWarning("A rotation replaces all passwords",
		"Rotating "+instance+" replaces every password, in the owner and the read-only URLs, and the auth service key; old ones stop working at once. "+
			"Replace them wherever they are used. The auth anon key stays the same.")
}

// PlanReset warns that a reset deletes data.
func PlanReset(ctx context.Context, p *Plan) {
	p.CheckEngine(ctx)
	engine := "every engine"
	switch value := p.arguments["engine"]; {
	case value.IsUnknown():
		engine = p.named("engine", "engine") + ", or of every engine if that is null,"
	case !value.IsNull():
		engine = p.named("engine", "engine")
	}
	p.warnOfLoss("reset", "all data of "+engine)
}

// PlanRestore warns that a restore replaces data, and checks the backup.
func PlanRestore(ctx context.Context, p *Plan) {
	backup := p.checkBackup(ctx)
	data := "everything that came after " + p.named("backup", "backup_id")
	if !backup.CreatedAt.IsZero() {
		data += ", which was taken at " + backup.CreatedAt.UTC().Format(time.RFC3339)
	}
	p.warnOfLoss("restore", data)
}

// warnOfLoss warns about the data that an action deletes.
func (p *Plan) warnOfLoss(does, data string) {
	if p.diags.HasError() {
		return
	}
	instance := p.named("instance", "instance_id")
	p.diags.AddWarning("The "+does+" will lose data",
		fmt.Sprintf("The %s deletes %s on %s. Only the undo snapshot remains, which the service takes before. "+
			"The instance's deletion_protection does not prevent it.", does, data, instance))
}

// CheckEngine refuses an engine that the service does not offer, unless the instance has
// it or may have it. It only warns of an engine that is off, because another change of
// the plan may turn it on before the action.
func (p *Plan) CheckEngine(ctx context.Context) {
	engine, known := p.known("engine")
	if !known || p.client == nil {
		return
	}
	plans, plansErr := p.client.Plans(ctx)
	if plansErr != nil {
		p.reach.WarnUnchecked(p.diags, "engine", plansErr)
	}
	offered := attributes.SortedKeys(plans.Engines)
	isUnknown := len(offered) > 0 && !slices.Contains(offered, engine)
	var (
		instance client.Instance
		err      error
	)
	id, known := p.known("instance_id")
	if known {
		instance, err = p.client.RefreshInstance(ctx, id)
	}
	switch {
	case errors.Is(err, client.ErrNotFound):
		diagnostics.AddNoInstance(p.diags, "instance_id", id)
	case err != nil:
		p.reach.WarnUnchecked(p.diags, "instance_id", err)
	case isUnknown && (!known || instance.Lacks(engine)):
		p.diags.AddAttributeError(path.Root("engine"), "Unknown engine", diagnostics.NoSuch("engine", engine, offered))
	case instance.Lacks(engine):
		p.diags.AddAttributeWarning(path.Root("engine"), "The engine "+engine+" is off",
			fmt.Sprintf("The %[2]s engine is currently off on instance %[1]s, so the action has nothing to act on. "+
				"Ignore this warning if the engine is turned on before the action runs.", id, engine))
	}
}

// checkBackup finds the backup. A backup that the instance does not have is an error,
// because no plan creates one.
func (p *Plan) checkBackup(ctx context.Context) client.Backup {
	id, idKnown := p.known("instance_id")
	wanted, known := p.known("backup_id")
	if !idKnown || !known || p.client == nil {
		return client.Backup{}
	}
	backups, err := p.client.Backups(ctx, id)
	if errors.Is(err, client.ErrNotFound) {
		_, err = p.client.RefreshInstance(ctx, id) // the instance may only be too new to have backups
		if errors.Is(err, client.ErrNotFound) {
			diagnostics.AddNoInstance(p.diags, "instance_id", id)
		}
		return client.Backup{}
	}
	if err != nil {
		p.reach.WarnUnchecked(p.diags, "backup_id", err)
		return client.Backup{}
	}
	at := slices.IndexFunc(backups, func(b client.Backup) bool { return b.ID == wanted })
	if at < 0 {
		p.diags.AddAttributeError(path.Root("backup_id"), "Unknown backup", diagnostics.NoSuch("backup", wanted, diagnostics.IdsOf(backups, client.Backup.Identifier)))
		return client.Backup{}
	}
	return backups[at]
}
