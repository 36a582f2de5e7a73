package provider

import (
	"context"
	"errors"
	"time"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/resource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringdefault"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/instance-hosting/terraform-provider-hosting/internal/client"
)

var (
	_ resource.ResourceWithConfigure   = &allowlistResource{}
	_ resource.ResourceWithImportState = &allowlistResource{}
	_ resource.ResourceWithIdentity    = &allowlistResource{}
	_ resource.ResourceWithModifyPlan  = &allowlistResource{}
)

// What destroying an allowlist does.
const (
	onDestroyKeep = "keep"
	onDestroyOpen = "open"
)

func newAllowlistResource() resource.Resource { return &allowlistResource{} }

type allowlistResource struct{ resourceBase }

type allowlistModel struct {
	InstanceID types.String   `tfsdk:"instance_id"`
	CIDRs      types.Set      `tfsdk:"cidrs"`
	OnDestroy  types.String   `tfsdk:"on_destroy"`
	Timeouts   timeouts.Value `tfsdk:"timeouts"`
}

func (r *allowlistResource) Metadata(_ context.Context, req resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_allowlist"
}

func (r *allowlistResource) Schema(ctx context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "The addresses that may reach an instance's engines. An instance has one list, and a change takes effect within a minute. " +
			"TLS and a password are required in any case.",
		Attributes: map[string]schema.Attribute{
			"instance_id": instanceIDAttribute("what becomes of the former instance's list is up to `on_destroy`"),
			"cidrs": schema.SetAttribute{
				Required:      true,
				ElementType:   types.StringType,
				Validators:    []validator.Set{cidrSet{}},
				PlanModifiers: []planmodifier.Set{canonicalCIDRs{}},
				MarkdownDescription: "CIDR blocks and bare addresses, IPv4 or IPv6; `203.0.113.7` and `203.0.113.7/32` are the same. " +
					"**An empty set opens the instance to the internet.** Changed in place.",
			},
			"on_destroy": schema.StringAttribute{
				Optional:   true,
				Computed:   true,
				Default:    stringdefault.StaticString(onDestroyKeep),
				Validators: []validator.String{stringvalidator.OneOf(onDestroyKeep, onDestroyOpen)},
				MarkdownDescription: "What destroying the resource does: `keep` leaves the list in force, " +
					"`open` empties it and so opens the instance to the internet. Default `keep`.",
			},
			"timeouts": settingTimeouts(ctx),
		},
	}
}

func (r *allowlistResource) IdentitySchema(_ context.Context, _ resource.IdentitySchemaRequest, resp *resource.IdentitySchemaResponse) {
	resp.IdentitySchema = settingIdentitySchema()
}

// ModifyPlan says what a plan opens, and what it leaves closed.
func (r *allowlistResource) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	var state, plan *allowlistModel
	if !req.State.Raw.IsNull() {
		resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	}
	if !req.Plan.Raw.IsNull() {
		resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	}
	switch {
	case resp.Diagnostics.HasError():
	case plan == nil && state.OnDestroy.ValueString() == onDestroyOpen:
		resp.Diagnostics.AddWarning("Instance "+state.InstanceID.ValueString()+" will be open to the internet",
			"The allowlist is destroyed with on_destroy = \"open\": its list is emptied, and every address may reach the instance. TLS and a password are still required.")
	case plan == nil:
		resp.Diagnostics.AddWarning("The allowlist of instance "+state.InstanceID.ValueString()+" stays in force",
			"The allowlist is destroyed with on_destroy = \"keep\": Terraform forgets the list, and the instance keeps it.")
	case plan.opens() && (state == nil || !state.opens()):
		resp.Diagnostics.AddAttributeWarning(path.Root("cidrs"), "The instance will be open to the internet",
			"An empty allowlist lets every address reach the instance. TLS and a password are still required.")
	}
}

// opens tells whether the list lets every address in.
func (m *allowlistModel) opens() bool { return !m.CIDRs.IsUnknown() && len(m.CIDRs.Elements()) == 0 }

func (r *allowlistResource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	var plan allowlistModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	timeout, diags := plan.Timeouts.Create(ctx, settingTimeout)
	resp.Diagnostics.Append(diags...)
	cidrs := stringsOf(ctx, plan.CIDRs, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	if err := r.put(ctx, &plan, cidrs, timeout); err != nil {
		addError(&resp.Diagnostics, "Unable to set the allowlist of instance "+plan.InstanceID.ValueString(), err)
		return
	}
	resp.Diagnostics.Append(resp.State.Set(ctx, plan)...)
	resp.Diagnostics.Append(resp.Identity.Set(ctx, settingIdentity{InstanceID: plan.InstanceID})...)
}

func (r *allowlistResource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	var state allowlistModel
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	if resp.Diagnostics.HasError() {
		return
	}
	resp.Diagnostics.Append(resp.Identity.Set(ctx, settingIdentity{InstanceID: state.InstanceID})...)
	if r.client == nil {
		return
	}
	id := state.InstanceID.ValueString()
	cidrs, err := r.list(ctx, id)
	switch {
	case errors.Is(err, client.ErrNotFound):
		removeGone(ctx, &resp.State, &resp.Diagnostics, "The allowlist of instance "+id)
		return
	case err != nil:
		addError(&resp.Diagnostics, "Unable to read the allowlist of instance "+id, err)
		return
	}
	state.setRecord(cidrs)
	resp.Diagnostics.Append(resp.State.Set(ctx, state)...)
}

// list reads the allowlist, from the instance's record where it holds it.
func (r *allowlistResource) list(ctx context.Context, id string) (client.Maybe[[]string], error) {
	instance, err := r.client.RefreshInstance(ctx, id)
	if err != nil || instance.Allowlist.Set {
		return instance.Allowlist, err
	}
	return r.client.Allowlist(ctx, id)
}

func (r *allowlistResource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	var plan, state allowlistModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	timeout, diags := plan.Timeouts.Update(ctx, settingTimeout)
	resp.Diagnostics.Append(diags...)
	cidrs := stringsOf(ctx, plan.CIDRs, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	if !plan.CIDRs.Equal(state.CIDRs) {
		if err := r.put(ctx, &plan, cidrs, timeout); err != nil {
			addError(&resp.Diagnostics, "Unable to change the allowlist of instance "+plan.InstanceID.ValueString(), err)
			return
		}
	}
	resp.Diagnostics.Append(resp.State.Set(ctx, plan)...)
}

func (r *allowlistResource) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	var state allowlistModel
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	timeout, diags := state.Timeouts.Delete(ctx, settingTimeout)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() || state.OnDestroy.ValueString() != onDestroyOpen {
		return
	}
	id := state.InstanceID.ValueString()
	err := r.set(ctx, id, timeout, client.OpAllowlist, func(ctx context.Context, turn *client.Turn) (client.Pending, error) {
		return turn.SetAllowlist(ctx, nil)
	})
	if err != nil && !errors.Is(err, client.ErrNotFound) {
		addError(&resp.Diagnostics, "Unable to open the allowlist of instance "+id, err)
	}
}

// put sends a list and reads back what is then in force.
func (r *allowlistResource) put(ctx context.Context, m *allowlistModel, cidrs []string, timeout time.Duration) error {
	id := m.InstanceID.ValueString()
	err := r.set(ctx, id, timeout, client.OpAllowlist, func(ctx context.Context, turn *client.Turn) (client.Pending, error) {
		return turn.SetAllowlist(ctx, cidrs)
	})
	if err != nil {
		return err
	}
	inForce, err := readBack(ctx,
		func(ctx context.Context) (client.Maybe[[]string], error) { return r.client.Allowlist(ctx, id) },
		func(list client.Maybe[[]string]) bool { return !list.Set || sameCIDRs(list.Value, cidrs) })
	if err != nil {
		return err
	}
	m.setRecord(inForce)
	return nil
}

func (r *allowlistResource) ImportState(ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse) {
	importSetting(ctx, req, resp)
}

// setRecord takes over the service's list. One that means the same keeps its
// spelling; one that is not told keeps its value.
func (m *allowlistModel) setRecord(list client.Maybe[[]string]) {
	if m.OnDestroy.IsNull() {
		m.OnDestroy = types.StringValue(onDestroyKeep) // imported: only the provider knows it
	}
	if list.Set && (m.CIDRs.IsNull() || !sameCIDRs(elementsOf(m.CIDRs), list.Value)) {
		m.CIDRs = setOf(list.Value, types.SetValueMust(types.StringType, nil))
	}
}
