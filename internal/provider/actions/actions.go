package actions

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/action/timeouts"
	"github.com/hashicorp/terraform-plugin-framework/action"
	"github.com/hashicorp/terraform-plugin-framework/action/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/instance-hosting/terraform-provider-hosting/internal/client"
	"github.com/instance-hosting/terraform-provider-hosting/internal/client/lifetime"
	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/attributes"
	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/base"
	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/diagnostics"
)

var (
	_ action.ActionWithConfigure      = &InstanceAction{}
	_ action.ActionWithValidateConfig = &InstanceAction{}
	_ action.ActionWithModifyPlan     = &InstanceAction{}
)

const actionTimeout = 60 * time.Minute

// An InstanceAction runs an operation on an instance and waits for its job. Actions
// differ in their arguments and in the request that they send.
type InstanceAction struct {
	base.Action
	Name        string // without the provider's prefix
	Description string
	Operation   string // the job's operation
	Attributes  func(context.Context) map[string]schema.Attribute
	Send        func(context.Context, *client.Turn, Arguments) (client.Pending, error)
	// Plan, if non-nil, warns about lost data and replaced passwords, and checks the
	// arguments that are known at plan time.
	Plan func(context.Context, *Plan)
}

// Arguments maps the names of an action's arguments to their values. An argument that is
// not set has the value "".
type Arguments map[string]string

// Required is a required, non-empty string argument of an action.
func Required(description string) schema.StringAttribute {
	return schema.StringAttribute{
		Required:            true,
		Validators:          []validator.String{attributes.NotEmpty()},
		MarkdownDescription: description,
	}
}

// Confirmation returns the argument that must equal the instance's id. The service
// requires it for operations that lose data.
func Confirmation() schema.StringAttribute {
	return Required("Must equal `instance_id`, because the action deletes data.")
}

// Metadata implements action.Action.
func (a *InstanceAction) Metadata(_ context.Context, req action.MetadataRequest, resp *action.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_" + a.Name
}

// Schema implements action.Action.
func (a *InstanceAction) Schema(ctx context.Context, _ action.SchemaRequest, resp *action.SchemaResponse) {
	resp.Schema = schema.Schema{MarkdownDescription: a.Description, Attributes: a.Attributes(ctx)}
}

// arguments returns the names of the action's arguments: all of its string attributes.
func (a *InstanceAction) arguments(ctx context.Context) []string {
	var names []string
	for name, attribute := range a.Attributes(ctx) {
		if _, ok := attribute.(schema.StringAttribute); ok {
			names = append(names, name)
		}
	}
	return attributes.Sorted(names)
}

// ValidateConfig implements action.ActionWithValidateConfig.
func (a *InstanceAction) ValidateConfig(ctx context.Context, req action.ValidateConfigRequest, resp *action.ValidateConfigResponse) {
	a.checkConfirmation(ctx, req.Config, &resp.Diagnostics)
}

// checkConfirmation checks the confirmation. Unknown values are skipped.
func (a *InstanceAction) checkConfirmation(ctx context.Context, config tfsdk.Config, diags *diag.Diagnostics) {
	if !slices.Contains(a.arguments(ctx), "confirm") {
		return
	}
	var id, confirm types.String
	diags.Append(config.GetAttribute(ctx, path.Root("instance_id"), &id)...)
	diags.Append(config.GetAttribute(ctx, path.Root("confirm"), &confirm)...)
	if !id.IsUnknown() && !confirm.IsUnknown() && !id.Equal(confirm) {
		diags.AddAttributeError(path.Root("confirm"), "Wrong confirmation",
			fmt.Sprintf("The action deletes data. To go ahead, set confirm to the instance id %q; it is %q.", id.ValueString(), confirm.ValueString()))
	}
}

// validate applies the validators of the arguments in the plan and when the action is
// invoked. Terraform applies them only to the configuration, where a value may still be
// unknown.
func (a *InstanceAction) validate(ctx context.Context, config tfsdk.Config, diags *diag.Diagnostics) {
	all := a.Attributes(ctx)
	for _, name := range a.arguments(ctx) {
		var value types.String
		diags.Append(config.GetAttribute(ctx, path.Root(name), &value)...)
		for _, rule := range all[name].(schema.StringAttribute).Validators {
			var checked validator.StringResponse
			rule.ValidateString(ctx, validator.StringRequest{Path: path.Root(name), Config: config, ConfigValue: value}, &checked)
			diags.Append(checked.Diagnostics...)
		}
	}
	a.checkConfirmation(ctx, config, diags)
}

// Invoke implements action.Action: it starts the operation and waits for its job.
func (a *InstanceAction) Invoke(ctx context.Context, req action.InvokeRequest, resp *action.InvokeResponse) {
	a.validate(ctx, req.Config, &resp.Diagnostics)
	given, timeout := a.read(ctx, req.Config, &resp.Diagnostics)
	if resp.Diagnostics.HasError() || !base.RequireClient(a.Client, &resp.Diagnostics) {
		return
	}
	if err := a.run(ctx, given, timeout, func(line string) { resp.SendProgress(action.InvokeProgressEvent{Message: line}) }); err != nil {
		diagnostics.AddActionError(&resp.Diagnostics, "Unable to complete action "+a.Name, err)
	}
}

// read reads the arguments and the timeout from the configuration.
func (a *InstanceAction) read(ctx context.Context, config tfsdk.Config, diags *diag.Diagnostics) (Arguments, time.Duration) {
	given := Arguments{}
	for _, name := range a.arguments(ctx) {
		var value types.String
		diags.Append(config.GetAttribute(ctx, path.Root(name), &value)...)
		given[name] = value.ValueString()
	}
	var limits timeouts.Value
	diags.Append(config.GetAttribute(ctx, path.Root("timeouts"), &limits)...)
	timeout, invalid := limits.Invoke(ctx, actionTimeout)
	diags.Append(invalid...)
	return given, timeout
}

// run sends the action when the instance's queue allows it. It waits for its job and, if
// the action queues one, for its build. Terraform drops an action's diagnostics and later
// progress on Ctrl-C, so there is a line of progress before the request, and one with the
// job's id after it.
func (a *InstanceAction) run(ctx context.Context, given Arguments, timeout time.Duration, say func(string)) error {
	id := given["instance_id"]
	turn, err := a.Client.Enter(ctx, id)
	if err != nil {
		return err
	}
	defer turn.Leave()
	ctx, cancel := lifetime.WithTimeout(ctx, "invoke", timeout)
	defer cancel()
	before, err := a.statusBefore(ctx, id, given["app"])
	if err != nil {
		return err
	}
	say(fmt.Sprintf("Requesting %s on instance %s. If no job is accepted below, check in the portal whether it was carried out.", a.Operation, id))
	pending, err := a.Send(ctx, turn, given)
	switch {
	case err != nil:
		return err
	case pending.JobID == "":
		say(fmt.Sprintf("The service has carried out %s already.", a.Operation))
	default:
		say(fmt.Sprintf("Job %s (%s) is accepted.", pending.JobID, a.Operation))
	}
	last := -1
	err = a.Client.WaitJob(ctx, id, pending, a.Operation, func(job client.Job) {
		if job.Progress.Value != last {
			last = job.Progress.Value
			say(fmt.Sprintf("Job %s is %s, %d %%.", job.ID, job.Status, last))
		}
	})
	if err == nil && a.Operation == client.OpAppRedeploy && pending.BuildID == "" {
		pending.BuildID, err = turn.QueuedBuild(ctx, given["app"])
	}
	if err != nil || pending.BuildID == "" {
		return err
	}
	turn.Leave()
	say(fmt.Sprintf("Build %s of app %s is queued.", pending.BuildID, given["app"]))
	if err := a.Client.WaitDeployed(ctx, id, given["app"], pending.BuildID, before); err != nil {
		return err
	}
	say(fmt.Sprintf("Build %s is deployed and runs.", pending.BuildID))
	return nil
}

// statusBefore returns the status of an app before the action, or "" if the action is not
// about an app.
func (a *InstanceAction) statusBefore(ctx context.Context, instanceID, app string) (string, error) {
	if app == "" {
		return "", nil
	}
	record, err := a.Client.App(ctx, instanceID, app)
	return string(record.Status), err
}
