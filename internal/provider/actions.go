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

// An instanceAction does something with an instance and waits for its job. The
// actions differ in what they take and what they send.
type instanceAction struct {
	actionBase
	name        string // without the provider's prefix
	description string
	operation   string // of the job
	attributes  func(context.Context) map[string]schema.Attribute
	send        func(context.Context, *client.Turn, arguments) (client.Pending, error)
	// plan says what the action will do to data and passwords, and checks what can
	// be known; nil for an action that loses nothing and has nothing to check.
	plan func(context.Context, *actionPlan)
}

// arguments are an action's arguments; "" for one that is not given.
type arguments map[string]string

func required(description string) schema.StringAttribute {
	return schema.StringAttribute{
		Required:            true,
		Validators:          []validator.String{notEmpty()},
		MarkdownDescription: description,
	}
}

// confirmation must equal the instance's id, as the service wants it for what
// loses data.
func confirmation() schema.StringAttribute {
	return required("Must equal `instance_id`, because the action deletes data.")
}

func (a *instanceAction) Metadata(_ context.Context, req action.MetadataRequest, resp *action.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_" + a.name
}

func (a *instanceAction) Schema(ctx context.Context, _ action.SchemaRequest, resp *action.SchemaResponse) {
	resp.Schema = schema.Schema{MarkdownDescription: a.description, Attributes: a.attributes(ctx)}
}

// arguments are the names of what the action takes: all of its attributes that are
// strings.
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

// checkConfirmation checks the confirmation before anything is sent: in the
// configuration, in the plan, and when the action is invoked, each as far as it is
// known then.
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

// read reads the arguments that are given.
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

// run sends the action at the head of the instance's queue and waits for its job
// and, where it queues one, its build. The first line of progress is the job's
// id: Terraform drops an action's diagnostics on Ctrl-C.
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

// statusBefore is the status that an app shows before the action, "" for an
// action that is about no app.
func (a *instanceAction) statusBefore(ctx context.Context, instanceID, app string) (string, error) {
	if app == "" {
		return "", nil
	}
	record, err := a.client.App(ctx, instanceID, app)
	return string(record.Status), err
}
