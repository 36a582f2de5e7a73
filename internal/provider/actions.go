package provider

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
)

var (
	_ action.ActionWithConfigure      = &instanceAction{}
	_ action.ActionWithValidateConfig = &instanceAction{}
	_ action.ActionWithModifyPlan     = &instanceAction{}
)

const actionTimeout = 60 * time.Minute

// An instanceAction runs an operation on an instance and waits for its job. Actions
// differ in their arguments and in the request that they send.
type instanceAction struct {
	actionBase
	name        string // without the provider's prefix
	description string
	operation   string // the job's operation
	attributes  func(context.Context) map[string]schema.Attribute
	send        func(context.Context, *client.Turn, arguments) (client.Pending, error)
	// plan, if non-nil, warns about lost data and replaced passwords, and checks the
	// arguments that are known at plan time.
	plan func(context.Context, *actionPlan)
}

// arguments maps the names of an action's arguments to their values. An argument that is
// not set has the value "".
type arguments map[string]string

func required(description string) schema.StringAttribute {
	return schema.StringAttribute{
		Required:            true,
		Validators:          []validator.String{notEmpty()},
		MarkdownDescription: description,
	}
}

// confirmation returns the argument that must equal the instance's id. The service
// requires it for operations that lose data.
func confirmation() schema.StringAttribute {
	return required("Must equal `instance_id`, because the action deletes data.")
}

func (a *instanceAction) Metadata(_ context.Context, req action.MetadataRequest, resp *action.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_" + a.name
}

func (a *instanceAction) Schema(ctx context.Context, _ action.SchemaRequest, resp *action.SchemaResponse) {
	resp.Schema = schema.Schema{MarkdownDescription: a.description, Attributes: a.attributes(ctx)}
}

// arguments returns the names of the action's arguments: all of its string attributes.
func (a *instanceAction) arguments(ctx context.Context) []string {
	var names []string
	for name, attribute := range a.attributes(ctx) {
		if _, ok := attribute.(schema.StringAttribute); ok {
			names = append(names, name)
		}
	}
	return sorted(names)
}

func (a *instanceAction) ValidateConfig(ctx context.Context, req action.ValidateConfigRequest, resp *action.ValidateConfigResponse) {
	a.checkConfirmation(ctx, req.Config, &resp.Diagnostics)
}

// checkConfirmation checks the confirmation before any request: in the configuration, in
// the plan and when the action is invoked. Unknown values are skipped.
func (a *instanceAction) checkConfirmation(ctx context.Context, config tfsdk.Config, diags *diag.Diagnostics) {
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

func (a *instanceAction) Invoke(ctx context.Context, req action.InvokeRequest, resp *action.InvokeResponse) {
	a.checkConfirmation(ctx, req.Config, &resp.Diagnostics)
	given, timeout := a.read(ctx, req.Config, &resp.Diagnostics)
	if resp.Diagnostics.HasError() || !requireClient(a.client, &resp.Diagnostics) {
		return
	}
	if err := a.run(ctx, given, timeout, func(line string) { resp.SendProgress(action.InvokeProgressEvent{Message: line}) }); err != nil {
		addError(&resp.Diagnostics, "Unable to complete action "+a.name, err)
	}
}

// read reads the arguments and the timeout from the configuration.
func (a *instanceAction) read(ctx context.Context, config tfsdk.Config, diags *diag.Diagnostics) (arguments, time.Duration) {
	given := arguments{}
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
// the action queues one, for its build. The first line of progress has the job's id,
// because Terraform drops an action's diagnostics on Ctrl-C.
func (a *instanceAction) run(ctx context.Context, given arguments, timeout time.Duration, say func(string)) error {
	id := given["instance_id"]
	turn, err := a.client.Enter(ctx, id)
	if err != nil {
		return err
	}
	defer turn.Leave()
	ctx, cancel := client.WithTimeout(ctx, "invoke", timeout)
	defer cancel()
	before, err := a.statusBefore(ctx, id, given["app"])
	if err != nil {
		return err
	}
	pending, err := a.send(ctx, turn, given)
	if err != nil {
		return err
	}
	if pending == client.NothingPending() {
		say(fmt.Sprintf("The service has carried out %s already.", a.operation))
	} else {
		say(fmt.Sprintf("Job %s (%s) is accepted.", pending.JobID, a.operation))
	}
	last := -1
	err = a.client.WaitJob(ctx, id, pending, a.operation, func(job client.Job) {
		if job.Progress.Value != last {
			last = job.Progress.Value
			say(fmt.Sprintf("Job %s is %s, %d %%.", job.ID, job.Status, last))
		}
	})
	if err != nil || pending.BuildID == "" {
		return err
	}
	turn.Leave()
	say(fmt.Sprintf("Build %s of app %s is queued.", pending.BuildID, given["app"]))
	if err := a.client.WaitDeployed(ctx, id, given["app"], pending.BuildID, before); err != nil {
		return err
	}
	say(fmt.Sprintf("Build %s is deployed and runs.", pending.BuildID))
	return nil
}

// statusBefore returns the status of an app before the action, or "" if the action is not
// about an app.
func (a *instanceAction) statusBefore(ctx context.Context, instanceID, app string) (string, error) {
	if app == "" {
		return "", nil
	}
	record, err := a.client.App(ctx, instanceID, app)
	return string(record.Status), err
}
