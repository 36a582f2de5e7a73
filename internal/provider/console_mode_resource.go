package provider

import (
	"context"
	"errors"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/resource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/instance-hosting/terraform-provider-hosting/internal/client"
)

var (
	_ resource.ResourceWithConfigure   = &consoleModeResource{}
	_ resource.ResourceWithImportState = &consoleModeResource{}
	_ resource.ResourceWithIdentity    = &consoleModeResource{}
)

func newConsoleModeResource() resource.Resource { return &consoleModeResource{} }

type consoleModeResource struct{ resourceBase }

type consoleModeModel struct {
	InstanceID types.String   `tfsdk:"instance_id"`
	Mode       types.String   `tfsdk:"mode"`
	Timeouts   timeouts.Value `tfsdk:"timeouts"`
}

func (r *consoleModeResource) Metadata(_ context.Context, req resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_console_mode"
}

func (r *consoleModeResource) Schema(ctx context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "The mode of an instance's browser SQL console. An instance has one; destroying the resource sets it to `off`.",
		Attributes: map[string]schema.Attribute{
			"instance_id": instanceIDAttribute("the console of the former instance is set to `off`"),
			"mode": schema.StringAttribute{
				Required:   true,
				Validators: []validator.String{stringvalidator.OneOf(client.ConsoleOff, client.ConsoleReadOnly, client.ConsoleReadWrite)},
				MarkdownDescription: "`off`, `ro` (runs as the read-only database role, so that Postgres itself refuses writes) or `rw`. " +
					"Changed in place.",
			},
			"timeouts": settingTimeouts(ctx),
		},
	}
}

func (r *consoleModeResource) IdentitySchema(_ context.Context, _ resource.IdentitySchemaRequest, resp *resource.IdentitySchemaResponse) {
	resp.IdentitySchema = settingIdentitySchema()
}

func (r *consoleModeResource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	var plan consoleModeModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	timeout, diags := plan.Timeouts.Create(ctx, settingTimeout)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}
	err := r.set(ctx, plan.InstanceID.ValueString(), timeout, client.OpConsole, plan.put)
	if err != nil {
		addError(&resp.Diagnostics, "Unable to set the console mode of instance "+plan.InstanceID.ValueString(), err)
		return
	}
	resp.Diagnostics.Append(resp.State.Set(ctx, plan)...)
	resp.Diagnostics.Append(resp.Identity.Set(ctx, settingIdentity{InstanceID: plan.InstanceID})...)
}

// put sends what the model says. The service takes one of three words and
// cannot normalise them, so there is nothing to read back.
func (m consoleModeModel) put(ctx context.Context, turn *client.Turn) (client.Pending, error) {
	return turn.SetConsoleMode(ctx, m.Mode.ValueString())
}

func (r *consoleModeResource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	var state consoleModeModel
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	if resp.Diagnostics.HasError() {
		return
	}
	resp.Diagnostics.Append(resp.Identity.Set(ctx, settingIdentity{InstanceID: state.InstanceID})...)
	if r.client == nil {
		return
	}
	id := state.InstanceID.ValueString()
	mode, err := r.mode(ctx, id)
	switch {
	case errors.Is(err, client.ErrNotFound):
		removeGone(ctx, &resp.State, &resp.Diagnostics, "The console of instance "+id)
		return
	case err != nil:
		addError(&resp.Diagnostics, "Unable to read the console mode of instance "+id, err)
		return
	case mode != "":
		state.Mode = types.StringValue(mode)
	}
	resp.Diagnostics.Append(resp.State.Set(ctx, state)...)
}

// mode reads the console's mode, from the instance's record where it holds it.
func (r *consoleModeResource) mode(ctx context.Context, id string) (string, error) {
	instance, err := r.client.RefreshInstance(ctx, id)
	if err != nil || instance.ConsoleMode.Value != "" {
		return instance.ConsoleMode.Value, err
	}
	return r.client.ConsoleMode(ctx, id)
}

func (r *consoleModeResource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	var plan, state consoleModeModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	timeout, diags := plan.Timeouts.Update(ctx, settingTimeout)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}
	if !plan.Mode.Equal(state.Mode) {
		if err := r.set(ctx, plan.InstanceID.ValueString(), timeout, client.OpConsole, plan.put); err != nil {
			addError(&resp.Diagnostics, "Unable to set the console mode of instance "+plan.InstanceID.ValueString(), err)
			return
		}
	}
	resp.Diagnostics.Append(resp.State.Set(ctx, plan)...)
}

func (r *consoleModeResource) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	var state consoleModeModel
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	timeout, diags := state.Timeouts.Delete(ctx, settingTimeout)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() || state.Mode.ValueString() == client.ConsoleOff {
		return
	}
	state.Mode = types.StringValue(client.ConsoleOff)
	err := r.set(ctx, state.InstanceID.ValueString(), timeout, client.OpConsole, state.put)
	if err != nil && !errors.Is(err, client.ErrNotFound) {
		addError(&resp.Diagnostics, "Unable to set the console of instance "+state.InstanceID.ValueString()+" to off", err)
	}
}

func (r *consoleModeResource) ImportState(ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse) {
	importSetting(ctx, req, resp)
}
